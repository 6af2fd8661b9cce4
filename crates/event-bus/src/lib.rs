//! event-bus
