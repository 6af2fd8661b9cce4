//! What was acknowledged against what is in the logs, and whether all money and ratings add up.

use std::path::Path;

use anyhow::Context as _;
use proto::game::v1::{GameStatus, GetGameRequest};
use sqlx::PgPool;

use super::Summary;
use super::bots::Record;
use crate::arguments::ServiceName;
use crate::demo::follow;
use crate::dev::state::{self, DevState};
use crate::playing::player::{Player, eventually, patiently};

/// Events that settle a match; each match that had a game has one of them, once.
const SETTLEMENTS: &str = "select count(*) from events where stream_id = $1 and type in ('PotPaid', 'StakesRefunded')";

/// Events that rate a game; at most one a game.
const RATINGS: &str = "select count(*) from events where stream_id = $1 and type = 'RatingsChanged'";

/// Waits until everything has come to rest, then adds what it finds to the summary.
pub async fn run(data: &Path, players: &[Player], record: &Record, summary: &mut Summary) -> anyhow::Result<()> {
    let running = state::find_running(data)?;
    for player in players {
        eventually("the settlement of all stakes", || async {
            Ok(follow::purse(player).await.ok().filter(|purse| purse.held == 0))
        })
        .await?;
    }
    let witness = players.first().context("nobody played")?;
    let wallet = database(&running, ServiceName::Wallet).await?;
    let rating = database(&running, ServiceName::Rating).await?;
    for (game_id, acknowledged) in &record.games {
        let game = game(witness, game_id).await?;
        let stored: Vec<&str> = game.moves.iter().map(|played| played.uci.as_str()).collect();
        let lost = acknowledged.iter().filter(|(ply, uci)| stored.get(**ply as usize - 1) != Some(&uci.as_str()));
        summary.lost_moves += lost.count() as u64;
        if !follow::replay_equals(witness, game_id, &stored).await? {
            summary.replay_mismatches += 1;
        }
        let match_id: uuid::Uuid = record.matches[game_id].parse()?;
        summary.doubled_effects += (count(&wallet, SETTLEMENTS, match_id).await? - 1).unsigned_abs();
        let rated = i64::from(game.status() == GameStatus::Ended);
        let is_rated = eventually("the ratings", || async {
            let count = count(&rating, RATINGS, game_id.parse()?).await?;
            Ok((count >= rated).then_some(count))
        })
        .await?;
        summary.doubled_effects += (is_rated - rated).unsigned_abs();
    }
    let report = wallet::ledger_verify::verify(&wallet).await?;
    if let Some(difference) = &report.difference {
        anyhow::bail!("the ledger does not add up: {difference}");
    }
    summary.unsettled_stakes += report.totals.open_holds;
    summary.ledger_sum += i64::try_from(report.ledger_sum_minor())?;
    summary.ratings_differing += rating::rebuild(&rating).await?.differing;
    Ok(())
}

async fn game(witness: &Player, game_id: &str) -> anyhow::Result<proto::game::v1::Game> {
    let answer = patiently("read a game", || {
        let mut games = witness.games();
        let request = witness.request(GetGameRequest { game_id: game_id.to_owned() });
        async move { games.get_game(request).await }
    })
    .await?;
    answer.into_inner().game.context("an answer without the game")
}

async fn count(pool: &PgPool, query: &'static str, id: uuid::Uuid) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar(query).bind(id).fetch_one(pool).await?)
}

async fn database(running: &DevState, service: ServiceName) -> anyhow::Result<PgPool> {
    Ok(PgPool::connect(&running.service(service).database_url).await?)
}
