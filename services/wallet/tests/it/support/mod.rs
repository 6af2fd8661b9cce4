//! A wallet's database, and the messages of other services as they reach its handlers.

pub mod counter;

use std::time::Duration;

use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use prost::Message as _;
use proto::game::v1::{EndReason, GameAborted, GameEnded, GameResult};
use proto::gateway::v1::PlayerRegistered;
use proto::matchmaking::v1::{MatchCancelled, StakesRequested};
use proto::types::v1::{Money, Player};
use service_kit::auth::KeyPair;
use service_kit::config::CommonConfig;
use sqlx::PgPool;
use test_kit::scratch::{self, Medium};
use time::OffsetDateTime;
use uuid::Uuid;
use wallet::app::opening::OpeningDeposit;
use wallet::bus::games::GameHandler;
use wallet::bus::matches::MatchHandler;
use wallet::bus::players::PlayerHandler;

/// Settings for a wallet on `database_url`, and the key files that its tokens are made with.
pub fn settings(database_url: &str, nats_url: &str) -> (CommonConfig, service_kit::auth::KeyFiles) {
    let folder = scratch::folder(Medium::Memory, "wallet-keys").expect("a scratch folder");
    let keys = KeyPair::development(&folder).expect("key files can be written");
    let config = CommonConfig::development(database_url, nats_url, &keys.public);
    (config, keys)
}

/// A database with the wallet's tables.
pub async fn database() -> PgPool {
    let database = test_kit::postgres().await.database("wallet").await;
    let (config, _) = settings(&database.url, "nats://127.0.0.1:1");
    service_kit::database::migrate(&config.database_url, wallet::SERVICE, &wallet::MIGRATOR)
        .await
        .expect("the migrations go through");
    database.pool
}

/// An event of another service, as the bus hands it to a handler.
pub fn message(place: (&str, &str, Uuid), kind: &str, data: Vec<u8>) -> Message {
    let (service, stream_kind, stream_id) = place;
    Message {
        service: service.to_owned(),
        stream_kind: stream_kind.to_owned(),
        stream_id,
        version: 1,
        follows: 0,
        event_id: Uuid::now_v7(),
        kind: kind.to_owned(),
        schema: 1,
        data,
        metadata: Metadata::for_request("test", Uuid::now_v7()),
        recorded_at: OffsetDateTime::now_utc(),
    }
}

