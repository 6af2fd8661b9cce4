//! What the service does, apart from where it hears of it.

pub mod analysis;
pub mod claim_keeper;
pub mod engines;
pub mod measure;
pub mod pairs;
pub mod settings;
pub mod worker;
