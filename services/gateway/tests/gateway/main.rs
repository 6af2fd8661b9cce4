//! The gateway on real sockets, with real Postgres, NATS and Redis, before services that do as they are told.

mod accounts;
mod behind;
mod clients;
mod fixture;
mod limits;
mod operators;
mod pages;
mod process;
mod relay;
mod spread;
mod stop;
mod tokens;
mod web;
