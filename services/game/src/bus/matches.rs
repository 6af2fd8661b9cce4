//! A confirmed match becomes a game.

use domain_chess::{Event, Started};
use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use proto::matchmaking::v1::{MatchConfirmed, MatchProposed};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    app::{CityId, Confirmed, Facts, GameId, Games, MatchId, ScaledGames, begin},
    store, wire,
};

/// The event that a game begins with. Every other event of a match is passed over.
const CONFIRMED: &str = "MatchConfirmed";

/// Makes a game of each confirmed match, once (GAME-3): the start of the game, its row in the list and the mark in the inbox
/// are one transaction.
#[derive(Debug)]
pub struct Matches {
    games: Games,
    scaled: ScaledGames,
}

impl Matches {
    /// New games are taken up by `games`.
    pub fn new(games: Games, scaled: ScaledGames) -> Matches {
        Matches { games, scaled }
    }

    fn begin(&self, message: &Message) -> Result<(Facts, Box<Started>), HandleError> {
        let confirmed = message
            .decode::<MatchConfirmed>()?
            .proposal
            .as_ref()
            .ok_or(Malformed("proposal"))
            .and_then(read)
            .map_err(permanent)?;
        let mut events = begin(&confirmed, self.scaled, self.games.now_ms()).map_err(permanent)?;
        match (events.pop(), events.is_empty()) {
            (Some(Event::Started(started)), true) => Ok((confirmed.facts, started)),
            _ => Err(HandleError::Permanent("the game would end as it begins".to_owned())),
        }
    }
}

impl Handler for Matches {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != CONFIRMED {
            return Ok(());
        }
        let (facts, started) = self.begin(message)?;
        let metadata = Metadata::caused_by(message, store::SERVICE);
        let is_new = store::create(conn, &facts, &started, metadata).await?;
        tracing::info!(game_id = %facts.game_id, match_id = facts.match_id.map(|id| id.to_string()), is_new, "a match becomes a game");
        Ok(())
    }

    fn committed(&self, message: &Message) {
        if message.kind != CONFIRMED {
            return;
        }
        let proposal = message.decode::<MatchConfirmed>().ok().and_then(|confirmed| confirmed.proposal);
        if let Some(game_id) = proposal.and_then(|proposal| Uuid::parse_str(&proposal.game_id).ok()) {
            self.games.take_up(GameId(game_id));
        }
    }
}

/// A field of the match makes no sense.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the field {0} of {CONFIRMED} makes no sense")]
struct Malformed(&'static str);

fn permanent(error: impl ToString) -> HandleError {
    HandleError::Permanent(error.to_string())
}

fn read(proposal: &MatchProposed) -> Result<Confirmed, Malformed> {
    let id = |field, text: &str| Uuid::parse_str(text).map_err(|_| Malformed(field));
    let time_control = match &proposal.time_control {
        Some(control) => Some(wire::read_time_control(control).ok_or(Malformed("time_control"))?),
        None => None,
    };
    Ok(Confirmed {
        facts: Facts {
            game_id: GameId(id("game_id", &proposal.game_id)?),
            match_id: Some(MatchId(id("match_id", &proposal.match_id)?)),
            table_id: None,
            city_id: CityId(proposal.city_id.clone()),
            white: wire::read_player(proposal.white.as_ref()).ok_or(Malformed("white"))?,
            black: wire::read_player(proposal.black.as_ref()).ok_or(Malformed("black"))?,
            stake: Some(wire::read_stake(proposal.stake.as_ref()).ok_or(Malformed("stake"))?),
        },
        rule_set: proposal.rule_set.clone(),
        time_control,
        // A match that says nothing is played in real time.
        time_scale: proposal.time_scale.max(1),
    })
}
