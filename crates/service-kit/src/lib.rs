//! What every service is made of besides its own business: configuration, telemetry, tokens, the server and its stop.
//!
//! # Map
//!
//! * [`main`], [`Program`]: the whole of a service's `main.rs`: configuration → telemetry → run → exit code.
//! * [`config`]: variables of the environment, read once; an error names every bad one.
//! * [`telemetry`]: JSON logs, spans, the W3C trace context in and out, the metrics recorder.
//! * [`auth`]: who calls. Tokens are verified here; [`auth::Signer`] is the other half, used by the gateway and by tests.
//! * [`status`]: every status that a service answers, with its `google.rpc` details.
//! * [`server`]: the gRPC server with its layers, health and admin port, and the bounded stop.
//! * [`layers`]: the layers one by one, each with its why, for a server that stacks them differently (the gateway).
//! * [`streams`]: what turns a source of frames into a server stream with heartbeats, draining and an end.
//! * [`database`]: the pool with its limits, and the migrations.
//! * [`fields`], [`ids`], [`paging`]: parsing of requests; errors name the field.
//! * [`shutdown`], [`tasks`]: the signals, and background tasks of which none may end unnoticed.
//!
//! # Invariants
//!
//! * KIT-1 A service does not start with a bad variable, and production does not start with a development secret or setting.
//! * KIT-2 A token is believed only with our issuer, audience, algorithm and signature, and its end is checked at each use.
//! * KIT-3 Every refusal carries exactly one `ErrorInfo`; what is malformed names every bad field; what may be tried again says when.
//! * KIT-4 An internal error never tells its cause to the caller, and is logged once.
//! * KIT-5 A stop ends within [`server::STOP_MAX`], whatever clients do; streams end with UNAVAILABLE, never with OK.
//! * KIT-6 Nothing here is unbounded: calls in flight, bytes of a request, cached tokens, pages, seconds of a call.
//!
//! # Deliberately absent
//!
//! * Calls from service to service: they know each other's events, nothing else.
//! * Retries of calls: a client retries UNAVAILABLE, nobody else does.

pub mod auth;
pub mod config;
pub mod database;
pub mod fields;
pub mod ids;
pub mod layers;
pub mod paging;
mod program;
pub mod server;
pub mod shutdown;
pub mod status;
pub mod streams;
pub mod tasks;
pub mod telemetry;

pub use program::{Program, RunError, main};
