//! Where a call goes: to our own service, or on to the service that it names.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use service_kit::status;
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

use super::upstream::Upstream;

/// A service of our own.
pub type LocalService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// The metadata by which an operator says whose OperatorService he means: every service has one. It is no header of ours from
/// service to service, so it does not begin with `x-stakemate-`, which is taken off.
pub const SERVICE_HEADER: &str = "stakemate-service";

/// Sends a call to where it belongs; nobody else is reachable from outside, neither health nor reflection.
#[derive(Clone)]
pub struct Dispatch {
    local_name: &'static str,
    local: LocalService,
    /// Our own OperatorService.
    operator: LocalService,
    upstreams: Vec<Upstream>,
}

impl Dispatch {
    /// With our own services and the others.
    pub fn new<S>(local: S, operator: operator::Server, upstreams: Vec<Upstream>) -> Self
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
    {
        let (local, operator) = (BoxCloneSyncService::new(local), BoxCloneSyncService::new(operator));
        Self { local_name: S::NAME, local, operator, upstreams }
    }

    pub(super) fn service_names(&self) -> Vec<String> {
        let others = self.upstreams.iter().map(|upstream| upstream.service_name().to_owned());
        others.chain([self.local_name, operator::Server::NAME].map(str::to_owned)).collect()
    }

    /// The one that an operator means.
    fn operated(&self, request: &Request<Body>) -> Result<Operated, Status> {
        let named = request.headers().get(SERVICE_HEADER).and_then(|value| value.to_str().ok());
        match named {
            Some(crate::SERVICE) => Ok(Operated::Here),
            Some(name) => {
                let upstream = self.upstreams.iter().find(|upstream| upstream.service() == name);
                upstream.cloned().map(Operated::Upstream).ok_or_else(no_such_service)
            }
            None => Err(no_such_service()),
        }
    }
}

impl Service<Request<Body>> for Dispatch {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Readiness is asked of the one service that takes the call, below.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let service = service_of(request.uri().path()).unwrap_or_default();
        if service == self.local_name {
            return Box::pin(self.local.clone().oneshot(request));
        }
        if service == operator::Server::NAME {
            return match self.operated(&request) {
                Ok(Operated::Here) => Box::pin(self.operator.clone().oneshot(request)),
                Ok(Operated::Upstream(upstream)) => {
                    Box::pin(async move { Ok(upstream.relay(request).await) })
                }
                Err(refusal) => Box::pin(std::future::ready(Ok(refusal.into_http()))),
            };
        }
        match self.upstreams.iter().find(|upstream| upstream.serves(service)) {
            Some(upstream) => {
                let upstream = upstream.clone();
                Box::pin(async move { Ok(upstream.relay(request).await) })
            }
            None => {
                let status = Status::unimplemented("there is no such service");
                Box::pin(std::future::ready(Ok(status.into_http())))
            }
        }
    }
}

/// Whose OperatorService is meant.
enum Operated {
    Here,
    Upstream(Upstream),
}

fn no_such_service() -> Status {
    status::invalid_argument([(SERVICE_HEADER, "must name a service, as wallet, in the call's metadata")])
}

/// The service in `/package.Service/Method`.
fn service_of(path: &str) -> Option<&str> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    (!method.is_empty() && !method.contains('/')).then_some(service)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_service_and_a_method() {
        assert_eq!(service_of("/a.v1.B/C"), Some("a.v1.B"));
        for bad in ["", "/", "/a.v1.B", "/a.v1.B/", "/a.v1.B/C/D", "a.v1.B/C"] {
            assert_eq!(service_of(bad), None, "{bad}");
        }
    }
}
