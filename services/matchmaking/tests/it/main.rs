//! The service in process on a real Postgres, broker and Redis, with the test in the place of the other services.

mod apart;
mod cities;
mod clients;
mod faults;
mod instances;
mod journey;
mod leaving;
mod lost_tickets;
mod pairing;
mod queues;
mod races;
mod refusals;
mod restarts;
mod support;
