//! domain-ledger
