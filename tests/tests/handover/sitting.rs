//! Two players at a game, as their programs behave: whoever is told to come again comes again, with the same request, and goes on with
//! his stream after the last frame that he has seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail};
use end_to_end::stack::Stack;
use end_to_end::table::request_id;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::table_service_client::TableServiceClient;
use proto::game::v1::watch_game_response::Frame;
use proto::game::v1::{
    DrawsSetting, GetGameRequest, OpenTableRequest, PlayMoveRequest, TakeSeatRequest, WatchGameRequest,
};
use proto::types::v1::TimeControl;
use service_kit::auth::{ISSUER, Role, Roles, Signer, Subject};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use crate::figures::Figures;

/// The first 98 of 150 quiet plies, no position twice: no draw comes of itself.
const MOVES: &str = "b1a3 b8c6 a3b5 c6b4 g1h3 b4d5 b5d4 a8b8 d4b3 d5c3 a1b1 c3d5 h3g1 d5b6 b3d4 b6d5 g1f3 d5b6 f3e5 \
    g8f6 e5g6 f6h5 d4e6 b6c4 e6g5 c4a3 g5e6 b8a8 e6g5 h5f6 g5f3 h8g8 g6e5 f6g4 h1g1 g8h8 e5c4 g4h6 f3e5 a3b5 e5g4 a8b8 \
    c4b6 b5d4 g1h1 h8g8 h1g1 d4f5 b6a4 f5h4 b1a1 h4g6 g4e5 g8h8 a4c5 h6g8 c5a6 g6h4 e5g4 g8h6 a1b1 h4f5 a6c5 f5d6 c5e6 \
    h6f5 g4h6 d6e4 h6g4 b8a8 g4e3 f5d6 e3f5 e4f6 f5e3 h8g8 g1h1 f6e4 e3d5 e4g5 e6d4 d6e4 d5e3 e4c3 e3c4 c3b5 c4e5 b5d6 \
    e5f3 d6c4 d4e6 c4b6 f3d4 a8b8 e6f4 b6c4 f4h3 c4e5";
const HALF_AN_HOUR: TimeControl = TimeControl { base_ms: 1_800_000, increment_ms: 0 };
/// How many games share a connection to the gateway.
const GAMES_PER_CONNECTION: usize = 50;
/// How long one try may take before the same request is sent again.
const TRY_MAX: Duration = Duration::from_secs(3);
/// When it is tried again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);
/// After so long a move is given up, and the test has failed.
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);
/// How long the last frames are waited for at the end.
const LAST_FRAMES_MAX: Duration = Duration::from_secs(30);
const TOKEN_LIFETIME: Duration = Duration::from_secs(7_200);

/// What all sittings share.
pub struct Evening {
    figures: Arc<Figures>,
    signer: Signer,
    gateway: String,
    connections: std::sync::Mutex<Vec<Channel>>,
    think_ms: u64,
    over: CancellationToken,
}

impl Evening {
    /// At this stack; nobody plays yet.
    pub fn new(stack: &Stack, figures: Arc<Figures>, think_ms: u64) -> anyhow::Result<Arc<Evening>> {
        Ok(Arc::new(Evening {
            figures,
            signer: Signer::from_file(&stack.token_private_key(), ISSUER)?,
            gateway: stack.gateway.clone(),
            connections: std::sync::Mutex::default(),
            think_ms,
            over: CancellationToken::new(),
        }))
    }

    /// No new move is played.
    pub fn finish(&self) {
        self.over.cancel();
    }

    fn connection(&self, number: usize) -> anyhow::Result<Channel> {
        let mut connections = self.connections.lock().expect("nobody panics with it");
        while connections.len() <= number / GAMES_PER_CONNECTION {
            connections.push(Endpoint::from_shared(self.gateway.clone())?.connect_lazy());
        }
        Ok(connections[number / GAMES_PER_CONNECTION].clone())
    }
}

/// Somebody with a token. Nobody has to sign up: the services believe the key that signs.
#[derive(Clone)]
struct Player {
    player_id: String,
    authorization: AsciiMetadataValue,
    channel: Channel,
}

impl Player {
    fn new(evening: &Evening, number: usize, name: &str) -> anyhow::Result<Player> {
        let player_id = Uuid::new_v4();
        let name = format!("{name}-{number}");
        let subject = Subject { player_id, name: &name, roles: Roles::of(&[Role::Player]) };
        let token = evening.signer.sign(&subject, SystemTime::now(), TOKEN_LIFETIME)?.text;
        let authorization = format!("Bearer {token}").parse()?;
        Ok(Player { player_id: player_id.to_string(), authorization, channel: evening.connection(number)? })
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel.clone())
    }

    fn tables(&self) -> TableServiceClient<Channel> {
        TableServiceClient::new(self.channel.clone())
    }
}

