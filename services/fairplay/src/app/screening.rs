//! The first look at a finished staked game, in the moment in which its end is heard of and without an engine.

use domain_fairplay::screen::{EndedGame, Ending, Kind, Notice, PairRecord, screen};
use domain_fairplay::{ByColor, Color};
use proto::fairplay::v1 as wire;
use sqlx::PgConnection;

use super::analysis::{Circumstances, FinishedGame};
use crate::metrics::SCREENED;
use crate::store::staked_games;

/// Days that the pair's record goes back.
pub const PAIR_DAYS: i64 = 7;

/// Looks at a game; nothing is noticed of one whose circumstances are not known.
///
/// # Errors
/// When Postgres does not answer.
pub async fn look_at(
    conn: &mut PgConnection,
    game: &FinishedGame,
    ending: Ending,
) -> Result<Vec<Notice>, sqlx::Error> {
    let Some(circumstances) = &game.circumstances else { return Ok(Vec::new()) };
    let since_ms = circumstances.ended_at_ms - PAIR_DAYS * 86_400_000;
    let pair = staked_games::pair_record(conn, [game.white_id, game.black_id], since_ms).await?;
    let notices = screen(&ended(game, circumstances, ending, pair));
    for notice in &notices {
        metrics::counter!(SCREENED, "kind" => word(notice.kind)).increment(1);
    }
    Ok(notices)
}

fn ended(game: &FinishedGame, known: &Circumstances, ending: Ending, pair: PairRecord) -> EndedGame {
    let loser = match known.white_score {
        score if score > 0.75 => Some(Color::Black),
        score if score < 0.25 => Some(Color::White),
        _ => None,
    };
    // Nobody's clock shows how long he looked at an empty board.
    let seconds = ByColor::new_with(|color| {
        let own = known.charged_ms.iter().skip(2 + usize::from(color == Color::Black)).step_by(2);
        own.map(|ms| *ms as f64 / 1_000.0).collect()
    });
    EndedGame { plies: game.moves.len(), loser, ending, seconds, pair }
}

/// What was noticed, as it is told.
#[must_use]
pub fn to_wire(game: &FinishedGame, notices: &[Notice]) -> Vec<wire::ScreenNotice> {
    let player = |color| match color {
        Color::White => game.white_id.to_string(),
        Color::Black => game.black_id.to_string(),
    };
    let notices = notices.iter();
    notices
        .map(|notice| wire::ScreenNotice {
            kind: code(notice.kind).into(),
            player_id: notice.color.map(player).unwrap_or_default(),
            observed: notice.observed,
        })
        .collect()
}

fn code(kind: Kind) -> wire::ScreenNoticeKind {
    match kind {
        Kind::TooShort => wire::ScreenNoticeKind::TooShort,
        Kind::EvenTimes => wire::ScreenNoticeKind::EvenTimes,
        Kind::FlatTimes => wire::ScreenNoticeKind::FlatTimes,
        Kind::GivenUpEarly => wire::ScreenNoticeKind::GivenUpEarly,
        Kind::OneSidedPair => wire::ScreenNoticeKind::OneSidedPair,
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::TooShort => "too_short",
        Kind::EvenTimes => "even_times",
        Kind::FlatTimes => "flat_times",
        Kind::GivenUpEarly => "given_up_early",
        Kind::OneSidedPair => "one_sided_pair",
    }
}
