//! Games: one with a result is rated where it counts, an aborted one is not (`RATING-3`). What has been delivered is handled together,
//! in its order: a commit costs the same for many games.

use std::collections::{BTreeMap, HashMap, HashSet};

use event_bus::{ConsumerConfig, HandleError, Handler, Message};
use event_store::Metadata;
use sqlx::PgConnection;
use uuid::Uuid;

use super::parse::{self, Ending, Told};
use crate::app::ended_game::EndedGame;
use crate::store::book::{self, BookError};
use crate::store::games_apart::{self, GameApart};
use crate::store::players;
use crate::{SERVICE, telemetry};

/// The consumer's durable name.
pub const CONSUMER: &str = "rating_games";

/// Messages handled in one transaction, at most.
pub const BATCH_MESSAGES_MAX: usize = 256;

/// One lane: games are rated in the order in which they ended, each on the ratings that the former left.
#[must_use]
pub fn consumer_config() -> ConsumerConfig {
    ConsumerConfig {
        lanes: 1,
        in_flight_max: 2 * BATCH_MESSAGES_MAX,
        ..ConsumerConfig::new(CONSUMER, "game", "game")
    }
}

/// Handles the events of games.
#[derive(Debug, Default)]
pub struct GameHandler;

impl Handler for GameHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let mut answers = handle_all(conn, &[message]).await?;
        answers.pop().expect("there is an answer to each message")
    }

    fn batch_max(&self) -> usize {
        BATCH_MESSAGES_MAX
    }

    async fn handle_batch(
        &self,
        conn: &mut PgConnection,
        messages: &[&Message],
    ) -> Result<Vec<Result<(), HandleError>>, HandleError> {
        handle_all(conn, messages).await
    }
}

impl From<BookError> for HandleError {
    fn from(error: BookError) -> Self {
        match error {
            BookError::Store(error) => error.into(),
            BookError::Append(error) => error.into(),
        }
    }
}

/// What a batch has come to.
#[derive(Default)]
struct Effects {
    started_apart: Vec<GameApart>,
    over_apart: Vec<Uuid>,
    games: Vec<(EndedGame, Metadata)>,
    names: BTreeMap<Uuid, String>,
}

/// Makes the effects of messages of different streams, and answers for each. Those that are refused have no part in it.
async fn handle_all(
    conn: &mut PgConnection,
    messages: &[&Message],
) -> Result<Vec<Result<(), HandleError>>, HandleError> {
    let told: Vec<Result<Told, HandleError>> = messages.iter().map(|message| parse::told(message)).collect();
    let known = Known::read(conn, &told).await?;
    let mut effects = Effects::default();
    let answers = messages
        .iter()
        .zip(told)
        .map(|(message, told)| effects.take(&known, message, told?).map_err(HandleError::Permanent))
        .collect();
    games_apart::note(conn, &effects.started_apart).await?;
    games_apart::forget(conn, &effects.over_apart).await?;
    players::note(conn, &effects.names).await?;
    book::rate_games(conn, effects.games).await?;
    Ok(answers)
}

/// What is known of the games that are over.
struct Known {
    apart: HashMap<Uuid, GameApart>,
    rated: HashSet<Uuid>,
}

impl Known {
    async fn read(conn: &mut PgConnection, told: &[Result<Told, HandleError>]) -> Result<Self, HandleError> {
        let over: Vec<Uuid> = told.iter().flatten().filter_map(Told::over).collect();
        if over.is_empty() {
            return Ok(Self { apart: HashMap::new(), rated: HashSet::new() });
        }
        let apart = games_apart::find(conn, &over).await?;
        let rated = book::rated(conn, &over).await?;
        Ok(Self {
            apart: apart.into_iter().map(|game| (game.game_id, game)).collect(),
            rated: rated.into_iter().collect(),
        })
    }
}

impl Effects {
    fn take(&mut self, known: &Known, message: &Message, told: Told) -> Result<(), String> {
        match told {
            Told::Nothing => {}
            Told::StartedApart(game) => self.started_apart.push(game),
            Told::Aborted { game_id } => self.over(known, game_id),
            Told::Ended(ending) => {
                let game_id = ending.game_id;
                let (pool, outcome) = self.end(known, message, *ending)?;
                metrics::counter!(telemetry::GAMES, "pool" => pool, "outcome" => outcome).increment(1);
                self.over(known, game_id);
            }
        }
        Ok(())
    }

    /// Answers the pool and the outcome.
    fn end(
        &mut self,
        known: &Known,
        message: &Message,
        ending: Ending,
    ) -> Result<(&'static str, &'static str), String> {
        let pool = match known.apart.get(&ending.game_id) {
            Some(apart) => apart.pool,
            None => ending.staked_pool(),
        };
        let Some(pool) = pool else {
            return Ok(("none", "unrated"));
        };
        if known.rated.contains(&ending.game_id) {
            return Ok((pool.id, "repeated"));
        }
        let (game, names) = ending.rated_in(pool)?;
        self.games.push((game, Metadata::caused_by(message, SERVICE)));
        self.names.extend(names);
        Ok((pool.id, "rated"))
    }

    fn over(&mut self, known: &Known, game_id: Uuid) {
        if known.apart.contains_key(&game_id) {
            self.over_apart.push(game_id);
        }
    }
}
