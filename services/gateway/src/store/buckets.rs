//! Token buckets in Redis, shared by all gateways.
//!
//! Redis is asked for a handful of tokens at a time and the rest is spent here, so that a player's next calls cost no round
//! trip. When Redis is down everything passes: a limit is there to protect the service, not to be one more way to fail.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::Script;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};

use crate::telemetry;

/// How long a call waits for Redis.
const ANSWER_MAX: Duration = Duration::from_millis(250);
/// After a failure Redis is left alone for so long, so that each call does not wait for the same timeout.
const LEFT_ALONE: Duration = Duration::from_secs(1);
/// Tokens taken at a time, where the bucket is large enough for it not to matter.
const HANDFUL: u32 = 8;
/// A bucket smaller than this many handfuls is asked for each token.
const HANDFULS_MIN: u32 = 10;
/// Spare tokens are kept for so many keys in each of two generations; what falls out is lost, to the caller's cost.
const SPARE_KEYS_MAX: usize = 10_000;

/// How fast a bucket fills and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Tokens a second.
    pub per_second: f64,
    /// Tokens when full.
    pub burst: u32,
}

/// One bucket.
#[derive(Clone, Copy, Debug)]
pub struct Bucket<'a> {
    /// The name of the limit; part of the key and the label of the metric.
    pub limit: &'static str,
    /// Whose bucket.
    pub owner: &'a str,
    /// How fast it fills.
    pub rate: Rate,
}

/// Whether a call may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Pass,
    /// It may not before so long.
    Wait(Duration),
}

/// The buckets. Clones share the connection and the spare tokens.
#[derive(Clone)]
pub struct Buckets {
    inner: Arc<Inner>,
}

struct Inner {
    connection: ConnectionManager,
    script: Script,
    spare: Mutex<Spare>,
    begun: Instant,
    /// Milliseconds after `begun` until which Redis is left alone.
    left_alone_until_ms: AtomicU64,
    /// Whether the present outage has been told.
    outage_told: AtomicBool,
}

impl Buckets {
    /// With the Redis at `url`; connects when first needed, and again whenever it was lost.
    ///
    /// # Errors
    /// When the address is malformed.
    pub fn new(url: &str) -> Result<Self, redis::RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(ANSWER_MAX))
            .set_connection_timeout(Some(ANSWER_MAX))
            .set_number_of_retries(1);
        let connection = ConnectionManager::new_lazy_with_config(redis::Client::open(url)?, config)?;
        let inner = Inner {
            connection,
            script: Script::new(include_str!("token_bucket.lua")),
            spare: Mutex::default(),
            begun: Instant::now(),
            left_alone_until_ms: AtomicU64::new(0),
            outage_told: AtomicBool::new(false),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Takes one token out of a bucket.
    pub async fn take(&self, bucket: Bucket<'_>) -> Verdict {
        let key = format!("stakemate:gateway:bucket:{}:{}", bucket.limit, bucket.owner);
        if self.spare().take(&key) {
            return Verdict::Pass;
        }
        if self.now_ms() < self.inner.left_alone_until_ms.load(Ordering::Relaxed) {
            telemetry::limiter_down();
            return Verdict::Pass;
        }
        let wanted = if bucket.rate.burst >= HANDFUL * HANDFULS_MIN { HANDFUL } else { 1 };
        match self.ask(&key, bucket.rate, wanted).await {
            Ok((0, wait_ms)) => {
                telemetry::call_limited(bucket.limit);
                Verdict::Wait(Duration::from_millis(wait_ms))
            }
            Ok((taken, _)) => {
                self.spare().put(key, taken - 1);
                Verdict::Pass
            }
            Err(error) => {
                self.note_outage(&error);
                Verdict::Pass
            }
        }
    }

    async fn ask(&self, key: &str, rate: Rate, wanted: u32) -> Result<(u32, u64), redis::RedisError> {
        let mut connection = self.inner.connection.clone();
        let mut call = self.inner.script.key(key);
        call.arg(rate.per_second).arg(rate.burst).arg(wanted);
        let answer = tokio::time::timeout(ANSWER_MAX, call.invoke_async(&mut connection)).await;
        let answer =
            answer.unwrap_or_else(|_| Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()))?;
        if self.inner.outage_told.swap(false, Ordering::Relaxed) {
            tracing::info!("redis answers again; rate limits are back");
        }
        Ok(answer)
    }

    fn note_outage(&self, error: &redis::RedisError) {
        telemetry::limiter_down();
        let until_ms = self.now_ms() + u64::try_from(LEFT_ALONE.as_millis()).unwrap_or(u64::MAX);
        self.inner.left_alone_until_ms.store(until_ms, Ordering::Relaxed);
        if !self.inner.outage_told.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "redis does not answer; calls pass without rate limits");
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.inner.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Spare> {
        // A panic in between loses at most a few spare tokens.
        self.inner.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens that were taken and not yet spent. Two generations, so that the number of keys is bounded.
#[derive(Default)]
struct Spare {
    young: HashMap<String, u32>,
    old: HashMap<String, u32>,
}

impl Spare {
    fn take(&mut self, key: &str) -> bool {
        for generation in [&mut self.young, &mut self.old] {
            if let Some(left) = generation.get_mut(key) {
                *left -= 1;
                if *left == 0 {
                    generation.remove(key);
                }
                return true;
            }
        }
        false
    }

    fn put(&mut self, key: String, count: u32) {
        if count == 0 {
            return;
        }
        if self.young.len() >= SPARE_KEYS_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        *self.young.entry(key).or_default() += count;
    }
}
