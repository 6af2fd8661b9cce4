//! The rules of play, held by tests. Ids such as A01 are cases from public bug reports; CHESS-1 and the like are this
//! crate's invariants.

mod claims_and_offers;
mod clocks;
mod ends;
mod fen;
mod given;
mod leaving;
mod lists;
mod mating_material;
mod move_paths;
mod notation;
mod pgn;
mod pgn_import;
mod properties;
mod repetition;
mod rules_table;
