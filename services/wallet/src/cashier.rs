//! What is done to a player's own money, inside the caller's transaction: the locks, the question of eligibility, the posting.

use domain_ledger::eligibility::{
    Action, Ineligible, Policy, Standing, StandingEvent, StandingRefusal, Usage,
};
use domain_ledger::{Balances, Currency, PlayerId, Refusal};
use event_store::{Metadata, Version};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::account::{self, Sum};
use crate::app::payments::Payment;
use crate::app::posting::{DepositSource, Draft, PaymentOutcome, Posting, WalletEvent};
use crate::app::{player_uuid, standing_uuid, unix_ms};
use crate::store::log::{self, LoadError};
use crate::store::payments::{self, Booked, PaymentState};
use crate::store::posting::{Batch, Place, PostError, post};
use crate::store::{balances, usage};

/// Why something was not done; whatever it is, the transaction must not be committed with what it has written.
#[derive(Debug, thiserror::Error)]
pub enum CashierError {
    /// The ledger's rules.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The player may not.
    #[error(transparent)]
    Ineligible(#[from] Ineligible),
    /// There is no account (yet).
    #[error("there is no such account")]
    NoAccount,
    /// There is no such payment or transfer.
    #[error("there is no such payment or transfer")]
    Unknown,
    /// It was concluded or reversed before, otherwise than now.
    #[error("it was concluded before")]
    Concluded,
    /// A provider's word does not fit the payment.
    #[error("the provider's amount is not that of the payment")]
    OtherAmount,
    /// Events that cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The posting was not written.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

/// A player's account, locked until the end of the transaction.
#[derive(Debug)]
pub struct Account {
    /// Whose.
    pub player: PlayerId,
    /// What stands on it in one currency.
    pub balances: Balances,
    /// The version of its stream.
    pub version: Version,
}

/// Locks a player's account for a movement in a currency.
///
/// # Errors
/// When there is none.
pub async fn open_account(
    conn: &mut PgConnection,
    player: PlayerId,
    currency: Currency,
) -> Result<Account, CashierError> {
    let stream_id = player_uuid(player);
    log::lock_streams(conn, &[stream_id]).await?;
    let version = event_store::head(&mut *conn, stream_id).await?;
    if version == 0 {
        return Err(CashierError::NoAccount);
    }
    let balances = balances::lock_player(conn, player, currency).await?;
    Ok(Account { player, balances, version })
}

impl Account {
    /// Writes one decision that was made on the balances.
    ///
    /// # Errors
    /// When it is not written.
    pub async fn post(
        self,
        conn: &mut PgConnection,
        draft: Draft,
        metadata: Metadata,
    ) -> Result<Posting, CashierError> {
        let place = Place { expected: self.version, metadata };
        let written = post(conn, vec![draft], self.balances, place).await?;
        Ok(written.into_iter().next().expect("one decision makes one posting"))
    }
}

/// Asks whether a player may do something now. The account must be locked, so that two questions do not answer for the same
/// money.
///
/// # Errors
/// [`CashierError::Ineligible`] when he may not, or it cannot be decided.
pub async fn ask(
    conn: &mut PgConnection,
    policy: &Policy,
    player: PlayerId,
    currency: Currency,
    action: Action,
) -> Result<(), CashierError> {
    let (standing, _) = standing(conn, player).await?;
    let now = OffsetDateTime::now_utc();
    let usage = match standing == Standing::default() {
        // Nothing is limited, so nothing need be counted.
        true => Usage::default(),
        false => usage::of(conn, player, currency, now).await?,
    };
    Ok(policy.ask(&standing, &usage, action, unix_ms(now))?)
}

/// What is known of a player, and the version of its stream.
///
/// # Errors
/// When the database does not answer.
pub async fn standing(
    conn: &mut PgConnection,
    player: PlayerId,
) -> Result<(Standing, Version), CashierError> {
    let mut loaded = log::load_standings(conn, &[player]).await?;
    Ok(loaded.remove(&player).unwrap_or_default())
}

/// Changes what is known of a player.
///
/// # Errors
/// When it is not written.
pub async fn change_standing(
    conn: &mut PgConnection,
    player: PlayerId,
    decide: impl FnOnce(&Standing) -> Result<StandingEvent, StandingRefusal>,
    by: (Option<Uuid>, Metadata),
) -> Result<Result<StandingEvent, StandingRefusal>, CashierError> {
    log::lock_streams(conn, &[standing_uuid(player)]).await?;
    let (standing, expected) = standing(conn, player).await?;
    let change = match decide(&standing) {
        Ok(change) => change,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (changed_by, metadata) = by;
    let event = WalletEvent::StandingChanged { player, change, changed_by };
    let draft = Draft { event, transfers: Vec::new() };
    post(conn, vec![draft], Balances::new(), Place { expected, metadata }).await?;
    Ok(Ok(change))
}

/// Notes a payment that waits for its provider. The account must be locked.
///
/// # Errors
/// When it is not written.
pub async fn request_payment(
    conn: &mut PgConnection,
    payment: &Payment,
    provider: &str,
    metadata: Metadata,
) -> Result<(), CashierError> {
    payments::insert(conn, payment).await?;
    let Sum { player, amount, currency } = payment.sum;
    let provider = provider.to_owned();
    let event = WalletEvent::DepositRequested { payment: payment.id, player, amount, currency, provider };
    let draft = Draft { event, transfers: Vec::new() };
    post(conn, vec![draft], Balances::new(), Place { expected: 0, metadata }).await?;
    Ok(())
}

/// What a provider has told about one of its payments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The player has paid.
    Settled {
        /// Which payment.
        payment: Uuid,
        /// How much, in minor units.
        minor: i64,
        /// In which currency.
        currency: String,
    },
    /// The player has not paid, nor ever will.
    Failed {
        /// Which payment.
        payment: Uuid,
    },
    /// Money that was taken out has come back.
    WithdrawalFailed {
        /// Which transfer.
        transfer: Uuid,
        /// Whose.
        player: Uuid,
    },
}

/// A provider's word, and by what name it gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderWord {
    /// The provider.
    pub provider: &'static str,
    /// Its name for what happened: told again, it is the same.
    pub event_id: String,
    /// What happened.
    pub notice: Notice,
}

/// Does what a provider's word asks, once (case F17). True if it was new.
///
/// # Errors
/// When it does not fit what is known here; then nothing must be committed.
pub async fn hear(
    conn: &mut PgConnection,
    word: &ProviderWord,
    metadata: Metadata,
) -> Result<bool, CashierError> {
    if !payments::note_provider_event(conn, word.provider, &word.event_id).await? {
        return Ok(false);
    }
    match &word.notice {
        Notice::Settled { payment, minor, currency } => {
            let payment = pending(conn, *payment).await?;
            let sum = payment.sum;
            if sum.amount.minor() != *minor || sum.currency.as_str() != currency {
                return Err(CashierError::OtherAmount);
            }
            payments::set_state(conn, payment.id, PaymentState::Settled).await?;
            conclude(conn, &payment, PaymentOutcome::Settled, (word, metadata)).await?;
        }
        Notice::Failed { payment } => {
            let payment = pending(conn, *payment).await?;
            payments::set_state(conn, payment.id, PaymentState::Failed).await?;
            conclude(conn, &payment, PaymentOutcome::Failed, (word, metadata)).await?;
        }
        Notice::WithdrawalFailed { transfer, player } => {
            let player = PlayerId::new(player.as_u128());
            let order = Reversal {
                player,
                transfer: *transfer,
                reason: "the withdrawal failed at its provider".to_owned(),
                reversed_by: word.provider.to_owned(),
            };
            reverse(conn, order, metadata).await?;
        }
    }
    Ok(true)
}

async fn pending(conn: &mut PgConnection, payment: Uuid) -> Result<Payment, CashierError> {
    match payments::lock(conn, payment).await? {
        Some((payment, PaymentState::Pending)) => Ok(payment),
        Some(_) => Err(CashierError::Concluded),
        None => Err(CashierError::Unknown),
    }
}

async fn conclude(
    conn: &mut PgConnection,
    payment: &Payment,
    outcome: PaymentOutcome,
    (word, metadata): (&ProviderWord, Metadata),
) -> Result<(), CashierError> {
    let Sum { player, currency, .. } = payment.sum;
    let account = open_account(conn, player, currency).await?;
    let mut batch = Batch::new(account.balances);
    if outcome == PaymentOutcome::Settled {
        let source =
            DepositSource { provider: word.provider.to_owned(), provider_event_id: word.event_id.clone() };
        let draft = account::deposit(payment.sum, payment.id, source, batch.balances())?;
        let place = Place { expected: account.version, metadata: metadata.clone() };
        batch.add(vec![draft], place).map_err(PostError::from)?;
    }
    let provider_event_id = word.event_id.clone();
    let event = WalletEvent::PaymentConcluded { payment: payment.id, player, outcome, provider_event_id };
    let expected = event_store::head(&mut *conn, payment.id).await?;
    let draft = Draft { event, transfers: Vec::new() };
    batch.add(vec![draft], Place { expected, metadata }).map_err(PostError::from)?;
    batch.write(conn).await?;
    Ok(())
}

/// What is to be undone, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// Whose.
    pub player: PlayerId,
    /// Which transfer.
    pub transfer: Uuid,
    /// Why.
    pub reason: String,
    /// By whom.
    pub reversed_by: String,
}

/// Undoes a transfer by its opposite, once.
///
/// # Errors
/// When there is no such transfer of the player's, it cannot be undone, or was.
pub async fn reverse(
    conn: &mut PgConnection,
    order: Reversal,
    metadata: Metadata,
) -> Result<Posting, CashierError> {
    let Reversal { player, transfer, reason, reversed_by } = order;
    let original = match payments::find_movement(conn, player, transfer).await? {
        Booked::Unknown => return Err(CashierError::Unknown),
        Booked::NotReversible => return Err(Refusal::NotReversible.into()),
        Booked::Movement(original) => original,
    };
    let account = open_account(conn, player, original.currency()).await?;
    let draft = account::reverse(player, &original, reason, reversed_by, &account.balances)?;
    let reversal_id = draft.transfers.first().map_or(0, |transfer| transfer.id().value());
    if !payments::note_reversal(conn, transfer, Uuid::from_u128(reversal_id)).await? {
        return Err(CashierError::Concluded);
    }
    account.post(conn, draft, metadata).await
}
