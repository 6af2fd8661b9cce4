//! domain-pairing
