//! `stakemate demo`: four staked games from queue to payout, through the gateway, as two players in a browser would.

pub mod follow;
mod games;
mod outcome;

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use proto::game::v1::{EndReason, EndedFrame, GameResult};
use proto::matchmaking::v1::{ListCitiesRequest, Matched};
use proto::types::v1::Color;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::watch;

use crate::arguments::ServiceName;
use crate::dev::state::{self, DevState};
use crate::dev::{EdgePort, Options, Stack};
use crate::playing::moves::{self, Seen};
use crate::playing::player::{Player, patiently};
use crate::playing::queue::queue;
use follow::Purse;
use games::{SCRIPTS, Script};
use outcome::{GameOutcome, PlayerOutcome, ReportOutcome, Summary};

/// The folder, below the data folder, of a stack that runs for the demonstration only.
const OWN_DATA: &str = "demo";

/// Plays the demonstration on the stack that runs on `data`, or on one of its own that it starts and stops.
pub async fn run(data: &Path) -> anyhow::Result<()> {
    if let Ok(running) = state::find_running(data) {
        return play_all(&running).await;
    }
    println!("No stack runs on {}; one is started for the demonstration.", data.display());
    let options = Options {
        data: data.join(OWN_DATA),
        port: EdgePort::Free,
        programs: None,
        variables: Vec::new(),
        game_instances: 1,
    };
    let stack = Stack::start(options).await?;
    let outcome = play_all(stack.state()).await;
    stack.stop().await;
    outcome
}

async fn play_all(running: &DevState) -> anyhow::Result<()> {
    let gateway = &running.edge_url;
    let (anna, boris) =
        tokio::try_join!(Player::sign_up(gateway, "anna"), Player::sign_up(gateway, "boris"))?;
    println!("{} and {} have signed up at {gateway}, over gRPC-Web.", anna.name(), boris.name());
    let mut outcomes = Vec::new();
    for script in SCRIPTS {
        outcomes.push(play_script(&anna, &boris, script).await.with_context(|| script.name)?);
    }
    let summary = Summary { games: outcomes, ledger_sum: ledger_sum(running).await? };
    println!("\nSum of all entries of the ledger: {}.", summary.ledger_sum);
    println!("{}", serde_json::to_string(&summary)?);
    check(&summary)
}

/// The sum of all entries, after the whole ledger was verified from the log.
async fn ledger_sum(running: &DevState) -> anyhow::Result<i64> {
    let url = &running.service(ServiceName::Wallet).database_url;
    let pool = PgPoolOptions::new().max_connections(1).connect(url).await.context("the wallet's database")?;
    let report = wallet::ledger_verify::verify(&pool).await.context("verifying the ledger")?;
    if let Some(difference) = &report.difference {
        bail!("the ledger does not add up: {difference}");
    }
    i64::try_from(report.ledger_sum_minor()).context("the ledger's sum is beyond any amount")
}

/// The figures that must come out; a demonstration that prints wrong ones has failed.
fn check(summary: &Summary) -> anyhow::Result<()> {
    ensure!(summary.ledger_sum == 0, "the ledger does not sum to zero");
    for (game, script) in summary.games.iter().zip(SCRIPTS) {
        ensure!(game.replay_equal, "{}: the replay differs from what was played", game.name);
        ensure!(
            game.end_reason == end_reason_name(script.end_reason),
            "{}: ended by {} rather than {}",
            game.name,
            game.end_reason,
            end_reason_name(script.end_reason)
        );
        let change: i64 =
            game.players.iter().map(|player| player.balance_after - player.balance_before).sum();
        ensure!(change == -game.fee, "{}: the players' money changed by {change}", game.name);
    }
    Ok(())
}

/// A player at the board, with what he had before.
struct Seat<'a> {
    player: &'a Player,
    color: Color,
    before: Standing,
}

/// What a player has at some moment.
struct Standing {
    purse: Purse,
    rating: proto::rating::v1::Rating,
}

impl Standing {
    async fn of(player: &Player, script: &Script) -> anyhow::Result<Self> {
        let pool = script.pool();
        let (purse, rating) = tokio::try_join!(follow::purse(player), follow::rating(player, &pool))?;
        Ok(Self { purse, rating })
    }
}

async fn play_script(anna: &Player, boris: &Player, script: &Script) -> anyhow::Result<GameOutcome> {
    let city = city(anna, script.city_id).await?;
    let stake = city.stake.context("a city without a stake")?.minor_units;
    println!("\n{} — {}, {}: {}.", script.name, city.name, script.pool(), script.introduction);
    if city.time_scale != 1 {
        println!(
            "    development only: the clocks of this city run {} times faster than real time",
            city.time_scale
        );
    }
    let before = tokio::try_join!(Standing::of(anna, script), Standing::of(boris, script))?;
    let matched = {
        let clock = script.time_control();
        tokio::try_join!(queue(anna, script.city_id, clock), queue(boris, script.city_id, clock))?
    };
    ensure!(matched.0.game_id == matched.1.game_id, "the players were sent to two games");
    let seats = [
        Seat { player: anna, color: matched.0.color(), before: before.0 },
        Seat { player: boris, color: matched.1.color(), before: before.1 },
    ];
    let white = seats.iter().find(|seat| seat.color == Color::White).context("nobody has White")?;
    println!(
        "    paired, both stakes of {stake} held; {} has White, game {}",
        white.player.name(),
        matched.0.game_id
    );
    let seen = play(&seats, script, &matched.0.game_id).await?;
    let ended = seen.ended.context("the game did not end")?;
    println!(
        "    {} plies, {} by {}",
        seen.moves.len(),
        result_sign(ended.result()),
        end_reason_name(ended.end_reason())
    );
    settle(&seats, script, &matched.0, &ended, stake).await
}

