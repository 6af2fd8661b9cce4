//! The services, and what may happen next.

use std::collections::BTreeMap;

use domain_fairplay::pairs::{self, PairDay};
use domain_ledger::{
    Account, Amount, Balances, BasisPoints, Currency, Hold, MatchId, PlayerId, RefundReason,
};
use matchmaking::app::match_process::{self, Input, Next, Phase, StakesRefusal, Step};
use uuid::Uuid;
use wallet::app::GameId;
use wallet::app::match_money::{MatchMoney, Order, Verdict};
use wallet::app::posting::{self, StakesRefusal as WalletRefusal, WalletEvent};

use crate::simulator::bus::{Bus, GameResult, Message, News, Service, Stream, Turn};
use crate::simulator::random::Random;
use crate::simulator::verdict;

/// Players of a run.
const PLAYERS: usize = 4;

/// Matches of a run; enough for a pair to reach its limit now and then.
const MATCHES_MAX: usize = 12;

/// Steps after which a run that does not come to rest has failed.
const STEPS_MAX: usize = 50_000;

/// Whether new matches, impatience and leaving players still come in: a run has a middle, and an end in which it settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Season {
    Busy,
    Settling,
}

/// A match as matchmaking's log has it.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// How far it is.
    pub phase: Phase,
    /// White, as a number of a player.
    pub white: usize,
    /// Black.
    pub black: usize,
}

/// A game as the game service's log has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Game {
    /// It runs.
    Live,
    /// It is over.
    Over(GameResult),
}

/// Everything.
#[derive(Debug)]
pub struct World {
    random: Random,
    season: Season,
    /// Logs and messages.
    pub bus: Bus,
    /// Matchmaking's matches.
    pub matches: Vec<Match>,
    /// The match in which a player sits.
    pub seats: [Option<usize>; PLAYERS],
    /// Fair-play's days, one a pair: the run is one day.
    pub days: BTreeMap<(usize, usize), PairDay>,
    /// The wallet's balances.
    pub balances: Balances,
    /// The wallet's matches.
    pub money: BTreeMap<usize, MatchMoney>,
    /// The game service's games, by match.
    pub games: BTreeMap<usize, Game>,
}

