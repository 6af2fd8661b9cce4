//! The edge: `stakemate.game.v1.GameService`, one file an rpc, and `TableService` in `table`. Requests are parsed here and nowhere else; the order is who
//! calls, what is malformed, and only then what the game says.

mod accept_draw;
mod act;
mod after_game;
mod claim_draw;
mod convert;
mod decline_draw;
mod export_pgn;
mod get_game;
mod list_games;
mod offer_draw;
mod play_move;
mod pong;
mod replay_game;
mod resign;
mod status;
mod table;
mod watch_featured;
mod watch_game;

use std::sync::Arc;

use proto::game::v1::{self as pb, game_service_server::GameService};
use service_kit::streams::FrameStream;
use sqlx::PgPool;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::{
    app::Games,
    store::{Featured, OpenTables},
};

pub use table::TableDesk;

/// The service behind the rpcs.
#[derive(Clone, Debug)]
pub struct Service {
    games: Games,
    pool: PgPool,
    open_tables: watch::Receiver<OpenTables>,
    featured: watch::Receiver<Featured>,
    shutdown: CancellationToken,
    replays: Arc<Semaphore>,
}

impl Service {
    /// Streams end when `shutdown` is cancelled. Those of games at tables tell by `open_tables` of the next game
    /// there; those of the best running game follow `featured`.
    pub fn new(
        games: Games,
        pool: PgPool,
        open_tables: watch::Receiver<OpenTables>,
        featured: watch::Receiver<Featured>,
        shutdown: CancellationToken,
    ) -> Service {
        Service {
            games,
            pool,
            open_tables,
            featured,
            shutdown,
            replays: Arc::new(Semaphore::new(replay_game::PACED_REPLAYS_MAX)),
        }
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl GameService for Service {
    type WatchGameStream = FrameStream<pb::WatchGameResponse>;
    type WatchFeaturedStream = FrameStream<pb::WatchFeaturedResponse>;
    type ReplayGameStream = FrameStream<pb::ReplayGameResponse>;

    async fn play_move(&self, request: Request<pb::PlayMoveRequest>) -> Answer<pb::PlayMoveResponse> {
        play_move::handle(self, request).await.map(Response::new)
    }

    async fn resign(&self, request: Request<pb::ResignRequest>) -> Answer<pb::ResignResponse> {
        resign::handle(self, request).await.map(Response::new)
    }

    async fn offer_draw(&self, request: Request<pb::OfferDrawRequest>) -> Answer<pb::OfferDrawResponse> {
        offer_draw::handle(self, request).await.map(Response::new)
    }

    async fn accept_draw(&self, request: Request<pb::AcceptDrawRequest>) -> Answer<pb::AcceptDrawResponse> {
        accept_draw::handle(self, request).await.map(Response::new)
    }

    async fn decline_draw(
        &self,
        request: Request<pb::DeclineDrawRequest>,
    ) -> Answer<pb::DeclineDrawResponse> {
        decline_draw::handle(self, request).await.map(Response::new)
    }

    async fn claim_draw(&self, request: Request<pb::ClaimDrawRequest>) -> Answer<pb::ClaimDrawResponse> {
        claim_draw::handle(self, request).await.map(Response::new)
    }

    async fn pong(&self, request: Request<pb::PongRequest>) -> Answer<pb::PongResponse> {
        pong::handle(self, &request).map(Response::new)
    }

    async fn watch_game(&self, request: Request<pb::WatchGameRequest>) -> Answer<Self::WatchGameStream> {
        watch_game::handle(self, request).await.map(Response::new)
    }

    async fn watch_featured(
        &self,
        _: Request<pb::WatchFeaturedRequest>,
    ) -> Answer<Self::WatchFeaturedStream> {
        Ok(Response::new(watch_featured::handle(self)))
    }

    async fn get_game(&self, request: Request<pb::GetGameRequest>) -> Answer<pb::GetGameResponse> {
        get_game::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_games(&self, request: Request<pb::ListGamesRequest>) -> Answer<pb::ListGamesResponse> {
        list_games::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn replay_game(&self, request: Request<pb::ReplayGameRequest>) -> Answer<Self::ReplayGameStream> {
        replay_game::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn export_pgn(&self, request: Request<pb::ExportPgnRequest>) -> Answer<pb::ExportPgnResponse> {
        export_pgn::handle(self, request.into_inner()).await.map(Response::new)
    }
}