/// Two players at a game.
pub struct Sitting {
    game_id: String,
    movers: Vec<JoinHandle<anyhow::Result<Vec<Uuid>>>>,
    followers: Vec<Arc<Followed>>,
}

/// What became of a sitting.
pub struct Played {
    /// The game.
    pub game_id: Uuid,
    /// The requests of the moves that were acknowledged.
    pub acknowledged: Vec<Uuid>,
    /// What each player's stream gives, all its connections together. They stay open, so that nobody has gone.
    pub followed: Vec<Arc<Followed>>,
}

/// What a stream has given.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// The last place.
    pub last: u64,
    /// How many frames.
    pub frames: u64,
    /// How often a frame did not follow the one before.
    pub gaps: usize,
    /// How often a frame came again.
    pub repeats: usize,
}

/// What a stream gives.
#[derive(Default)]
pub struct Followed {
    last: AtomicU64,
    frames: AtomicU64,
    gaps: AtomicUsize,
    repeats: AtomicUsize,
}

impl Followed {
    /// So far.
    pub fn so_far(&self) -> Stream {
        Stream {
            last: self.last.load(Ordering::SeqCst),
            frames: self.frames.load(Ordering::SeqCst),
            gaps: self.gaps.load(Ordering::SeqCst),
            repeats: self.repeats.load(Ordering::SeqCst),
        }
    }
}

/// When a move was sent for the first time, and in which phase, by ply.
type Sent = Arc<std::sync::Mutex<Vec<Option<(usize, Instant)>>>>;

impl Sitting {
    /// Opens a table, takes the other seat, and begins to play.
    pub async fn begin(evening: &Arc<Evening>, number: usize) -> anyhow::Result<Sitting> {
        let (host, guest) = (Player::new(evening, number, "Ada")?, Player::new(evening, number, "Ben")?);
        let open = OpenTableRequest {
            request_id: request_id(),
            rule_set: "match".to_owned(),
            time_control: Some(HALF_AN_HOUR),
            draws: DrawsSetting::ByClaim.into(),
            ..OpenTableRequest::default()
        };
        let opened =
            patiently(|| async { host.tables().open_table(host.request(open.clone())).await }).await?.table;
        let table_id = opened.context("an answer has its table")?.table_id;
        let take = TakeSeatRequest { request_id: request_id(), table_id };
        let taken =
            patiently(|| async { guest.tables().take_seat(guest.request(take.clone())).await }).await?.table;
        let game_id = taken.context("an answer has its table")?.game_id;
        let game = GetGameRequest { game_id: game_id.clone() };
        let game = patiently(|| async { host.games().get_game(game.clone()).await }).await?.game;
        let game = game.context("an answer has its game")?;
        let host_is_white = game.white.is_some_and(|white| white.player_id == host.player_id);
        let players = if host_is_white { [host, guest] } else { [guest, host] };

        let sent: Sent = Arc::new(std::sync::Mutex::new(vec![None; MOVES.split_whitespace().count() + 1]));
        let (mut movers, mut followers) = (Vec::new(), Vec::new());
        for (side, player) in players.into_iter().enumerate() {
            let (plies, seen) = watch::channel(0);
            let followed = Arc::new(Followed::default());
            let follower = Follower {
                evening: evening.clone(),
                player: player.clone(),
                game_id: game_id.clone(),
                side,
                plies,
                followed: followed.clone(),
                sent: sent.clone(),
            };
            tokio::spawn(follower.follow());
            followers.push(followed);
            let mover = Mover {
                evening: evening.clone(),
                player,
                game_id: game_id.clone(),
                side,
                sent: sent.clone(),
            };
            movers.push(tokio::spawn(mover.play(seen)));
        }
        Ok(Sitting { game_id, movers, followers })
    }

