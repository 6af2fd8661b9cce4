//! Staked games, as far as they can be signs of collusion.

use std::collections::HashMap;

use domain_fairplay::ByColor;
use domain_fairplay::collusion::{Seat, StakedGame, YOUNG_DAYS};
use domain_fairplay::pairs::PersonId;
use domain_fairplay::screen::PairRecord;
use sqlx::PgConnection;
use uuid::Uuid;

const DAY_MS: i64 = 86_400_000;
/// The most games of a window that are looked at; the newest count.
const GAMES_MAX: i64 = 500_000;

/// What a match is played for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stake {
    /// In minor units.
    pub minor_units: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// A game that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct NewGame {
    /// The game.
    pub game_id: Uuid,
    /// The match whose stakes were played for.
    pub match_id: Uuid,
    /// When, in milliseconds since the Unix epoch.
    pub ended_at_ms: i64,
    /// City and clock.
    pub pool: String,
    /// What each staked.
    pub stake: Stake,
    /// White and Black.
    pub players: [Uuid; 2],
    /// Their ratings before.
    pub ratings: [f64; 2],
    /// White's points.
    pub white_score: f64,
    /// Whether the end was a resignation or a flag.
    pub loser_gave_up: bool,
    /// Half-moves.
    pub plies: usize,
    /// The first twenty plies.
    pub opening: Option<String>,
    /// The share of the time that each had left after his last move.
    pub left_shares: [f64; 2],
}

/// What an engine says of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Analysis {
    /// Mean loss of White and Black, in points of win chance.
    pub mean_losses: [f64; 2],
    /// White's win chance in the last position, in percent.
    pub white_last_chance: f64,
}

/// Keeps what a match is played for.
pub async fn put_stake(conn: &mut PgConnection, match_id: Uuid, stake: &Stake) -> Result<(), sqlx::Error> {
    sqlx::query("update match_pairs set stake_minor_units = $2, currency = $3 where match_id = $1")
        .bind(match_id)
        .bind(stake.minor_units)
        .bind(&stake.currency)
        .execute(conn)
        .await?;
    Ok(())
}

/// What a match is played for, if its proposal told.
pub async fn stake(conn: &mut PgConnection, match_id: Uuid) -> Result<Option<Stake>, sqlx::Error> {
    let row: Option<(Option<i64>, Option<String>)> =
        sqlx::query_as("select stake_minor_units, currency from match_pairs where match_id = $1")
            .bind(match_id)
            .fetch_optional(conn)
            .await?;
    Ok(row.and_then(|(minor_units, currency)| Some(Stake { minor_units: minor_units?, currency: currency? })))
}

/// What a game was played for, if it is known.
pub async fn stake_of_game(conn: &mut PgConnection, game_id: Uuid) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar("select stake_minor_units from staked_games where game_id = $1")
        .bind(game_id)
        .fetch_optional(conn)
        .await
}

/// A stake that somebody lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostStake {
    /// Who.
    pub player_id: Uuid,
    /// In which game.
    pub game_id: Uuid,
    /// In which match, if that was noted.
    pub match_id: Option<Uuid>,
    /// How much.
    pub stake: Stake,
}

type LostRow = (Uuid, Uuid, Option<Uuid>, i64, String);

/// The stakes that opponents lost to a player in some of these games, the oldest first.
pub async fn lost_to(
    conn: &mut PgConnection,
    player_id: Uuid,
    games: &[Uuid],
) -> Result<Vec<LostStake>, sqlx::Error> {
    let rows: Vec<LostRow> = sqlx::query_as(include_str!("queries/lost_stakes.sql"))
        .bind(player_id)
        .bind(games)
        .fetch_all(conn)
        .await?;
    let lost = rows.into_iter().map(|(player_id, game_id, match_id, minor_units, currency)| LostStake {
        player_id,
        game_id,
        match_id,
        stake: Stake { minor_units, currency },
    });
    Ok(lost.collect())
}

/// What two players have played since a time, and what each of them has won, the first as White.
pub async fn pair_record(
    conn: &mut PgConnection,
    players: [Uuid; 2],
    since_ms: i64,
) -> Result<PairRecord, sqlx::Error> {
    let counts: (i64, i64, i64) = sqlx::query_as(include_str!("queries/pair_record.sql"))
        .bind(players[0])
        .bind(players[1])
        .bind(since_ms)
        .fetch_one(conn)
        .await?;
    let count = |number: i64| usize::try_from(number).unwrap_or_default();
    Ok(PairRecord { games: count(counts.0), won: ByColor { white: count(counts.1), black: count(counts.2) } })
}

