//! Fair play's holds over players, and the prizes that are withheld under them.

use std::collections::BTreeMap;

use domain_ledger::{Account, PlayerId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::posting::{Posting, WalletEvent};
use crate::app::{match_uuid, player_uuid, unix_ms};

const PLACE: &str = "insert into prize_holds (hold_id, player_id, until_at) values ($1, $2, $3)
    on conflict do nothing";
const END: &str = "update prize_holds set is_over = true where hold_id = $1";
const STANDING: &str = include_str!("queries/standing_prize_holds.sql");
const INSERT: &str = include_str!("queries/insert_withheld_prizes.sql");
const RELEASE: &str = "update withheld_prizes set is_released = true where match_id = any ($1)";
const OF_HOLD: &str = include_str!("queries/withheld_of_hold.sql");
const DUE: &str = include_str!("queries/withheld_due.sql");

/// The most prizes that are released in one go.
pub const RELEASES_MAX: i64 = 200;

/// A hold over a player's prizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrizeHold {
    /// Fair play's id of it.
    pub hold_id: Uuid,
    /// When it ends by itself, in milliseconds since the Unix epoch.
    pub until_ms: i64,
}

/// Notes a hold that fair play has placed.
pub async fn place(
    conn: &mut PgConnection,
    hold_id: Uuid,
    player: PlayerId,
    until_at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query(PLACE).bind(hold_id).bind(player_uuid(player)).bind(until_at).execute(conn).await?;
    Ok(())
}

/// Notes that a hold is over. Waits for settlements that have seen it standing, so that what they withhold is seen from now on.
pub async fn end(conn: &mut PgConnection, hold_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query(END).bind(hold_id).execute(conn).await?;
    Ok(())
}

/// The holds that stand over these players, of each player the one that ends last. They stand until the end of the transaction.
pub async fn standing(
    conn: &mut PgConnection,
    players: &[PlayerId],
    now: OffsetDateTime,
) -> Result<BTreeMap<PlayerId, PrizeHold>, sqlx::Error> {
    if players.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids: Vec<Uuid> = players.iter().copied().map(player_uuid).collect();
    let rows: Vec<(Uuid, Uuid, OffsetDateTime)> =
        sqlx::query_as(STANDING).bind(ids).bind(now).fetch_all(conn).await?;
    let holds = rows.into_iter().map(|(player_id, hold_id, until_at)| {
        (PlayerId::new(player_id.as_u128()), PrizeHold { hold_id, until_ms: unix_ms(until_at) })
    });
    Ok(holds.collect())
}

/// Writes what some postings do to prizes.
pub async fn write(conn: &mut PgConnection, postings: &[Posting]) -> Result<(), sqlx::Error> {
    let mut withheld = Withheld::default();
    let mut released = Vec::new();
    for posting in postings {
        match &posting.event {
            WalletEvent::PrizeWithheld { .. } => withheld.push(posting),
            WalletEvent::PrizeReleased { match_id, .. } => released.push(match_uuid(*match_id)),
            _ => {}
        }
    }
    if !withheld.matches.is_empty() {
        withheld.insert(conn).await?;
    }
    if !released.is_empty() {
        sqlx::query(RELEASE).bind(released).execute(conn).await?;
    }
    Ok(())
}

#[derive(Default)]
struct Withheld {
    matches: Vec<Uuid>,
    players: Vec<Uuid>,
    holds: Vec<Uuid>,
    amounts: Vec<i64>,
    currencies: Vec<String>,
    until_ms: Vec<i64>,
}

impl Withheld {
    fn push(&mut self, posting: &Posting) {
        let WalletEvent::PrizeWithheld { match_id, player, prize_hold, until_ms, .. } = &posting.event else {
            return;
        };
        for booked in &posting.transfers {
            let credits = booked.transfer.entries().iter();
            for entry in credits.filter(|entry| matches!(entry.account, Account::Withheld(_))) {
                self.matches.push(match_uuid(*match_id));
                self.players.push(player_uuid(*player));
                self.holds.push(*prize_hold);
                self.amounts.push(entry.minor_signed);
                self.currencies.push(booked.transfer.currency().as_str().to_owned());
                self.until_ms.push(*until_ms);
            }
        }
    }

    async fn insert(self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        sqlx::query(INSERT)
            .bind(self.matches)
            .bind(self.players)
            .bind(self.holds)
            .bind(self.amounts)
            .bind(self.currencies)
            .bind(self.until_ms)
            .execute(conn)
            .await?;
        Ok(())
    }
}

/// Matches whose prizes are withheld under a hold, in the order of their ids behind `after`, at most [`RELEASES_MAX`].
pub async fn of_hold(
    executor: impl PgExecutor<'_>,
    hold_id: Uuid,
    after: Uuid,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(OF_HOLD).bind(hold_id).bind(after).bind(RELEASES_MAX).fetch_all(executor).await
}

/// Matches whose prizes have been withheld long enough, at most [`RELEASES_MAX`].
pub async fn due(executor: impl PgExecutor<'_>, now: OffsetDateTime) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(DUE).bind(now).bind(RELEASES_MAX).fetch_all(executor).await
}
