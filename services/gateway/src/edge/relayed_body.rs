//! The answer of a service on its way through. Whatever happens to the service, it ends with a status.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::HeaderMap;
use http_body::{Frame, SizeHint};
use service_kit::status::{self, RETRY_AFTER};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

use super::upstream::unavailable;

/// Bytes before each message: a flag and the length.
const PREFIX_BYTES: usize = 5;

/// Passes frames on until the trailers. A service that is lost half-way, or a gateway that stops, ends it with UNAVAILABLE,
/// never with a clean end (H02, H11).
pub(super) struct RelayedBody {
    body: Body,
    service: &'static str,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    messages: Messages,
    ended: bool,
}

impl RelayedBody {
    pub(super) fn new(body: Body, service: &'static str, cut: CancellationToken) -> Self {
        Self {
            body,
            service,
            cut: Box::pin(cut.cancelled_owned()),
            messages: Messages::default(),
            ended: false,
        }
    }

    fn end_with(&mut self, status: &Status) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.ended = true;
        let mut trailers = HeaderMap::new();
        match status.add_header(&mut trailers) {
            Ok(()) => Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
            Err(status) => Poll::Ready(Some(Err(status))),
        }
    }
}

impl http_body::Body for RelayedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                match frame.data_ref() {
                    Some(data) => self.messages.pass(data),
                    None => self.ended = true,
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(_)) | None) => {
                let status = unavailable(self.service);
                self.end_with(&status)
            }
            // Only between messages: half a message would hide the status behind a decoding error.
            Poll::Pending if self.messages.is_between() && self.cut.as_mut().poll(context).is_ready() => {
                let status =
                    status::unavailable("this gateway is about to stop; resume elsewhere", RETRY_AFTER);
                self.end_with(&status)
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }

    fn size_hint(&self) -> SizeHint {
        // More may come than the service has said: a status.
        SizeHint::default()
    }
}

/// Follows the lengths of the messages, without reading them.
#[derive(Debug, Default)]
struct Messages {
    prefix: Vec<u8>,
    /// Bytes that the present message still has.
    left: usize,
}

impl Messages {
    fn pass(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            if self.left > 0 {
                let taken = self.left.min(data.len());
                self.left -= taken;
                data = &data[taken..];
                continue;
            }
            let taken = (PREFIX_BYTES - self.prefix.len()).min(data.len());
            self.prefix.extend_from_slice(&data[..taken]);
            data = &data[taken..];
            if let [_, length @ ..] = &self.prefix[..]
                && let Ok(length) = <[u8; 4]>::try_from(length)
            {
                self.left = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
                self.prefix.clear();
            }
        }
    }

    fn is_between(&self) -> bool {
        self.left == 0 && self.prefix.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_message_is_seen_however_the_frames_are_cut() {
        let two_messages = [&[0, 0, 0, 0, 3][..], b"abc", &[0, 0, 0, 0, 0]].concat();
        let ends = [8, 13];
        for size in 1..=two_messages.len() {
            let mut messages = Messages::default();
            let mut passed = 0;
            for piece in two_messages.chunks(size) {
                messages.pass(piece);
                passed += piece.len();
                assert_eq!(
                    messages.is_between(),
                    ends.contains(&passed),
                    "pieces of {size}, {passed} passed"
                );
            }
        }
    }
}
