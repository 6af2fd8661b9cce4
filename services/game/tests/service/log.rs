//! The log of games as it stands in the database: who may say that a move is in it, and how few bytes a move takes.

use std::sync::Arc;

use domain_chess::{Color, Event, MovePlayed, parse_uci};
use event_store::{CommitSignal, GroupCommit, GroupCommitConfig, Metadata};
use game::{
    app::{Addition, AdditionRefused, Cause, Epoch, Facts, GameId, Journal as _, JournalError, Version},
    store::{PgJournal, SERVICE},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    harness::{Stand, Table},
    lines,
};

/// What a move takes in the table itself: its row as the pages have it, and the pointer to it. The index comes on top.
const ROW_BYTES_MAX: i64 = 136;

/// The log as an instance writes it that takes itself for the owner of a game.
struct Scribe {
    journal: PgJournal,
    facts: Arc<Facts>,
    request_id: Uuid,
}

impl Scribe {
    async fn of(stand: &Stand, table: &Table, request_id: Uuid) -> Scribe {
        let config = GroupCommitConfig::default();
        let writers = GroupCommit::start(stand.pool().clone(), config, SERVICE, CancellationToken::new());
        let journal = PgJournal::new(stand.pool().clone(), writers, CommitSignal::new());
        let record = journal.load(GameId(table.game_id)).await.expect("readable").expect("a game");
        Scribe { journal, facts: record.facts().clone(), request_id }
    }

    /// White's first move in the log.
    async fn first_move(&self) -> MovePlayed {
        let record = self.journal.load(self.facts.game_id).await.expect("readable").expect("a game");
        match &record.entries()[1].event {
            Event::MovePlayed(played) => *played,
            other => panic!("a move and not {other:?}"),
        }
    }

    /// Writes a move of the request as the first of the game.
    async fn write(&self, played: MovePlayed, epoch: Epoch) -> Result<Version, JournalError> {
        let cause = Cause::Request { by: Color::White, request_id: self.request_id };
        let events = vec![Event::MovePlayed(played)];
        let facts = self.facts.clone();
        self.journal.add(Addition { facts, expected: 1, epoch, cause, event_id: None, events }).await
    }
}

async fn epoch(stand: &Stand, table: &Table) -> Epoch {
    sqlx::query_scalar("select epoch from fences where fence = $1")
        .bind(i32::from(table.game_id.as_bytes()[15]))
        .fetch_one(stand.pool())
        .await
        .expect("an epoch")
}

// GAME-1, GAME-4, GAME-15: a player who sends one request id to an owner of before and to the present one, with different moves.
#[tokio::test]
async fn an_owner_of_before_acknowledges_only_what_the_log_holds() {
    // Given a move that the present owner has written.
    let stand = Stand::start("owner_before").await;
    let table = stand.table().await;
    let request_id = Uuid::new_v4();
    let caller = stand.caller();
    caller.play_as(&table.white, request_id, table.game_id, "e2e4", 0).await.expect("played");
    let epoch = epoch(&stand, &table).await;
    let scribe = Scribe::of(&stand, &table, request_id).await;
    let played = scribe.first_move().await;
    // When the owner of before writes what is the same but for one thing, then he hears that he is none.
    let others = [
        MovePlayed { uci: parse_uci("d2d4").expect("a move"), ..played },
        MovePlayed { received_at_ms: played.received_at_ms + 1, ..played },
        MovePlayed { clocks: None, ..played },
    ];
    for other in others {
        let late = scribe.write(other, epoch - 1).await;
        assert!(matches!(late, Err(JournalError::Refused(AdditionRefused::NotOwner))), "{late:?}");
        let second = scribe.write(other, epoch).await;
        let conflict = matches!(second, Err(JournalError::Refused(AdditionRefused::Conflict { actual: 2 })));
        assert!(conflict, "{second:?}");
    }
    let stranger = Scribe { request_id: Uuid::new_v4(), ..Scribe::of(&stand, &table, request_id).await };
    let late = stranger.write(played, epoch - 1).await;
    assert!(matches!(late, Err(JournalError::Refused(AdditionRefused::NotOwner))), "{late:?}");
    // Then only the same move is acknowledged again, and it stands there once.
    assert_eq!(scribe.write(played, epoch - 1).await.expect("it is in the log"), 2);
    assert_eq!(scribe.first_move().await, played);
    assert_eq!(stand.logged(&table, &["MovePlayed"]).await, 1);
}

// The goal of the log's size, as far as it is the row's.
#[tokio::test]
async fn a_move_takes_few_bytes_and_its_end_has_the_player() {
    let stand = Stand::start("few_bytes").await;
    let table = stand.table().await;
    let moves: Vec<&str> = lines::L7_100.split_whitespace().take(80).collect();
    stand.play(&table, &moves.join(" "), 2_700).await;
    let (bytes, named): (i64, i64) = sqlx::query_as(
        "select sum((pg_column_size(e.*) + 7) / 8 * 8 + 4) / count(*), count(e.event_id)
         from events e where e.stream_id = $1 and e.type = 'MovePlayed'",
    )
    .bind(table.game_id)
    .fetch_one(stand.pool())
    .await
    .expect("the log can be read");
    assert!(bytes <= ROW_BYTES_MAX, "{bytes} bytes");
    assert_eq!(named, 0);
    stand.caller().resign(&table.white, table.game_id).await.expect("resigned");
    let actors: Vec<(String, String)> = actors(&stand, &table).await;
    assert_eq!(actors[1..3], [("MovePlayed", "w"), ("MovePlayed", "b")].map(owned));
    assert_eq!(*actors.last().expect("an end"), owned(("GameEnded", &table.white.player_id.to_string())));
}

fn owned((kind, actor): (&str, &str)) -> (String, String) {
    (kind.to_owned(), actor.to_owned())
}

async fn actors(stand: &Stand, table: &Table) -> Vec<(String, String)> {
    let select = "select type, metadata from events where stream_id = $1 order by version";
    let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(select)
        .bind(table.game_id)
        .fetch_all(stand.pool())
        .await
        .expect("the log can be read");
    let actor = |bytes: &[u8]| Metadata::from_bytes(bytes).expect("metadata").actor;
    rows.iter().map(|(kind, metadata)| (kind.clone(), actor(metadata))).collect()
}
