//! Thousands of random orders against the database, many at once, many of them repeats, held against a model that knows nothing of
//! double entry: it reads from the log only how each match ended, and says by itself what everybody must have then.

use std::collections::BTreeMap;

use event_bus::{HandleError, Handler as _, Message};
use futures::future::join_all;
use prost::Message as _;
use proto::fairplay::v1::{PrizeHoldPlaced, PrizeHoldReleased};
use proto::game::v1::GameResult;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;
use wallet::app::unix_ms;
use wallet::bus::games::GameHandler;
use wallet::bus::prizes::PrizeHandler;
use wallet::sealing::seal_all;
use wallet::store::seals::ChainPlace;

use crate::support::{Match, assert_clean, database, deliver, matches, message, sign_up};

const PLAYERS: usize = 12;
const OPENING: i64 = 3_000;
/// Orders in all, and how many of them at a time.
const ORDERS: usize = 3_000;
const AT_ONCE: usize = 10;
/// Matches that are looked at: the latest ones, so that orders meet.
const RECENT_MATCHES: usize = 24;

/// Splitmix64: a failing run is the same run again, as far as the races allow.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).expect("less than the sides")
    }
}

/// What is done at one moment by one of many.
enum Order {
    Match(Message),
    Game(Message),
    /// Several ends in one transaction, as the consumer hands them on.
    Games(Vec<Message>),
    Prize(Message),
}

async fn carry_out(pool: &PgPool, order: Order) -> Result<(), HandleError> {
    match order {
        Order::Match(message) => deliver(pool, &matches(), &message).await,
        Order::Game(message) => deliver(pool, &GameHandler, &message).await,
        Order::Prize(message) => deliver(pool, &PrizeHandler, &message).await,
        Order::Games(messages) => {
            let all: Vec<&Message> = messages.iter().collect();
            let mut tx = pool.begin().await?;
            for answer in GameHandler.handle_batch(&mut tx, &all).await? {
                // One that is refused has changed nothing and fails no other (WALLET-11).
                let _ = answer;
            }
            Ok(tx.commit().await?)
        }
    }
}

struct Crowd {
    dice: Dice,
    players: Vec<Uuid>,
    matches: Vec<Match>,
    holds: Vec<(Uuid, Uuid)>,
}

impl Crowd {
    fn next_order(&mut self) -> Order {
        match self.dice.below(100) {
            0..30 => self.new_match(),
            30..36 => Order::Match(self.recent().request_message()),
            36..46 => Order::Match(self.recent().cancel_message()),
            46..76 => Order::Game(self.end()),
            76..82 => {
                let count = 2 + self.dice.below(5);
                Order::Games((0..count).map(|_| self.end()).collect())
            }
            82..88 => Order::Game(self.recent().abort_message()),
            88..94 => self.place_hold(),
            _ => self.release_hold(),
        }
    }

    fn new_match(&mut self) -> Order {
        let white = self.dice.below(PLAYERS);
        let black = (white + 1 + self.dice.below(PLAYERS - 1)) % PLAYERS;
        let stake = 1 + i64::try_from(self.dice.below(400)).expect("small");
        let fee_basis_points = u32::try_from(self.dice.below(3_000)).expect("small");
        let new = Match { fee_basis_points, ..Match::new(self.players[white], self.players[black], stake) };
        self.matches.push(new.clone());
        Order::Match(new.request_message())
    }

    fn recent(&mut self) -> &Match {
        let back = 1 + self.dice.below(RECENT_MATCHES.min(self.matches.len()));
        &self.matches[self.matches.len() - back]
    }

    fn end(&mut self) -> Message {
        let results = [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];
        let result = results[self.dice.below(3)];
        self.recent().end_message(result)
    }

    fn place_hold(&mut self) -> Order {
        let player = self.players[self.dice.below(PLAYERS)];
        let hold = Uuid::now_v7();
        self.holds.push((hold, player));
        let now_ms = unix_ms(OffsetDateTime::now_utc());
        let event = PrizeHoldPlaced {
            hold_id: hold.to_string(),
            player_id: player.to_string(),
            placed_at_ms: now_ms,
            until_ms: now_ms + 259_200_000,
        };
        Order::Prize(message(("fairplay", "player", player), "PrizeHoldPlaced", event.encode_to_vec()))
    }

