//! Commands that change something: done once for each request id of a caller, and answered the same ever after, refusals too.

use domain_ledger::PlayerId;
use event_store::{CommitSignal, Metadata};
use prost::Message;
use proto::wallet::v1::ErrorReason;
use service_kit::auth::Principal;
use service_kit::status::{from_sqlx, internal, request_id_reused};
use sha2::{Digest, Sha256};
use sqlx::{Acquire as _, PgConnection, PgPool};
use tonic::{Code, Status};
use uuid::Uuid;

use super::status;
use crate::cashier::CashierError;
use crate::store::answers::{self, AnswerRow};
use crate::store::log;

/// Who asks, and under which id.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// Who.
    pub(super) principal: Principal,
    /// The client's id of the request.
    pub(super) request_id: Uuid,
}

impl Caller {
    /// The caller as an owner of money.
    pub(super) fn player(&self) -> PlayerId {
        PlayerId::new(self.principal.player_id.as_u128())
    }

    /// The id of the command: two callers may choose the same request id.
    pub(super) fn command_id(&self) -> Uuid {
        Uuid::new_v5(&self.principal.player_id, self.request_id.as_bytes())
    }

    /// What is written beside its events.
    pub(super) fn metadata(&self) -> Metadata {
        Metadata::for_request(self.principal.player_id.to_string(), self.request_id)
    }
}

/// Why a command is not done.
pub(super) enum Failure {
    /// By a rule: the answer stands for ever under this request id.
    Refused(Status),
    /// It could not be done now: the same request may be tried again.
    Broken(Status),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Broken(from_sqlx(&error))
    }
}

impl From<CashierError> for Failure {
    fn from(error: CashierError) -> Self {
        status::of_cashier(error)
    }
}

/// A command with everything it needs.
pub(super) trait Command: Send + Sync + 'static {
    /// What it answers.
    type Response: Message + Default;
    /// Its name, so that one id is not used for two calls.
    const NAME: &'static str;

    /// What makes two requests the same.
    fn input(&self) -> Vec<u8>;

    /// Does it inside a transaction; after a failure what it has written is undone.
    fn run(
        &self,
        conn: &mut PgConnection,
        caller: &Caller,
    ) -> impl Future<Output = Result<Self::Response, Failure>> + Send;
}

/// Carries a command out in a task of its own: a client that leaves does not interrupt it.
pub(super) async fn execute<C: Command>(
    pool: &PgPool,
    signal: &CommitSignal,
    caller: Caller,
    command: C,
) -> Result<C::Response, Status> {
    let (pool, signal) = (pool.clone(), signal.clone());
    let running = tokio::spawn(async move {
        let answer = once(&pool, &caller, &command).await;
        signal.committed();
        answer
    });
    running.await.map_err(internal)?
}

async fn once<C: Command>(pool: &PgPool, caller: &Caller, command: &C) -> Result<C::Response, Status> {
    let id = caller.command_id();
    let input_hash = Sha256::new().chain_update(C::NAME).chain_update(command.input()).finalize().to_vec();
    let mut tx = pool.begin().await.map_err(|error| from_sqlx(&error))?;
    log::lock_streams(&mut tx, &[id]).await.map_err(|error| from_sqlx(&error))?;
    if let Some(first) = answers::find(&mut tx, id).await.map_err(|error| from_sqlx(&error))? {
        if first.input_hash != input_hash {
            return Err(request_id_reused(ErrorReason::RequestIdReused));
        }
        return repeated(&first);
    }
    let mut attempt = tx.begin().await.map_err(|error| from_sqlx(&error))?;
    let outcome = command.run(&mut attempt, caller).await;
    let (answer, row) = match outcome {
        Ok(response) => {
            attempt.commit().await.map_err(|error| from_sqlx(&error))?;
            let body = response.encode_to_vec();
            (Ok(response), AnswerRow { input_hash, code: 0, body, details: Vec::new() })
        }
        Err(Failure::Broken(status)) => return Err(status),
        Err(Failure::Refused(status)) => {
            attempt.rollback().await.map_err(|error| from_sqlx(&error))?;
            let body = status.message().as_bytes().to_vec();
            let details = status.details().to_vec();
            let code = status.code() as i32;
            (Err(status), AnswerRow { input_hash, code, body, details })
        }
    };
    answers::insert(&mut tx, id, &row).await.map_err(|error| from_sqlx(&error))?;
    tx.commit().await.map_err(|error| from_sqlx(&error))?;
    answer
}

/// The first answer once more.
fn repeated<R: Message + Default>(first: &AnswerRow) -> Result<R, Status> {
    if first.code == 0 {
        return R::decode(first.body.as_slice()).map_err(internal);
    }
    let message = String::from_utf8_lossy(&first.body).into_owned();
    Err(Status::with_details(Code::from_i32(first.code), message, first.details.clone().into()))
}
