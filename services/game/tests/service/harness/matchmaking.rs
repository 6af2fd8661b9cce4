//! What the game service sees of matchmaking: its events, from a log and a relay of its own.

use event_bus::{Relay, ensure_stream};
use event_store::{Append, CommitSignal, Metadata, NewEvent, Publication, StreamId, append_in};
use prost::Message as _;
use proto::{
    matchmaking::v1::{MatchConfirmed, MatchProposed},
    types::v1::{Money, Player as WirePlayer, TimeControl},
};
use sqlx::PgPool;
use test_kit::TestDatabase;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::{NOON_MS, Player, Table};

const SERVICE: &str = "matchmaking";

/// Matchmaking, as far as a game needs it.
pub struct Matchmaking {
    pool: PgPool,
    signal: CommitSignal,
    _relay: DropGuard,
}

impl Matchmaking {
    pub async fn start(database: &TestDatabase, nats_url: &str) -> Matchmaking {
        let pool = database.pool.clone();
        for schema in [event_store::schema(), event_bus::schema()] {
            sqlx::raw_sql(schema).execute(&pool).await.expect("the tables are made");
        }
        let bus = event_bus::connect(nats_url, SERVICE).await.expect("the broker is there");
        ensure_stream(&bus, SERVICE).await.expect("the stream is made");
        let (signal, stop) = (CommitSignal::new(), CancellationToken::new());
        tokio::spawn(Relay::run(pool.clone(), bus, SERVICE, signal.clone(), stop.clone()));
        Matchmaking { pool, signal, _relay: stop.drop_guard() }
    }

    /// A match is proposed and then confirmed.
    pub async fn confirm(&self, proposal: &MatchProposed) {
        let confirmed = MatchConfirmed { proposal: Some(proposal.clone()) };
        let events = [
            ("MatchProposed", 0, proposal.encode_to_vec()),
            ("MatchConfirmed", 1, confirmed.encode_to_vec()),
        ];
        self.publish(&proposal.match_id, 0, events).await;
    }

    /// The match goes on after the game began: an event the game service has no use for.
    pub async fn start_match(&self, proposal: &MatchProposed) {
        self.publish(&proposal.match_id, 2, [("MatchStarted", 2, Vec::new())]).await;
    }

    async fn publish<const N: usize>(
        &self,
        match_id: &str,
        expected: i64,
        events: [(&'static str, i64, Vec<u8>); N],
    ) {
        let id = match_id.parse().expect("a test writes ids well");
        let events = events.map(|(kind, follows, data)| NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind,
            schema: 1,
            data,
            publication: Publication::Public { follows },
        });
        let append = Append {
            stream: StreamId::new("match", id),
            expected,
            events: events.to_vec(),
            metadata: Metadata::for_request(SERVICE, id),
        };
        let mut transaction = self.pool.begin().await.expect("a transaction");
        append_in(&mut transaction, &append).await.expect("appended");
        transaction.commit().await.expect("committed");
        self.signal.committed();
    }
}

/// The match of two players at 3 + 2 for 5.00 each.
pub fn proposal(table: &Table) -> MatchProposed {
    let player = |player: &Player| {
        Some(WirePlayer { player_id: player.player_id.to_string(), name: player.name.clone() })
    };
    MatchProposed {
        match_id: table.match_id.to_string(),
        game_id: table.game_id.to_string(),
        city_id: "lisbon".to_owned(),
        white: player(&table.white),
        black: player(&table.black),
        time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
        stake: Some(Money { minor_units: 500, currency: "XPL".to_owned() }),
        fee_basis_points: 500,
        rule_set: "city".to_owned(),
        proposed_at_ms: NOON_MS,
        time_scale: 1,
        white_queued_at_ms: NOON_MS,
        black_queued_at_ms: NOON_MS,
    }
}