impl World {
    /// The world of a seed: four players, some of whom can pay for a few games only.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut balances = Balances::new();
        for player in 0..PLAYERS {
            let stakes = i64::try_from(random.below(6)).expect("small");
            balances.load(Account::Available(player_id(player)), currency(), stakes * stake().minor());
            balances.load(Account::Held(player_id(player)), currency(), 0);
        }
        Self {
            random,
            season: Season::Busy,
            bus: Bus::default(),
            matches: Vec::new(),
            seats: [None; PLAYERS],
            days: BTreeMap::new(),
            balances,
            money: BTreeMap::new(),
            games: BTreeMap::new(),
        }
    }

    /// Lets things happen until nothing more can.
    ///
    /// # Errors
    /// The first broken invariant, or that the run does not come to rest.
    pub fn run(&mut self) -> Result<(), String> {
        for _ in 0..STEPS_MAX {
            if self.matches.len() == MATCHES_MAX {
                self.season = Season::Settling;
            }
            if !self.step()? {
                return Ok(());
            }
            verdict::at_every_step(self)?;
        }
        Err("the run does not come to rest".to_owned())
    }

    /// Does one thing; false when there is nothing left to do.
    fn step(&mut self) -> Result<bool, String> {
        let live: Vec<usize> =
            self.games.iter().filter(|(_, game)| **game == Game::Live).map(|(n, _)| *n).collect();
        let mut choices = Vec::new();
        if self.season == Season::Busy {
            choices.extend([Choice::Pair, Choice::Disturb]);
        }
        if self.bus.unpublished() > 0 {
            choices.extend([Choice::Publish; 4]);
        }
        if self.bus.under_way() > 0 {
            choices.extend([Choice::Deliver; 8]);
        }
        if !live.is_empty() {
            choices.push(Choice::EndGame);
        }
        if choices.is_empty() {
            return Ok(false);
        }
        match choices[self.random.below(choices.len())] {
            Choice::Pair => self.pair(),
            Choice::Disturb => self.disturb(),
            Choice::Publish => self.bus.publish(&mut self.random),
            Choice::Deliver => self.deliver()?,
            Choice::EndGame => {
                let number = live[self.random.below(live.len())];
                self.end_game(number);
            }
        }
        Ok(true)
    }

    fn pair(&mut self) {
        let white = self.random.below(PLAYERS);
        let black = (white + 1 + self.random.below(PLAYERS - 1)) % PLAYERS;
        // The primary key of the players in a match.
        if self.seats[white].is_some() || self.seats[black].is_some() {
            // A run in which everybody waits for the bus still ends: pairing is tried at most so often.
            return;
        }
        let number = self.matches.len();
        self.matches.push(Match { phase: Phase::Absent, white, black });
        self.seats[white] = Some(number);
        self.seats[black] = Some(number);
        self.advance(number, Input::Paired);
    }

    /// A player leaves, or a timer is due.
    fn disturb(&mut self) {
        if self.matches.is_empty() || !self.random.once_in(6) {
            return;
        }
        let number = self.random.below(self.matches.len());
        let input = if self.random.once_in(2) {
            Input::TimedOut
        } else {
            Input::PlayerLeft { player: Uuid::from_u128(player_id(self.matches[number].white).value()) }
        };
        self.advance(number, input);
    }

    fn end_game(&mut self, number: usize) {
        let results = [GameResult::White, GameResult::Black, GameResult::Draw, GameResult::Aborted];
        let result = results[self.random.below(results.len())];
        self.games.insert(number, Game::Over(result));
        self.bus.append(Stream { service: Service::Game, number }, number, News::GameOver(result));
    }

    /// Delivers a message. The process that gets it may die before its commit, or after it and before it acknowledges.
    fn deliver(&mut self) -> Result<(), String> {
        let (listener, message) = self.bus.take(&mut self.random);
        match self.bus.turn(listener, &message) {
            Turn::Before => return Ok(()),
            Turn::Later => {
                self.bus.put_back(listener, message);
                return Ok(());
            }
            Turn::Now => {}
        }
        let dies_before_commit = self.random.once_in(10);
        if dies_before_commit || self.handle(listener, &message)? == Handled::NotYet {
            self.bus.put_back(listener, message);
            return Ok(());
        }
        self.bus.note_handled(listener, &message);
        let dies_before_acknowledging = self.random.once_in(10);
        if dies_before_acknowledging {
            self.bus.put_back(listener, message);
        }
        Ok(())
    }

    fn handle(&mut self, listener: Service, message: &Message) -> Result<Handled, String> {
        match listener {
            Service::Matchmaking => Ok(self.matchmaking_hears(message)),
            Service::Fairplay => self.fairplay_hears(message),
            Service::Wallet => self.wallet_hears(message),
            Service::Game => Ok(self.game_hears(message)),
        }
    }

    fn matchmaking_hears(&mut self, message: &Message) -> Handled {
        let player = |number: usize| Uuid::from_u128(player_id(number).value());
        let input = match message.news {
            News::PairingReserved => Input::PairingReserved,
            News::PairingRefused => Input::PairingRefused,
            News::StakesHeld => Input::StakesHeld,
            News::StakesRefused(short) => Input::StakesRefused {
                player: short.map(player),
                cause: if short.is_some() { StakesRefusal::InsufficientFunds } else { StakesRefusal::Other },
            },
            News::GameStarted => Input::GameStarted,
            News::GameOver(_) => Input::GameOver,
            _ => return Handled::Done,
        };
        self.advance(message.match_number, input)
    }

    fn advance(&mut self, number: usize, input: Input) -> Handled {
        let step = match match_process::decide(self.matches[number].phase, input) {
            Next::Take(step) => step,
            Next::Nothing => return Handled::Done,
            Next::Early => return Handled::NotYet,
        };
        let news = match step {
            Step::Propose => News::Proposed,
            Step::RequestStakes => News::StakesRequested,
            Step::Confirm => News::Confirmed,
            Step::Cancel { reason, .. } => News::Cancelled(reason),
            Step::Start => News::Started,
            Step::Close => News::Closed,
        };
        self.matches[number].phase = step.leads_to();
        if matches!(step, Step::Cancel { .. } | Step::Close) {
            for seat in &mut self.seats {
                if *seat == Some(number) {
                    *seat = None;
                }
            }
        }
        self.bus.append(Stream { service: Service::Matchmaking, number }, number, news);
        Handled::Done
    }

    fn fairplay_hears(&mut self, message: &Message) -> Result<Handled, String> {
        let match_id = pairs::MatchId(message.match_number as u128);
        let command = match message.news {
            // Each simulated player is a person of his own.
            News::Proposed => {
                pairs::Command::Reserve { match_id, relation: pairs::Relation::Apart { taken_elsewhere: 0 } }
            }
            News::Cancelled(_) | News::GameOver(GameResult::Aborted) => pairs::Command::Release { match_id },
            News::GameOver(_) => pairs::Command::Count { match_id },
            _ => return Ok(Handled::Done),
        };
        let paired = self.matches[message.match_number];
        let pair = (paired.white.min(paired.black), paired.white.max(paired.black));
        let day = self.days.entry(pair).or_default();
        let event = match day.decide(command) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(Handled::Done),
            // The end of a game may overtake the proposal of its match: two streams.
            Err(pairs::Contradiction::NotReserved) if day.standing(match_id).is_none() => {
                return Ok(Handled::NotYet);
            }
            Err(contradiction) => return Err(format!("match {}: {contradiction}", message.match_number)),
        };
        day.evolve(&event);
        let news = match event {
            pairs::Event::PairingReserved { .. } => News::PairingReserved,
            pairs::Event::PairingRefused { .. } => News::PairingRefused,
            pairs::Event::PairingCounted { .. } | pairs::Event::PairingReleased { .. } => {
                News::PairingSettled
            }
        };
        let number = pair.0 * PLAYERS + pair.1;
        self.bus.append(Stream { service: Service::Fairplay, number }, message.match_number, news);
        Ok(Handled::Done)
    }

    fn wallet_hears(&mut self, message: &Message) -> Result<Handled, String> {
        let number = message.match_number;
        let Some(order) = self.order(message) else { return Ok(Handled::Done) };
        let match_id = MatchId::new(number as u128);
        let money = *self.money.entry(number).or_insert_with(|| MatchMoney::new(match_id));
        let verdict =
            money.decide(&self.balances, &order).map_err(|error| format!("match {number}: {error}"))?;
        let draft = match verdict {
            Verdict::Post(draft) => draft,
            Verdict::Nothing => return Ok(Handled::Done),
            Verdict::NotYet => return Ok(Handled::NotYet),
        };
        let posting =
            posting::book(draft, &mut self.balances).map_err(|error| format!("match {number}: {error}"))?;
        self.money.insert(number, money.evolve(&posting.event));
        let news = match posting.event {
            WalletEvent::StakesHeld { .. } => News::StakesHeld,
            WalletEvent::StakesRefused { refusal: WalletRefusal::InsufficientFunds(player), .. } => {
                News::StakesRefused(Some(usize::try_from(player.value()).expect("a small number")))
            }
            WalletEvent::StakesRefused { .. } => News::StakesRefused(None),
            _ => News::Settled,
        };
        self.bus.append(Stream { service: Service::Wallet, number }, number, news);
        Ok(Handled::Done)
    }

    /// What a message asks of the wallet, as its handlers read it.
    fn order(&self, message: &Message) -> Option<Order> {
        let number = message.match_number;
        let paired = self.matches[number];
        let (white, black) = (player_id(paired.white), player_id(paired.black));
        let game = GameId(Uuid::from_u128(number as u128));
        match message.news {
            News::StakesRequested => {
                let fee = BasisPoints::new(500).expect("five per cent");
                let match_id = MatchId::new(number as u128);
                let hold = Hold { match_id, white, black, stake: stake(), currency: currency(), fee };
                Some(Order::Hold { hold, game })
            }
            News::Cancelled(_) => Some(Order::Cancel),
            News::GameOver(GameResult::White) => Some(Order::Pay { game, winner: white }),
            News::GameOver(GameResult::Black) => Some(Order::Pay { game, winner: black }),
            News::GameOver(GameResult::Draw) => Some(Order::Refund { game, reason: RefundReason::Drawn }),
            News::GameOver(GameResult::Aborted) => {
                Some(Order::Refund { game, reason: RefundReason::Aborted })
            }
            _ => None,
        }
    }

    fn game_hears(&mut self, message: &Message) -> Handled {
        let number = message.match_number;
        if message.news == News::Confirmed && !self.games.contains_key(&number) {
            self.games.insert(number, Game::Live);
            self.bus.append(Stream { service: Service::Game, number }, number, News::GameStarted);
        }
        Handled::Done
    }
}

#[derive(Debug, Clone, Copy)]
enum Choice {
    Pair,
    Disturb,
    Publish,
    Deliver,
    EndGame,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handled {
    Done,
    NotYet,
}

/// The ledger's id of a player.
#[must_use]
pub fn player_id(number: usize) -> PlayerId {
    PlayerId::new(number as u128)
}

/// The currency of a run.
#[must_use]
pub fn currency() -> Currency {
    Currency::parse("XPL").expect("three capital letters")
}

/// What each player stakes.
#[must_use]
pub fn stake() -> Amount {
    Amount::new(500).expect("more than nothing")
}