/// Plays the moves, both players watching.
async fn play(seats: &[Seat<'_>], script: &Script, game_id: &str) -> anyhow::Result<Seen> {
    let mut tasks = tokio::task::JoinSet::new();
    let mut watched = Vec::new();
    for seat in seats {
        let (sender, receiver) = watch::channel(Seen::default());
        watched.push(receiver.clone());
        tasks.spawn(moves::watch_game(seat.player.clone(), game_id.to_owned(), sender));
        let first = if seat.color == Color::White { 1 } else { 2 };
        let share = moves::share(script.moves, first);
        tasks.spawn(moves::play_moves(seat.player.clone(), game_id.to_owned(), share, receiver));
    }
    while let Some(finished) = tasks.join_next().await {
        finished??;
    }
    let views: Vec<Seen> = watched.iter().map(|view| view.borrow().clone()).collect();
    ensure!(views.iter().all(|view| view.moves == script.moves), "a player saw other moves than were played");
    views.into_iter().next().context("nobody watched")
}

async fn settle(
    seats: &[Seat<'_>],
    script: &Script,
    matched: &Matched,
    ended: &EndedFrame,
    stake: i64,
) -> anyhow::Result<GameOutcome> {
    let game_id = &matched.game_id;
    let winner = match ended.result() {
        GameResult::WhiteWins => Some(Color::White),
        GameResult::BlackWins => Some(Color::Black),
        GameResult::Draw | GameResult::Unspecified => None,
    };
    let is_rated = ended.result() != GameResult::Unspecified;
    let mut fee = 0;
    let mut players = Vec::new();
    for seat in seats {
        if winner.is_none() || winner == Some(seat.color) {
            let lines = follow::wait_for_settlement(seat.player, &matched.match_id).await?;
            fee += lines.iter().filter_map(|line| line.fee.as_ref()).map(|fee| fee.minor_units).sum::<i64>();
        }
        if is_rated {
            follow::wait_for_rating(seat.player, &script.pool(), game_id).await?;
        }
    }
    for seat in seats {
        players.push(player_outcome(seat, script).await?);
    }
    let report = if is_rated {
        Some(ReportOutcome::from(&follow::wait_for_report(seats[0].player, game_id).await?))
    } else {
        None
    };
    let replay_equal = follow::replay_equals(seats[0].player, game_id, script.moves).await?;
    println!("{}", indented(&follow::pgn(seats[0].player, game_id).await?));
    let outcome = GameOutcome {
        name: script.name,
        game_id: game_id.clone(),
        result: result_sign(ended.result()),
        end_reason: end_reason_name(ended.end_reason()),
        plies: script.moves.len(),
        stake,
        fee,
        players,
        replay_equal,
        report,
    };
    tell(&outcome);
    Ok(outcome)
}

async fn player_outcome(seat: &Seat<'_>, script: &Script) -> anyhow::Result<PlayerOutcome> {
    let after = Standing::of(seat.player, script).await?;
    ensure!(after.purse.held == 0, "{} still has {} held", seat.player.name(), after.purse.held);
    let (rating_before, rating_after, deviation_after) = outcome::ratings(&seat.before.rating, &after.rating);
    Ok(PlayerOutcome {
        name: seat.player.name().to_owned(),
        color: if seat.color == Color::White { "white" } else { "black" },
        balance_before: seat.before.purse.available,
        balance_after: after.purse.available,
        rating_before,
        rating_after,
        deviation_after,
    })
}

fn tell(game: &GameOutcome) {
    for player in &game.players {
        println!(
            "    {} ({}): balance {} → {}, rating {} → {} (deviation {})",
            player.name,
            player.color,
            player.balance_before,
            player.balance_after,
            player.rating_before,
            player.rating_after,
            player.deviation_after
        );
    }
    match &game.report {
        Some(report) => println!(
            "    report by {} at {} nodes: accuracy {} and {}, mean loss {} and {} points of win chance",
            report.engine,
            report.nodes,
            report.white.accuracy,
            report.black.accuracy,
            report.white.mean_loss,
            report.black.mean_loss
        ),
        None => println!("    not rated and not analysed"),
    }
    println!("    replay from the log equals what was played: {}", game.replay_equal);
}

async fn city(player: &Player, city_id: &str) -> anyhow::Result<proto::matchmaking::v1::City> {
    let answer = patiently("list the cities", || {
        let (mut queues, request) = (player.queues(), player.request(ListCitiesRequest {}));
        async move { queues.list_cities(request).await }
    })
    .await?;
    let mut cities = answer.into_inner().cities.into_iter();
    cities
        .find(|city| city.city_id == city_id)
        .with_context(|| format!("there is no city {city_id}: is this a development installation?"))
}

fn result_sign(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWins => "1-0",
        GameResult::BlackWins => "0-1",
        GameResult::Draw => "1/2-1/2",
        GameResult::Unspecified => "*",
    }
}

fn end_reason_name(reason: EndReason) -> &'static str {
    reason.as_str_name().trim_start_matches("END_REASON_")
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