/// Keeps a game; nothing when it is known.
pub async fn put(conn: &mut PgConnection, game: &NewGame) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/put_staked_game.sql"))
        .bind(game.game_id)
        .bind(game.ended_at_ms)
        .bind(&game.pool)
        .bind(game.stake.minor_units)
        .bind(&game.stake.currency)
        .bind(game.players[0])
        .bind(game.players[1])
        .bind(game.ratings[0])
        .bind(game.ratings[1])
        .bind(game.white_score)
        .bind(game.loser_gave_up)
        .bind(i32::try_from(game.plies).unwrap_or(i32::MAX))
        .bind(&game.opening)
        .bind(game.left_shares[0])
        .bind(game.left_shares[1])
        .bind(game.match_id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Adds what an engine says.
pub async fn put_analysis(
    conn: &mut PgConnection,
    game_id: Uuid,
    analysis: Analysis,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update staked_games set white_mean_loss = $2, black_mean_loss = $3, white_last_chance = $4
         where game_id = $1",
    )
    .bind(game_id)
    .bind(analysis.mean_losses[0])
    .bind(analysis.mean_losses[1])
    .bind(analysis.white_last_chance)
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps when an account was made.
pub async fn put_account(
    conn: &mut PgConnection,
    player_id: Uuid,
    registered_at_ms: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("insert into accounts (player_id, registered_at_ms) values ($1, $2) on conflict do nothing")
        .bind(player_id)
        .bind(registered_at_ms)
        .execute(conn)
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    game_id: Uuid,
    ended_at_ms: i64,
    pool: String,
    stake_minor_units: i64,
    currency: String,
    white_player_id: Uuid,
    black_player_id: Uuid,
    white_rating: f64,
    black_rating: f64,
    white_score: f64,
    loser_gave_up: bool,
    plies: i32,
    opening: Option<String>,
    white_left_share: f64,
    black_left_share: f64,
    white_mean_loss: Option<f64>,
    black_mean_loss: Option<f64>,
    white_last_chance: Option<f64>,
    white_registered_at_ms: Option<i64>,
    black_registered_at_ms: Option<i64>,
}

/// The games that ended from `from_ms` on and before `until_ms`, with persons in the place of accounts.
pub async fn between(
    conn: &mut PgConnection,
    (from_ms, until_ms): (i64, i64),
    persons: &HashMap<Uuid, Uuid>,
) -> Result<Vec<StakedGame>, sqlx::Error> {
    let rows: Vec<Row> = sqlx::query_as(include_str!("queries/staked_games_between.sql"))
        .bind(from_ms)
        .bind(until_ms)
        .bind(GAMES_MAX)
        .fetch_all(conn)
        .await?;
    Ok(rows.into_iter().map(|row| row.game(persons)).collect())
}

impl Row {
    fn game(self, persons: &HashMap<Uuid, Uuid>) -> StakedGame {
        let person = |id: Uuid| PersonId(persons.get(&id).copied().unwrap_or(id).as_u128());
        // What both ratings would have White score [Elo].
        let white_expected = 1.0 / (1.0 + 10_f64.powf((self.black_rating - self.white_rating) / 400.0));
        let is_young = |registered_at_ms: Option<i64>| {
            registered_at_ms.is_some_and(|at| self.ended_at_ms - at <= YOUNG_DAYS * DAY_MS)
        };
        let white = Seat {
            person: person(self.white_player_id),
            score: self.white_score,
            expected: white_expected,
            mean_loss: self.white_mean_loss,
            last_chance: self.white_last_chance,
            left_share: self.white_left_share,
            gave_up: self.loser_gave_up && self.white_score < 0.25,
            is_young: is_young(self.white_registered_at_ms),
        };
        let black = Seat {
            person: person(self.black_player_id),
            score: 1.0 - self.white_score,
            expected: 1.0 - white_expected,
            mean_loss: self.black_mean_loss,
            last_chance: self.white_last_chance.map(|chance| 100.0 - chance),
            left_share: self.black_left_share,
            gave_up: self.loser_gave_up && self.white_score > 0.75,
            is_young: is_young(self.black_registered_at_ms),
        };
        StakedGame {
            game_id: self.game_id.as_u128(),
            ended_at_ms: self.ended_at_ms,
            pool: self.pool,
            // Far below where a float loses anything.
            stake: self.stake_minor_units as f64,
            currency: self.currency,
            plies: self.plies.unsigned_abs() as usize,
            opening: self.opening,
            seats: [white, black],
        }
    }
}
