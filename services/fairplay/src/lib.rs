//! fairplay
