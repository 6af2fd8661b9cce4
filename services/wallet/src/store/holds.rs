//! The stakes of matches, player by player: which are held, and how the others ended.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::app::posting::{Posting, WalletEvent};
use crate::app::statement::LineKind;
use crate::app::{match_uuid, player_uuid};
use crate::store::statement::kind_code;

const INSERT: &str = include_str!("queries/insert_holds.sql");
const SETTLE: &str = include_str!("queries/settle_holds.sql");
const OPEN: &str = include_str!("queries/open_holds.sql");

/// The most open holds that are read at once.
pub const OPEN_PAGE_ROWS_MAX: i64 = 1_000;

/// Writes what some postings do to the stakes of their matches.
pub async fn write(conn: &mut PgConnection, postings: &[Posting]) -> Result<(), sqlx::Error> {
    let mut held = Held::default();
    let (mut settled, mut endings) = (Vec::new(), Vec::new());
    for posting in postings {
        match &posting.event {
            WalletEvent::StakesHeld { hold, game } => {
                for player in [hold.white, hold.black] {
                    held.matches.push(match_uuid(hold.match_id));
                    held.players.push(player_uuid(player));
                    held.games.push(game.0);
                    held.stakes.push(hold.stake.minor());
                    held.currencies.push(hold.currency.as_str().to_owned());
                }
            }
            WalletEvent::PotPaid { match_id, .. } => {
                settled.push(match_uuid(*match_id));
                endings.push(kind_code(LineKind::Payout));
            }
            WalletEvent::StakesRefunded { match_id, .. } => {
                settled.push(match_uuid(*match_id));
                endings.push(kind_code(LineKind::Refund));
            }
            _ => {}
        }
    }
    if !held.matches.is_empty() {
        held.insert(conn).await?;
    }
    if !settled.is_empty() {
        sqlx::query(SETTLE).bind(settled).bind(endings).execute(conn).await?;
    }
    Ok(())
}

#[derive(Default)]
struct Held {
    matches: Vec<Uuid>,
    players: Vec<Uuid>,
    games: Vec<Uuid>,
    stakes: Vec<i64>,
    currencies: Vec<String>,
}

impl Held {
    async fn insert(self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        sqlx::query(INSERT)
            .bind(self.matches)
            .bind(self.players)
            .bind(self.games)
            .bind(self.stakes)
            .bind(self.currencies)
            .execute(conn)
            .await?;
        Ok(())
    }
}

/// Matches whose stakes are held, in the order of their ids behind `after`, at most [`OPEN_PAGE_ROWS_MAX`].
pub async fn open(executor: impl PgExecutor<'_>, after: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(OPEN).bind(after).bind(OPEN_PAGE_ROWS_MAX).fetch_all(executor).await
}
