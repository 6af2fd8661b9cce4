//! The other instances, over plain subjects of the broker: nothing is kept of what is said here.
//!
//! * `cmd.game.<shard>`: to the owner of a shard, who alone listens there. Requests of players are answered.
//! * `game.frames.<game>`: what happens in a game, to whoever follows it at an instance that does not own it.

mod hub;
mod refusals;
mod serving;
#[cfg(test)]
mod tests;
mod words;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_nats::{Client, HeaderMap, Request};
use event_store::trace::{TRACE_PARENT_HEADER, current_trace_parent};
use futures::future::BoxFuture;
use prost::Message as _;
use proto::game::v1 as pb;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::app::{
    Act, ActError, Company, Followed, Frame, GameId, Games, Holding, Journal, Peers, Receipt, ShardId, Sign,
};
use hub::Hub;

/// How long one answer of an owner is waited for. An owner that died a moment ago is listened to by the broker for as long.
const ANSWER_MAX: Duration = Duration::from_millis(500);
/// How many requests of other instances are in hand at once.
const IN_HAND_MAX: usize = 2_048;
/// How many letters wait for the broker. Those beyond are lost, as the port allows.
const LETTERS_MAX: usize = 8_192;

/// The other instances, over the broker.
#[derive(Debug)]
pub struct NatsPeers {
    client: Client,
    hub: Arc<Hub>,
    letters: mpsc::Sender<Letter>,
    in_hand: Arc<Semaphore>,
    has_company: AtomicBool,
}

/// What is sent without waiting for an answer.
#[derive(Debug)]
enum Letter {
    Frame(GameId, Arc<Frame>),
    ToOwner(ShardId, Box<pb::OwnerRequest>),
}

/// Sends the letters, in their order, and compares what is followed with the log.
#[derive(Debug)]
pub struct Post {
    client: Client,
    hub: Arc<Hub>,
    letters: mpsc::Receiver<Letter>,
}

impl NatsPeers {
    /// Nothing is sent before [`Post::run`].
    pub fn new(client: Client) -> (Arc<NatsPeers>, Post) {
        let hub = Arc::new(Hub::new(client.clone()));
        let (sender, letters) = mpsc::channel(LETTERS_MAX);
        let post = Post { client: client.clone(), hub: hub.clone(), letters };
        let peers = NatsPeers {
            client,
            hub,
            letters: sender,
            in_hand: Arc::new(Semaphore::new(IN_HAND_MAX)),
            has_company: AtomicBool::new(false),
        };
        (Arc::new(peers), post)
    }

    fn send(&self, letter: Letter) {
        if self.letters.try_send(letter).is_err() {
            tracing::debug!("too many letters to other instances are waiting; one is lost");
        }
    }
}

impl Peers for NatsPeers {
    fn ask(&self, act: Act, age_ms: i64) -> BoxFuture<'_, Result<Receipt, ActError>> {
        Box::pin(async move {
            let mut request = Request::new()
                .payload(words::act(&act, age_ms).encode_to_vec().into())
                .timeout(Some(ANSWER_MAX));
            if let Some(trace_parent) = current_trace_parent() {
                let mut headers = HeaderMap::new();
                headers.insert(TRACE_PARENT_HEADER, trace_parent.as_str());
                request = request.headers(headers);
            }
            match self.client.send_request(command_subject(ShardId::of(act.game_id)), request).await {
                Ok(message) => match pb::OwnerReply::decode(message.payload.as_ref()) {
                    Ok(reply) => words::read_reply(&reply),
                    Err(_) => Err(ActError::Unreachable),
                },
                Err(error) => {
                    tracing::debug!(game_id = %act.game_id, %error, "the owner of a game did not answer");
                    Err(ActError::Unreachable)
                }
            }
        })
    }

    fn tell(&self, sign: Sign, age_ms: i64) {
        self.send(Letter::ToOwner(ShardId::of(sign.game_id), Box::new(words::sign(&sign, age_ms))));
    }

    fn begun(&self, game_id: GameId) {
        self.send(Letter::ToOwner(ShardId::of(game_id), Box::new(words::begun(game_id))));
    }

    fn announce(&self, game_id: GameId, frame: &Arc<Frame>) {
        if self.has_company.load(Ordering::Relaxed) {
            self.send(Letter::Frame(game_id, frame.clone()));
        }
    }

    fn follow(&self, game_id: GameId) -> BoxFuture<'_, Option<Arc<Followed>>> {
        Box::pin(self.hub.follow(game_id))
    }

    fn serve(&self, games: &Games, holding: Arc<Holding>) {
        let serving =
            serving::serve(self.client.clone(), games.clone(), holding.clone(), self.in_hand.clone());
        tokio::spawn(serving);
    }

    fn are_ours(&self, shards: &[ShardId]) {
        self.hub.are_ours(shards);
    }

    fn have_company(&self, company: Company) {
        self.has_company.store(company == Company::Some, Ordering::Relaxed);
    }
}

impl Post {
    /// Sends until `stop` is cancelled.
    pub async fn run(mut self, journal: Arc<dyn Journal>, stop: CancellationToken) {
        let hub = self.hub.clone();
        let comparing = hub.compare_with_log(journal.as_ref());
        tokio::select! {
            () = stop.cancelled() => {}
            () = comparing => {}
            () = self.send_letters() => {}
        }
        hub.close();
    }

    async fn send_letters(&mut self) {
        while let Some(letter) = self.letters.recv().await {
            let (subject, payload) = match &letter {
                Letter::Frame(game_id, frame) => {
                    (frames_subject(*game_id), words::frame(frame).encode_to_vec())
                }
                Letter::ToOwner(shard, request) => (command_subject(*shard), request.encode_to_vec()),
            };
            if let Err(error) = self.client.publish(subject, payload.into()).await {
                tracing::debug!(%error, "a letter to another instance was not sent");
            }
        }
    }
}

fn command_subject(shard: ShardId) -> String {
    format!("cmd.game.{shard}")
}

fn frames_subject(game_id: GameId) -> String {
    format!("game.frames.{game_id}")
}
