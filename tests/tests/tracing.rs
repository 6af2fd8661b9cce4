//! One trace from the pairing to the report: through events, the bus, and six services.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use cli::arguments::ServiceName;
use end_to_end::stack::Stack;
use end_to_end::table::{PATIENCE, Table};
use uuid::Uuid;

/// The events of a stream with the trace id in their metadata, the first if a kind occurs twice.
async fn traces(
    stack: &Stack,
    service: ServiceName,
    stream_id: Uuid,
) -> anyhow::Result<BTreeMap<String, String>> {
    let pool = stack.database(service).await?;
    let events = event_store::load(&pool, stream_id, 0, 100).await?;
    let mut traces = BTreeMap::new();
    for event in events {
        // A traceparent is version-trace-span-flags.
        let parent = event.metadata.trace_parent.unwrap_or_default();
        let trace = parent.split('-').nth(1).unwrap_or_default().to_owned();
        traces.entry(event.kind).or_insert(trace);
    }
    Ok(traces)
}

#[tokio::test]
async fn a_match_is_one_trace_from_its_proposal_to_the_start_of_its_game() -> anyhow::Result<()> {
    let stack = Stack::traced()?;
    let table = Table::new(&stack).await?;
    table.play_all(&["e2e4", "e7e5"]).await?;
    table.white_resigns().await?;
    table.wait_for_settlement().await;
    let match_id: Uuid = table.match_id.parse()?;
    let game_id: Uuid = table.game_id.parse()?;

    let of_match = traces(&stack, ServiceName::Matchmaking, match_id).await?;
    let trace = of_match.get("MatchProposed").context("the match was proposed")?;
    ensure!(trace.len() == 32, "the proposal carries no trace: {trace:?}");
    for kind in ["StakesRequested", "MatchConfirmed", "MatchStarted"] {
        assert_eq!(of_match.get(kind), Some(trace), "{kind} in matchmaking");
    }
    let of_stakes = traces(&stack, ServiceName::Wallet, match_id).await?;
    assert_eq!(of_stakes.get("StakesHeld"), Some(trace), "StakesHeld in the wallet");
    let of_game = traces(&stack, ServiceName::Game, game_id).await?;
    assert_eq!(of_game.get("GameStarted"), Some(trace), "GameStarted in the game service");

    // What ends the game begins a trace of its own: that of the call which ended it.
    let end = of_game.get("GameEnded").context("the game ended")?;
    assert_ne!(end, trace);
    assert_eq!(of_stakes.get("PotPaid"), Some(end), "PotPaid in the wallet");
    let of_rating = test_kit::eventually(PATIENCE, || async {
        traces(&stack, ServiceName::Rating, game_id).await.ok().filter(|traces| !traces.is_empty())
    })
    .await;
    assert_eq!(of_rating.get("RatingsChanged"), Some(end), "RatingsChanged in the rating service");
    let of_analysis = test_kit::eventually(PATIENCE, || async {
        traces(&stack, ServiceName::Fairplay, game_id).await.ok().filter(|traces| !traces.is_empty())
    })
    .await;
    assert_eq!(of_analysis.get("AnalysisQueued"), Some(end), "AnalysisQueued in fair-play");
    Ok(())
}