    fn release_hold(&mut self) -> Order {
        if self.holds.is_empty() {
            return self.place_hold();
        }
        let (hold, player) = self.holds[self.dice.below(self.holds.len())];
        let event = PrizeHoldReleased {
            hold_id: hold.to_string(),
            player_id: player.to_string(),
            ..PrizeHoldReleased::default()
        };
        Order::Prize(message(("fairplay", "player", player), "PrizeHoldReleased", event.encode_to_vec()))
    }
}

/// What a player has, as the model counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Purse {
    available: i64,
    held: i64,
    withheld: i64,
}

/// Adds up how each match ended, with nothing but sums.
async fn model(pool: &PgPool, crowd: &Crowd) -> BTreeMap<Uuid, Purse> {
    let begin = Purse { available: OPENING, held: 0, withheld: 0 };
    let mut purses: BTreeMap<Uuid, Purse> = crowd.players.iter().map(|player| (*player, begin)).collect();
    for one in &crowd.matches {
        let events = event_store::load(pool, one.match_id, 0, 10).await.expect("the log answers");
        let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
        let winner = |at: usize| {
            let paid = proto::wallet::v1::PotPaid::decode(events[at].data.as_slice()).expect("readable");
            paid.winner_player_id.parse::<Uuid>().expect("an id")
        };
        let pot = 2 * one.stake;
        let prize = pot - pot * i64::from(one.fee_basis_points) / 10_000 - one.stake;
        let mut change = |player: Uuid, available: i64, held: i64, withheld: i64| {
            let purse = purses.get_mut(&player).expect("one of the crowd");
            purse.available += available;
            purse.held += held;
            purse.withheld += withheld;
        };
        match kinds.as_slice() {
            [] | ["StakesRefused"] | ["StakesHeld", "StakesRefunded"] => {}
            ["StakesHeld"] => {
                for player in [one.white, one.black] {
                    change(player, -one.stake, one.stake, 0);
                }
            }
            ["StakesHeld", "PotPaid", rest @ ..] => {
                let winner = winner(1);
                let loser = if winner == one.white { one.black } else { one.white };
                change(loser, -one.stake, 0, 0);
                match rest {
                    [] | ["PrizeWithheld", "PrizeReleased"] => change(winner, prize, 0, 0),
                    ["PrizeWithheld"] => change(winner, 0, 0, prize),
                    other => panic!("a match cannot go on like this: {other:?}"),
                }
            }
            other => panic!("a match cannot go like this: {other:?}"),
        }
    }
    purses
}

async fn stored(pool: &PgPool, player: Uuid) -> Purse {
    let rows = wallet::store::balances::list(pool, player).await.expect("the database answers");
    let row = rows.first().expect("an account");
    Purse { available: row.available, held: row.held, withheld: row.withheld }
}

// F02, F04, F12, F24, WALLET-3, WALLET-4, WALLET-6, WALLET-11, WALLET-14
#[tokio::test]
async fn thousands_of_racing_orders_with_repeats_leave_everybody_with_what_a_model_says() {
    let pool = database().await;
    let mut players = Vec::new();
    for _ in 0..PLAYERS {
        players.push(sign_up(&pool, OPENING).await);
    }
    let mut crowd = Crowd { dice: Dice(4), players, matches: Vec::new(), holds: Vec::new() };
    crowd.new_match();
    let mut refused = 0;
    for round in 0..ORDERS / AT_ONCE {
        let orders: Vec<Order> = (0..AT_ONCE).map(|_| crowd.next_order()).collect();
        let answers = join_all(orders.into_iter().map(|order| carry_out(&pool, order))).await;
        refused += answers.iter().filter(|answer| answer.is_err()).count();
        if round % 25 == 0 {
            seal_all(&pool).await.expect("sealed");
        }
    }
    // Contradictions and ends that come before their hold; most orders go through.
    assert!(refused > 0 && refused < ORDERS / 2, "{refused} of {ORDERS} were refused");
    for (player, expected) in model(&pool, &crowd).await {
        assert_eq!(stored(&pool, player).await, expected);
    }
    assert_clean(&pool).await;
    let (breaches, _) = wallet::invariants::check(&pool, ChainPlace::START).await.expect("checked");
    assert_eq!(breaches, []);
}
