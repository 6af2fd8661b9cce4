//! Fair play's holds over prizes (`WALLET-14`).

use event_bus::Message;
use prost::Message as _;
use proto::fairplay::v1::{PrizeHoldEnd, PrizeHoldPlaced, PrizeHoldReleased};
use proto::game::v1::GameResult;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use wallet::app::unix_ms;
use wallet::bus::prizes::PrizeHandler;
use wallet::prizes::release_due;
use wallet::sealing::seal_all;
use wallet::store::seals::ChainPlace;
use wallet::store::statement::{self, Filter};

use crate::support::{Match, assert_clean, database, deliver, message, sign_up};

const PAYOUT: i16 = 3;
const WITHHELD: i16 = 9;
const RELEASED: i16 = 10;

/// A hold over a player's prizes that was placed now.
struct Hold {
    id: Uuid,
    player: Uuid,
    placed_at: OffsetDateTime,
    lasts: Duration,
}

impl Hold {
    fn over(player: Uuid) -> Self {
        let placed_at = OffsetDateTime::now_utc();
        Self { id: Uuid::now_v7(), player, placed_at, lasts: Duration::hours(72) }
    }

    fn placed(&self) -> Message {
        let event = PrizeHoldPlaced {
            hold_id: self.id.to_string(),
            player_id: self.player.to_string(),
            placed_at_ms: unix_ms(self.placed_at),
            until_ms: unix_ms(self.placed_at + self.lasts),
        };
        message(("fairplay", "player", self.player), "PrizeHoldPlaced", event.encode_to_vec())
    }

    fn released(&self) -> Message {
        let event = PrizeHoldReleased {
            hold_id: self.id.to_string(),
            player_id: self.player.to_string(),
            end: PrizeHoldEnd::Decided.into(),
            released_at_ms: unix_ms(OffsetDateTime::now_utc()),
        };
        message(("fairplay", "player", self.player), "PrizeHoldReleased", event.encode_to_vec())
    }

    async fn place(&self, pool: &PgPool) {
        deliver(pool, &PrizeHandler, &self.placed()).await.expect("placed");
    }

    async fn release(&self, pool: &PgPool) {
        deliver(pool, &PrizeHandler, &self.released()).await.expect("released");
    }
}

/// Available, held and withheld, in XPL.
async fn money(pool: &PgPool, player: Uuid) -> (i64, i64, i64) {
    let rows = wallet::store::balances::list(pool, player).await.expect("the database answers");
    let row = rows.iter().find(|row| row.currency == "XPL").expect("an account");
    (row.available, row.held, row.withheld)
}

/// Kind and change of what is available, the latest first.
async fn lines(pool: &PgPool, player: Uuid) -> Vec<(i16, i64)> {
    let page = statement::page(pool, player, &Filter::default(), i64::MAX, 100).await;
    page.expect("the database answers").iter().map(|line| (line.kind, line.available_change)).collect()
}

/// Black has won 333 at a fee of 2.5 %: a payout of 650, of which 317 are a prize.
async fn won_by_black(pool: &PgPool, white: Uuid, black: Uuid) -> Match {
    let played = Match { fee_basis_points: 250, ..Match::new(white, black, 333) };
    played.request(pool).await.expect("held");
    played.end(pool, GameResult::BlackWins).await.expect("paid");
    played
}

async fn assert_sound(pool: &PgPool) {
    assert_clean(pool).await;
    let (breaches, _) = wallet::invariants::check(pool, ChainPlace::START).await.expect("checked");
    assert_eq!(breaches, []);
}

