//! A message handed straight to a handler, for tests of a consumer without a broker.

use event_bus::{HandleError, Handler, Message};
use event_store::{Metadata, StreamId};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

/// The first event of a stream of another service, as the bus hands it to a handler. A test that needs another version
/// sets it.
#[must_use]
pub fn message(service: &str, stream: StreamId, event: &str, data: &impl prost::Message) -> Message {
    Message {
        service: service.to_owned(),
        stream_kind: stream.kind.to_owned(),
        stream_id: stream.id,
        version: 1,
        follows: 0,
        event_id: Uuid::now_v7(),
        kind: event.to_owned(),
        schema: 1,
        data: data.encode_to_vec(),
        metadata: Metadata::for_request(service, Uuid::now_v7()),
        recorded_at: OffsetDateTime::now_utc(),
    }
}

/// Hands a message to a handler as a consumer does: in a transaction that is committed only when the handler succeeds. The
/// inbox is left out, so a repeat reaches the handler again.
pub async fn deliver(pool: &PgPool, handler: &impl Handler, message: &Message) -> Result<(), HandleError> {
    let mut transaction = pool.begin().await?;
    match handler.handle(&mut transaction, message).await {
        Ok(()) => Ok(transaction.commit().await?),
        Err(error) => {
            transaction.rollback().await?;
            Err(error)
        }
    }
}
