//! Accounts and sessions in Postgres.

use std::future::Future;

use event_store::{CommitSignal, append_in};
use service_kit::auth::Roles;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{PgConnection, Row};
use time::OffsetDateTime;
use tracing::Instrument;
use uuid::Uuid;

use super::events;
use crate::app::account::Account;
use crate::app::{
    Accounts, Exchange, NewRoles, NewSession, Registration, Rotation, SealedToken, StoreFailure,
};

/// The port's implementation.
#[derive(Clone, Debug)]
pub struct PostgresAccounts {
    pool: PgPool,
    committed: CommitSignal,
}

impl PostgresAccounts {
    /// With the service's pool; the relay waits for `committed`.
    pub fn new(pool: PgPool, committed: CommitSignal) -> Self {
        Self { pool, committed }
    }
}

impl Accounts for PostgresAccounts {
    async fn register(&self, registration: Registration) -> Result<Option<Account>, StoreFailure> {
        let store = self.clone();
        finished(async move { store.register_now(registration).await }).await
    }

    async fn by_name_key(&self, name_key: &str) -> Result<Option<(Account, String)>, StoreFailure> {
        let query = sqlx::query(include_str!("queries/account_by_name.sql")).bind(name_key);
        let Some(row) = query.fetch_optional(&self.pool).await? else { return Ok(None) };
        Ok(Some((account(&row)?, row.try_get("password_hash")?)))
    }

    async fn by_player(&self, player_id: Uuid) -> Result<Option<Account>, StoreFailure> {
        let query = sqlx::query(include_str!("queries/account_by_player.sql")).bind(player_id);
        let row = query.fetch_optional(&self.pool).await?;
        row.as_ref().map(account).transpose()
    }

    async fn set_roles(&self, new: NewRoles) -> Result<Option<Account>, StoreFailure> {
        let pool = self.pool.clone();
        finished(async move {
            let mut transaction = pool.begin().await?;
            let query = sqlx::query(include_str!("queries/lock_account.sql")).bind(&new.name_key);
            let Some(row) = query.fetch_optional(&mut *transaction).await? else { return Ok(None) };
            let mut account = account(&row)?;
            let before = account.roles;
            account.roles = new.change.of(before);
            if account.roles == before {
                return Ok(Some(account));
            }
            let roles: Vec<&str> = account.roles.names();
            sqlx::query(include_str!("queries/set_roles.sql"))
                .bind(account.player_id)
                .bind(roles)
                .execute(&mut *transaction)
                .await?;
            let expected = event_store::head(&mut *transaction, account.player_id).await?;
            append_in(&mut transaction, &events::player_roles_changed(&account, &new, expected)).await?;
            transaction.commit().await?;
            Ok(Some(account))
        })
        .await
    }

    async fn open_session(&self, session: NewSession) -> Result<(), StoreFailure> {
        let pool = self.pool.clone();
        finished(async move {
            let mut conn = pool.acquire().await?;
            insert_session(&mut conn, &session).await?;
            Ok(())
        })
        .await
    }

    async fn rotate(&self, exchange: Exchange) -> Result<Rotation, StoreFailure> {
        let pool = self.pool.clone();
        finished(async move {
            let mut transaction = pool.begin().await?;
            let query = sqlx::query(include_str!("queries/lock_refresh_token.sql"))
                .bind(exchange.presented.as_slice());
            let Some(row) = query.fetch_optional(&mut *transaction).await? else {
                return Ok(Rotation::Refused);
            };
            let token = StoredToken::read(&row)?;
            let rotation = token.decide(&exchange);
            match &rotation {
                Rotation::Rotated(_) => {
                    sqlx::query(include_str!("queries/rotate_refresh_token.sql"))
                        .bind(exchange.presented.as_slice())
                        .bind(exchange.now)
                        .bind(exchange.next.as_slice())
                        .bind(exchange.next_expires_at)
                        .bind(exchange.next_sealed.0.as_slice())
                        .execute(&mut *transaction)
                        .await?;
                }
                Rotation::Reused { .. } => {
                    sqlx::query(include_str!("queries/end_session.sql"))
                        .bind(token.session_id)
                        .bind(exchange.now)
                        .bind("reuse")
                        .execute(&mut *transaction)
                        .await?;
                }
                Rotation::Repeated { .. } | Rotation::Refused => {}
            }
            transaction.commit().await?;
            Ok(rotation)
        })
        .await
    }

