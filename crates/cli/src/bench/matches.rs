//! P13: from a match that is found to both clients seeing the game, through all services as they run in production.

use std::time::{Duration, SystemTime};

use ::bench::figure::{Figure, Goal, quantile};
use ::bench::raw;
use anyhow::{Context as _, bail};
use proto::gateway::v1::SignUpRequest;
use proto::gateway::v1::account_service_client::AccountServiceClient;
use proto::matchmaking::v1::JoinQueueRequest;
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::types::v1::TimeControl;
use proto::wallet::v1::GetBalanceRequest;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use sqlx::PgPool;
use test_kit::scratch::{self, Medium};
use tonic::Request;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

use crate::arguments::ServiceName;
use crate::dev::{EdgePort, Options, Stack};

/// Matches, each of two players of its own: nobody waits for a rematch, and none of the games is given up meanwhile.
const MATCHES: usize = 100;

/// Matches that are not counted: connections are opened and plans made.
const WARM_UP: usize = 5;

/// How many syncs of the disk the median and the slowest of a hundred may take.
const MEDIAN_SYNCS_MAX: f64 = 15.0;
const SLOWEST_SYNCS_MAX: f64 = 40.0;

const FOUND_AT: &str = "select (extract(epoch from recorded_at) * 1000)::float8 from events
    where stream_id = $1 and type = 'MatchProposed'";

/// Starts a whole stack, measures on it and prints.
pub async fn run() -> anyhow::Result<()> {
    let sync = raw::fdatasync()?;
    sync.print();
    let options = Options {
        data: scratch::folder(Medium::Disk, "bench-stack")?,
        port: EdgePort::Free,
        programs: None,
        variables: vec![("STAKEMATE_RATE_SIGN_INS_BURST".to_owned(), "1000".to_owned())],
        game_instances: 1,
    };
    let stack = Stack::start(options).await?;
    let measured = measure(&stack).await;
    stack.stop().await;
    let mut times_ms = measured?;
    let n = times_ms.len();
    for (name, part, goal) in [("p50", 0.5, MEDIAN_SYNCS_MAX), ("p99", 0.99, SLOWEST_SYNCS_MAX)] {
        let value_ms = quantile(&mut times_ms, part);
        let name = format!("match found until both clients see the game, {name}");
        Figure { id: "raw", name: name.clone(), value: value_ms, unit: "ms", goal: Goal::None, n }.print();
        let value = value_ms * 1e3 / sync.value;
        Figure { id: "P13", name, value, unit: "times an fdatasync", goal: Goal::AtMost(goal), n }.print();
    }
    Ok(())
}

async fn measure(stack: &Stack) -> anyhow::Result<Vec<f64>> {
    let mut pairs = Vec::new();
    for _ in 0..MATCHES + WARM_UP {
        pairs.push((Seeker::sign_up(stack).await?, Seeker::sign_up(stack).await?));
    }
    for (one, other) in &pairs {
        one.wait_for_money().await?;
        other.wait_for_money().await?;
    }
    let log = PgPool::connect(&stack.state().service(ServiceName::Matchmaking).database_url).await?;
    let mut times_ms = Vec::new();
    for (one, other) in &pairs {
        let (one, other) = tokio::try_join!(one.seek(), other.seek())?;
        let found_ms: f64 = sqlx::query_scalar(FOUND_AT).bind(one.match_id).fetch_one(&log).await?;
        times_ms.push(one.seen_ms.max(other.seen_ms) - found_ms);
    }
    Ok(times_ms.split_off(WARM_UP))
}

/// A player.
struct Seeker {
    channel: Channel,
    authorization: AsciiMetadataValue,
}

/// A game that a player sees.
struct Seen {
    match_id: Uuid,
    seen_ms: f64,
}

impl Seeker {
    async fn sign_up(stack: &Stack) -> anyhow::Result<Self> {
        let channel = Endpoint::from_shared(stack.state().edge_url.clone())?.tcp_nodelay(true).connect_lazy();
        let request = SignUpRequest {
            name: format!("b-{}", &Uuid::new_v4().simple().to_string()[..12]),
            password: "correct horse battery".to_owned(),
        };
        let answer = AccountServiceClient::new(channel.clone()).sign_up(request).await?;
        let session = answer.into_inner().session.context("an answer without a session")?;
        let authorization = format!("Bearer {}", session.access_token).parse()?;
        Ok(Self { channel, authorization })
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    async fn wait_for_money(&self) -> anyhow::Result<()> {
        let mut wallet = WalletServiceClient::new(self.channel.clone());
        for _ in 0..600 {
            let answer = wallet.get_balance(self.request(GetBalanceRequest {})).await;
            if answer.is_ok_and(|answer| !answer.get_ref().balances.is_empty()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("no play money came")
    }

    async fn seek(&self) -> anyhow::Result<Seen> {
        let request = JoinQueueRequest {
            request_id: Uuid::new_v4().to_string(),
            city_id: "paris".to_owned(),
            time_control: Some(TimeControl { base_ms: 300_000, increment_ms: 0 }),
            ..JoinQueueRequest::default()
        };
        let mut queues = MatchmakingServiceClient::new(self.channel.clone());
        let mut frames = queues.join_queue(self.request(request)).await?.into_inner();
        while let Some(frame) = frames.message().await? {
            if let Some(Frame::Matched(matched)) = frame.frame {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
                return Ok(Seen { match_id: matched.match_id.parse()?, seen_ms: since.as_secs_f64() * 1e3 });
            }
        }
        bail!("the queue's stream ended without a game")
    }
}