    /// Waits until nothing is under way any more.
    pub async fn finish(self) -> anyhow::Result<Played> {
        let mut acknowledged = Vec::new();
        for mover in self.movers {
            acknowledged.extend(mover.await??);
        }
        let game_id: Uuid = self.game_id.parse()?;
        // Both streams have at least every move that was acknowledged.
        let deadline = Instant::now() + LAST_FRAMES_MAX;
        loop {
            let last: Vec<u64> = self.followers.iter().map(|followed| followed.so_far().last).collect();
            if last.iter().all(|last| *last > acknowledged.len() as u64) {
                break;
            }
            if Instant::now() > deadline {
                bail!("the streams of {game_id} end at {last:?} after {} moves", acknowledged.len());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(Played { game_id, acknowledged, followed: self.followers })
    }
}

/// Plays the moves of one side.
struct Mover {
    evening: Arc<Evening>,
    player: Player,
    game_id: String,
    side: usize,
    sent: Sent,
}

impl Mover {
    /// Plays until the evening is over, and answers the requests that were acknowledged.
    async fn play(self, mut seen: watch::Receiver<usize>) -> anyhow::Result<Vec<Uuid>> {
        let moves: Vec<&str> = MOVES.split_whitespace().collect();
        let mut acknowledged = Vec::new();
        for ply in (self.side..moves.len()).step_by(2) {
            let think_ms = self.evening.think_ms / 2 + rand::random_range(0..=self.evening.think_ms);
            let turn = async {
                let _ = seen.wait_for(|plies| *plies >= ply).await;
                tokio::time::sleep(Duration::from_millis(think_ms)).await;
            };
            tokio::select! {
                () = self.evening.over.cancelled() => break,
                () = turn => {}
            }
            acknowledged.push(self.play_move(ply, moves[ply]).await?);
        }
        Ok(acknowledged)
    }

    async fn play_move(&self, ply: usize, uci: &str) -> anyhow::Result<Uuid> {
        let request_id = Uuid::new_v4();
        let (phase, first) = (self.evening.figures.phase(), Instant::now());
        self.sent.lock().expect("nobody panics with it")[ply + 1] = Some((phase, first));
        loop {
            let message = PlayMoveRequest {
                request_id: request_id.to_string(),
                game_id: self.game_id.clone(),
                uci: uci.to_owned(),
                expected_ply: u32::try_from(ply)?,
            };
            let mut request = self.player.request(message);
            request.set_timeout(TRY_MAX);
            match self.player.games().play_move(request).await {
                Ok(_) => break,
                Err(status) if may_be_tried_again(status.code()) && first.elapsed() < GIVE_UP_AFTER => {
                    tokio::time::sleep(AGAIN_AFTER).await;
                }
                Err(status) => bail!("{uci} at ply {ply} of {}: {status:?}", self.game_id),
            }
        }
        self.evening.figures.acknowledged(phase, first.elapsed());
        Ok(request_id)
    }
}

/// Asks again while the service says that it may be asked again.
async fn patiently<T, F>(ask: impl Fn() -> F) -> Result<T, Status>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    let first = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(status) if may_be_tried_again(status.code()) && first.elapsed() < GIVE_UP_AFTER => {
                tokio::time::sleep(AGAIN_AFTER).await;
            }
            Err(status) => return Err(status),
        }
    }
}

fn may_be_tried_again(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Unknown
            | Code::ResourceExhausted
    )
}

/// Follows the game for one side.
struct Follower {
    evening: Arc<Evening>,
    player: Player,
    game_id: String,
    side: usize,
    plies: watch::Sender<usize>,
    followed: Arc<Followed>,
    sent: Sent,
}

impl Follower {
    /// Follows for ever.
    async fn follow(self) {
        loop {
            let pause = self.follow_once().await.unwrap_or(AGAIN_AFTER);
            tokio::time::sleep(pause).await;
        }
    }

    /// Follows until the stream ends, and answers when to come again if that was said.
    async fn follow_once(&self) -> Option<Duration> {
        let resume_after = Some(self.followed.last.load(Ordering::SeqCst));
        let message = WatchGameRequest { game_id: self.game_id.clone(), resume_after };
        let mut opening = self.player.games();
        let opened = tokio::time::timeout(TRY_MAX, opening.watch_game(self.player.request(message))).await;
        let mut frames = opened.ok()?.ok()?.into_inner();
        let mut come_again = None;
        while let Ok(Some(frame)) = frames.message().await {
            match frame.frame {
                Some(Frame::Heartbeat(_)) | None => continue,
                Some(Frame::Draining(draining)) => {
                    come_again = Some(Duration::from_millis(draining.reconnect_after_ms.into()));
                    continue;
                }
                Some(Frame::Move(played)) => self.see(played.ply as usize),
                Some(_) => {}
            }
            self.note(frame.sequence);
        }
        come_again
    }

    fn note(&self, sequence: u64) {
        let last = self.followed.last.swap(sequence, Ordering::SeqCst);
        self.followed.frames.fetch_add(1, Ordering::SeqCst);
        if sequence <= last {
            self.followed.repeats.fetch_add(1, Ordering::SeqCst);
        } else if sequence > last + 1 {
            self.followed.gaps.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn see(&self, ply: usize) {
        let sent = self.sent.lock().expect("nobody panics with it").get(ply).copied().flatten();
        // The opponent's moves are those that this side waits for.
        if let Some((phase, first)) = sent
            && (ply - 1) % 2 != self.side
        {
            self.evening.figures.seen(phase, first.elapsed());
        }
        self.plies.send_replace(ply);
    }
}