    async fn end_session(&self, presented: [u8; 32], now: OffsetDateTime) -> Result<(), StoreFailure> {
        let pool = self.pool.clone();
        finished(async move {
            sqlx::query(include_str!("queries/end_session_of_token.sql"))
                .bind(presented.as_slice())
                .bind(now)
                .execute(&pool)
                .await?;
            Ok(())
        })
        .await
    }
}

impl PostgresAccounts {
    async fn register_now(&self, registration: Registration) -> Result<Option<Account>, StoreFailure> {
        let mut transaction = self.pool.begin().await?;
        let roles: Vec<String> = registration.roles.names().into_iter().map(str::to_owned).collect();
        let inserted = sqlx::query(include_str!("queries/insert_account.sql"))
            .bind(registration.player_id)
            .bind(registration.name.as_str())
            .bind(registration.name.key())
            .bind(&registration.password_hash)
            .bind(roles)
            .bind(registration.registered_at)
            .execute(&mut *transaction)
            .await?;
        if inserted.rows_affected() == 0 {
            return Ok(None);
        }
        append_in(&mut transaction, &events::player_registered(&registration)).await?;
        insert_session(&mut transaction, &registration.session).await?;
        transaction.commit().await?;
        self.committed.committed();
        Ok(Some(Account {
            player_id: registration.player_id,
            name: registration.name.as_str().to_owned(),
            roles: registration.roles,
            registered_at: registration.registered_at,
        }))
    }
}

/// A refresh token as it lies there, locked.
struct StoredToken {
    session_id: Uuid,
    expires_at: OffsetDateTime,
    used_at: Option<OffsetDateTime>,
    /// What it was exchanged for, while that is not used.
    successor: Option<SealedToken>,
    session_ended: bool,
    account: Account,
}

impl StoredToken {
    fn read(row: &PgRow) -> Result<Self, StoreFailure> {
        let successor: Option<Vec<u8>> = row.try_get("successor")?;
        let sealed = |bytes: Vec<u8>| bytes.try_into().map(SealedToken).map_err(|_| StoreFailure::Malformed);
        Ok(Self {
            session_id: row.try_get("session_id")?,
            expires_at: row.try_get("expires_at")?,
            used_at: row.try_get("used_at")?,
            successor: successor.map(sealed).transpose()?,
            session_ended: row.try_get::<Option<OffsetDateTime>, _>("ended_at")?.is_some(),
            account: account(row)?,
        })
    }

    fn decide(&self, exchange: &Exchange) -> Rotation {
        let account = self.account.clone();
        match (self.used_at, self.successor) {
            _ if self.session_ended => Rotation::Refused,
            (Some(used_at), Some(successor)) if used_at >= exchange.repeated_since => {
                Rotation::Repeated { account, successor }
            }
            (Some(_), _) => Rotation::Reused { player_id: account.player_id },
            (None, _) if self.expires_at <= exchange.now => Rotation::Refused,
            (None, _) => Rotation::Rotated(account),
        }
    }
}

/// Runs the work in a task of its own: a client that leaves must not drop a transaction half-way.
async fn finished<T: Send + 'static>(
    work: impl Future<Output = Result<T, StoreFailure>> + Send + 'static,
) -> Result<T, StoreFailure> {
    tokio::spawn(work.in_current_span()).await?
}

async fn insert_session(conn: &mut PgConnection, session: &NewSession) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/insert_session.sql"))
        .bind(session.session_id)
        .bind(session.player_id)
        .bind(session.began_at)
        .bind(session.token_hash.as_slice())
        .bind(session.expires_at)
        .execute(conn)
        .await?;
    Ok(())
}

fn account(row: &PgRow) -> Result<Account, StoreFailure> {
    let roles: Vec<String> = row.try_get("roles")?;
    Ok(Account {
        player_id: row.try_get("player_id")?,
        name: row.try_get("name")?,
        roles: Roles::from_names(roles.iter().map(String::as_str)),
        registered_at: row.try_get("registered_at")?,
    })
}
