//! The service in process on a real Postgres and a real broker, with the test in the place of the other services.

mod clients;
mod faults;
mod instances;
mod journey;
mod leaving;
mod pairing;
mod refusals;
mod restarts;
mod support;
