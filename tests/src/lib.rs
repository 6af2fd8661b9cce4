//! end-to-end
