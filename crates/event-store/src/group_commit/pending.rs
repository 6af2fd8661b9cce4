//! What waits for a writer, and which of it goes together.

use crate::fence::Grant;
use crate::{Append, AppendError, Version};
use std::collections::{HashSet, VecDeque};
use tokio::sync::oneshot;

/// An append on its way, and where its outcome goes.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) append: Append,
    /// Encoded by the caller's task, which keeps the work off the writer.
    pub(super) metadata: Vec<u8>,
    pub(super) grant: Option<Grant>,
    answer: oneshot::Sender<Result<Version, AppendError>>,
}

impl Job {
    pub(super) fn new(
        append: Append,
        grant: Option<Grant>,
        answer: oneshot::Sender<Result<Version, AppendError>>,
    ) -> Self {
        let metadata = append.metadata.to_bytes();
        Self { append, metadata, grant, answer }
    }

    /// Sends the outcome. That nobody waits for it any more is fine.
    pub(super) fn answer(self, outcome: Result<Version, AppendError>) {
        let _ = self.answer.send(outcome);
    }

    fn rows(&self) -> usize {
        self.append.events.len()
    }
}

/// Takes the next batch from the front: at most `rows_max` rows (but always one append) and at most one append a stream.
/// A second append of a stream waits, and everything behind it of that stream too, so that the order is kept.
pub(super) fn take_batch(waiting: &mut VecDeque<Job>, rows_max: usize) -> Vec<Job> {
    let mut batch: Vec<Job> = Vec::new();
    let mut streams = HashSet::new();
    let mut rows = 0;
    let mut left = VecDeque::new();
    while let Some(job) = waiting.pop_front() {
        let has_room = batch.is_empty() || rows + job.rows() <= rows_max;
        // Inserting also when there is no room keeps a later, smaller append of this stream from overtaking it.
        if streams.insert(job.append.stream.id) && has_room {
            rows += job.rows();
            batch.push(job);
        } else {
            left.push_back(job);
        }
        if rows >= rows_max {
            break;
        }
    }
    left.append(waiting);
    *waiting = left;
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metadata, NewEvent, Publication, StreamId};
    use uuid::Uuid;

    fn job(stream: u128, expected: Version, rows: usize) -> Job {
        let event = NewEvent {
            event_id: None,
            kind: "Tested",
            schema: 1,
            data: Vec::new(),
            publication: Publication::Private,
        };
        let append = Append {
            stream: StreamId::new("test", Uuid::from_u128(stream)),
            expected,
            events: vec![event; rows],
            metadata: Metadata::for_request("test", Uuid::nil()),
        };
        Job::new(append, None, oneshot::channel().0)
    }

    fn places(jobs: &[Job]) -> Vec<(u128, Version)> {
        jobs.iter().map(|job| (job.append.stream.id.as_u128(), job.append.expected)).collect()
    }

    // STORE-7
    #[test]
    fn a_second_append_of_a_stream_waits_for_the_next_batch_in_its_order() {
        let mut waiting = VecDeque::from([job(1, 0, 1), job(1, 1, 1), job(2, 0, 1), job(1, 2, 1)]);
        assert_eq!(places(&take_batch(&mut waiting, 500)), [(1, 0), (2, 0)]);
        assert_eq!(places(&take_batch(&mut waiting, 500)), [(1, 1)]);
        assert_eq!(places(&take_batch(&mut waiting, 500)), [(1, 2)]);
        assert!(waiting.is_empty());
    }

    // STORE-7
    #[test]
    fn a_small_append_does_not_overtake_a_large_one_of_its_stream() {
        let mut waiting = VecDeque::from([job(1, 0, 3), job(2, 0, 4), job(2, 4, 1), job(3, 0, 1)]);
        assert_eq!(places(&take_batch(&mut waiting, 5)), [(1, 0), (3, 0)]);
        assert_eq!(places(&take_batch(&mut waiting, 5)), [(2, 0)]);
        assert_eq!(places(&take_batch(&mut waiting, 5)), [(2, 4)]);
    }

    // STORE-8
    #[test]
    fn a_batch_keeps_to_its_rows_but_an_append_larger_than_that_goes_alone() {
        let mut waiting = VecDeque::from([job(1, 0, 9), job(2, 0, 2), job(3, 0, 2), job(4, 0, 2)]);
        assert_eq!(places(&take_batch(&mut waiting, 5)), [(1, 0)]);
        assert_eq!(places(&take_batch(&mut waiting, 5)), [(2, 0), (3, 0)]);
        assert_eq!(places(&take_batch(&mut waiting, 5)), [(4, 0)]);
        assert!(take_batch(&mut waiting, 5).is_empty());
    }
}
