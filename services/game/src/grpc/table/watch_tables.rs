//! Follows tables: what is open, and then every change that was seen of it.

use std::collections::{HashMap, VecDeque};

use futures::stream;
use pb::watch_tables_response::Frame as Content;
use proto::game::v1 as pb;
use service_kit::{
    ids,
    streams::{FrameStream, Live, Pulse},
};
use tokio::sync::watch;
use tonic::Status;

use super::{TableDesk, status, view};
use crate::{
    app::{Games, TableId, Tables},
    store::OpenTables,
};

/// How many public tables a stream follows, the newest first. People read a screen of them.
const PUBLIC_TABLES_MAX: usize = 200;

pub(super) async fn handle(
    desk: &TableDesk,
    request: pb::WatchTablesRequest,
) -> Result<FrameStream<pb::WatchTablesResponse>, Status> {
    let mut open = desk.open.clone();
    let wanted = if request.table_id.is_empty() {
        Wanted::Public
    } else {
        let table_id = TableId(ids::uuid("table_id", &request.table_id)?);
        Wanted::One { table_id, tables: desk.tables.clone() }
    };
    let tables = match &wanted {
        Wanted::Public => public(&open.borrow_and_update()),
        Wanted::One { table_id, tables } => {
            vec![view(&tables.get(*table_id).await.map_err(status::of_table)?)]
        }
    };
    let known = tables.iter().map(|table| (table.table_id.clone(), table.clone())).collect();
    let snapshot = Content::Snapshot(pb::TablesSnapshotFrame { tables });
    let follower = Follower {
        open,
        wanted,
        known,
        queue: VecDeque::from([snapshot]),
        sequence: 0,
        games: desk.games.clone(),
        phase: Phase::Looking,
    };
    let frames = stream::unfold(follower, |mut follower| async move {
        let frame = follower.next().await?;
        Some((frame, follower))
    });
    let pulse = Heart { sequence: 0, games: desk.games.clone() };
    Ok(Live::new(frames, pulse, desk.shutdown.clone()).boxed())
}

fn public(open: &OpenTables) -> Vec<pb::Table> {
    let public = open.iter().filter(|table| table.visibility() == pb::TableVisibility::Public);
    public.take(PUBLIC_TABLES_MAX).cloned().collect()
}

enum Wanted {
    Public,
    One { table_id: TableId, tables: Tables },
}

enum Phase {
    /// The tables are to be compared with what was told of them.
    Looking,
    /// Nothing has changed since.
    Waiting,
    Over,
}

struct Follower {
    open: watch::Receiver<OpenTables>,
    wanted: Wanted,
    known: HashMap<String, pb::Table>,
    queue: VecDeque<Content>,
    sequence: u64,
    games: Games,
    phase: Phase,
}

impl Follower {
    async fn next(&mut self) -> Option<Result<pb::WatchTablesResponse, Status>> {
        loop {
            if let Some(content) = self.queue.pop_front() {
                self.sequence += 1;
                return Some(Ok(frame(self.sequence, &self.games, content)));
            }
            match self.phase {
                Phase::Over => return None,
                Phase::Looking => {
                    if let Err(status) = self.look().await {
                        self.phase = Phase::Over;
                        return Some(Err(status));
                    }
                }
                Phase::Waiting => {
                    // The feed ends with the process, and so does the stream: its owner says so.
                    if self.open.changed().await.is_err() {
                        std::future::pending::<()>().await;
                    }
                    self.phase = Phase::Looking;
                }
            }
        }
    }

    async fn look(&mut self) -> Result<(), Status> {
        self.phase = Phase::Waiting;
        match &self.wanted {
            Wanted::Public => {
                let tables = public(&self.open.borrow_and_update());
                self.compare(tables);
            }
            Wanted::One { table_id, tables } => {
                self.open.mark_unchanged();
                // Not from the list, which may be a moment behind or not hold this table at all.
                let table = view(&tables.get(*table_id).await.map_err(status::of_table)?);
                if table.status() == pb::TableStatus::Closed {
                    self.queue.push_back(closed(table.table_id));
                    self.phase = Phase::Over;
                } else {
                    self.compare(vec![table]);
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, tables: Vec<pb::Table>) {
        let found: HashMap<String, pb::Table> =
            tables.iter().map(|table| (table.table_id.clone(), table.clone())).collect();
        let gone = self.known.keys().filter(|table_id| !found.contains_key(*table_id));
        self.queue.extend(gone.cloned().map(closed));
        let changed = tables.into_iter().filter(|table| self.known.get(&table.table_id) != Some(table));
        self.queue
            .extend(changed.map(|table| Content::Changed(pb::TableChangedFrame { table: Some(table) })));
        self.known = found;
    }
}

fn closed(table_id: String) -> Content {
    Content::Closed(pb::TableClosedFrame { table_id })
}

fn frame(sequence: u64, games: &Games, content: Content) -> pb::WatchTablesResponse {
    pb::WatchTablesResponse { sequence, server_time_ms: games.now_ms(), frame: Some(content) }
}

struct Heart {
    sequence: u64,
    games: Games,
}

impl Pulse<pb::WatchTablesResponse> for Heart {
    fn sent(&mut self, frame: &pb::WatchTablesResponse) {
        self.sequence = frame.sequence;
    }

    fn heartbeat(&mut self) -> pb::WatchTablesResponse {
        frame(self.sequence, &self.games, Content::Heartbeat(pb::TablesHeartbeatFrame {}))
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> pb::WatchTablesResponse {
        let draining = pb::TablesDrainingFrame { reconnect_after_ms };
        frame(self.sequence, &self.games, Content::Draining(draining))
    }
}
