//! Network-delay credit as clients meet it: nonces on their streams, Pong, and what each move is credited.

use proto::game::v1::{self as pb, watch_game_response::Frame};
use tonic::Streaming;

use crate::harness::{PATIENCE, Player, Stand, Table};

/// Somebody at the board, with a network of his own making.
struct Sitting<'a> {
    stand: &'a Stand,
    table: &'a Table,
    player: &'a Player,
    stream: Streaming<pb::WatchGameResponse>,
}

impl<'a> Sitting<'a> {
    async fn new(stand: &'a Stand, table: &'a Table, player: &'a Player) -> Sitting<'a> {
        let stream = stand.caller().sit(player, table.game_id).await;
        Sitting { stand, table, player, stream }
    }

    /// Returns the next nonce after so long.
    async fn answer_after(&mut self, delay_ms: i64) {
        loop {
            let frame = tokio::time::timeout(PATIENCE, self.stream.message()).await.expect("a frame comes");
            let frame = frame.expect("the stream is whole").expect("it goes on");
            if let Some(Frame::Heartbeat(pb::HeartbeatFrame { nonce: nonce @ 1.. })) = frame.frame {
                self.stand.clock.advance(delay_ms);
                return self.stand.caller().pong(self.player, self.table.game_id, nonce).await;
            }
        }
    }
}

#[tokio::test]
async fn a_measured_delay_is_credited_stored_and_shown() {
    let stand = Stand::start("credit").await;
    let table = stand.table().await;
    let mut white = Sitting::new(&stand, &table, &table.white).await;
    white.answer_after(300).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let played = stand.play(&table, "g1f3", 2_000).await.r#move.expect("a move");
    assert_eq!((played.elapsed_ms, played.lag_credit_ms, played.charged_ms), (2_000, 300, 1_700));
    // Black has no stream and is credited nothing.
    let black = stand.play(&table, "b8c6", 2_000).await.r#move.expect("a move");
    assert_eq!((black.lag_credit_ms, black.charged_ms), (0, 2_000));
    let shown = stand.caller().game(table.game_id).await;
    assert_eq!(shown.moves[2], played);
    let replayed = stand.caller().replay(table.game_id, pb::ReplayPace::AtOnce).await.expect("a replay");
    assert_eq!(replayed[3].r#move, Some(played));
}

#[tokio::test]
async fn a_flag_is_put_off_by_what_would_be_credited() {
    let stand = Stand::start("credit_flag").await;
    let table = stand.table().await;
    let mut white = Sitting::new(&stand, &table, &table.white).await;
    white.answer_after(400).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    // White has 182 s, and 400 ms more for his network.
    stand.clock.advance(182_399);
    let caller = stand.caller();
    let played = caller.play(&table.white, table.game_id, "g1f3", 2).await.expect("in time");
    assert_eq!(played.r#move.expect("a move").white_clock_ms, 2_001);
    stand.play(&table, "b8c6", 0).await;
    stand.clock.advance(2_401);
    assert_eq!(stand.ended(&table).await.end_reason(), pb::EndReason::Time);
}

// B11: late answers to nonces are unmasked by a quick move.
#[tokio::test]
async fn a_quick_move_unmasks_late_answers() {
    let stand = Stand::start("liar").await;
    let table = stand.table().await;
    let mut white = Sitting::new(&stand, &table, &table.white).await;
    white.answer_after(900).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let believed = stand.play(&table, "g1f3 b8c6", 3_000).await;
    assert_eq!(stand.caller().game(table.game_id).await.moves[2].lag_credit_ms, 900);
    assert_eq!(believed.r#move.expect("a move").lag_credit_ms, 0);
    let quick = stand.play(&table, "f1c4", 50).await.r#move.expect("a move");
    assert_eq!((quick.lag_credit_ms, quick.charged_ms), (50, 0), "it is the new measure");
    white.answer_after(900).await;
    stand.play(&table, "f8c5", 1_000).await;
    let slow = stand.play(&table, "c2c3", 4_000).await.r#move.expect("a move");
    assert_eq!((slow.lag_credit_ms, slow.charged_ms), (0, 4_000), "never believed again");
    // Nor on another stream.
    let mut again = Sitting::new(&stand, &table, &table.white).await;
    drop(white);
    again.answer_after(900).await;
    stand.play(&table, "g8f6", 1_000).await;
    assert_eq!(stand.play(&table, "d2d4", 4_000).await.r#move.expect("a move").lag_credit_ms, 0);
}

#[tokio::test]
async fn nobody_answers_for_another_and_no_nonce_counts_twice() {
    let stand = Stand::start("pongs").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let mut stream = caller.sit(&table.white, table.game_id).await;
    let nonce = loop {
        let frame = stream.message().await.expect("whole").expect("it goes on");
        if let Some(Frame::Heartbeat(pb::HeartbeatFrame { nonce: nonce @ 1.. })) = frame.frame {
            break nonce;
        }
    };
    stand.clock.advance(500);
    let stranger = stand.player("Eve");
    for (player, nonce) in [(&stranger, nonce), (&table.black, nonce), (&table.white, nonce ^ 1)] {
        caller.pong(player, table.game_id, nonce).await;
    }
    stand.clock.advance(100);
    caller.pong(&table.white, table.game_id, nonce).await;
    stand.clock.advance(900);
    caller.pong(&table.white, table.game_id, nonce).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    assert_eq!(stand.play(&table, "g1f3", 5_000).await.r#move.expect("a move").lag_credit_ms, 600);
    let message = pb::PongRequest { game_id: table.game_id.to_string(), nonce };
    let unsigned = caller.client.clone().pong(message).await.expect_err("no token");
    assert_eq!(unsigned.code(), tonic::Code::Unauthenticated);
}
