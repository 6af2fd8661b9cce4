//! Following a game to its end: money, ratings, report and replay.

use anyhow::{Context as _, ensure};
use proto::fairplay::v1::{AnalysisStatus, GameReport, GetGameReportRequest};
use proto::game::v1::{ExportPgnRequest, GetGameRequest, ReplayGameRequest, ReplayPace};
use proto::rating::v1::{GetRatingsRequest, ListRatingHistoryRequest, Rating};
use proto::wallet::v1::{GetBalanceRequest, ListStatementRequest, StatementLine, TransferKind};

use crate::playing::player::{Player, eventually, is_passing, patiently};

/// The currency of the demonstration.
const CURRENCY: &str = "XPL";

/// What a player has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purse {
    /// What he can stake, in minor units.
    pub available: i64,
    /// What is held.
    pub held: i64,
}

/// The player's money; none until his account is open and has its play money.
pub async fn purse(player: &Player) -> anyhow::Result<Purse> {
    eventually("the play money", || async {
        let answer = match player.wallet().get_balance(player.request(GetBalanceRequest {})).await {
            Ok(answer) => answer.into_inner(),
            Err(status) if is_passing(&status) || status.code() == tonic::Code::NotFound => return Ok(None),
            Err(status) => return Err(status.into()),
        };
        let balance = answer.balances.into_iter().find_map(|balance| {
            let available = balance.available.filter(|money| money.currency == CURRENCY)?;
            let held = balance.held?;
            Some(Purse { available: available.minor_units, held: held.minor_units })
        });
        Ok(balance.filter(|purse| purse.available + purse.held > 0))
    })
    .await
}

/// The player's rating in a pool.
pub async fn rating(player: &Player, pool: &str) -> anyhow::Result<Rating> {
    let answer = patiently("read the ratings", || {
        let mut ratings = player.ratings();
        let request = player.request(GetRatingsRequest { player_id: player.id().to_owned() });
        async move { ratings.get_ratings(request).await }
    })
    .await?;
    let mut ratings = answer.into_inner().ratings.into_iter();
    ratings.find(|rating| rating.pool == pool).with_context(|| format!("there is no pool {pool}"))
}

/// Waits until a game has changed the player's rating.
pub async fn wait_for_rating(player: &Player, pool: &str, game_id: &str) -> anyhow::Result<()> {
    eventually("the rating", || async {
        let request = ListRatingHistoryRequest {
            player_id: player.id().to_owned(),
            pool: pool.to_owned(),
            ..ListRatingHistoryRequest::default()
        };
        match player.ratings().list_rating_history(player.request(request)).await {
            Ok(answer) => {
                let changes = answer.into_inner().changes;
                Ok(changes.iter().any(|change| change.game_id == game_id).then_some(()))
            }
            Err(status) if is_passing(&status) => Ok(None),
            Err(status) => Err(status.into()),
        }
    })
    .await
}

/// Waits until a game's stake is settled, and gives the line of the player's statement that settled it; none for the loser,
/// whose stake simply went into the pot.
pub async fn wait_for_settlement(player: &Player, match_id: &str) -> anyhow::Result<Vec<StatementLine>> {
    eventually("the settlement", || async {
        let request = ListStatementRequest { page_size: 20, page_token: String::new() };
        let lines = match player.wallet().list_statement(player.request(request)).await {
            Ok(answer) => answer.into_inner().lines,
            Err(status) if is_passing(&status) => return Ok(None),
            Err(status) => return Err(status.into()),
        };
        let lines: Vec<StatementLine> = lines.into_iter().filter(|line| line.match_id == match_id).collect();
        let is_settled =
            lines.iter().any(|line| matches!(line.kind(), TransferKind::Payout | TransferKind::Refund));
        Ok(is_settled.then_some(lines))
    })
    .await
}

/// Waits for a game's report.
pub async fn wait_for_report(player: &Player, game_id: &str) -> anyhow::Result<GameReport> {
    eventually("the report", || async {
        let request = GetGameReportRequest { game_id: game_id.to_owned() };
        match player.reports().get_game_report(player.request(request)).await {
            Ok(answer) => {
                let answer = answer.into_inner();
                ensure!(answer.status() != AnalysisStatus::Parked, "the analysis was given up");
                ensure!(
                    answer.report.is_none() || answer.status() == AnalysisStatus::Ready,
                    "a report was shown before it was complete"
                );
                Ok(answer.report)
            }
            Err(status) if is_passing(&status) || status.code() == tonic::Code::NotFound => Ok(None),
            Err(status) => Err(status.into()),
        }
    })
    .await
}

/// Replays a game from the log and compares it with what was played.
pub async fn replay_equals(player: &Player, game_id: &str, played: &[&str]) -> anyhow::Result<bool> {
    let frames = patiently("replay the game", || {
        let mut games = player.games();
        let request = ReplayGameRequest { game_id: game_id.to_owned(), pace: ReplayPace::AtOnce.into() };
        let request = player.request(request);
        async move {
            let mut stream = games.replay_game(request).await?.into_inner();
            let mut frames = Vec::new();
            while let Some(frame) = stream.message().await? {
                frames.push(frame);
            }
            Ok(frames)
        }
    })
    .await?;
    let game = patiently("read the game", || {
        let mut games = player.games();
        let request = player.request(GetGameRequest { game_id: game_id.to_owned() });
        async move { games.get_game(request).await }
    })
    .await?
    .into_inner()
    .game
    .context("an answer without the game")?;
    let replayed: Vec<&str> =
        frames.iter().filter_map(|frame| frame.r#move.as_ref()).map(|played| played.uci.as_str()).collect();
    let last = frames.last().context("a replay without frames")?;
    Ok(replayed == played
        && frames.len() == played.len() + 1
        && last.fen == game.fen
        && last.end_reason == game.end_reason)
}

/// The game as PGN.
pub async fn pgn(player: &Player, game_id: &str) -> anyhow::Result<String> {
    let answer = patiently("export the game", || {
        let mut games = player.games();
        let request = player.request(ExportPgnRequest { game_id: game_id.to_owned() });
        async move { games.export_pgn(request).await }
    })
    .await?;
    Ok(answer.into_inner().pgn)
}