/// Hands a message to a handler the way the bus does: a transaction, committed only when the handler did it.
pub async fn deliver(pool: &PgPool, handler: &impl Handler, message: &Message) -> Result<(), HandleError> {
    let mut tx = pool.begin().await?;
    match handler.handle(&mut tx, message).await {
        Ok(()) => Ok(tx.commit().await?),
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

/// A handler of matches that does not wait for accounts.
pub fn matches() -> MatchHandler {
    MatchHandler::new(Duration::ZERO, OffsetDateTime::UNIX_EPOCH)
}

pub fn registered(player: Uuid) -> Message {
    let event = PlayerRegistered {
        player_id: player.to_string(),
        name: "Paul".to_owned(),
        roles: vec!["player".to_owned()],
        registered_at_ms: 0,
    };
    let place = ("gateway", "player", player);
    message(place, "PlayerRegistered", event.encode_to_vec())
}

/// Signs up a player who finds `minor_units` of play money.
pub async fn sign_up(pool: &PgPool, minor_units: i64) -> Uuid {
    let player = Uuid::now_v7();
    let handler = PlayerHandler::new(deposit(minor_units));
    deliver(pool, &handler, &registered(player)).await.expect("signed up");
    player
}

pub fn deposit(minor_units: i64) -> Option<OpeningDeposit> {
    let amount = domain_ledger::Amount::new(minor_units).ok()?;
    let currency = domain_ledger::Currency::XPL;
    Some(OpeningDeposit { amount, currency })
}

/// A match of two players with its terms.
#[derive(Debug, Clone)]
pub struct Match {
    pub match_id: Uuid,
    pub game_id: Uuid,
    pub white: Uuid,
    pub black: Uuid,
    pub stake: i64,
    pub currency: String,
    pub fee_basis_points: u32,
}

impl Match {
    pub fn new(white: Uuid, black: Uuid, stake: i64) -> Self {
        Self {
            match_id: Uuid::now_v7(),
            game_id: Uuid::now_v7(),
            white,
            black,
            stake,
            currency: "XPL".to_owned(),
            fee_basis_points: 500,
        }
    }

    pub fn requested(&self) -> StakesRequested {
        StakesRequested {
            match_id: self.match_id.to_string(),
            white_player_id: self.white.to_string(),
            black_player_id: self.black.to_string(),
            stake: Some(Money { minor_units: self.stake, currency: self.currency.clone() }),
            fee_basis_points: self.fee_basis_points,
            game_id: self.game_id.to_string(),
        }
    }

    pub fn ended(&self, result: GameResult) -> GameEnded {
        GameEnded {
            game_id: self.game_id.to_string(),
            match_id: self.match_id.to_string(),
            white: Some(seat(self.white)),
            black: Some(seat(self.black)),
            result: result as i32,
            end_reason: EndReason::Checkmate as i32,
            ..GameEnded::default()
        }
    }

    pub fn aborted(&self) -> GameAborted {
        GameAborted {
            game_id: self.game_id.to_string(),
            match_id: self.match_id.to_string(),
            white: Some(seat(self.white)),
            black: Some(seat(self.black)),
            ..GameAborted::default()
        }
    }

    pub fn cancelled(&self) -> MatchCancelled {
        MatchCancelled { match_id: self.match_id.to_string(), ..MatchCancelled::default() }
    }

    pub fn request_message(&self) -> Message {
        let place = ("matchmaking", "match", self.match_id);
        message(place, "StakesRequested", self.requested().encode_to_vec())
    }

    pub fn cancel_message(&self) -> Message {
        let place = ("matchmaking", "match", self.match_id);
        message(place, "MatchCancelled", self.cancelled().encode_to_vec())
    }

    pub fn end_message(&self, result: GameResult) -> Message {
        let place = ("game", "game", self.game_id);
        message(place, "GameEnded", self.ended(result).encode_to_vec())
    }

    pub fn abort_message(&self) -> Message {
        let place = ("game", "game", self.game_id);
        message(place, "GameAborted", self.aborted().encode_to_vec())
    }

    pub async fn request(&self, pool: &PgPool) -> Result<(), HandleError> {
        deliver(pool, &matches(), &self.request_message()).await
    }

    pub async fn cancel(&self, pool: &PgPool) -> Result<(), HandleError> {
        deliver(pool, &matches(), &self.cancel_message()).await
    }

    pub async fn end(&self, pool: &PgPool, result: GameResult) -> Result<(), HandleError> {
        deliver(pool, &GameHandler, &self.end_message(result)).await
    }

    pub async fn abort(&self, pool: &PgPool) -> Result<(), HandleError> {
        deliver(pool, &GameHandler, &self.abort_message()).await
    }

    /// The names of the events of the match in the wallet's log.
    pub async fn events(&self, pool: &PgPool) -> Vec<String> {
        let events = event_store::load(pool, self.match_id, 0, 10).await.expect("the log answers");
        events.into_iter().map(|event| event.kind).collect()
    }

    /// Why the stakes were refused.
    pub async fn refusal(&self, pool: &PgPool) -> proto::wallet::v1::StakesRefused {
        let events = event_store::load(pool, self.match_id, 0, 10).await.expect("the log answers");
        let [only] = events.as_slice() else {
            panic!("one event expected: {events:?}");
        };
        assert_eq!(only.kind, "StakesRefused");
        proto::wallet::v1::StakesRefused::decode(only.data.as_slice()).expect("readable")
    }
}

fn seat(player: Uuid) -> Player {
    Player { player_id: player.to_string(), name: "Paul".to_owned() }
}

/// What a player has available and held, in XPL.
pub async fn balance(pool: &PgPool, player: Uuid) -> (i64, i64) {
    let rows = wallet::store::balances::list(pool, player).await.expect("the database answers");
    let row = rows.into_iter().find(|row| row.currency == "XPL");
    row.map_or((0, 0), |row| (row.available, row.held))
}

/// Nothing is wrong anywhere in the ledger.
pub async fn assert_clean(pool: &PgPool) -> wallet::ledger_verify::VerifyReport {
    let report = wallet::ledger_verify::verify(pool).await.expect("the database answers");
    assert_eq!(report.difference, None);
    assert_eq!(report.ledger_sum_minor(), 0);
    report
}
