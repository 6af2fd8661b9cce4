//! Players as the actors of events.

use domain_chess::Color;
use uuid::Uuid;

use crate::app::{Facts, PlayerId};

const WHITE: &str = "w";
const BLACK: &str = "b";

/// The actor of events that stay in the log of a game: one of its two players, in one byte where his id has sixteen.
pub fn side(by: Color) -> &'static str {
    match by {
        Color::White => WHITE,
        Color::Black => BLACK,
    }
}

/// The player who is an actor, by his side or by his id: the end of a game leaves the service and has the id, as every event had once.
/// `None` for a service.
pub fn read(facts: &Facts, actor: &str) -> Option<Color> {
    match actor {
        WHITE => Some(Color::White),
        BLACK => Some(Color::Black),
        _ => Uuid::try_parse(actor).ok().and_then(|player_id| facts.color_of(PlayerId(player_id))),
    }
}
