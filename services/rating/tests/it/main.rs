//! The rating service on a real Postgres, and as a whole service between a real broker and its callers.

mod games;
mod rebuild;
mod service;
mod support;
