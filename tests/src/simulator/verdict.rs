//! What must be true in between, and at the end.

use domain_fairplay::pairs::{GAMES_PER_DAY_MAX, MatchId, Standing};
use domain_ledger::{Account, Settlement};
use matchmaking::app::match_process::Phase;

use crate::simulator::bus::GameResult;
use crate::simulator::world::{Game, World, currency, player_id};

/// What must be true at every moment.
///
/// # Errors
/// The broken invariant.
pub fn at_every_step(world: &World) -> Result<(), String> {
    for (number, game) in &world.games {
        let settlement = world.money.get(number).map(|money| money.settlement());
        let is_held = matches!(settlement, Some(Settlement::Held(_)));
        if *game == Game::Live && !is_held {
            return Err(format!("match {number}: a game runs without its stakes held"));
        }
    }
    for (pair, day) in &world.days {
        if day.slots_taken() > GAMES_PER_DAY_MAX {
            return Err(format!("pair {pair:?} has {} places", day.slots_taken()));
        }
    }
    Ok(())
}

/// What must be true when everything has come to rest.
///
/// # Errors
/// The broken invariant.
pub fn at_the_end(world: &World) -> Result<(), String> {
    for (number, played) in world.matches.iter().enumerate() {
        let settlement = world.money.get(&number).map(|money| *money.settlement());
        let game = world.games.get(&number).copied();
        let is_right = match (played.phase, game) {
            (Phase::Cancelled, None) => is_nothing_held(settlement),
            (Phase::Closed, Some(Game::Over(result))) => is_settled_by(result, settlement),
            _ => false,
        };
        if !is_right {
            return Err(format!("match {number}: {:?}, game {game:?}, money {settlement:?}", played.phase));
        }
        let pair = (played.white.min(played.black), played.white.max(played.black));
        let standing = world.days.get(&pair).and_then(|day| day.standing(MatchId(number as u128)));
        let is_counted = standing == Some(Standing::Counted);
        let was_played = matches!(game, Some(Game::Over(result)) if result != GameResult::Aborted);
        if is_counted != was_played || standing == Some(Standing::Reserved) {
            return Err(format!("match {number}: its place in the pair's day is {standing:?}"));
        }
    }
    for player in 0..world.seats.len() {
        if world.seats[player].is_some() {
            return Err(format!("player {player} still sits in a match"));
        }
        let held = world.balances.of(Account::Held(player_id(player)), currency());
        let available = world.balances.of(Account::Available(player_id(player)), currency());
        if held != 0 || available < 0 {
            return Err(format!("player {player} has {available} and {held} held"));
        }
    }
    Ok(())
}

fn is_nothing_held(settlement: Option<Settlement>) -> bool {
    matches!(settlement, None | Some(Settlement::Open | Settlement::Refused(_) | Settlement::Refunded { .. }))
}

fn is_settled_by(result: GameResult, settlement: Option<Settlement>) -> bool {
    match (result, settlement) {
        (GameResult::White, Some(Settlement::Paid { hold, winner, .. })) => winner == hold.white,
        (GameResult::Black, Some(Settlement::Paid { hold, winner, .. })) => winner == hold.black,
        (GameResult::Draw | GameResult::Aborted, Some(Settlement::Refunded { .. })) => true,
        _ => false,
    }
}
