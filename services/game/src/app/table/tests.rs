//! Tables, given what happened, when somebody asks, then.

use domain_chess::{Color, DrawRule, RuleSet, TimeControl};
use uuid::Uuid;

use super::*;

const NOW_MS: i64 = 5_000;

fn sitter(id: u128, nature: Nature) -> Sitter {
    Sitter { seat: Seat { player_id: PlayerId(Uuid::from_u128(id)), name: format!("P{id}") }, nature }
}

fn person(id: u128) -> Sitter {
    sitter(id, Nature::Person)
}

fn id(id: u128) -> PlayerId {
    PlayerId(Uuid::from_u128(id))
}

fn terms(rule_set: RuleSet) -> Terms {
    Terms {
        rule_set,
        time_control: None,
        visibility: Visibility::Public,
        wanted: Standing::Casual,
        host_color: None,
    }
}

/// A table of player 1, and what happened there since.
struct Given {
    events: Vec<TableEvent>,
    game: Running,
    games: u128,
}

impl Given {
    fn opened(host: Sitter, terms: Terms) -> Given {
        let table_id = TableId(Uuid::from_u128(99));
        let opened = TableEvent::Opened { table_id, host, terms: Box::new(terms), at_ms: 0 };
        Given { events: vec![opened], game: Running::No, games: 0 }
    }

    fn table(&self) -> Table {
        Table::replay(&self.events).expect("a good log")
    }

    fn when(&mut self, command: &TableCommand) -> Result<Vec<TableEvent>, TableRefusal> {
        let circumstances = Circumstances {
            now_ms: NOW_MS,
            game: self.game,
            next_game_id: GameId(Uuid::from_u128(1_000 + self.games)),
            drawn: Color::Black,
        };
        let events = self.table().decide(command, circumstances)?;
        if events.iter().any(|event| matches!(event, TableEvent::GameBegun { .. })) {
            self.games += 1;
            self.game = Running::Yes;
        }
        self.events.extend(events.iter().cloned());
        Ok(events)
    }

    /// White of the game that the last events began.
    fn white(&self) -> PlayerId {
        match self.events.last() {
            Some(TableEvent::GameBegun { white, .. }) => white.player_id,
            other => panic!("no game has just begun: {other:?}"),
        }
    }
}

#[test]
fn the_second_seat_begins_a_game_with_the_drawn_colours_and_a_rematch_swaps_them() {
    let mut given = Given::opened(person(1), terms(RuleSet::table()));
    given.when(&TableCommand::TakeSeat(person(2))).expect("a free seat");
    assert_eq!(given.white(), id(2), "Black was drawn for who sat first");
    given.game = Running::No;
    given.when(&TableCommand::OfferRematch(id(1))).expect("an offer");
    given.when(&TableCommand::AcceptRematch(id(2))).expect("agreed");
    assert_eq!((given.white(), given.table().games()), (id(1), 2));
    given.game = Running::No;
    given.when(&TableCommand::OfferRematch(id(2))).expect("an offer");
    given.when(&TableCommand::AcceptRematch(id(1))).expect("agreed");
    assert_eq!(given.white(), id(2), "and swapped again");
}

// C06
#[test]
fn crossing_offers_of_another_game_agree_once() {
    let mut given = Given::opened(person(1), terms(RuleSet::table()));
    given.when(&TableCommand::TakeSeat(person(2))).expect("a free seat");
    given.game = Running::No;
    given.when(&TableCommand::OfferRematch(id(1))).expect("an offer");
    assert_eq!(given.when(&TableCommand::OfferRematch(id(1))), Err(TableRefusal::RematchOfferOpen));
    given.when(&TableCommand::OfferRematch(id(2))).expect("they agree");
    assert_eq!((given.white(), given.table().games()), (id(1), 2));
    let game_id = given.table().game_id().expect("a game");
    let running = Err(TableRefusal::GameRunning { game_id });
    for command in [TableCommand::OfferRematch(id(1)), TableCommand::AcceptRematch(id(2))] {
        assert_eq!(given.when(&command), running, "never two");
    }
}

