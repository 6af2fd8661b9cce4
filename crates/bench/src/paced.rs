//! P4, and P3 with thought: games at the pace of people, fifty of them against commits of one row at the same pace, and as many as in
//! the closed loop for what a move costs.

use std::time::Duration;

use crate::closed_loop::{self, Peers};
use crate::decisions;
use crate::figure::{Figure, Goal, quantile};
use crate::game::Extent;
use crate::load::Plan;
use crate::raw;
use crate::stand::{GAMES_SEED, Stand, Way};

const THINK: Duration = Duration::from_secs(1);
const PLIES: usize = decisions::PLIES / 4;
/// As long as the games take.
const ROWS_SPAN: Duration = Duration::from_secs(PLIES as u64);

/// Measures. Both services run.
pub async fn measure(
    stand: &mut Stand,
    extent: &Extent,
    peers: Option<&mut Peers>,
) -> anyhow::Result<Vec<Figure>> {
    let plan = Plan { games: extent.games_paced, think: THINK, plies: PLIES };
    let mut straight = closed_loop::round(stand, Way::Straight, plan).await?;
    let rows = raw::single_rows(&stand.pool, extent.games_paced, 2 * THINK, ROWS_SPAN).await?;
    let mut gateway = closed_loop::round(stand, Way::Gateway, plan).await?;
    let many = Plan { games: extent.games, ..plan };
    let cost = closed_loop::round(stand, Way::Gateway, many).await?;
    let what = format!("{} games with 1 s of thought", extent.games_paced);
    let n = straight.played.moves;
    let figure = |name: String, value, unit, goal| Figure { id: "P4", name, value, unit, goal, n };
    let times_ms = &mut straight.played.acknowledged_ms;
    let (p50, p99) = (quantile(times_ms, 0.5), quantile(times_ms, 0.99));
    let through_ms = &mut gateway.played.acknowledged_ms;
    let (through_p50, through_p99) = (quantile(through_ms, 0.5), quantile(through_ms, 0.99));
    let mut figures = vec![
        figure(
            format!(
                "move to acknowledgement, median {p50:.2} ms against a one-row commit's {:.2}: {what}",
                rows.p50_ms
            ),
            p50 / rows.p50_ms,
            "x",
            Goal::AtMost(1.5),
        ),
        figure(
            format!("the same, 99 of 100: {p99:.2} ms against {:.2}", rows.p99_ms),
            p99 / rows.p99_ms,
            "x",
            Goal::AtMost(2.0),
        ),
        figure(format!("the same through the gateway, median: {what}"), through_p50, "ms", Goal::None),
        figure(format!("the same through the gateway, 99 of 100: {what}"), through_p99, "ms", Goal::None),
        Figure {
            id: "P3",
            name: format!("{} games with 1 s of thought through the gateway: {}", extent.games, cost.parts()),
            value: cost.all_s() * 1e3 / cost.played.moves as f64,
            unit: "CPU s per 1,000 moves",
            goal: Goal::AtMost(0.45),
            n: cost.played.moves,
        },
    ];
    if let Some(peers) = peers {
        let mut lines = decisions::games(extent.games_paced, GAMES_SEED);
        lines.iter_mut().for_each(|line| line.truncate(PLIES));
        let database_pid = stand.postgres_pid()?;
        let peer = peers.stored.round(&lines, THINK, database_pid).await?;
        figures.push(figure(
            format!(
                "99 of 100 against Colyseus + chessops + Postgres, {:.2} ms (median {:.2}): {what}",
                peer.p99_ms, peer.p50_ms
            ),
            p99 / peer.p99_ms,
            "x",
            Goal::AtMost(1.0),
        ));
    }
    Ok(figures)
}
