//! Tests; the case ids are those of the public reports this project is checked against.

mod collusion;
mod formulas;
mod games;
mod limits;
mod properties;
mod screen;
