//! domain-chess
