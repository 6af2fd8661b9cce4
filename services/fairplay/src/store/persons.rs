//! Which accounts are one person's.

use sqlx::PgConnection;
use uuid::Uuid;

/// Held together by all who count by persons, and alone by whoever changes who they are. Any number; it only must not be another's.
const LOCK: i64 = 0x7065_7273_6f6e_7300;

/// A person with his accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What he is known by: the smallest id of his accounts.
    pub person_id: Uuid,
    /// His accounts, the smallest id first.
    pub accounts: Vec<Uuid>,
}

impl Person {
    /// A person with these accounts; at least one.
    #[must_use]
    pub fn of(mut accounts: Vec<Uuid>) -> Self {
        accounts.sort_unstable();
        accounts.dedup();
        let person_id = accounts.first().copied().unwrap_or_default();
        Self { person_id, accounts }
    }
}

/// Keeps who is who as it is until the transaction ends.
///
/// # Errors
/// When Postgres does not do it.
pub async fn hold(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select pg_advisory_xact_lock_shared($1)").bind(LOCK).execute(conn).await?;
    Ok(())
}

/// Waits for all who count by persons, and keeps them waiting until the transaction ends.
///
/// # Errors
/// When Postgres does not do it.
pub async fn lock(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select pg_advisory_xact_lock($1)").bind(LOCK).execute(conn).await?;
    Ok(())
}

/// The person whose account this is.
///
/// # Errors
/// When Postgres does not answer.
pub async fn find(conn: &mut PgConnection, player_id: Uuid) -> Result<Person, sqlx::Error> {
    let mut accounts: Vec<Uuid> = sqlx::query_scalar(
        "select other.player_id from persons as own join persons as other using (person_id) where own.player_id = $1",
    )
    .bind(player_id)
    .fetch_all(conn)
    .await?;
    accounts.push(player_id);
    Ok(Person::of(accounts))
}

/// Every account that is linked to another, with its person.
///
/// # Errors
/// When Postgres does not answer.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<(Uuid, Uuid)>, sqlx::Error> {
    sqlx::query_as("select player_id, person_id from persons").fetch_all(conn).await
}

/// Writes a person, and answers the accounts that were somebody else's before.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, person: &Person) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(
        "insert into persons (player_id, person_id) select unnest($1::uuid[]), $2
         on conflict (player_id) do update set person_id = excluded.person_id
         where persons.person_id <> excluded.person_id
         returning player_id",
    )
    .bind(&person.accounts)
    .bind(person.person_id)
    .fetch_all(conn)
    .await
}

/// Makes an account a person of his own.
///
/// # Errors
/// When Postgres does not do it.
pub async fn remove(conn: &mut PgConnection, player_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from persons where player_id = $1").bind(player_id).execute(conn).await?;
    Ok(())
}
