//! Games: one that ended uses its place up and is queued for analysis; one that was aborted gives the place back.

use std::sync::Arc;

use domain_fairplay::screen::Ending;
use domain_fairplay::time_class::{Clock, TimeClass};
use event_bus::{HandleError, Handler, Message};
use proto::game::v1::{EndReason, GameAborted, GameEnded, GameResult};
use sqlx::PgConnection;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{id, metadata, own_id, player_id};
use crate::app::analysis::{Circumstances, FinishedGame};
use crate::app::pairs::{self, PairError};
use crate::app::screening;
use crate::metrics::CONTRADICTIONS;
use crate::store::staked_games::{self, NewGame, Stake};
use crate::store::{analyses, jobs, players};

/// The rating of a player who has not played in a pool, as the rating service starts everybody.
const STARTING_RATING: f64 = 1500.0;

/// The plies by which games are compared.
const OPENING_PLIES: usize = 20;

/// A game without a stake that is shorter says nothing.
const HISTORY_PLIES_MIN: usize = 30;
/// Games without a stake that are analysed of one player in a day.
const HISTORY_GAMES_PER_DAY_MAX: i64 = 5;

/// Consumes the game service's game streams.
#[derive(Debug, Clone)]
pub struct GameEvents {
    /// Wakes a worker when a game was queued.
    pub wake: Arc<Notify>,
}

impl Handler for GameEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "GameEnded" => ended(conn, message).await,
            "GameAborted" => aborted(conn, message).await,
            _ => Ok(()),
        }
    }

    fn committed(&self, message: &Message) {
        if message.kind == "GameEnded" {
            self.wake.notify_one();
        }
    }
}

async fn ended(conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
    let event: GameEnded = message.decode()?;
    let mut game = FinishedGame {
        game_id: own_id("game_id", &event.game_id, message)?,
        white_id: player_id("white", event.white.as_ref())?,
        black_id: player_id("black", event.black.as_ref())?,
        moves: event.moves.iter().map(|played| played.uci.clone()).collect(),
        start_fen: event.start_fen.clone(),
        is_staked: !event.match_id.is_empty(),
        circumstances: None,
    };
    if !game.is_staked {
        return queue_history(conn, message, &event, game).await;
    }
    let match_id = id("match_id", &event.match_id)?;
    count(conn, message, match_id).await?;
    game.circumstances = circumstances(conn, &event, &game).await?;
    if let (Some(circumstances), Some(stake)) =
        (&game.circumstances, staked_games::stake(conn, match_id).await?)
    {
        staked_games::put(conn, &staked(&event, &game, (match_id, circumstances, stake))).await?;
    }
    let ending = if was_given_up(&event) { Ending::GivenUp } else { Ending::PlayedOut };
    let notices = screening::look_at(conn, &game, ending).await?;
    analyses::queue_in(conn, &game, &notices, metadata(message)).await?;
    Ok(())
}

/// What the evidence depends on, as it is known now; it is written down with the game, so that it stays the same. Without a
/// clock there is no time class, and without a result nobody to hold the evidence against.
async fn circumstances(
    conn: &mut PgConnection,
    event: &GameEnded,
    game: &FinishedGame,
) -> Result<Option<Circumstances>, HandleError> {
    let white_score = match event.result() {
        GameResult::WhiteWins => 1.0,
        GameResult::BlackWins => 0.0,
        GameResult::Draw => 0.5,
        GameResult::Unspecified => return Ok(None),
    };
    let Some(clock) = &event.time_control else { return Ok(None) };
    let pool = format!("{}+{}", clock.base_ms / 60_000, clock.increment_ms / 1_000);
    let white = players::rating(conn, game.white_id, &pool).await?;
    let black = players::rating(conn, game.black_id, &pool).await?;
    Ok(Some(Circumstances {
        white_rating: white.unwrap_or(STARTING_RATING),
        black_rating: black.unwrap_or(STARTING_RATING),
        base_ms: clock.base_ms,
        increment_ms: clock.increment_ms,
        white_score,
        ended_at_ms: event.ended_at_ms,
        charged_ms: event.moves.iter().map(|played| played.charged_ms).collect(),
    }))
}

/// A rated game without a stake is analysed, within limits, when its player's staked games are held against something.
async fn queue_history(
    conn: &mut PgConnection,
    message: &Message,
    event: &GameEnded,
    mut game: FinishedGame,
) -> Result<(), HandleError> {
    if event.rating_pool.is_empty() || !game.start_fen.is_empty() || game.moves.len() < HISTORY_PLIES_MIN {
        return Ok(());
    }
    game.circumstances = circumstances(conn, event, &game).await?;
    let Some(known) = &game.circumstances else { return Ok(()) };
    let seconds = |ms: i64| ms as f64 / 1_000.0;
    let clock = Clock { base_s: seconds(known.base_ms), increment_s: seconds(known.increment_ms) };
    let players = [game.white_id, game.black_id];
    let is_wanted = players::has_standing(conn, players, TimeClass::of(clock).name()).await?;
    if is_wanted && jobs::history_today(conn, players).await? < HISTORY_GAMES_PER_DAY_MAX {
        analyses::queue_in(conn, &game, &[], metadata(message)).await?;
    }
    Ok(())
}

fn was_given_up(event: &GameEnded) -> bool {
    matches!(event.end_reason(), EndReason::Resignation | EndReason::Time | EndReason::Abandonment)
}

/// The game as far as it can be a sign of collusion.
fn staked(
    event: &GameEnded,
    game: &FinishedGame,
    (match_id, circumstances, stake): (Uuid, &Circumstances, Stake),
) -> NewGame {
    let base_ms = circumstances.base_ms.max(1) as f64;
    // The clock after a player's last move; all of it when he made none.
    let left_share = |side: usize| {
        let mut own = event.moves.iter().skip(side).step_by(2);
        own.next_back().map_or(1.0, |last| last.clock_ms as f64 / base_ms)
    };
    NewGame {
        game_id: game.game_id,
        match_id,
        ended_at_ms: circumstances.ended_at_ms,
        pool: format!("{} {}+{}", event.city_id, circumstances.base_ms, circumstances.increment_ms),
        stake,
        players: [game.white_id, game.black_id],
        ratings: [circumstances.white_rating, circumstances.black_rating],
        white_score: circumstances.white_score,
        loser_gave_up: was_given_up(event),
        plies: game.moves.len(),
        opening: (game.moves.len() >= OPENING_PLIES).then(|| game.moves[..OPENING_PLIES].join(" ")),
        left_shares: [left_share(0), left_share(1)],
    }
}

/// A game without a reservation of its own was played all the same. That is a fault somewhere before, which must be seen,
/// but must not keep the game from its analysis.
async fn count(conn: &mut PgConnection, message: &Message, match_id: Uuid) -> Result<(), HandleError> {
    match pairs::count(conn, match_id, metadata(message)).await {
        Err(PairError::Contradiction(error)) => {
            metrics::counter!(CONTRADICTIONS).increment(1);
            tracing::error!(%match_id, game_id = %message.stream_id, %error, "a game without a place in its pair's day");
            Ok(())
        }
        counted => Ok(counted?),
    }
}

async fn aborted(conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
    let event: GameAborted = message.decode()?;
    if event.match_id.is_empty() {
        return Ok(());
    }
    pairs::release(conn, id("match_id", &event.match_id)?, metadata(message)).await?;
    Ok(())
}
