//! What was acknowledged against what is in the logs, and whether all money and ratings add up.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use proto::game::v1::GetGameRequest;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::time::Instant;

use super::Summary;
use super::bots::Record;
use super::fates::{self, Fate, Logs, Outcome};
use crate::arguments::ServiceName;
use crate::demo::follow;
use crate::dev::state::{self, DevState};
use crate::playing::player::{PATIENCE, Player, patiently};

/// How often it is looked whether everything has come to rest.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Waits until everything has come to rest, then adds what it finds to the summary.
pub async fn run(
    data: &Path,
    players: &[Player],
    record: &Record,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let running = state::find_running(data)?;
    let logs = Logs {
        matchmaking: database(&running, ServiceName::Matchmaking).await?,
        wallet: database(&running, ServiceName::Wallet).await?,
        game: database(&running, ServiceName::Game).await?,
        rating: database(&running, ServiceName::Rating).await?,
    };
    judge(&logs, summary).await?;
    compare_moves(players, record, summary).await?;
    let report = wallet::ledger_verify::verify(&logs.wallet).await?;
    if let Some(difference) = &report.difference {
        anyhow::bail!("the ledger does not add up: {difference}");
    }
    summary.unsettled_stakes += report.totals.open_holds;
    summary.ledger_sum += i64::try_from(report.ledger_sum_minor())?;
    let rebuilt = rating::rebuild(&logs.rating, rating::RebuildConfig::default()).await?;
    summary.ratings_differing += rebuilt.differing;
    summary.dead_letters += dead_letters(&running).await?;
    Ok(())
}

/// Every match is played or came to nothing, given the time that the last events need.
async fn judge(logs: &Logs, summary: &mut Summary) -> anyhow::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let fates = loop {
        let fates = fates::read(logs).await?;
        let is_open = fates.values().any(|fate| fate.outcome() == Outcome::Open);
        if !is_open || Instant::now() > deadline {
            break fates;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    };
    for (match_id, fate) in &fates {
        match fate.outcome() {
            Outcome::Played => summary.played += 1,
            Outcome::CameToNothing => summary.cancelled += 1,
            Outcome::Open | Outcome::Impossible => {
                eprintln!("match {match_id} is in neither state: {fate:?}");
                summary.in_neither_state += 1;
            }
        }
        summary.doubled_effects += fate.doubled();
    }
    summary.matches += fates.len() as u64;
    summary.unsettled_stakes += fates.values().filter(|fate: &&Fate| fate.is_unsettled()).count() as u64;
    Ok(())
}

/// Every acknowledged move stands in its game, at its place, and the replay is the game.
async fn compare_moves(players: &[Player], record: &Record, summary: &mut Summary) -> anyhow::Result<()> {
    let witness = players.first().context("nobody played")?;
    for (game_id, acknowledged) in &record.games {
        let game = game(witness, game_id).await?;
        let stored: Vec<&str> = game.moves.iter().map(|played| played.uci.as_str()).collect();
        let lost =
            acknowledged.iter().filter(|(ply, uci)| stored.get(**ply as usize - 1) != Some(&uci.as_str()));
        summary.lost_moves += lost.count() as u64;
        if !follow::replay_equals(witness, game_id, &stored).await? {
            summary.replay_mismatches += 1;
        }
    }
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

/// Messages that some service could not handle.
async fn dead_letters(running: &DevState) -> anyhow::Result<u64> {
    let mut faults = 0;
    for service in ServiceName::ALL {
        let pool = database(running, service).await?;
        let here: i64 = sqlx::query_scalar("select count(*) from dead_letters where reason = 'fault'")
            .fetch_one(&pool)
            .await?;
        faults += here.unsigned_abs();
    }
    Ok(faults)
}

async fn database(running: &DevState, service: ServiceName) -> anyhow::Result<PgPool> {
    let url = &running.service(service).database_url;
    Ok(PgPoolOptions::new().max_connections(2).connect(url).await?)
}
