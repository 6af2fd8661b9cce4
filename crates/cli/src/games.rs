//! `stakemate game`: a game as everybody may see it, through the gateway; and many at once, from and to files, which go to
//! the game service's database.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use game::store::library::{self, LibraryError};
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::{
    EndReason, ExportPgnRequest, GameResult, ReplayGameRequest, ReplayGameResponse, ReplayPace,
};
use serde_json::json;
use sqlx::PgPool;
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

use crate::arguments::ServiceName;
use crate::dev::state::DevState;
use crate::failure::Failure;
use crate::output::{print_line, print_text};

fn games(state: &DevState) -> GameServiceClient<Channel> {
    let endpoint = Endpoint::from_shared(state.edge_url.clone()).expect("the launcher wrote a valid URL");
    GameServiceClient::new(endpoint.connect_lazy())
}

/// Prints the game in Portable Game Notation.
pub async fn export(state: &DevState, game: Uuid) -> Result<(), Failure> {
    let request = ExportPgnRequest { game_id: game.to_string() };
    let answer = games(state).export_pgn(request).await?.into_inner();
    print_text(&format!("{}\n", answer.pgn.trim_end()));
    Ok(())
}

/// Prints every game that has ended as one PGN file; how many there are goes to standard error.
pub async fn export_all(state: &DevState) -> Result<(), Failure> {
    let pool = PgPool::connect(&state.service(ServiceName::Game).database_url).await?;
    let written = library::export(&pool, |text| {
        print_text(text);
        Ok(())
    })
    .await;
    pool.close().await;
    eprintln!("{} games", written?);
    Ok(())
}

/// Takes the games of a PGN file into the archive and prints what became of them as one JSON line.
pub async fn import(state: &DevState, file: &Path) -> Result<(), Failure> {
    let source: Box<dyn Read + Send> = match file.to_str() {
        Some("-") => Box::new(io::stdin()),
        _ => Box::new(BufReader::new(File::open(file).map_err(LibraryError::File)?)),
    };
    let pool = PgPool::connect(&state.service(ServiceName::Game).database_url).await?;
    let report = library::import(&pool, source).await;
    pool.close().await;
    let report = report?;
    for (number, refusal) in &report.refused {
        eprintln!("game {number} is not taken: {refusal}");
    }
    print_line(&json!({ "added": report.added, "known": report.known, "refused": report.refused.len() }));
    Ok(())
}

/// Prints every position of the game, one a line, as the service rebuilds it from its log.
pub async fn replay(state: &DevState, game: Uuid) -> Result<(), Failure> {
    let request = ReplayGameRequest { game_id: game.to_string(), pace: ReplayPace::AtOnce.into() };
    let mut frames = games(state).replay_game(request).await?.into_inner();
    while let Some(frame) = frames.message().await? {
        print_text(&format!("{}\n", line(&frame)));
    }
    Ok(())
}

fn line(frame: &ReplayGameResponse) -> String {
    let played = frame.r#move.as_ref().map_or("", |played| played.san.as_str());
    let mut line = format!("{:>4} {played:<8} {}", frame.ply, frame.fen);
    if frame.result() != GameResult::Unspecified {
        line.push_str(&format!(" {}", lower(frame.result().as_str_name(), "GAME_RESULT_")));
    }
    if frame.end_reason() != EndReason::Unspecified {
        line.push_str(&format!(" {}", lower(frame.end_reason().as_str_name(), "END_REASON_")));
    }
    line
}

fn lower(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_one_line_and_the_last_one_tells_the_result() {
        let mut frame = ReplayGameResponse { ply: 0, fen: "8/8 w".to_owned(), ..Default::default() };
        assert_eq!(line(&frame), "   0          8/8 w");
        frame.ply = 1;
        frame.r#move = Some(proto::game::v1::Move { san: "e4".to_owned(), ..Default::default() });
        frame.set_result(GameResult::WhiteWins);
        assert_eq!(line(&frame), "   1 e4       8/8 w white_wins");
    }
}
