//! Network-delay credit, simulated: whole games in virtual time against the owner itself, seeded.
//!
//! Everybody plays White at 3 + 2 for forty moves; Black answers at once. A leg of White's network takes half of his delay,
//! give or take a sixteenth of the delay, so that a round trip of 400 ms is 400 ± 50. Thinking times are those of blitz: the
//! first moves from memory, later some at once and most not.
//!
//! `cargo test -p game lag_simulation -- --nocapture` prints the figures.

use domain_chess::{Color, LagMeter};

use super::*;

const SEEDS: u64 = 25;
const MOVES: usize = 40;
/// Forty quiet moves by each side, no position twice.
const QUIET: &str = "b1a3 b8c6 a3b5 c6b4 g1h3 b4d5 b5d4 a8b8 d4b3 d5c3 a1b1 c3d5 h3g1 d5b6 b3d4 b6d5 g1f3 d5b6 f3e5 \
    g8f6 e5g6 f6h5 d4e6 b6c4 e6g5 c4a3 g5e6 b8a8 e6g5 h5f6 g5f3 h8g8 g6e5 f6g4 h1g1 g8h8 e5c4 g4h6 f3e5 a3b5 e5g4 a8b8 \
    c4b6 b5d4 g1h1 h8g8 h1g1 d4f5 b6a4 f5h4 b1a1 h4g6 g4e5 g8h8 a4c5 h6g8 c5a6 g6h4 e5g4 g8h6 a1b1 h4f5 a6c5 f5d6 c5e6 h6f5 \
    g4h6 d6e4 h6g4 b8a8 g4e3 f5d6 e3f5 e4f6 f5e3 h8g8 g1h1 f6e4 e3d5 e4g5";
/// As the edge sends its nonces.
const PINGS_AT_MS: [i64; 4] = [0, 1_000, 2_000, 3_000];
const PINGS_EVERY_MS: i64 = 4_000;
/// A liar's network.
const LIARS_DELAY_MS: i64 = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Honest {
        delay_ms: i64,
    },
    /// Answers every nonce 900 ms late.
    LatePongs,
    /// The same, and thinks long, but plays every fourth move at once.
    LatePongsQuickMoves,
    /// Answers each nonce 100 ms later than the one before, up to a second.
    GrowingClaims,
}

impl Kind {
    fn delay_ms(self) -> i64 {
        match self {
            Kind::Honest { delay_ms } => delay_ms,
            Kind::LatePongs | Kind::LatePongsQuickMoves | Kind::GrowingClaims => LIARS_DELAY_MS,
        }
    }

    /// How late he answers the nonce with this number.
    fn late_ms(self, number: i64) -> i64 {
        match self {
            Kind::Honest { .. } => 0,
            Kind::LatePongs | Kind::LatePongsQuickMoves => 900,
            Kind::GrowingClaims => (100 * number).min(1_000),
        }
    }

    fn think_ms(self, number: usize, random: &mut Random) -> i64 {
        match (self, number, random.below(100)) {
            (Kind::LatePongsQuickMoves, _, _) if number % 4 == 3 => 0,
            (Kind::LatePongsQuickMoves, _, _) => 2_000 + random.below(4_000),
            (_, ..8, _) => 100 + random.below(500),
            (_, _, ..15) => 0,
            (_, _, ..30) => 200 + random.below(500),
            _ => 800 + random.below(5_200),
        }
    }
}

/// A linear congruential generator: the same seed gives the same games on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = i64::try_from(self.0 >> 33).expect("31 bits");
        drawn % end.max(1)
    }

    fn leg_ms(&mut self, delay_ms: i64) -> i64 {
        delay_ms / 2 - delay_ms / 16 + self.below(delay_ms / 8 + 1)
    }
}

/// What a game came to.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    true_ms: i64,
    credited_ms: i64,
    unmasked: bool,
    /// Gained by the moves after the first that unmasked him.
    gained_after_ms: i64,
}

impl Figures {
    fn gained_ms(&self) -> i64 {
        self.credited_ms - self.true_ms
    }

    fn share(&self) -> f64 {
        if self.true_ms == 0 { 1.0 } else { self.credited_ms as f64 / self.true_ms as f64 }
    }
}

/// One game of somebody.
struct Simulated {
    stand: Stand,
    kind: Kind,
    random: Random,
    presence: Presence,
    pinged: i64,
    next_ping_ms: i64,
    /// When each nonce comes back, and when it was sent.
    pongs: Vec<(i64, i64, u64)>,
    /// Measures what the owner measures, to know when he was unmasked.
    mirror: LagMeter,
    answered: bool,
}

impl Simulated {
    fn new(kind: Kind, seed: u64) -> Simulated {
        let stand = Stand::new();
        stand.games.take_up(stand.facts.game_id);
        let white = stand.facts.white.player_id;
        let presence = stand.games.attend(stand.facts.game_id, white, stand.stop.clone());
        let next_ping_ms = stand.games.now_ms();
        Simulated {
            stand,
            kind,
            random: Random(seed),
            presence,
            pinged: 0,
            next_ping_ms,
            pongs: Vec::new(),
            mirror: LagMeter::new(),
            answered: false,
        }
    }

