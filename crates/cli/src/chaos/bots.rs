//! Players who queue, play random legal moves and end their games, whatever happens to the services meanwhile.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use proto::game::v1::{AcceptDrawRequest, OfferDrawRequest, PlayMoveRequest, ResignRequest};
use proto::matchmaking::v1::Matched;
use proto::types::v1::{Color, TimeControl};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use shakmaty::{CastlingMode, Chess, Position as _};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::Code;
use uuid::Uuid;

use crate::demo::follow::purse;
use crate::playing::moves::{Seen, watch_game};
use crate::playing::player::{PAUSE, Player, patiently, reason};
use crate::playing::queue::queue_until;

/// One queue for all, so that opponents change.
const CITY: &str = "paris";
const CLOCK: TimeControl = TimeControl { base_ms: 300_000, increment_ms: 0 };

/// Nobody waits longer for an opponent, outages included, while many others play.
const LONELY_AFTER: Duration = Duration::from_secs(60);

/// Why a game takes no command any more.
const GAME_OVER: &str = "GAME_OVER";

/// Plies of a game; the first two are there so that it is not aborted.
const PLIES: std::ops::Range<usize> = 2..20;

/// What all bots share.
#[derive(Debug)]
pub struct Board {
    gateway: String,
    seed: u64,
    matches: usize,
    begun: watch::Sender<usize>,
    over: CancellationToken,
    record: Mutex<Record>,
}

/// What happened, as the clients were told.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The acknowledged moves of each game, by ply from 1.
    pub games: BTreeMap<String, BTreeMap<u32, String>>,
    /// Commands that were acknowledged.
    pub commands: u64,
}

impl Board {
    /// For at least so many matches at a gateway.
    pub fn new(gateway: &str, seed: u64, matches: usize) -> Self {
        let (begun, over, record) = (watch::Sender::new(0), CancellationToken::new(), Mutex::default());
        Self { gateway: gateway.to_owned(), seed, matches, begun, over, record }
    }

    /// What happened.
    pub fn record(&self) -> Record {
        self.locked().clone()
    }

    /// How many games have begun.
    pub fn begun(&self) -> watch::Receiver<usize> {
        self.begun.subscribe()
    }

    /// Nobody queues any more once there were enough matches.
    pub async fn end_after_the_matches(&self) {
        let matches = self.matches;
        // The board itself holds the sender, so the wait can only end well.
        let _ = self.begun().wait_for(|begun| *begun >= matches).await;
        self.over.cancel();
    }

    /// Nobody queues any more.
    pub fn end(&self) {
        self.over.cancel();
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, matched: &Matched) {
        let mut record = self.locked();
        record.games.entry(matched.game_id.clone()).or_default();
        self.begun.send_replace(record.games.len());
    }

    fn acknowledged(&self) {
        self.locked().commands += 1;
    }

    fn acknowledged_move(&self, game_id: &str, ply: u32, uci: &str) {
        let mut record = self.locked();
        record.commands += 1;
        record.games.entry(game_id.to_owned()).or_default().insert(ply, uci.to_owned());
    }
}

/// Lets everybody play until the board ends it, and every game that began has ended.
pub async fn play_all(players: &[Player], board: &Arc<Board>) -> anyhow::Result<()> {
    let mut bots = JoinSet::new();
    for player in players {
        bots.spawn(play(player.clone(), board.clone()));
    }
    while let Some(bot) = bots.join_next().await {
        bot??;
    }
    Ok(())
}

async fn play(mut player: Player, board: Arc<Board>) -> anyhow::Result<()> {
    while !board.over.is_cancelled() {
        let Some(matched) = seek(&player, &board).await? else {
            if !board.over.is_cancelled() {
                player = newcomer(&board.gateway, "bot").await?;
            }
            continue;
        };
        board.begin(&matched);
        play_game(&player, &matched, &board).await.with_context(|| format!("game {}", matched.game_id))?;
    }
    Ok(())
}

/// Queues; none when the board ended it, or nobody was found for so long that nobody will be: whoever has lost or won a lot is
/// out of reach of most, and has met the others as often as one may on a day.
async fn seek(player: &Player, board: &Board) -> anyhow::Result<Option<Matched>> {
    let enough = board.over.child_token();
    let wait = async {
        tokio::time::sleep(LONELY_AFTER).await;
        enough.cancel();
        std::future::pending::<Infallible>().await
    };
    tokio::select! {
        matched = queue_until(player, CITY, CLOCK, &enough) => matched,
        never = wait => match never {},
    }
}

/// Somebody new with his play money.
pub async fn newcomer(gateway: &str, name: &str) -> anyhow::Result<Player> {
    let player = Player::sign_up(gateway, name).await?;
    purse(&player).await?;
    Ok(player)
}

/// How a game is to end, and who sees to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Draw,
    Resigns(Color),
}

/// What both players of a game will do: the same for both, from the seed and the game's id.
struct Plan {
    moves: Vec<String>,
    ending: Ending,
}

