//! Services behind the gateway that do as they are told.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::channel::mpsc;
use proto::matchmaking::v1 as matchmaking;
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::matchmaking::v1::matchmaking_service_server::{MatchmakingService, MatchmakingServiceServer};
use proto::matchmaking::v1::{
    CreateCityRequest, CreateCityResponse, Heartbeat, JoinQueueRequest, JoinQueueResponse, LeaveQueueRequest,
    LeaveQueueResponse, ListCitiesRequest, ListCitiesResponse, Searching, UpdateCityRequest,
    UpdateCityResponse,
};
use proto::rating::v1 as rating;
use proto::rating::v1::rating_service_server::{RatingService, RatingServiceServer};
use proto::rating::v1::{
    ErrorReason, GetRatingsRequest, GetRatingsResponse, ListRatingHistoryRequest, ListRatingHistoryResponse,
    Rating,
};
use service_kit::status;
use test_kit::eventually;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::metadata::MetadataMap;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use crate::fixture::PATIENCE;

type Frames = mpsc::UnboundedSender<Result<JoinQueueResponse, Status>>;

/// What `GetRatings` is told by its player id.
pub const ANSWER: &str = "answer";
pub const REFUSE: &str = "refuse";
pub const HANG: &str = "hang";

#[derive(Clone, Default)]
struct Told {
    streams: Arc<Mutex<Vec<Frames>>>,
    metadata: Arc<Mutex<Vec<MetadataMap>>>,
    hanging: Arc<AtomicUsize>,
}

pub struct Behind {
    told: Told,
    address: SocketAddr,
}

impl Behind {
    pub async fn start() -> Self {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    pub async fn start_at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let told = Told::default();
        let serving = Server::builder()
            .add_service(RatingServiceServer::new(told.clone()))
            .add_service(MatchmakingServiceServer::new(told.clone()))
            .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)));
        // Ends with the test's runtime.
        tokio::spawn(async move { serving.await.expect("served until the end") });
        Self { told, address }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Metadata of the calls that arrived.
    pub fn metadata(&self) -> Vec<MetadataMap> {
        self.told.metadata.lock().expect("not poisoned").clone()
    }

    /// The stream opened as number `index`, once it is there.
    pub async fn stream(&self, index: usize) -> Frames {
        eventually(PATIENCE, || async { self.told.streams.lock().expect("not poisoned").get(index).cloned() })
            .await
    }

    /// How many calls hang.
    pub fn hanging(&self) -> usize {
        self.told.hanging.load(Ordering::SeqCst)
    }
}

/// Counts a call as long as it hangs.
struct Hanging(Arc<AtomicUsize>);

impl Hanging {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A cable between the gateway and a service, to be cut.
pub struct Cable {
    address: SocketAddr,
    end: watch::Sender<Option<SocketAddr>>,
    cut: CancellationToken,
}

impl Cable {
    pub async fn before_nobody() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (end, far_end) = watch::channel(None::<SocketAddr>);
        let cut = CancellationToken::new();
        let lead = cut.clone();
        tokio::spawn(lead.run_until_cancelled_owned(async move {
            let mut leads = JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let mut far_end = far_end.clone();
                leads.spawn(async move {
                    let far = *far_end.wait_for(Option::is_some).await.expect("not dropped");
                    let mut far = TcpStream::connect(far.expect("is some")).await.expect("connected");
                    // Its end is no failure of the test.
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
            }
        }));
        Self { address, end, cut }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn lead_to(&self, address: SocketAddr) {
        self.end.send_replace(Some(address));
    }

    pub fn cut(&self) {
        self.cut.cancel();
    }
}

pub fn frame(sequence: u64) -> JoinQueueResponse {
    JoinQueueResponse { sequence, server_time_ms: 0, frame: Some(Frame::Heartbeat(Heartbeat {})) }
}

/// A frame of 100 KiB.
pub fn large_frame(sequence: u64) -> JoinQueueResponse {
    let searching = Searching { ticket_id: "x".repeat(100 * 1024), ..Searching::default() };
    JoinQueueResponse { sequence, server_time_ms: 0, frame: Some(Frame::Searching(searching)) }
}

pub fn get_ratings(what: &str) -> GetRatingsRequest {
    GetRatingsRequest { player_id: what.to_owned() }
}

#[tonic::async_trait]
impl RatingService for Told {
    async fn get_ratings(
        &self,
        request: Request<GetRatingsRequest>,
    ) -> Result<Response<GetRatingsResponse>, Status> {
        self.metadata.lock().expect("not poisoned").push(request.metadata().clone());
        match request.into_inner().player_id.as_str() {
            ANSWER => {
                let rating = Rating { pool: "3+2".to_owned(), rating: 1500.0, ..Rating::default() };
                let mut response = Response::new(GetRatingsResponse { ratings: vec![rating] });
                response.metadata_mut().insert("x-pool-count", "1".parse().expect("a header"));
                Ok(response)
            }
            REFUSE => {
                Err(status::aborted(ErrorReason::PoolUnknown, "ünknown pool", [("pool", "9+9".to_owned())]))
            }
            HANG => {
                let _hanging = Hanging::new(&self.hanging);
                std::future::pending().await
            }
            other => Err(Status::invalid_argument(other)),
        }
    }

