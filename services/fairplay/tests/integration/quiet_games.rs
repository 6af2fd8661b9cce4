//! Games in which nobody had much to choose, through the real engine and the path that the service uses: however many there are, they
//! raise nobody above clean.

use std::sync::Arc;

use event_store::StreamId;
use fairplay::bus::{GameEvents, MatchEvents};
use fairplay::store::players;
use prost::Message as _;
use proto::fairplay::v1::{Assessment, EvidenceLevel, GameReport, SideReport};
use proto::game::v1::{EndReason, GameEnded, GameResult};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Move, Position};
use sqlx::PgPool;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::support::events::{BEFORE_MIDNIGHT_MS, End, Event, FOOLS_MATE, Match, SCHOLARS_MATE};
use crate::support::{Running, database, deliver, report, settings, stockfish};

/// Thirty plies of the Spanish game, all in the book.
const THEORY: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5 \
    d2d4 d8c7 b1d2 c5d4 c3d4 a5c6 d2b3 a6a5 c1e3 a5a4";
/// White has a perpetual check and loses with anything else; Black has one reply.
const PERPETUAL: &str = "6k1/6p1/8/8/8/8/1qr3PP/4Q2K w - - 0 40";
/// Rook against rook, a draw.
const ROOKS: &str = "8/8/3k4/7r/8/2R5/3K4/8 w - - 0 60";
/// Bishops of different colours behind a chain of pawns that nobody can break.
const LOCKED: &str = "8/5k2/4p1p1/3pPpPp/3P1P1P/4K3/3B4/5b2 w - - 0 40";
/// White is a queen and a rook ahead.
const WON: &str = "3k4/8/8/8/8/8/4Q3/R3K3 w - - 0 50";

/// A game as it was recorded: from a start position, or the standard one.
struct Record {
    start_fen: &'static str,
    moves: String,
    result: GameResult,
}

impl Record {
    fn drawn(start_fen: &'static str, moves: String) -> Self {
        Self { start_fen, moves, result: GameResult::Draw }
    }

    fn won(start_fen: &'static str, moves: &str) -> Self {
        Self { start_fen, moves: moves.to_owned(), result: GameResult::WhiteWins }
    }
}

