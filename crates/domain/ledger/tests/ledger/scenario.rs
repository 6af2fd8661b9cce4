//! Given some money and the life of a match so far, when a command comes, then this is what happens.

use std::collections::BTreeMap;

use domain_ledger::{
    Account, Amount, Balances, BasisPoints, Claim, Command, Currency, Decision, Direction, Event,
    FundMovement, FundSource, Hold, MatchId, Movement, PlayerId, RefundReason, Refusal, Restitution,
    Settlement, Transfer, TransferId, verify, verify_holds,
};

pub const WHITE: PlayerId = PlayerId::new(1);
pub const BLACK: PlayerId = PlayerId::new(2);
pub const STRANGER: PlayerId = PlayerId::new(3);
pub const MATCH: MatchId = MatchId::new(100);

pub fn amount(minor: i64) -> Amount {
    Amount::new(minor).unwrap()
}

pub fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

/// A hold between White and Black in play money.
pub fn hold(match_id: MatchId, stake_minor: i64, fee: u32) -> Hold {
    Hold {
        match_id,
        white: WHITE,
        black: BLACK,
        stake: amount(stake_minor),
        currency: Currency::XPL,
        fee: BasisPoints::new(fee).unwrap(),
    }
}

/// What the last step led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Recorded(Event),
    Unchanged,
    Refused(Refusal),
}

/// A whole small ledger: balances, every transfer booked, and each match's settlement.
#[derive(Debug, Default)]
pub struct Ledger {
    pub balances: Balances,
    pub log: Vec<Transfer>,
    pub matches: BTreeMap<MatchId, Settlement>,
    next_transfer: u128,
}

impl Ledger {
    pub fn given(deposits: &[(PlayerId, i64)]) -> Self {
        let mut ledger = Self::default();
        for &(player, minor) in deposits {
            ledger.deposit(player, minor, Currency::XPL).unwrap();
        }
        ledger
    }

    pub fn deposit(&mut self, player: PlayerId, minor: i64, currency: Currency) -> Result<(), Refusal> {
        let movement = self.movement(player, minor, currency);
        let transfer = movement.deposit(&self.balances)?;
        self.book(transfer);
        Ok(())
    }

    pub fn withdraw(&mut self, player: PlayerId, minor: i64, currency: Currency) -> Result<(), Refusal> {
        let movement = self.movement(player, minor, currency);
        let transfer = movement.withdrawal(&self.balances)?;
        self.book(transfer);
        Ok(())
    }

    pub fn hold(&mut self, hold: Hold) -> Answer {
        let transfer = self.next_id();
        self.when(hold.match_id, Command::HoldStakes { hold, transfer })
    }

    pub fn pay(&mut self, match_id: MatchId, winner: PlayerId) -> Answer {
        let (collect, payout) = (self.next_id(), self.next_id());
        self.when(match_id, Command::PayWinner { winner, collect, payout })
    }

    pub fn refund(&mut self, match_id: MatchId, reason: RefundReason) -> Answer {
        let transfer = self.next_id();
        self.when(match_id, Command::RefundStakes { reason, transfer })
    }

    /// Moves money between the house's fund and where it comes from.
    pub fn fund(&mut self, direction: Direction, source: FundSource, minor: i64) -> Result<(), Refusal> {
        let (transfer, currency) = (self.next_id(), Currency::XPL);
        let movement = FundMovement { transfer, source, direction, amount: amount(minor), currency };
        let transfer = movement.decide(&self.balances)?;
        self.book(transfer);
        Ok(())
    }

    /// Makes good what was lost in a match.
    pub fn make_whole(&mut self, match_id: MatchId, claim: Claim) -> Result<(), Refusal> {
        let owed = Restitution::of(&self.matches[&match_id], claim).expect("what was lost");
        let transfer = owed.pay(self.next_id(), &self.balances)?;
        self.book(transfer);
        Ok(())
    }

    /// Decides, books and records, as the wallet service does: a refused hold is recorded as refused.
    pub fn when(&mut self, match_id: MatchId, command: Command) -> Answer {
        let settlement = self.matches.entry(match_id).or_default();
        let decided = settlement.decide(&self.balances, &command);
        match decided {
            Ok(Decision::Unchanged) => Answer::Unchanged,
            Ok(Decision::Record { event, transfers }) => {
                *settlement = settlement.evolve(&event);
                for transfer in transfers {
                    self.book(transfer);
                }
                Answer::Recorded(event)
            }
            Err(refusal) => {
                if matches!(command, Command::HoldStakes { .. }) {
                    *settlement = settlement.evolve(&Event::StakesRefused(refusal));
                }
                Answer::Refused(refusal)
            }
        }
    }

    pub fn available(&self, player: PlayerId) -> i64 {
        self.balances.of(Account::Available(player), Currency::XPL)
    }

    pub fn held(&self, player: PlayerId) -> i64 {
        self.balances.of(Account::Held(player), Currency::XPL)
    }

    pub fn fund_minor(&self) -> i64 {
        self.balances.of(Account::Fund, Currency::XPL)
    }

    pub fn fees(&self) -> i64 {
        self.balances.of(Account::Fees, Currency::XPL)
    }

    /// LEDGER-1, LEDGER-2, LEDGER-4 and a rebuild from the log, all at once.
    #[track_caller]
    pub fn assert_sound(&self) {
        for (account, currency, minor) in self.balances.iter() {
            assert!(minor >= 0 || account == Account::External, "{account:?} {minor}");
            assert_eq!(self.balances.sum(currency), 0, "sum in {currency}");
            if let Account::Pot(_) = account {
                assert_eq!(minor, 0, "{account:?} between settlements");
            }
        }
        assert_eq!(verify(&self.log, &self.balances).as_ref(), Ok(&self.balances));
        let open = self.matches.values().filter_map(Settlement::open_hold);
        assert_eq!(verify_holds(open, &self.balances), Ok(()));
    }

    fn movement(&mut self, player: PlayerId, minor: i64, currency: Currency) -> Movement {
        Movement { transfer: self.next_id(), player, amount: amount(minor), currency }
    }

    fn book(&mut self, transfer: Transfer) {
        self.balances.apply(&transfer).expect("what was decided can be booked");
        self.log.push(transfer);
    }

    fn next_id(&mut self) -> TransferId {
        self.next_transfer += 1;
        TransferId::new(self.next_transfer)
    }
}
