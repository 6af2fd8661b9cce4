//! Which accounts are one person's: what a moderator has found, and what it changes.

use event_store::Metadata;
use proto::fairplay::v1 as wire;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::standing::{StandingError, unix_ms};
use crate::store::persons::{self, Person};
use crate::store::player_log::{self, PlayerEvent};
use crate::store::players;

/// A moderator's word about accounts.
#[derive(Debug, Clone)]
pub struct Word {
    /// Who says it.
    pub said_by: Uuid,
    /// Why.
    pub reason: String,
}

/// Links two accounts, and with them all that are linked to either.
///
/// # Errors
/// See [`StandingError`].
pub async fn link(pool: &PgPool, accounts: [Uuid; 2], word: &Word) -> Result<Person, StandingError> {
    let mut tx = pool.begin().await?;
    persons::lock(&mut tx).await?;
    let [one, other] = accounts;
    let mut all = persons::find(&mut tx, one).await?.accounts;
    all.extend(persons::find(&mut tx, other).await?.accounts);
    let person = Person::of(all);
    name(&mut tx, &person, word).await?;
    tx.commit().await?;
    Ok(person)
}

/// Takes an account out of its person, and answers who remains; nobody when it was linked to no other.
///
/// # Errors
/// See [`StandingError`].
pub async fn unlink(pool: &PgPool, player_id: Uuid, word: &Word) -> Result<Vec<Uuid>, StandingError> {
    let mut tx = pool.begin().await?;
    persons::lock(&mut tx).await?;
    let person = persons::find(&mut tx, player_id).await?;
    let rest: Vec<Uuid> = person.accounts.iter().copied().filter(|account| *account != player_id).collect();
    if rest.is_empty() {
        return Ok(rest);
    }
    persons::remove(&mut tx, player_id).await?;
    let event = PlayerEvent::PersonUnlinked(wire::PersonUnlinked {
        player_id: player_id.to_string(),
        person_id: person.person_id.to_string(),
        unlinked_by: word.said_by.to_string(),
        reason: word.reason.clone(),
        unlinked_at_ms: unix_ms(OffsetDateTime::now_utc()),
    });
    write(&mut tx, player_id, event, word).await?;
    name(&mut tx, &Person::of(rest.clone()), word).await?;
    tx.commit().await?;
    Ok(rest)
}

/// Writes the person down, and an event for each account whose person is another now; in the order of the accounts, so that two
/// who do this do not wait in a circle.
async fn name(conn: &mut PgConnection, person: &Person, word: &Word) -> Result<(), StandingError> {
    let mut renamed = persons::put(conn, person).await?;
    renamed.sort_unstable();
    for player_id in renamed {
        let event = PlayerEvent::PersonLinked(wire::PersonLinked {
            player_id: player_id.to_string(),
            person_id: person.person_id.to_string(),
            player_ids: person.accounts.iter().map(Uuid::to_string).collect(),
            linked_by: word.said_by.to_string(),
            reason: word.reason.clone(),
            linked_at_ms: unix_ms(OffsetDateTime::now_utc()),
        });
        write(conn, player_id, event, word).await?;
    }
    Ok(())
}

async fn write(
    conn: &mut PgConnection,
    player_id: Uuid,
    event: PlayerEvent,
    word: &Word,
) -> Result<(), StandingError> {
    players::lock(conn, player_id).await?;
    let metadata = Metadata::for_request(word.said_by.to_string(), Uuid::now_v7());
    player_log::append(conn, player_id, &[event], metadata).await?;
    Ok(())
}
