//! A rating database, and the messages of the game service as they reach the handler.

use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use prost::Message as _;
use proto::game::v1::{GameAborted, GameEnded, GameResult, GameStarted, RuleSetRecord};
use proto::types::v1::{Player, TimeControl};
use rating::bus::games::GameHandler;
use rating::store::history::{self, HistoryRow, PageOf, TimeRange};
use rating::store::ratings::{self, RatingRow};
use service_kit::auth::KeyPair;
use service_kit::config::CommonConfig;
use sqlx::PgPool;
use test_kit::scratch::{self, Medium};
use time::OffsetDateTime;
use uuid::Uuid;

/// Noon of some day.
pub const NOON_MS: i64 = 1_767_268_800_000;
pub const DAY_MS: i64 = 86_400_000;

/// Settings for a service on `database_url`.
pub fn settings(database_url: &str, nats_url: &str) -> CommonConfig {
    let folder = scratch::folder(Medium::Memory, "rating-keys").expect("a scratch folder");
    let keys = KeyPair::development(&folder).expect("key files can be written");
    CommonConfig::development(database_url, nats_url, &keys.public)
}

/// A database with the service's tables.
pub async fn database() -> PgPool {
    let database = test_kit::postgres().await.database("rating").await;
    let config = settings(&database.url, "nats://127.0.0.1:1");
    service_kit::database::migrate(&config.database_url, rating::SERVICE, &rating::MIGRATOR)
        .await
        .expect("the migrations go through");
    database.pool
}

/// Whether a game moves ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rating {
    Rated,
    Casual,
}

/// A game of 3+2 between two players.
#[derive(Debug, Clone)]
pub struct Game {
    pub game_id: Uuid,
    pub white: Uuid,
    pub black: Uuid,
    pub time_control: Option<TimeControl>,
    pub ended_at_ms: i64,
}

impl Game {
    pub fn new(white: Uuid, black: Uuid) -> Self {
        Self {
            game_id: Uuid::now_v7(),
            white,
            black,
            time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
            ended_at_ms: NOON_MS,
        }
    }

    pub fn ended(&self, result: GameResult) -> Vec<u8> {
        GameEnded {
            game_id: self.game_id.to_string(),
            match_id: Uuid::now_v7().to_string(),
            white: Some(seat(self.white)),
            black: Some(seat(self.black)),
            time_control: self.time_control,
            result: result as i32,
            ended_at_ms: self.ended_at_ms,
            ..GameEnded::default()
        }
        .encode_to_vec()
    }

    /// The start of a game of another rule set than the cities'.
    pub fn started(&self, rule_set: &str, rating: Rating) -> Message {
        let started = GameStarted {
            game_id: self.game_id.to_string(),
            white: Some(seat(self.white)),
            black: Some(seat(self.black)),
            time_control: self.time_control,
            rule_set: Some(RuleSetRecord { name: rule_set.to_owned(), fields: Vec::new() }),
            casual: rating == Rating::Casual,
            ..GameStarted::default()
        };
        self.message("GameStarted", started.encode_to_vec())
    }

    pub fn aborted(&self) -> Vec<u8> {
        GameAborted {
            game_id: self.game_id.to_string(),
            white: Some(seat(self.white)),
            black: Some(seat(self.black)),
            aborted_at_ms: self.ended_at_ms,
            ..GameAborted::default()
        }
        .encode_to_vec()
    }

    /// The game's end as the bus hands it to the handler.
    pub fn end_message(&self, result: GameResult) -> Message {
        self.message("GameEnded", self.ended(result))
    }

    pub fn message(&self, kind: &str, data: Vec<u8>) -> Message {
        Message {
            service: "game".to_owned(),
            stream_kind: "game".to_owned(),
            stream_id: self.game_id,
            version: 2,
            follows: 1,
            event_id: Uuid::now_v7(),
            kind: kind.to_owned(),
            schema: 1,
            data,
            metadata: Metadata::for_request("test", Uuid::now_v7()),
            recorded_at: OffsetDateTime::now_utc(),
        }
    }

    /// Ends the game.
    pub async fn end(&self, pool: &PgPool, result: GameResult) -> Result<(), HandleError> {
        deliver(pool, &self.end_message(result)).await
    }
}

fn seat(player: Uuid) -> Player {
    Player { player_id: player.to_string(), name: "Paul".to_owned() }
}

/// Hands a message to the handler the way the bus does: a transaction, committed only when the handler did it.
pub async fn deliver(pool: &PgPool, message: &Message) -> Result<(), HandleError> {
    let mut tx = pool.begin().await?;
    match GameHandler.handle(&mut tx, message).await {
        Ok(()) => Ok(tx.commit().await?),
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

/// Hands messages to the handler together, as a loaded bus does.
pub async fn deliver_together(pool: &PgPool, messages: &[&Message]) -> Vec<Result<(), HandleError>> {
    let mut tx = pool.begin().await.expect("the database answers");
    let answers = GameHandler.handle_batch(&mut tx, messages).await.expect("the batch goes through");
    tx.commit().await.expect("the database answers");
    answers
}

/// A player's rating in 3+2, if he has one.
pub async fn rating_of(pool: &PgPool, player: Uuid) -> Option<RatingRow> {
    let rows = ratings::of_player(pool, player).await;
    let rows = rows.expect("the database answers");
    rows.into_iter().find(|row| row.pool == "3+2")
}

/// A player's history in 3+2, newest first.
pub async fn history_of(pool: &PgPool, player: Uuid) -> Vec<HistoryRow> {
    let range = TimeRange::ALWAYS;
    let of = PageOf { player_id: player, pool: "3+2", before: i64::MAX, range, limit: 1_000 };
    history::page(pool, of).await.expect("the database answers")
}

/// Everything the service has stored, in a fixed order.
pub async fn everything(pool: &PgPool) -> (Vec<RatingRow>, Vec<HistoryRow>, Vec<(String, i64)>) {
    let ratings = sqlx::query_as("select * from ratings order by player_id, pool");
    let history = sqlx::query_as("select * from rating_history order by pool, pool_sequence, player_id");
    let pools = sqlx::query_as("select pool, last_sequence from rating_pools order by pool");
    (
        ratings.fetch_all(pool).await.expect("the database answers"),
        history.fetch_all(pool).await.expect("the database answers"),
        pools.fetch_all(pool).await.expect("the database answers"),
    )
}
