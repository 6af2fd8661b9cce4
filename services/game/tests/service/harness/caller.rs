//! A client of the service.

use std::net::SocketAddr;

use proto::game::v1::{
    self as pb, game_service_client::GameServiceClient, table_service_client::TableServiceClient,
};
use tonic::{
    Request, Status, Streaming,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;
use uuid::Uuid;

/// Somebody who has signed in.
#[derive(Clone, Debug)]
pub struct Player {
    pub player_id: Uuid,
    pub name: String,
    pub token: String,
}

impl Player {
    pub fn sign<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let value = format!("Bearer {}", self.token).parse().expect("a token is ASCII");
        request.metadata_mut().insert("authorization", value);
        request
    }
}

/// A client of the service.
#[derive(Clone)]
pub struct Caller {
    pub client: GameServiceClient<Channel>,
    pub tables: TableServiceClient<Channel>,
}

impl Caller {
    /// Connects with the first call.
    pub fn connect(address: SocketAddr) -> Caller {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
        let channel = endpoint.connect_lazy();
        Caller { client: GameServiceClient::new(channel.clone()), tables: TableServiceClient::new(channel) }
    }

    pub async fn play(
        &self,
        player: &Player,
        game_id: Uuid,
        uci: &str,
        plies_seen: u32,
    ) -> Result<pb::PlayMoveResponse, Status> {
        self.play_as(player, Uuid::new_v4(), game_id, uci, plies_seen).await
    }

    pub async fn play_as(
        &self,
        player: &Player,
        request_id: Uuid,
        game_id: Uuid,
        uci: &str,
        plies_seen: u32,
    ) -> Result<pb::PlayMoveResponse, Status> {
        let message = pb::PlayMoveRequest {
            request_id: request_id.to_string(),
            game_id: game_id.to_string(),
            uci: uci.to_owned(),
            expected_ply: plies_seen,
        };
        self.client.clone().play_move(player.sign(message)).await.map(tonic::Response::into_inner)
    }

    pub async fn resign(&self, player: &Player, game_id: Uuid) -> Result<pb::ResignResponse, Status> {
        self.resign_as(player, Uuid::new_v4(), game_id).await
    }

    pub async fn resign_as(
        &self,
        player: &Player,
        request_id: Uuid,
        game_id: Uuid,
    ) -> Result<pb::ResignResponse, Status> {
        let message = pb::ResignRequest { request_id: request_id.to_string(), game_id: game_id.to_string() };
        self.client.clone().resign(player.sign(message)).await.map(tonic::Response::into_inner)
    }

    pub async fn offer(&self, player: &Player, game_id: Uuid) -> Result<pb::OfferDrawResponse, Status> {
        let message =
            pb::OfferDrawRequest { request_id: Uuid::new_v4().to_string(), game_id: game_id.to_string() };
        self.client.clone().offer_draw(player.sign(message)).await.map(tonic::Response::into_inner)
    }

    pub async fn accept(&self, player: &Player, game_id: Uuid) -> Result<pb::AcceptDrawResponse, Status> {
        let message =
            pb::AcceptDrawRequest { request_id: Uuid::new_v4().to_string(), game_id: game_id.to_string() };
        self.client.clone().accept_draw(player.sign(message)).await.map(tonic::Response::into_inner)
    }

    pub async fn decline(&self, player: &Player, game_id: Uuid) -> Result<pb::DeclineDrawResponse, Status> {
        let message =
            pb::DeclineDrawRequest { request_id: Uuid::new_v4().to_string(), game_id: game_id.to_string() };
        self.client.clone().decline_draw(player.sign(message)).await.map(tonic::Response::into_inner)
    }

    pub async fn claim(&self, player: &Player, game_id: Uuid) -> Result<pb::ClaimDrawResponse, Status> {
        let message =
            pb::ClaimDrawRequest { request_id: Uuid::new_v4().to_string(), game_id: game_id.to_string() };
        self.client.clone().claim_draw(player.sign(message)).await.map(tonic::Response::into_inner)
    }

    pub async fn pong(&self, player: &Player, game_id: Uuid, nonce: u64) {
        let message = pb::PongRequest { game_id: game_id.to_string(), nonce };
        self.client.clone().pong(player.sign(message)).await.expect("a pong is taken");
    }

    /// Follows his own game: present at the board until the stream is dropped.
    pub async fn sit(&self, player: &Player, game_id: Uuid) -> Streaming<pb::WatchGameResponse> {
        let message = pb::WatchGameRequest { game_id: game_id.to_string(), resume_after: None };
        self.client.clone().watch_game(player.sign(message)).await.expect("a stream").into_inner()
    }

    pub async fn try_game(&self, game_id: Uuid) -> Result<pb::GetGameResponse, Status> {
        let message = pb::GetGameRequest { game_id: game_id.to_string() };
        self.client.clone().get_game(message).await.map(tonic::Response::into_inner)
    }

    pub async fn game(&self, game_id: Uuid) -> pb::Game {
        self.try_game(game_id).await.expect("the game is there").game.expect("an answer has its game")
    }

    pub async fn watch(
        &self,
        game_id: Uuid,
        resume_after: Option<u64>,
    ) -> Result<Streaming<pb::WatchGameResponse>, Status> {
        let message = pb::WatchGameRequest { game_id: game_id.to_string(), resume_after };
        self.client.clone().watch_game(message).await.map(tonic::Response::into_inner)
    }

    pub async fn list(&self, message: pb::ListGamesRequest) -> Result<pb::ListGamesResponse, Status> {
        self.client.clone().list_games(message).await.map(tonic::Response::into_inner)
    }

    pub async fn replay(
        &self,
        game_id: Uuid,
        pace: pb::ReplayPace,
    ) -> Result<Vec<pb::ReplayGameResponse>, Status> {
        let message = pb::ReplayGameRequest { game_id: game_id.to_string(), pace: pace as i32 };
        let mut stream = self.client.clone().replay_game(message).await?.into_inner();
        let mut frames = Vec::new();
        while let Some(frame) = stream.message().await? {
            frames.push(frame);
        }
        Ok(frames)
    }

    pub async fn pgn(&self, game_id: Uuid) -> Result<String, Status> {
        let message = pb::ExportPgnRequest { game_id: game_id.to_string() };
        self.client.clone().export_pgn(message).await.map(|answer| answer.into_inner().pgn)
    }
}

/// The reason in a status's one ErrorInfo; empty without one.
pub fn reason(status: &Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

/// A value of its metadata.
pub fn reason_metadata(status: &Status, key: &str) -> Option<String> {
    status.get_error_details().error_info()?.metadata.get(key).cloned()
}

/// The fields that a BadRequest names.
pub fn bad_fields(status: &Status) -> Vec<String> {
    let details = status.get_error_details();
    let bad = details.bad_request().map(|bad| bad.field_violations.clone()).unwrap_or_default();
    bad.into_iter().map(|violation| violation.field).collect()
}
