//! A signed-in player who speaks gRPC-Web over HTTP/1.1, as a browser does.
//!
//! Every call is repeated while the other side is away, with the same request id, so that a restart of any service in
//! the middle changes nothing but the time it takes.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context as _, bail};
use http::Uri;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use proto::fairplay::v1::fairplay_service_client::FairplayServiceClient;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::gateway::v1::account_service_client::AccountServiceClient;
use proto::gateway::v1::{Session, SignUpRequest};
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use tokio::time::Instant;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;
use tonic_web::{GrpcWebCall, GrpcWebClientLayer, GrpcWebClientService};
use tower::ServiceBuilder;

/// How long a call is repeated while the other side is away.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Between two tries.
pub const PAUSE: Duration = Duration::from_millis(100);

/// HTTP/1.1 with gRPC-Web framing.
pub type Web = GrpcWebClientService<Client<HttpConnector, GrpcWebCall<tonic::body::Body>>>;

/// A signed-in player.
#[derive(Clone)]
pub struct Player {
    /// His session.
    pub session: Session,
    authorization: tonic::metadata::AsciiMetadataValue,
    web: Web,
    origin: Uri,
}

impl Player {
    /// Signs up with a name nobody has had before.
    pub async fn sign_up(origin: &str, first_name: &str) -> anyhow::Result<Self> {
        let origin: Uri = origin.parse().context("the gateway's address is no URI")?;
        let web = connect();
        let password = format!("demo-{}", uuid::Uuid::new_v4());
        let session = patiently("sign up", || {
            let mut accounts = AccountServiceClient::with_origin(web.clone(), origin.clone());
            // Another name at each try: the first may be taken already, if only the answer was lost.
            let suffix = uuid::Uuid::new_v4().simple().to_string();
            let name = format!("{first_name}-{}", &suffix[..8]);
            let request = SignUpRequest { name, password: password.clone() };
            async move { accounts.sign_up(request).await }
        })
        .await?
        .into_inner()
        .session
        .context("the gateway answered without a session")?;
        let authorization = format!("Bearer {}", session.access_token).parse()?;
        Ok(Self { session, authorization, web, origin })
    }

    /// The player's id.
    pub fn id(&self) -> &str {
        &self.session.player_id
    }

    /// The player's name.
    pub fn name(&self) -> &str {
        &self.session.name
    }

    /// A request in the player's name.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    /// The game service.
    pub fn games(&self) -> GameServiceClient<Web> {
        GameServiceClient::with_origin(self.web.clone(), self.origin.clone())
    }

    /// The queues.
    pub fn queues(&self) -> MatchmakingServiceClient<Web> {
        MatchmakingServiceClient::with_origin(self.web.clone(), self.origin.clone())
    }

    /// The wallet.
    pub fn wallet(&self) -> WalletServiceClient<Web> {
        WalletServiceClient::with_origin(self.web.clone(), self.origin.clone())
    }

    /// The ratings.
    pub fn ratings(&self) -> RatingServiceClient<Web> {
        RatingServiceClient::with_origin(self.web.clone(), self.origin.clone())
    }

    /// The reports.
    pub fn reports(&self) -> FairplayServiceClient<Web> {
        FairplayServiceClient::with_origin(self.web.clone(), self.origin.clone())
    }
}

fn connect() -> Web {
    let client = Client::builder(TokioExecutor::new()).build_http();
    ServiceBuilder::new().layer(GrpcWebClientLayer::new()).service(client)
}

/// Whether a status says that the other side was away, rather than that it refused.
pub fn is_passing(status: &Status) -> bool {
    // A connection that breaks in the middle of an answer has no status of its own, and tonic calls it unknown or internal.
    matches!(
        status.code(),
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled | Code::DeadlineExceeded
    ) || status.code() == Code::ResourceExhausted
}

/// The reason that a refusal names; empty when it names none.
pub fn reason(status: &Status) -> String {
    status.get_error_details().error_info().map_or_else(String::new, |info| info.reason.clone())
}

/// Repeats a call while the other side is away, for at most [`PATIENCE`].
pub async fn patiently<T, F, Fut>(what: &str, call: F) -> anyhow::Result<T>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<T, Status>>,
{
    let deadline = Instant::now() + PATIENCE;
    loop {
        match call().await {
            Ok(answer) => return Ok(answer),
            Err(status) if is_passing(&status) && Instant::now() < deadline => {}
            Err(status) => bail!("{what}: {:?}: {}", status.code(), status.message()),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Asks again and again until the answer is there, for at most [`PATIENCE`].
pub async fn eventually<T, F, Fut>(what: &str, ask: F) -> anyhow::Result<T>
where
    F: Fn() -> Fut,
    Fut: Future<Output = anyhow::Result<Option<T>>>,
{
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if Instant::now() >= deadline {
            bail!("{what} did not come within {} s", PATIENCE.as_secs());
        }
        tokio::time::sleep(PAUSE).await;
    }
}
