//! What a decision comes to: one event, with the transfers that it books.

use domain_ledger::eligibility::StandingEvent;
use domain_ledger::{
    Account, Amount, Balances, Currency, Direction, FundSource, Hold, MatchId, PlayerId, PotSplit,
    RefundReason, Transfer, TransferId, Unbookable,
};
use uuid::Uuid;

use super::GameId;

/// What happened, without the transfers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WalletEvent {
    /// A player has an account.
    AccountOpened {
        /// Who.
        player: PlayerId,
        /// The name he signed up with.
        name: String,
    },
    /// Money came in.
    MoneyDeposited {
        /// Whose.
        player: PlayerId,
        /// From where.
        source: DepositSource,
    },
    /// Money went out.
    MoneyWithdrawn {
        /// Whose.
        player: PlayerId,
        /// The provider that takes it out.
        provider: String,
    },
    /// A person corrected a player's money.
    MoneyAdjusted {
        /// Whose.
        player: PlayerId,
        /// Of which adjustment.
        adjustment: Uuid,
        /// Why.
        reason: String,
        /// Who asked for it.
        proposed_by: Uuid,
        /// Who approved it, if that was needed.
        approved_by: Option<Uuid>,
    },
    /// An earlier transfer was undone by its opposite.
    TransferReversed {
        /// Whose.
        player: PlayerId,
        /// The earlier transfer.
        reversed: TransferId,
        /// Why.
        reason: String,
        /// By whom: an operator's id, or a provider.
        reversed_by: String,
    },
    /// A deposit waits for its provider.
    DepositRequested {
        /// Which.
        payment: Uuid,
        /// Whose.
        player: PlayerId,
        /// How much.
        amount: Amount,
        /// In which currency.
        currency: Currency,
        /// Of which provider.
        provider: String,
    },
    /// The provider has said what became of a payment.
    PaymentConcluded {
        /// Which.
        payment: Uuid,
        /// Whose.
        player: PlayerId,
        /// What became of it.
        outcome: PaymentOutcome,
        /// The provider's name for what happened.
        provider_event_id: String,
    },
    /// An adjustment waits for a second person.
    AdjustmentProposed {
        /// Which.
        adjustment: Uuid,
        /// Whose money.
        player: PlayerId,
        /// Which way.
        direction: Direction,
        /// How much.
        amount: Amount,
        /// In which currency.
        currency: Currency,
        /// Why.
        reason: String,
        /// Who asked for it.
        proposed_by: Uuid,
    },
    /// A second person has decided.
    AdjustmentDecided {
        /// Which.
        adjustment: Uuid,
        /// How.
        decision: AdjustmentDecision,
        /// Who.
        decided_by: Uuid,
    },
    /// What a player may do has changed.
    StandingChanged {
        /// Whose.
        player: PlayerId,
        /// How.
        change: StandingEvent,
        /// The operator who did it, if it was not the player.
        changed_by: Option<Uuid>,
    },
    /// Both stakes of a match are held.
    StakesHeld {
        /// The terms.
        hold: Hold,
        /// The game it is for.
        game: GameId,
    },
    /// Neither is, nor ever will be.
    StakesRefused {
        /// Of which match.
        match_id: MatchId,
        /// Why.
        refusal: StakesRefusal,
    },
    /// The pot went to the winner, less the fee.
    PotPaid {
        /// Of which match.
        match_id: MatchId,
        /// The game.
        game: GameId,
        /// Who won it.
        winner: PlayerId,
        /// The currency of the split.
        currency: Currency,
        /// What the winner and the house got.
        split: PotSplit,
    },
    /// The winner's prize waits for fair play.
    PrizeWithheld {
        /// Of which match.
        match_id: MatchId,
        /// The game.
        game: GameId,
        /// Who won it.
        player: PlayerId,
        /// Under which hold of fair play.
        prize_hold: Uuid,
        /// When it is released at the latest, in milliseconds since the Unix epoch.
        until_ms: i64,
    },
    /// The winner has his prize.
    PrizeReleased {
        /// Of which match.
        match_id: MatchId,
        /// The game.
        game: GameId,
        /// Who won it.
        player: PlayerId,
        /// Under which hold of fair play it was withheld.
        prize_hold: Uuid,
    },
    /// The loser has his stake from the house: the winner was found out.
    VictimRefunded {
        /// Of which match.
        match_id: MatchId,
        /// The game.
        game: GameId,
        /// Who had lost.
        victim: PlayerId,
        /// Who had won.
        winner: PlayerId,
        /// Who has decided so, and why.
        ruling: Ruling,
    },
    /// The house put money into its fund, or took some out.
    FundAdjusted {
        /// Where it came from, or went to.
        source: FundSource,
        /// Why.
        reason: String,
        /// The operator.
        adjusted_by: Uuid,
    },
    /// Both stakes went back.
    StakesRefunded {
        /// Of which match.
        match_id: MatchId,
        /// The game it was held for.
        game: GameId,
        /// Why.
        reason: RefundReason,
    },
}

