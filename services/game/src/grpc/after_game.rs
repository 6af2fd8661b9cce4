//! What a game's stream still tells after the end of a game at a table: whether there will be another.

use std::time::Duration;

use pb::watch_game_response::Frame as Content;
use proto::game::v1 as pb;
use tokio::{sync::watch, time::Instant};

use crate::{
    app::{GameId, TableId},
    store::OpenTables,
};

/// A game's stream stays open so long after its end for what is said of another one.
const STAYS_OPEN_MS: i64 = 10 * 60 * 1_000;

pub(super) struct AfterGame {
    open: watch::Receiver<OpenTables>,
    table_id: String,
    game_id: String,
    until: Instant,
    offer_by: String,
    is_over: bool,
}

impl AfterGame {
    pub(super) fn new(
        open: watch::Receiver<OpenTables>,
        table_id: TableId,
        game_id: GameId,
        ended_for_ms: i64,
    ) -> AfterGame {
        let left_ms = u64::try_from(STAYS_OPEN_MS - ended_for_ms).unwrap_or(0);
        AfterGame {
            open,
            table_id: table_id.to_string(),
            game_id: game_id.to_string(),
            until: Instant::now() + Duration::from_millis(left_ms),
            offer_by: String::new(),
            is_over: left_ms == 0,
        }
    }

    /// The next thing that is said; `None` when nothing more will be.
    pub(super) async fn next(&mut self) -> Option<Content> {
        while !self.is_over {
            let found =
                self.open.borrow_and_update().iter().find(|table| table.table_id == self.table_id).cloned();
            if let Some(content) = self.look(found) {
                return Some(content);
            }
            if !self.is_over {
                tokio::select! {
                    () = tokio::time::sleep_until(self.until) => self.is_over = true,
                    changed = self.open.changed() => self.is_over = changed.is_err(),
                }
            }
        }
        None
    }

    fn look(&mut self, table: Option<pb::Table>) -> Option<Content> {
        let Some(table) = table.filter(|table| !table.game_id.is_empty()) else {
            // Somebody got up.
            self.is_over = true;
            return None;
        };
        if table.game_id != self.game_id {
            self.is_over = true;
            return Some(Content::RematchBegun(pb::RematchBegunFrame { game_id: table.game_id }));
        }
        if table.rematch_offer_by == self.offer_by {
            return None;
        }
        self.offer_by = table.rematch_offer_by;
        Some(if self.offer_by.is_empty() {
            Content::RematchDeclined(pb::RematchDeclinedFrame {})
        } else {
            Content::RematchOffered(pb::RematchOfferedFrame { player_id: self.offer_by.clone() })
        })
    }
}