#[test]
fn an_offer_is_answered_by_the_other_and_ends_with_a_no() {
    let mut given = Given::opened(person(1), terms(RuleSet::table()));
    assert_eq!(given.when(&TableCommand::OfferRematch(id(1))), Err(TableRefusal::NoRematch));
    given.when(&TableCommand::TakeSeat(person(2))).expect("a free seat");
    given.game = Running::No;
    assert_eq!(given.when(&TableCommand::AcceptRematch(id(2))), Err(TableRefusal::NoRematchOffer));
    given.when(&TableCommand::OfferRematch(id(1))).expect("an offer");
    assert_eq!(given.when(&TableCommand::AcceptRematch(id(1))), Err(TableRefusal::NoRematchOffer));
    assert_eq!(given.when(&TableCommand::OfferRematch(id(3))), Err(TableRefusal::NotSeated));
    given.when(&TableCommand::DeclineRematch(id(2))).expect("no");
    assert_eq!(given.when(&TableCommand::AcceptRematch(id(2))), Err(TableRefusal::NoRematchOffer));
}

#[test]
fn a_seat_is_taken_once_and_left_only_between_games() {
    let mut given = Given::opened(person(1), terms(RuleSet::table()));
    assert_eq!(given.when(&TableCommand::TakeSeat(person(1))), Err(TableRefusal::AlreadySeated));
    given.when(&TableCommand::TakeSeat(person(2))).expect("a free seat");
    assert_eq!(given.when(&TableCommand::TakeSeat(person(3))), Err(TableRefusal::Full));
    assert_eq!(given.when(&TableCommand::Leave(id(3))), Err(TableRefusal::NotSeated));
    assert!(matches!(given.when(&TableCommand::Leave(id(1))), Err(TableRefusal::GameRunning { .. })));
    assert!(matches!(given.when(&TableCommand::Expire), Err(TableRefusal::GameRunning { .. })));
    given.game = Running::No;
    given.when(&TableCommand::Leave(id(1))).expect("between games");
    assert_eq!(given.table().game_id(), None);
    given.when(&TableCommand::TakeSeat(person(3))).expect("a free seat");
    given.game = Running::No;
    given.when(&TableCommand::Leave(id(2))).expect("between games");
    let events = given.when(&TableCommand::Leave(id(3))).expect("the last one");
    assert!(matches!(events.as_slice(), [TableEvent::SeatLeft { .. }, TableEvent::Closed { .. }]));
    assert_eq!(given.when(&TableCommand::TakeSeat(person(4))), Err(TableRefusal::Closed));
}

#[test]
fn a_computer_takes_the_table_off_the_ratings_for_good() {
    let mut given = Given::opened(person(1), terms(RuleSet::table()));
    assert_eq!(given.table().standing(), Standing::Rated);
    given.when(&TableCommand::TakeSeat(sitter(2, Nature::Computer))).expect("a free seat");
    assert_eq!(given.table().standing(), Standing::Casual);
    given.game = Running::No;
    given.when(&TableCommand::Leave(id(2))).expect("between games");
    given.when(&TableCommand::TakeSeat(person(3))).expect("a free seat");
    assert_eq!(given.table().standing(), Standing::Casual);
    let by_a_computer = Given::opened(sitter(1, Nature::Computer), terms(RuleSet::table()));
    assert_eq!(by_a_computer.table().standing(), Standing::Casual);
}

#[test]
fn who_chooses_his_colour_has_it_where_the_rules_let_him() {
    let mut given =
        Given::opened(person(1), Terms { host_color: Some(Color::White), ..terms(RuleSet::solo()) });
    given.when(&TableCommand::TakeSeat(sitter(2, Nature::Computer))).expect("a free seat");
    assert_eq!(given.white(), id(1));
    assert!(!Terms { host_color: Some(Color::White), ..terms(RuleSet::table()) }.are_allowed());
}

#[test]
fn a_table_is_never_staked_and_has_a_clock_of_its_rule_set() {
    let blitz = Some(TimeControl::new(180_000, 2_000));
    let bullet = Some(TimeControl::new(60_000, 0));
    let with = |rule_set, time_control| Terms { time_control, ..terms(rule_set) }.are_allowed();
    assert!(!with(RuleSet::city(), blitz));
    assert!(with(RuleSet::table(), blitz) && with(RuleSet::table(), None) && !with(RuleSet::table(), bullet));
    assert!(
        with(RuleSet::friendly(), bullet) && with(RuleSet::fide(), None) && !with(RuleSet::solo(), blitz)
    );
    let rated = |rule_set| Terms { wanted: Standing::Rated, ..terms(rule_set) }.are_allowed();
    assert!(rated(RuleSet::fide()) && !rated(RuleSet::friendly()) && !rated(RuleSet::table()));
    let by_claim = RuleSet { draws: DrawRule::ByClaim, ..RuleSet::friendly() };
    assert!(with(by_claim, bullet));
}
