//! Fits of the models to human games: pure, without randomness, so that a calibration can be made again bit by bit.

pub mod expectation;
pub mod human;
pub mod linear;
pub mod simplex;
pub mod timing;