impl Plan {
    fn of(seed: u64, game_id: &str) -> anyhow::Result<Self> {
        let id: Uuid = game_id.parse()?;
        let mut random = StdRng::seed_from_u64(seed ^ id.as_u64_pair().1);
        let mut position = Chess::default();
        let mut moves = Vec::new();
        for _ in 0..random.random_range(PLIES) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let chosen = legal[random.random_range(0..legal.len())];
            moves.push(chosen.to_uci(CastlingMode::Standard).to_string());
            position.play_unchecked(chosen);
        }
        // Mostly draws: winners and losers drift apart until they are out of each other's reach.
        let ending = match random.random_range(0..20) {
            0 => Ending::Resigns(Color::White),
            1 => Ending::Resigns(Color::Black),
            _ => Ending::Draw,
        };
        Ok(Self { moves, ending })
    }
}

async fn play_game(player: &Player, matched: &Matched, board: &Board) -> anyhow::Result<()> {
    let plan = Plan::of(board.seed, &matched.game_id)?;
    let (sender, seen) = watch::channel(Seen::default());
    let watching = tokio::spawn(watch_game(player.clone(), matched.game_id.clone(), sender));
    let own = if matched.color() == Color::White { 0 } else { 1 };
    for (index, uci) in plan.moves.iter().enumerate() {
        if index % 2 != own {
            continue;
        }
        if !until_moves(&seen, index).await || !play_move(player, matched, index, uci, board).await? {
            break;
        }
    }
    if until_moves(&seen, plan.moves.len()).await {
        end(player, matched, plan.ending, &seen, board).await?;
    }
    watching.await?
}

/// Waits until so many moves were seen; false when the game ended first.
async fn until_moves(seen: &watch::Receiver<Seen>, count: usize) -> bool {
    let mut seen = seen.clone();
    let reached = seen.wait_for(|seen| seen.ended.is_some() || seen.moves.len() >= count).await;
    reached.is_ok_and(|seen| seen.ended.is_none())
}

/// Plays a move; false when the game was over.
async fn play_move(
    player: &Player,
    matched: &Matched,
    index: usize,
    uci: &str,
    board: &Board,
) -> anyhow::Result<bool> {
    let expected_ply = u32::try_from(index)?;
    let request = PlayMoveRequest {
        request_id: Uuid::new_v4().to_string(),
        game_id: matched.game_id.clone(),
        uci: uci.to_owned(),
        expected_ply,
    };
    let answer = patiently("play a move", || {
        let (mut games, request) = (player.games(), player.request(request.clone()));
        async move { unless_over(games.play_move(request).await) }
    })
    .await?;
    if answer.is_some() {
        board.acknowledged_move(&matched.game_id, expected_ply + 1, uci);
    }
    Ok(answer.is_some())
}

/// Ends the game as planned, if it is this player's part.
async fn end(
    player: &Player,
    matched: &Matched,
    ending: Ending,
    seen: &watch::Receiver<Seen>,
    board: &Board,
) -> anyhow::Result<()> {
    let request_id = Uuid::new_v4().to_string();
    let game_id = matched.game_id.clone();
    match ending {
        Ending::Resigns(color) if color == matched.color() => {
            let request = ResignRequest { request_id, game_id };
            patiently("resign", || {
                let (mut games, request) = (player.games(), player.request(request.clone()));
                async move { unless_over(games.resign(request).await) }
            })
            .await?;
        }
        Ending::Resigns(_) => return Ok(()),
        Ending::Draw if matched.color() == Color::White => {
            let request = OfferDrawRequest { request_id, game_id };
            patiently("offer a draw", || {
                let (mut games, request) = (player.games(), player.request(request.clone()));
                async move { unless_over(games.offer_draw(request).await) }
            })
            .await?;
        }
        Ending::Draw => accept_draw(player, &game_id, seen).await?,
    }
    board.acknowledged();
    Ok(())
}

/// Accepts as soon as there is something to accept.
async fn accept_draw(player: &Player, game_id: &str, seen: &watch::Receiver<Seen>) -> anyhow::Result<()> {
    while seen.borrow().ended.is_none() {
        let request =
            AcceptDrawRequest { request_id: Uuid::new_v4().to_string(), game_id: game_id.to_owned() };
        let answer = patiently("accept a draw", || {
            let (mut games, request) = (player.games(), player.request(request.clone()));
            async move {
                match games.accept_draw(request).await {
                    // No offer yet, or the game is over.
                    Err(status) if status.code() == Code::FailedPrecondition => Ok(None),
                    answer => answer.map(Some),
                }
            }
        })
        .await?;
        if answer.is_some() {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// The answer; none when the game was over. Any other refusal stays one.
fn unless_over<T>(answer: Result<T, tonic::Status>) -> Result<Option<T>, tonic::Status> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(status) if reason(&status) == GAME_OVER => Ok(None),
        Err(status) => Err(status),
    }
}
