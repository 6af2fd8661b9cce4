//! How a sum falls into whole minor units without one being lost or made.

use thiserror::Error;

use crate::{Amount, BasisPoints};

/// The most parts a sum is split into.
pub const SPLIT_PARTS_MAX: usize = 64;

/// What a pot pays. `payout_minor + fee_minor` is the pot (`LEDGER-3`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PotSplit {
    /// What the winner gets, in minor units; zero only when the fee is the whole.
    pub payout_minor: i64,
    /// What the house keeps, in minor units.
    pub fee_minor: i64,
}

/// Splits a pot: fee = floor(pot × basis points ÷ 10,000), the rest is the payout.
#[must_use]
pub fn split_pot(pot: Amount, fee: BasisPoints) -> PotSplit {
    let exact = i128::from(pot.minor()) * i128::from(fee.get());
    let fee_minor = i64::try_from(exact / i128::from(BasisPoints::WHOLE.get()))
        .expect("a share of a pot is not more than the pot");
    PotSplit { payout_minor: pot.minor() - fee_minor, fee_minor }
}

/// The sum cannot be split that way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SplitError {
    /// There is nobody to give it to.
    #[error("every weight is zero, or there is none")]
    NoWeight,
    /// More parts than [`SPLIT_PARTS_MAX`].
    #[error("more than {SPLIT_PARTS_MAX} parts")]
    TooManyParts,
}

/// Splits `whole` in proportion to `weights` by largest remainder: every part is rounded down, and the minor units left over
/// go one each to the parts that lost most, the earlier one first when two lost the same. The parts add up to the whole.
///
/// ```
/// # use domain_ledger::{Amount, split};
/// let whole = Amount::new(250).unwrap();
/// assert_eq!(split(whole, &[50, 45, 5]).unwrap(), [125, 113, 12]);
/// ```
///
/// # Errors
/// When there is no weight above zero, or there are too many.
pub fn split(whole: Amount, weights: &[u32]) -> Result<Vec<i64>, SplitError> {
    if weights.len() > SPLIT_PARTS_MAX {
        return Err(SplitError::TooManyParts);
    }
    let total: i128 = weights.iter().copied().map(i128::from).sum();
    if total == 0 {
        return Err(SplitError::NoWeight);
    }
    let exact = |weight: u32| i128::from(whole.minor()) * i128::from(weight);
    let mut parts: Vec<i64> = weights
        .iter()
        .map(|&weight| i64::try_from(exact(weight) / total).expect("a part is not more than the whole"))
        .collect();
    let left_over = whole.minor() - parts.iter().sum::<i64>();
    let left_over = usize::try_from(left_over).expect("rounding down leaves something or nothing");
    let mut by_loss: Vec<usize> = (0..weights.len()).collect();
    // The sort is stable, so that the earlier of two equal losses stays first.
    by_loss.sort_by_key(|&part| std::cmp::Reverse(exact(weights[part]) % total));
    for &part in &by_loss[..left_over] {
        parts[part] += 1;
    }
    Ok(parts)
}