/// Plies of two players who keep what they have, chosen by `seed`: no move lets the other take something, mate or stalemate.
fn kept(start_fen: &str, plies: usize, mut seed: u64) -> String {
    let fen: Fen = start_fen.parse().expect("a FEN");
    let mut position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal position");
    let mut moves = Vec::with_capacity(plies);
    for _ in 0..plies {
        let safe: Vec<Move> =
            position.legal_moves().into_iter().filter(|played| is_safe(&position, *played)).collect();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let Some(played) = safe.get((seed >> 33) as usize % safe.len().max(1)).copied() else { break };
        moves.push(played.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(played);
    }
    moves.join(" ")
}

fn is_safe(position: &Chess, played: Move) -> bool {
    let mut after = position.clone();
    after.play_unchecked(played);
    let replies = after.legal_moves();
    let is_mate = |reply: &Move| {
        let mut end = after.clone();
        end.play_unchecked(*reply);
        end.is_checkmate()
    };
    !played.is_capture()
        && !replies.is_empty()
        && !replies.iter().any(|reply| reply.is_capture() || is_mate(reply))
}

/// Queues a staked game of this player with White against somebody new. Every move takes two seconds, which no clock of a person shows:
/// so the times are left out, and only the moves speak.
async fn queue(pool: &PgPool, player_id: Uuid, record: &Record, number: i64) -> Uuid {
    let pairing = Match::new(player_id, Uuid::now_v7());
    let at_ms = BEFORE_MIDNIGHT_MS + number;
    deliver(pool, &MatchEvents, &pairing.proposed(BEFORE_MIDNIGHT_MS).message()).await.expect("handled");
    let end =
        End { match_id: Some(pairing.match_id), result: record.result, reason: EndReason::Agreement, at_ms };
    let told = pairing.ended_with(&record.moves, end);
    let mut ended = GameEnded::decode(told.data.as_slice()).expect("just written");
    record.start_fen.clone_into(&mut ended.start_fen);
    for played in &mut ended.moves {
        (played.charged_ms, played.clock_ms) = (2_000, 180_000);
    }
    let event = Event::new("game", StreamId::new("game", pairing.game_id), 1, "GameEnded", &ended);
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    deliver(pool, &games, &event.message()).await.expect("handled");
    pairing.game_id
}

/// What the games of one player amount to, and their reports.
async fn assessed(pool: &PgPool, records: &[Record]) -> (Assessment, Vec<GameReport>) {
    let player_id = Uuid::now_v7();
    let mut reports = Vec::new();
    for (number, record) in (0..).zip(records) {
        let game_id = queue(pool, player_id, record, number).await;
        reports.push(report(pool, game_id).await);
    }
    let mut assessments = players::assessments(pool, player_id).await.expect("readable");
    assert_eq!(assessments.len(), 1, "all in one time class");
    let events: Vec<String> = sqlx::query_scalar("select type from events where stream_id = $1")
        .bind(player_id)
        .fetch_all(pool)
        .await
        .expect("readable");
    assert!(events.iter().all(|kind| kind == "LevelChanged"), "no hold, no bar, no case: {events:?}");
    (assessments.remove(0), reports)
}

fn sides(report: &GameReport) -> [&SideReport; 2] {
    [report.white.as_ref().expect("White"), report.black.as_ref().expect("Black")]
}

#[tokio::test]
async fn mates_in_a_few_plies_and_theory_are_not_enough_data_however_often() {
    // I12
    let database = database().await;
    let running = Running::start(&database.pool, settings(stockfish()));
    for moves in [FOOLS_MATE, SCHOLARS_MATE, THEORY] {
        let records: Vec<Record> = (0..10).map(|_| Record::won("", moves)).collect();
        let (assessment, reports) = assessed(&database.pool, &records).await;
        assert_eq!((assessment.level(), reports.len()), (EvidenceLevel::NotEnoughData, 10), "{moves}");
        for side in reports.iter().flat_map(sides) {
            assert_eq!((side.level(), side.eligible), (EvidenceLevel::NotEnoughData, 0), "{moves}");
        }
    }
    running.stop().await;
}

#[tokio::test]
async fn forced_sequences_and_won_and_lost_positions_are_not_enough_data_however_often() {
    // I14
    let database = database().await;
    let running = Running::start(&database.pool, settings(stockfish()));
    let checks = "h5e8 g8h7 e8h5 h7g8 ".repeat(6);
    let perpetual = format!("e1e8 g8h7 e8h5 h7g8 {}", checks.trim());
    let forced: Vec<Record> = (0..5).map(|_| Record::drawn(PERPETUAL, perpetual.clone())).collect();
    let won: Vec<Record> = (0..5).map(|seed| Record::won(WON, &kept(WON, 40, seed))).collect();
    for (records, reason) in [(forced, "repetition"), (won, "decided")] {
        let (assessment, reports) = assessed(&database.pool, &records).await;
        assert_eq!((assessment.level(), reports.len()), (EvidenceLevel::NotEnoughData, 5), "{reason}");
        for report in &reports {
            // Who wins and who loses: neither says anything.
            for side in sides(report) {
                assert_eq!((side.level(), side.eligible), (EvidenceLevel::NotEnoughData, 0), "{side:?}");
            }
        }
        let excluded: u32 = reports.iter().flat_map(sides).filter_map(|side| side.excluded.get(reason)).sum();
        assert!(excluded >= 40, "{reason}: {excluded}");
    }
    running.stop().await;
}

#[tokio::test]
async fn drawn_endings_raise_nobody_above_clean_however_long_they_are() {
    // I14. Whatever is played in such an ending loses nothing, so anybody would seem to err less than he should.
    let database = database().await;
    let running = Running::start(&database.pool, settings(stockfish()));
    let endings = |fen: &'static str, games, plies| -> Vec<Record> {
        (1..=games).map(|seed| Record::drawn(fen, kept(fen, plies, seed))).collect()
    };
    let (assessment, reports) = assessed(&database.pool, &endings(ROOKS, 6, 70)).await;
    assert_eq!(assessment.level(), EvidenceLevel::NotEnoughData);
    let drawn: u32 = reports.iter().flat_map(sides).filter_map(|side| side.excluded.get("drawn")).sum();
    assert!(drawn > 300, "{drawn}");
    // Here a wrong move of the bishop still loses, and that counts.
    let (assessment, reports) = assessed(&database.pool, &endings(LOCKED, 4, 50)).await;
    assert!(assessment.level() <= EvidenceLevel::Clean, "{assessment:?}");
    assert!(reports.iter().flat_map(sides).any(|side| side.excluded.contains_key("drawn")));
    running.stop().await;
}
