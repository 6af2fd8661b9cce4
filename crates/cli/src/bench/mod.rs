//! What is measured on a whole stack, one JSON line a figure: `stakemate bench games` and `stakemate bench matches`.

pub mod games;
pub mod matches;
