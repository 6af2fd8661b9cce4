//! Postgres: the log, and the tables that are kept in the transaction of each event.

pub mod accounts;
pub mod answers;
pub mod balances;
pub mod codec;
pub mod entries;
pub mod holds;
pub mod invariants;
pub mod log;
pub mod operations;
pub mod payments;
pub mod posting;
pub mod prizes;
pub mod seals;
pub mod statement;
pub mod totals;
pub mod usage;
pub mod victims;

use domain_ledger::{Account, MatchId, PlayerId};
use proto::wallet::v1::AccountKind;
use uuid::Uuid;

use crate::app::{match_uuid, player_uuid};

/// An account as two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountKey {
    /// `stakemate.wallet.v1.AccountKind`.
    pub kind: i16,
    /// The player or match; nil for those that belong to nobody.
    pub owner_id: Uuid,
}

impl From<Account> for AccountKey {
    fn from(account: Account) -> Self {
        let (kind, owner_id) = match account {
            Account::Available(player) => (AccountKind::Available, player_uuid(player)),
            Account::Held(player) => (AccountKind::Held, player_uuid(player)),
            Account::Withheld(player) => (AccountKind::Withheld, player_uuid(player)),
            Account::Pot(match_id) => (AccountKind::Pot, match_uuid(match_id)),
            Account::Fees => (AccountKind::Fees, Uuid::nil()),
            Account::Fund => (AccountKind::Fund, Uuid::nil()),
            Account::External => (AccountKind::External, Uuid::nil()),
        };
        Self { kind: kind as i32 as i16, owner_id }
    }
}

impl AccountKey {
    /// The account, if the columns name one.
    #[must_use]
    pub fn account(&self) -> Option<Account> {
        let owner = self.owner_id.as_u128();
        match AccountKind::try_from(i32::from(self.kind)).ok()? {
            AccountKind::Unspecified => None,
            AccountKind::Available => Some(Account::Available(PlayerId::new(owner))),
            AccountKind::Held => Some(Account::Held(PlayerId::new(owner))),
            AccountKind::Withheld => Some(Account::Withheld(PlayerId::new(owner))),
            AccountKind::Pot => Some(Account::Pot(MatchId::new(owner))),
            AccountKind::Fees => Some(Account::Fees),
            AccountKind::Fund => Some(Account::Fund),
            AccountKind::External => Some(Account::External),
        }
    }
}
