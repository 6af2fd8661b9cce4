//! The demonstration that people run first, undisturbed and with every service killed in the middle of it.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use cli::arguments::ServiceName;
use end_to_end::stack::{Stack, programs};
use serde_json::Value;
use tokio::process::Command;

/// How long a demonstration may take on a busy machine, restarts included.
const DEMO_MAX: Duration = Duration::from_secs(400);

/// Between two kills: about a sixth of a demonstration's length, so that each service dies at another point of it.
const KILL_EVERY: Duration = Duration::from_secs(9);

const STAKE: i64 = 500;

/// Floor of 5 % of the pot of 1000.
const FEE: i64 = 50;

/// Runs `stakemate demo` against the stack and reads its last line.
async fn demo(stack: &Stack) -> anyhow::Result<Value> {
    let mut command = Command::new(programs()?.join("stakemate"));
    command.arg("--data").arg(stack.data()).arg("demo").kill_on_drop(true);
    let output =
        tokio::time::timeout(DEMO_MAX, command.output()).await.context("the demonstration hangs")??;
    let text = String::from_utf8(output.stdout)?;
    ensure!(
        output.status.success(),
        "the demonstration failed: {}\n{text}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_str(text.lines().last().context("it printed nothing")?).context("the last line is JSON")
}

fn player<'a>(game: &'a Value, color: &str) -> anyhow::Result<&'a Value> {
    let players = game["players"].as_array().context("players")?;
    players.iter().find(|player| player["color"] == color).with_context(|| format!("no {color}"))
}

fn gain(player: &Value) -> i64 {
    player["balance_after"].as_i64().unwrap_or_default()
        - player["balance_before"].as_i64().unwrap_or_default()
}

/// The figures that the demonstration has to end with, whatever happened on the way.
fn check(summary: &Value) -> anyhow::Result<()> {
    let games = summary["games"].as_array().context("games")?;
    let ends: Vec<_> = games.iter().map(|game| game["end_reason"].as_str().unwrap_or_default()).collect();
    assert_eq!(ends, ["CHECKMATE", "THREEFOLD", "ABORTED_NO_FIRST_MOVE", "TIME"]);
    let plies: Vec<_> = games.iter().map(|game| game["plies"].as_i64().unwrap_or_default()).collect();
    assert_eq!(plies, [33, 8, 1, 4]);
    assert_eq!(summary["ledger_sum"], 0);
    for game in games {
        assert_eq!(game["replay_equal"], true, "{}", game["name"]);
        assert_eq!(game["stake"], STAKE);
    }
    check_win(&games[0], "white", "black")?;
    check_draw(&games[1])?;
    check_draw(&games[2])?;
    check_win(&games[3], "black", "white")?;
    for (game, is_analysed) in games.iter().zip([true, true, false, true]) {
        assert_eq!(game["report"].is_object(), is_analysed, "{}", game["name"]);
    }
    assert_eq!(games[0]["report"]["plies"], 33);
    Ok(())
}

/// A fresh pair's first decided game in a pool.
fn check_win(game: &Value, winner: &str, loser: &str) -> anyhow::Result<()> {
    let (winner, loser) = (player(game, winner)?, player(game, loser)?);
    assert_eq!(game["fee"], FEE);
    assert_eq!((gain(winner), gain(loser)), (STAKE - FEE, -STAKE));
    for (player, rating) in [(winner, 1662.3), (loser, 1337.7)] {
        assert_eq!(player["rating_before"], 1500.0);
        assert_eq!(player["rating_after"], rating);
        assert_eq!(player["deviation_after"], 290.3);
    }
    Ok(())
}

fn check_draw(game: &Value) -> anyhow::Result<()> {
    assert_eq!(game["fee"], 0);
    for color in ["white", "black"] {
        assert_eq!(gain(player(game, color)?), 0);
        assert_eq!(player(game, color)?["rating_after"], 1500.0);
    }
    Ok(())
}

#[tokio::test]
async fn the_demonstration_ends_with_the_documented_figures() -> anyhow::Result<()> {
    check(&demo(Stack::shared()).await?)
}

#[tokio::test]
async fn the_demonstration_ends_with_the_same_figures_although_every_service_is_killed_in_it()
-> anyhow::Result<()> {
    let stack = Stack::start()?;
    let kills = async {
        for service in ServiceName::ALL {
            // Not a wait for a condition: the kills are spread over the demonstration.
            tokio::time::sleep(KILL_EVERY).await;
            stack.kill(service)?;
        }
        anyhow::Ok(())
    };
    let (summary, kills) = tokio::join!(demo(&stack), kills);
    kills?;
    check(&summary?)
}

#[tokio::test]
async fn a_stack_whose_every_process_was_killed_starts_again_with_all_that_it_had() -> anyhow::Result<()> {
    use end_to_end::table::Table;

    let stack = Stack::start()?;
    let table = Table::new(&stack).await?;
    table.play_all(&["e2e4", "e7e5", "g1f3"]).await?;
    let data = stack.kill_everything()?;

    let again = Stack::start_in(data)?;
    let report = wallet::ledger_verify::verify(&again.database(ServiceName::Wallet).await?).await?;
    assert!(report.is_clean(), "{:?}", report.difference);
    let game = table.at(&again)?.game().await?;
    assert_eq!(game.moves.len(), 3, "every acknowledged move is there");
    assert_eq!(again.stop(), Some(0));
    Ok(())
}
