use futures::channel::mpsc;
use tonic::Code;

use super::*;

#[derive(Clone, Debug, PartialEq)]
enum Frame {
    Content(u64),
    Heartbeat { last: u64 },
    Draining { last: u64, after_ms: u32 },
}

#[derive(Default)]
struct LastSequence(u64);

impl Pulse<Frame> for LastSequence {
    fn sent(&mut self, frame: &Frame) {
        if let Frame::Content(sequence) = frame {
            self.0 = *sequence;
        }
    }

    fn heartbeat(&mut self) -> Frame {
        Frame::Heartbeat { last: self.0 }
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> Frame {
        Frame::Draining { last: self.0, after_ms: reconnect_after_ms }
    }
}

struct Fixture {
    source: mpsc::UnboundedSender<Result<Frame, Status>>,
    shutdown: CancellationToken,
    live: Live<Frame, mpsc::UnboundedReceiver<Result<Frame, Status>>, LastSequence>,
}

fn fixture() -> Fixture {
    let (source, frames) = mpsc::unbounded();
    let shutdown = CancellationToken::new();
    let live = Live::new(frames, LastSequence::default(), shutdown.clone());
    Fixture { source, shutdown, live }
}

async fn next_frame(stream: &mut FrameStream<Frame>) -> Frame {
    stream.next().await.expect("not at its end").expect("a frame")
}

#[tokio::test]
async fn a_silent_stream_gives_signs_of_life_that_repeat_the_last_sequence() {
    let fixture = fixture();
    fixture.source.unbounded_send(Ok(Frame::Content(7))).expect("open");
    let mut stream = fixture.live.heartbeat_every(Duration::from_millis(20)).boxed();
    assert_eq!(next_frame(&mut stream).await, Frame::Content(7));
    assert_eq!(next_frame(&mut stream).await, Frame::Heartbeat { last: 7 });
    assert_eq!(next_frame(&mut stream).await, Frame::Heartbeat { last: 7 });
}

/// KIT-5, H02
#[tokio::test]
async fn a_stop_sends_the_client_elsewhere_and_ends_the_stream_as_unavailable() {
    let fixture = fixture();
    for sequence in 1..=100 {
        fixture.source.unbounded_send(Ok(Frame::Content(sequence))).expect("open");
    }
    let mut stream = fixture.live.boxed();
    assert_eq!(next_frame(&mut stream).await, Frame::Content(1));
    // A source that never pauses does not hold up the stop.
    fixture.shutdown.cancel();
    let Frame::Draining { last: 1, after_ms } = next_frame(&mut stream).await else { panic!("not draining") };
    assert!((RECONNECT_AFTER_MS_MIN..=RECONNECT_AFTER_MS_MAX).contains(&after_ms));
    let status = stream.next().await.expect("a status").expect_err("an error");
    assert_eq!(status.code(), Code::Unavailable);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_stream_ends_with_the_token_that_opened_it() {
    let fixture = fixture();
    let mut stream = fixture.live.until(SystemTime::now() + Duration::from_millis(50)).boxed();
    let status = stream.next().await.expect("a status").expect_err("an error");
    assert_eq!(status.code(), Code::Unauthenticated);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_source_that_ends_ends_the_stream_and_one_that_fails_fails_it() {
    let ended = fixture();
    drop(ended.source);
    assert!(ended.live.boxed().next().await.is_none());

    let failed = fixture();
    failed.source.unbounded_send(Err(Status::data_loss("a gap"))).expect("open");
    let mut stream = failed.live.boxed();
    let status = stream.next().await.expect("a status").expect_err("an error");
    assert_eq!(status.code(), Code::DataLoss);
    assert!(stream.next().await.is_none());
}
