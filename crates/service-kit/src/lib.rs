//! service-kit