    async fn list_rating_history(
        &self,
        _: Request<ListRatingHistoryRequest>,
    ) -> Result<Response<ListRatingHistoryResponse>, Status> {
        Ok(Response::new(ListRatingHistoryResponse::default()))
    }

    async fn list_pools(
        &self,
        _: Request<rating::ListPoolsRequest>,
    ) -> Result<Response<rating::ListPoolsResponse>, Status> {
        Err(not_told())
    }

    async fn get_rating_series(
        &self,
        _: Request<rating::GetRatingSeriesRequest>,
    ) -> Result<Response<rating::GetRatingSeriesResponse>, Status> {
        Err(not_told())
    }

    async fn list_leaderboard(
        &self,
        _: Request<rating::ListLeaderboardRequest>,
    ) -> Result<Response<rating::ListLeaderboardResponse>, Status> {
        Err(not_told())
    }

    async fn get_leaderboard_place(
        &self,
        _: Request<rating::GetLeaderboardPlaceRequest>,
    ) -> Result<Response<rating::GetLeaderboardPlaceResponse>, Status> {
        Err(not_told())
    }

    async fn void_game(
        &self,
        _: Request<rating::VoidGameRequest>,
    ) -> Result<Response<rating::VoidGameResponse>, Status> {
        Err(not_told())
    }

    async fn correct_rating(
        &self,
        _: Request<rating::CorrectRatingRequest>,
    ) -> Result<Response<rating::CorrectRatingResponse>, Status> {
        Err(not_told())
    }

    async fn preview_recomputation(
        &self,
        _: Request<rating::PreviewRecomputationRequest>,
    ) -> Result<Response<rating::PreviewRecomputationResponse>, Status> {
        Err(not_told())
    }
}

/// What the calls answer that no test makes.
fn not_told() -> Status {
    Status::unimplemented("no test has told what to answer")
}

#[tonic::async_trait]
impl MatchmakingService for Told {
    type JoinQueueStream = mpsc::UnboundedReceiver<Result<JoinQueueResponse, Status>>;

    async fn join_queue(
        &self,
        _: Request<JoinQueueRequest>,
    ) -> Result<Response<Self::JoinQueueStream>, Status> {
        let (frames, stream) = mpsc::unbounded();
        self.streams.lock().expect("not poisoned").push(frames);
        Ok(Response::new(stream))
    }

    async fn leave_queue(
        &self,
        _: Request<LeaveQueueRequest>,
    ) -> Result<Response<LeaveQueueResponse>, Status> {
        Ok(Response::new(LeaveQueueResponse::default()))
    }

    async fn list_cities(
        &self,
        _: Request<ListCitiesRequest>,
    ) -> Result<Response<ListCitiesResponse>, Status> {
        Ok(Response::new(ListCitiesResponse::default()))
    }

    async fn create_city(
        &self,
        _: Request<CreateCityRequest>,
    ) -> Result<Response<CreateCityResponse>, Status> {
        Ok(Response::new(CreateCityResponse::default()))
    }

    async fn update_city(
        &self,
        _: Request<UpdateCityRequest>,
    ) -> Result<Response<UpdateCityResponse>, Status> {
        Ok(Response::new(UpdateCityResponse::default()))
    }

    async fn block_player(
        &self,
        _: Request<matchmaking::BlockPlayerRequest>,
    ) -> Result<Response<matchmaking::BlockPlayerResponse>, Status> {
        Err(not_told())
    }

    async fn unblock_player(
        &self,
        _: Request<matchmaking::UnblockPlayerRequest>,
    ) -> Result<Response<matchmaking::UnblockPlayerResponse>, Status> {
        Err(not_told())
    }

    async fn list_blocked_players(
        &self,
        _: Request<matchmaking::ListBlockedPlayersRequest>,
    ) -> Result<Response<matchmaking::ListBlockedPlayersResponse>, Status> {
        Err(not_told())
    }
}
