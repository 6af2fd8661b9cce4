//! Recomputes what the log says and names the first difference. Nothing here panics on broken data: the check must outlive
//! what it finds.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use crate::{Account, Balances, Currency, Hold, PlayerId, Transfer, TransferId, Unbookable};

/// The first thing that does not add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Difference {
    /// A transfer stands in the log twice.
    #[error("transfer {0:?} was booked twice")]
    BookedTwice(TransferId),
    /// A transfer could not have been booked on the balances before it.
    #[error("transfer {transfer:?} cannot be booked: {reason}")]
    Unbookable {
        /// Which.
        transfer: TransferId,
        /// Why not.
        reason: Unbookable,
    },
    /// A recorded balance is not what the transfers add up to.
    #[error("{account:?} in {currency} is recorded as {recorded_minor}, the log says {computed_minor}")]
    Balance {
        /// Whose.
        account: Account,
        /// In which currency.
        currency: Currency,
        /// What is recorded.
        recorded_minor: i64,
        /// What the transfers add up to.
        computed_minor: i64,
    },
    /// A player's held money is not the sum of the stakes of the open matches (`LEDGER-4`).
    #[error("{player:?} has {held_minor} {currency} held, the open matches say {staked_minor}")]
    Held {
        /// Whose.
        player: PlayerId,
        /// In which currency.
        currency: Currency,
        /// What is held.
        held_minor: i64,
        /// What the open matches say.
        staked_minor: i128,
    },
}

/// Adds up all transfers in their order and compares every recorded balance; an account without a record counts as zero.
///
/// # Errors
/// The first difference: in the log by its order, then among the balances by account.
pub fn verify<'a>(
    transfers: impl IntoIterator<Item = &'a Transfer>,
    recorded: &Balances,
) -> Result<Balances, Difference> {
    let mut computed = Balances::new();
    let mut booked = BTreeSet::new();
    for transfer in transfers {
        if !booked.insert(transfer.id()) {
            return Err(Difference::BookedTwice(transfer.id()));
        }
        computed
            .apply(transfer)
            .map_err(|reason| Difference::Unbookable { transfer: transfer.id(), reason })?;
    }
    let accounts: BTreeSet<_> =
        computed.iter().chain(recorded.iter()).map(|(account, currency, _)| (account, currency)).collect();
    for (account, currency) in accounts {
        let recorded_minor = recorded.of(account, currency);
        let computed_minor = computed.of(account, currency);
        if recorded_minor != computed_minor {
            return Err(Difference::Balance { account, currency, recorded_minor, computed_minor });
        }
    }
    Ok(computed)
}

/// Compares every player's held balance with the open holds (`LEDGER-4`).
///
/// # Errors
/// The first difference by player and currency.
pub fn verify_holds<'a>(
    open_holds: impl IntoIterator<Item = &'a Hold>,
    balances: &Balances,
) -> Result<(), Difference> {
    let mut staked: BTreeMap<(PlayerId, Currency), i128> = BTreeMap::new();
    for hold in open_holds {
        for player in [hold.white, hold.black] {
            *staked.entry((player, hold.currency)).or_default() += i128::from(hold.stake.minor());
        }
    }
    for (account, currency, _) in balances.iter() {
        if let Account::Held(player) = account {
            staked.entry((player, currency)).or_default();
        }
    }
    for ((player, currency), staked_minor) in staked {
        let held_minor = balances.of(Account::Held(player), currency);
        if i128::from(held_minor) != staked_minor {
            return Err(Difference::Held { player, currency, held_minor, staked_minor });
        }
    }
    Ok(())
}
