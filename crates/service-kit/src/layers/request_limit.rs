//! A request is no longer than it may be, however its frames are cut.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

use super::{Around, Next, Stacked};

/// Ends a request's body with RESOURCE_EXHAUSTED once it has grown too long (H06).
#[derive(Clone, Copy, Debug)]
pub struct RequestLimit {
    bytes_max: u64,
}

impl RequestLimit {
    /// At most `bytes_max` with the framing.
    pub fn new(bytes_max: u64) -> Self {
        Self { bytes_max }
    }
}

impl Around for RequestLimit {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        if request.body().size_hint().lower() > self.bytes_max {
            return too_long(self.bytes_max).into_http();
        }
        let (left, bytes_max) = (self.bytes_max, self.bytes_max);
        next.run(request.map(|body| Body::new(LimitedBody { body, left, bytes_max }))).await
    }
}

fn too_long(bytes_max: u64) -> Status {
    // No RetryInfo: it will not be shorter the next time.
    Status::resource_exhausted(format!("a request may have at most {bytes_max} bytes"))
}

struct LimitedBody {
    body: Body,
    left: u64,
    bytes_max: u64,
}

impl http_body::Body for LimitedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            match self.left.checked_sub(data.len() as u64) {
                Some(left) => self.left = left,
                None => return Poll::Ready(Some(Err(too_long(self.bytes_max)))),
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
