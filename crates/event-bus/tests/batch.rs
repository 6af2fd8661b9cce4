//! Several messages in one transaction.

mod support;

use event_bus::{ConsumerConfig, HandleError, Handler, Message, run_consumer};
use sqlx::PgConnection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use support::{PATIENCE, Service, new_stream, record};
use test_kit::eventually;
use tokio_util::sync::CancellationToken;

/// Notes how large its batches are. `Broken` is refused, and `Poison` fails the whole batch, though not when it is alone.
#[derive(Clone, Default)]
struct Batcher {
    sizes: Arc<Mutex<Vec<usize>>>,
    committed: Arc<AtomicUsize>,
}

impl Handler for Batcher {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind == "Broken" {
            return Err(HandleError::Permanent("broken".to_owned()));
        }
        record(conn, "wallet_settlement", message).await?;
        Ok(())
    }

    fn batch_max(&self) -> usize {
        50
    }

    async fn handle_batch(
        &self,
        conn: &mut PgConnection,
        messages: &[&Message],
    ) -> Result<Vec<Result<(), HandleError>>, HandleError> {
        self.sizes.lock().expect("not poisoned").push(messages.len());
        let mut answers = Vec::new();
        for message in messages {
            answers.push(self.handle(conn, message).await);
        }
        if messages.iter().any(|message| message.kind == "Poison") {
            return Err(HandleError::Transient("the batch is lost".to_owned()));
        }
        Ok(answers)
    }

    fn committed(&self, _message: &Message) {
        self.committed.fetch_add(1, Ordering::SeqCst);
    }
}

// BUS-3, BUS-4, BUS-6
#[tokio::test(flavor = "multi_thread")]
async fn messages_handled_together_take_effect_once_in_order_and_block_no_other_stream() {
    let service = Service::new("batch").await;
    let streams: Vec<_> = (0..120).map(|_| new_stream()).collect();
    let (broken, poison) = (new_stream(), new_stream());
    for stream in &streams {
        service.commit(*stream, 0, &["GameStarted", "GameEnded"]).await;
    }
    service.commit(broken, 0, &["GameStarted", "Broken", "GameEnded"]).await;
    service.commit(poison, 0, &["Poison", "GameEnded"]).await;
    service.start_relay();
    service.until_all_is_published().await;
    let batcher = Batcher::default();
    let stop = CancellationToken::new();
    let _stop_at_end = stop.clone().drop_guard();
    tokio::spawn(run_consumer(
        service.pool().clone(),
        service.bus.clone(),
        ConsumerConfig { lanes: 2, ..service.config() },
        batcher.clone(),
        service.signal.clone(),
        stop,
    ));
    service.until_effects(120 * 2 + 1 + 2).await;
    service.until_letters(&[(broken.id, 2, "fault"), (broken.id, 3, "behind")]).await;
    for stream in streams.iter().chain([&poison]) {
        assert_eq!(service.effects_on(*stream).await, [1, 2]);
    }
    assert_eq!(service.effects_on(broken).await, [1]);
    let all_told = || async { (batcher.committed.load(Ordering::SeqCst) == 243).then_some(()) };
    eventually(PATIENCE, all_told).await;
    let sizes = batcher.sizes.lock().expect("not poisoned").clone();
    assert!(sizes.iter().all(|size| *size <= 50), "{sizes:?}");
    assert!(sizes.iter().any(|size| *size > 1), "what waits is handled together: {sizes:?}");
}