#[tokio::test]
async fn a_prize_won_under_a_hold_is_withheld_and_the_stake_is_not() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await);
    won_by_black(&pool, white, black).await;
    assert_eq!(money(&pool, black).await, (1_317, 0, 0));
    Hold::over(black).place(&pool).await;
    // What was paid before stays paid.
    assert_eq!(money(&pool, black).await, (1_317, 0, 0));
    let played = won_by_black(&pool, white, black).await;
    assert_eq!(money(&pool, black).await, (1_317, 0, 317));
    assert_eq!(money(&pool, white).await, (334, 0, 0));
    assert_eq!(played.events(&pool).await, ["StakesHeld", "PotPaid", "PrizeWithheld"]);
    assert_eq!(lines(&pool, black).await[..2], [(WITHHELD, -317), (PAYOUT, 650)]);
    // Told again it changes nothing.
    played.end(&pool, GameResult::BlackWins).await.expect("paid before");
    assert_eq!(money(&pool, black).await, (1_317, 0, 317));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_decision_releases_what_is_withheld_once() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await);
    let hold = Hold::over(black);
    hold.place(&pool).await;
    won_by_black(&pool, white, black).await;
    let second = won_by_black(&pool, white, black).await;
    assert_eq!(money(&pool, black).await, (1_000, 0, 634));
    hold.release(&pool).await;
    hold.release(&pool).await;
    assert_eq!(money(&pool, black).await, (1_634, 0, 0));
    assert_eq!(second.events(&pool).await, ["StakesHeld", "PotPaid", "PrizeWithheld", "PrizeReleased"]);
    assert_eq!(lines(&pool, black).await[..2], [(RELEASED, 317), (RELEASED, 317)]);
    won_by_black(&pool, white, black).await;
    assert_eq!(money(&pool, black).await, (1_951, 0, 0), "the hold is over");
    assert_sound(&pool).await;
}

#[tokio::test]
async fn after_seventy_two_hours_a_prize_is_released_by_itself_whatever_the_hold_says() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await);
    let hold = Hold { lasts: Duration::days(400), ..Hold::over(black) };
    hold.place(&pool).await;
    won_by_black(&pool, white, black).await;
    let end = hold.placed_at + Duration::hours(72);
    let before = release_due(&pool, end - Duration::seconds(1)).await.expect("looked");
    assert_eq!((before, money(&pool, black).await), (0, (1_000, 0, 317)));
    let after = release_due(&pool, end).await.expect("released");
    assert_eq!((after, money(&pool, black).await), (1, (1_317, 0, 0)));
    assert_eq!(release_due(&pool, end).await.expect("nothing left"), 0);
    // Fair play's own word comes later and changes nothing.
    hold.release(&pool).await;
    assert_eq!(money(&pool, black).await, (1_317, 0, 0));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn stakes_that_go_back_a_win_without_a_prize_and_a_hold_that_has_run_out_withhold_nothing() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await);
    Hold::over(black).place(&pool).await;
    let drawn = Match::new(white, black, 100);
    drawn.request(&pool).await.expect("held");
    drawn.end(&pool, GameResult::Draw).await.expect("refunded");
    let aborted = Match::new(white, black, 100);
    aborted.request(&pool).await.expect("held");
    aborted.abort(&pool).await.expect("refunded");
    assert_eq!(money(&pool, black).await, (1_000, 0, 0));
    // The fee takes half of the pot, which leaves the winner his stake.
    let eaten = Match { fee_basis_points: 5_000, ..Match::new(white, black, 100) };
    eaten.request(&pool).await.expect("held");
    eaten.end(&pool, GameResult::BlackWins).await.expect("paid");
    assert_eq!(money(&pool, black).await, (1_000, 0, 0));
    let placed_at = OffsetDateTime::now_utc() - Duration::hours(73);
    Hold { placed_at, ..Hold::over(white) }.place(&pool).await;
    let won = Match::new(white, black, 100);
    won.request(&pool).await.expect("held");
    won.end(&pool, GameResult::WhiteWins).await.expect("paid");
    assert_eq!(money(&pool, white).await, (990, 0, 0));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_hold_that_ends_while_a_pot_is_paid_leaves_nothing_behind() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 100_000).await, sign_up(&pool, 100_000).await);
    for _ in 0..50 {
        let hold = Hold::over(black);
        hold.place(&pool).await;
        let played = Match::new(white, black, 100);
        played.request(&pool).await.expect("held");
        let (paid, ()) = tokio::join!(played.end(&pool, GameResult::BlackWins), hold.release(&pool));
        paid.expect("paid");
        let (_, held, withheld) = money(&pool, black).await;
        assert_eq!((held, withheld), (0, 0));
    }
    assert_eq!(money(&pool, black).await.0, 100_000 + 50 * 90);
    seal_all(&pool).await.expect("sealed");
    assert_sound(&pool).await;
}
