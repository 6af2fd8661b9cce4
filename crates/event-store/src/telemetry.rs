//! The metrics of the store. The label is always the service's name, never an id.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Appends by outcome: `written`, `repeated`, `conflict`, `fenced`, `invalid`, `overloaded`, `unavailable`.
pub const APPENDS: &str = "event_store_appends_total";
/// Rows of one group commit.
pub const BATCH_ROWS: &str = "event_store_batch_rows";
/// Seconds of one group commit, from the statement's start to its answer, retries included.
pub const COMMIT_SECONDS: &str = "event_store_commit_seconds";
/// Appends that wait for a writer.
pub const QUEUE_DEPTH: &str = "event_store_queue_depth";
/// Group commits that had to be tried again.
pub const RETRIES: &str = "event_store_commit_retries_total";

/// Registers the descriptions; calling it again changes nothing.
pub fn describe() {
    describe_counter!(APPENDS, "appends by outcome");
    describe_histogram!(BATCH_ROWS, "rows of one group commit");
    describe_histogram!(COMMIT_SECONDS, Unit::Seconds, "time of one group commit");
    describe_gauge!(QUEUE_DEPTH, "appends that wait for a writer");
    describe_counter!(RETRIES, "group commits that had to be tried again");
}