    /// Turns the clock to `until_ms`, sending and returning nonces on the way.
    fn run_until(&mut self, until_ms: i64) {
        loop {
            let pong = self.pongs.iter().enumerate().min_by_key(|(_, (at_ms, _, _))| *at_ms).map(|(i, _)| i);
            let pong_ms = pong.map_or(i64::MAX, |index| self.pongs[index].0);
            let at_ms = pong_ms.min(self.next_ping_ms);
            if at_ms >= until_ms {
                break;
            }
            self.turn_to(at_ms);
            match pong.filter(|_| pong_ms <= self.next_ping_ms) {
                Some(index) => {
                    let (_, sent_at_ms, nonce) = self.pongs.swap_remove(index);
                    self.answered = true;
                    self.mirror.record_round_trip(u32::try_from(at_ms - sent_at_ms).expect("soon"));
                    self.stand.games.tell(Sign {
                        game_id: self.stand.facts.game_id,
                        player_id: self.stand.facts.white.player_id,
                        news: News::Ponged { nonce },
                        at_ms,
                    });
                }
                None => self.ping(at_ms),
            }
        }
        self.turn_to(until_ms);
    }

    fn ping(&mut self, at_ms: i64) {
        let nonce = self.presence.ping();
        let round_trip_ms =
            self.random.leg_ms(self.kind.delay_ms()) + self.random.leg_ms(self.kind.delay_ms());
        self.pongs.push((at_ms + round_trip_ms + self.kind.late_ms(self.pinged), at_ms, nonce));
        self.pinged += 1;
        let sent = usize::try_from(self.pinged).expect("few");
        self.next_ping_ms = match PINGS_AT_MS.get(sent) {
            Some(offset_ms) => NOON_MS + offset_ms,
            None => at_ms + PINGS_EVERY_MS,
        };
    }

    fn turn_to(&self, at_ms: i64) {
        self.stand.clock.advance(at_ms - self.stand.games.now_ms());
    }

    async fn run(mut self) -> Figures {
        let mut figures = Figures::default();
        let moves: Vec<&str> = QUIET.split_whitespace().collect();
        for (number, pair) in moves.chunks(2).enumerate() {
            let delay_ms = self.kind.delay_ms();
            let true_ms = self.random.leg_ms(delay_ms) + self.random.leg_ms(delay_ms);
            let think_ms = self.kind.think_ms(number, &mut self.random);
            self.run_until(self.stand.games.now_ms() + true_ms + think_ms);
            let plies_seen = u32::try_from(2 * number).expect("few");
            let white = self.stand.white(play(pair[0], plies_seen)).await.expect("in time");
            let played = white.played.expect("a move");
            if number > 0 {
                figures.true_ms += true_ms;
                figures.credited_ms += played.lag_credit_ms;
                if figures.unmasked {
                    figures.gained_after_ms += played.lag_credit_ms - true_ms;
                }
            }
            let believed_ms = self.mirror.measured_ms();
            if number > 0 {
                self.mirror.record_reply(u32::try_from(played.elapsed_ms).expect("soon"));
            }
            let is_exposed = self.mirror.measured_ms() * 6 / 5 < believed_ms;
            let is_disbelieved = self.answered && self.mirror.measured_ms() == 0;
            figures.unmasked |= number > 0 && delay_ms > 0 && (is_exposed || is_disbelieved);
            self.run_until(self.stand.games.now_ms() + 300);
            self.stand.black(play(pair[1], plies_seen + 1)).await.expect("in time");
        }
        let log = self.stand.journal.entries(&self.stand.facts);
        assert_eq!(log.len(), 1 + 2 * MOVES, "nobody went, nothing ended");
        let game = domain_chess::Game::replay(log.iter().map(|entry| &entry.event)).expect("a game");
        assert_eq!(game.side_to_move(), Color::White);
        figures
    }
}

/// The figures of all seeds.
async fn simulated(kind: Kind) -> Vec<Figures> {
    let mut all = Vec::new();
    for seed in 0..SEEDS {
        all.push(Simulated::new(kind, 1_000 + seed).run().await);
    }
    let share = all.iter().map(Figures::share).sum::<f64>() / all.len() as f64;
    let least = all.iter().map(Figures::share).fold(f64::INFINITY, f64::min);
    let most_ms = all.iter().map(Figures::gained_ms).max().unwrap_or(0);
    let after_ms = all.iter().map(|figures| figures.gained_after_ms).max().unwrap_or(0);
    println!(
        "{kind:?}: credited {:.1} % of the delay (worst game {:.1} %), gained at most {most_ms} ms in {MOVES} moves, \
         {after_ms} ms after being unmasked",
        share * 100.0,
        least * 100.0,
    );
    all
}

#[tokio::test]
async fn lag_simulation_an_honest_player_gets_his_delay_back() {
    for delay_ms in [0, 50, 200, 400] {
        let all = simulated(Kind::Honest { delay_ms }).await;
        let share = all.iter().map(Figures::share).sum::<f64>() / all.len() as f64;
        assert!(share >= 0.95, "{delay_ms} ms: {share}");
        assert!(all.iter().all(|figures| !figures.unmasked), "an honest player was taken for a liar");
        assert!(all.iter().all(|figures| figures.gained_ms() <= 3_000));
    }
}

#[tokio::test]
async fn lag_simulation_no_liar_gains_three_seconds_and_none_gains_once_unmasked() {
    for kind in [Kind::LatePongs, Kind::LatePongsQuickMoves, Kind::GrowingClaims] {
        for figures in simulated(kind).await {
            assert!(figures.unmasked, "{kind:?} was believed to the end");
            assert!(figures.gained_ms() <= 3_000, "{kind:?}: {figures:?}");
            assert!(figures.gained_after_ms <= 0, "{kind:?}: {figures:?}");
        }
    }
}