impl WalletEvent {
    /// The event's name in metrics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::AccountOpened { .. } => "account_opened",
            Self::MoneyDeposited { .. } => "money_deposited",
            Self::MoneyWithdrawn { .. } => "money_withdrawn",
            Self::MoneyAdjusted { .. } => "money_adjusted",
            Self::TransferReversed { .. } => "transfer_reversed",
            Self::DepositRequested { .. } => "deposit_requested",
            Self::PaymentConcluded { .. } => "payment_concluded",
            Self::AdjustmentProposed { .. } => "adjustment_proposed",
            Self::AdjustmentDecided { .. } => "adjustment_decided",
            Self::StandingChanged { .. } => "standing_changed",
            Self::StakesHeld { .. } => "stakes_held",
            Self::StakesRefused { .. } => "stakes_refused",
            Self::PotPaid { .. } => "pot_paid",
            Self::PrizeWithheld { .. } => "prize_withheld",
            Self::PrizeReleased { .. } => "prize_released",
            Self::VictimRefunded { .. } => "victim_refunded",
            Self::FundAdjusted { .. } => "fund_adjusted",
            Self::StakesRefunded { .. } => "stakes_refunded",
        }
    }
}

/// A moderator's decision of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// Fair play's id of the case.
    pub case: Uuid,
    /// Who decided.
    pub decided_by: Uuid,
    /// Why.
    pub reason: String,
}

/// Where a deposit came from. Both are empty for the play money that a new account is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DepositSource {
    /// The provider's name.
    pub provider: String,
    /// The provider's name for what happened.
    pub provider_event_id: String,
}

/// What became of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentOutcome {
    /// The money is here.
    Settled,
    /// It failed; no money moved.
    Failed,
}

/// What a second person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdjustmentDecision {
    /// Do it.
    Approved,
    /// Do not.
    Rejected,
}

/// Why stakes are not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StakesRefusal {
    /// The player's balance does not cover the stake.
    InsufficientFunds(PlayerId),
    /// The request itself was wrong.
    Invalid,
    /// The match was cancelled first.
    MatchCancelled,
    /// The player may not play for this stake now.
    NotEligible(PlayerId),
}

/// A decision: the event, and the transfers to book in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What happens.
    pub event: WalletEvent,
    /// The money that moves.
    pub transfers: Vec<Transfer>,
}

/// A transfer with what stood on the account of each of its entries afterwards; nothing for those that keep no balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookedTransfer {
    /// The transfer.
    pub transfer: Transfer,
    /// One for each entry, in minor units.
    pub after_minor: Vec<Option<i64>>,
}

/// A decision that has been booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// What happened.
    pub event: WalletEvent,
    /// The money that moved.
    pub transfers: Vec<BookedTransfer>,
}

/// Books the transfers on the balances, which must hold at least the accounts of players that the transfers touch.
///
/// # Errors
/// When the balances do not allow what was decided on them; then some of the transfers may have been booked and the
/// balances are of no more use.
pub fn book(draft: Draft, balances: &mut Balances) -> Result<Posting, Unbookable> {
    let mut booked = Vec::with_capacity(draft.transfers.len());
    for transfer in draft.transfers {
        balances.apply(&transfer)?;
        let after_minor = transfer
            .entries()
            .iter()
            .map(|entry| {
                keeps_balance(entry.account).then(|| balances.of(entry.account, transfer.currency()))
            })
            .collect();
        booked.push(BookedTransfer { transfer, after_minor });
    }
    Ok(Posting { event: draft.event, transfers: booked })
}

/// Whether what stands on the account is recorded with each entry. Fees and the outside world are touched by everybody, so
/// a running balance would have to be locked by everybody.
#[must_use]
pub fn keeps_balance(account: Account) -> bool {
    !matches!(account, Account::Fees | Account::External)
}
