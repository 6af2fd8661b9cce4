//! Evidence of sides: as it is stored and sent, and the rows of a player's games.

use domain_fairplay::bayes::Likelihoods;
use domain_fairplay::evidence::{Evidence, Outcome, TellingMove};
use domain_fairplay::expectation::Channel;
use domain_fairplay::timing::TimeEvidence;
use prost::Message as _;
use proto::fairplay::v1 as wire;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::scoring::Scored;

/// A scored game of a player.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredGame {
    /// The game.
    pub game_id: Uuid,
    /// Which pass the evidence is from: 1 or 2.
    pub pass: i16,
    /// His side of the report.
    pub side: wire::SideReport,
}

/// A row to write.
#[derive(Debug, Clone)]
pub struct NewSide<'a> {
    /// Whose.
    pub player_id: Uuid,
    /// The game.
    pub game_id: Uuid,
    /// bullet, blitz, rapid or classical.
    pub time_class: &'a str,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at_ms: i64,
    /// Which pass: 1 or 2.
    pub pass: i16,
    /// His side of the report.
    pub side: &'a wire::SideReport,
    /// What it was played for.
    pub stakes: Stakes,
}

/// What games were played for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stakes {
    /// Money.
    Staked,
    /// Nothing: what the staked games are held against.
    Unstaked,
}

/// Writes a side's evidence; that of the second pass replaces that of the first, never the other way.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, side: NewSide<'_>) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/put_side_evidence.sql"))
        .bind(side.player_id)
        .bind(side.game_id)
        .bind(side.time_class)
        .bind(side.ended_at_ms)
        .bind(side.pass)
        .bind(side.side.encode_to_vec())
        .bind(side.stakes == Stakes::Staked)
        .execute(conn)
        .await?;
    Ok(())
}

/// Which games of a player to read.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// The player.
    pub player_id: Uuid,
    /// bullet, blitz, rapid or classical.
    pub time_class: &'a str,
    /// Only games that ended from then on, in milliseconds since the Unix epoch.
    pub from_ms: i64,
    /// The last so many.
    pub games_max: usize,
    /// What they were played for.
    pub stakes: Stakes,
}

/// A player's last games, the oldest first. The order depends on the games alone, not on when they were analysed.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn latest(conn: &mut PgConnection, window: Window<'_>) -> Result<Vec<ScoredGame>, sqlx::Error> {
    let rows: Vec<(Uuid, i16, Vec<u8>)> = sqlx::query_as(include_str!("queries/latest_evidence.sql"))
        .bind(window.player_id)
        .bind(window.time_class)
        .bind(window.from_ms)
        .bind(i64::try_from(window.games_max).unwrap_or(i64::MAX))
        .bind(window.stakes == Stakes::Staked)
        .fetch_all(conn)
        .await?;
    rows.into_iter()
        .map(|(game_id, pass, side)| {
            let side = wire::SideReport::decode(side.as_slice()).map_err(|error| {
                sqlx::Error::ColumnDecode { index: "side".into(), source: Box::new(error) }
            })?;
            Ok(ScoredGame { game_id, pass, side })
        })
        .collect()
}

/// The evidence of a side on the wire.
#[must_use]
pub fn to_wire(scored: &Scored) -> wire::SideEvidence {
    let evidence = &scored.evidence;
    wire::SideEvidence {
        rating: scored.seat.rating,
        time_class: scored.seat.class.name().to_owned(),
        score: match evidence.outcome {
            Outcome::Won => 1.0,
            Outcome::Drawn => 0.5,
            Outcome::Lost => 0.0,
        },
        engine: evidence.likelihoods.engine.to_vec(),
        human: evidence.likelihoods.human.to_vec(),
        matches: Some(channel_to_wire(&evidence.matches)),
        spared: Some(channel_to_wire(&evidence.spared)),
        matches_stronger: Some(channel_to_wire(&evidence.matches_stronger)),
        spared_stronger: Some(channel_to_wire(&evidence.spared_stronger)),
        time: evidence.time.map(|time| wire::TimeEvidence {
            moves: count(time.moves),
            correlation: time.correlation,
            variation: time.variation,
            easy_ratio: time.easy_ratio,
            flat_streak: count(time.flat_streak),
        }),
        telling: scored.telling.iter().map(telling_to_wire).collect(),
    }
}

/// The sums, from the wire. A missing number is zero: it adds nothing.
#[must_use]
pub fn from_wire(evidence: &wire::SideEvidence) -> Evidence {
    let number = |list: &[f64], index: usize| list.get(index).copied().unwrap_or(0.0);
    Evidence {
        outcome: match evidence.score {
            score if score > 0.75 => Outcome::Won,
            score if score < 0.25 => Outcome::Lost,
            _ => Outcome::Drawn,
        },
        likelihoods: Likelihoods {
            engine: std::array::from_fn(|index| number(&evidence.engine, index)),
            human: std::array::from_fn(|index| number(&evidence.human, index)),
        },
        matches: channel(evidence.matches.as_ref()),
        spared: channel(evidence.spared.as_ref()),
        matches_stronger: channel(evidence.matches_stronger.as_ref()),
        spared_stronger: channel(evidence.spared_stronger.as_ref()),
        time: evidence.time.as_ref().map(|time| TimeEvidence {
            moves: time.moves as usize,
            correlation: time.correlation,
            variation: time.variation,
            easy_ratio: time.easy_ratio,
            flat_streak: time.flat_streak as usize,
        }),
    }
}

/// Sums of a channel on the wire.
#[must_use]
pub fn channel_to_wire(channel: &Channel) -> wire::Channel {
    wire::Channel {
        moves: count(channel.moves),
        observed: channel.observed,
        expected: channel.expected,
        variance: channel.variance,
    }
}

fn channel(channel: Option<&wire::Channel>) -> Channel {
    channel.map_or_else(Channel::default, |channel| Channel {
        moves: channel.moves as usize,
        observed: channel.observed,
        expected: channel.expected,
        variance: channel.variance,
    })
}

fn telling_to_wire(telling: &TellingMove) -> wire::TellingMove {
    wire::TellingMove {
        ply: count(telling.ply),
        uci: telling.uci.clone(),
        human_probability: telling.human_probability,
        loss: telling.loss,
        weight: telling.weight,
    }
}

/// A count of moves or games, of which there are far fewer than fit.
#[must_use]
pub fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
