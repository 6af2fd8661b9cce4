//! What the service does, apart from where it hears of it.

pub mod analysis;
pub mod asking;
pub mod cases;
pub mod claim_keeper;
pub mod collusion;
pub mod engines;
pub mod explanation;
pub mod holds;
pub mod measure;
pub mod pairs;
pub mod persons;
pub mod recompute;
pub mod record;
pub mod scoring;
pub mod screening;
pub mod second_pass;
pub mod settings;
pub mod standing;
pub mod worker;
