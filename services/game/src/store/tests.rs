//! Codecs: the bytes of every event version are pinned (GAME-7), and what is written is read again.

use std::sync::Arc;

use domain_chess::{
    Clocks, Color, EndReason, Ended, Event, MovePlayed, Outcome, ResignationRule, RuleSet, SanPlus, Standing,
    Start, StartPosition, Started, TimeControl, TimeScale, parse_uci,
};
use event_store::{Metadata, NewEvent, Publication, RecordedEvent};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    actor,
    codec::{self, CodecError, Story},
    rule_set, table_codec,
};
use crate::app::{
    Cause, CityId, Facts, GameId, MatchId, Nature, PlayerId, Seat, Sitter, Stake, TableEvent, TableId, Terms,
    Visibility,
};

const CLOCKS: Option<Clocks> = Some(Clocks { white_ms: 182_000, black_ms: 180_000 });

fn facts() -> Facts {
    let seat = |id, name: &str| Seat { player_id: PlayerId(Uuid::from_u128(id)), name: name.to_owned() };
    Facts {
        game_id: GameId(Uuid::from_u128(1)),
        match_id: Some(MatchId(Uuid::from_u128(2))),
        table_id: None,
        city_id: CityId("lisbon".to_owned()),
        white: seat(3, "Ada"),
        black: seat(4, "Ben"),
        stake: Some(Stake { minor_units: 500, currency: "XPL".to_owned() }),
    }
}

fn started(rule_set: RuleSet, time_control: Option<TimeControl>) -> Started {
    let start = Start::new(Arc::new(rule_set), time_control, 1_000);
    Started {
        rule_set: start.rule_set,
        time_control,
        start_position: start.start_position,
        standing: start.standing,
        time_scale: start.time_scale,
        at_ms: start.now_ms,
    }
}

fn city() -> Started {
    started(RuleSet::city(), Some(TimeControl::new(180_000, 2_000)))
}

fn e4(clocks: Option<Clocks>) -> MovePlayed {
    MovePlayed {
        ply: 1,
        uci: parse_uci("e2e4").expect("a move"),
        san: SanPlus::from_ascii(b"e4").expect("a move"),
        received_at_ms: 2_500,
        elapsed_ms: 1_500,
        charged_ms: 1_200,
        lag_credit_ms: 300,
        clocks,
    }
}

fn end(outcome: Outcome, reason: EndReason) -> Ended {
    Ended { outcome, reason, at_ms: 9_000, clocks: CLOCKS }
}

fn recorded(event: &NewEvent, version: i64, actor: &str) -> RecordedEvent {
    RecordedEvent {
        stream_id: Uuid::from_u128(1),
        version,
        event_id: event.event_id,
        kind: event.kind.to_owned(),
        schema: event.schema,
        data: event.data.clone(),
        metadata: Metadata::for_request(actor, Uuid::from_u128(77)),
        recorded_at: OffsetDateTime::UNIX_EPOCH,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every event that is stored, as it is written today.
fn written() -> Vec<(NewEvent, Event)> {
    let (facts, started) = (facts(), city());
    let id = Uuid::from_u128(9);
    let story = Story { facts: &facts, started: &started, moves: vec![e4(CLOCKS)] };
    let won = end(Outcome::WhiteWins, EndReason::Checkmate);
    let aborted = end(Outcome::Aborted, EndReason::AbortedNoFirstMove);
    let inner = [
        Event::MovePlayed(e4(CLOCKS)),
        Event::DrawOffered { by: Color::Black, at_ms: 3_000 },
        Event::DrawDeclined { by: Color::White, at_ms: 4_000 },
        Event::Resumed { at_ms: 8_000, stood_still_ms: 5_000 },
        Event::PlayerGone { by: Color::Black, at_ms: 8_500 },
        Event::PlayerBack { by: Color::Black, at_ms: 8_700 },
    ];
    let mut all = vec![(codec::encode_started(id, &facts, &started), Event::Started(Box::new(city())))];
    all.extend(inner.map(|event| (codec::encode(Some(id), &event).expect("a stored event"), event)));
    all.push((codec::encode_ended(id, &story, &won), Event::Ended(won)));
    all.push((codec::encode_ended(id, &story, &aborted), Event::Ended(aborted)));
    all
}

// GAME-7: if this fails, the log of running systems cannot be read any more. Give the shape a new schema and an upcaster.
#[test]
fn the_bytes_of_every_event_are_those_of_its_version() {
    let golden = include_str!("golden.txt");
    let actual: Vec<String> = written()
        .iter()
        .map(|(event, _)| format!("{} {} {}", event.kind, event.schema, hex(&event.data)))
        .collect();
    assert_eq!(actual, golden.lines().collect::<Vec<_>>());
}

// GAME-7
#[test]
fn every_event_is_read_as_it_was_written() {
    let all = written();
    let (start, _) = &all[0];
    for (event, expected) in &all[1..] {
        let log = [recorded(start, 1, "game"), recorded(event, 2, &Uuid::from_u128(4).to_string())];
        let record = codec::decode(&log).expect("readable");
        assert_eq!(&record.entries()[1].event, expected);
        assert_eq!(**record.facts(), facts());
        assert_eq!(*record.started(), city());
        let cause = Cause::Request { by: Color::Black, request_id: Uuid::from_u128(77) };
        assert_eq!((record.entries()[0].cause, record.entries()[1].cause), (Cause::Service, cause));
    }
}

// GAME-7: an event that stays in the log has the player's side; as long as it had an id of its own, it had the player's.
#[test]
fn a_player_is_read_from_his_side_and_from_his_id() {
    let start = codec::encode_started(Uuid::from_u128(9), &facts(), &city());
    let cause_of = |event_id, actor: &str| {
        let played = codec::encode(event_id, &Event::MovePlayed(e4(CLOCKS))).expect("a stored event");
        let log = [recorded(&start, 1, "game"), recorded(&played, 2, actor)];
        let record = codec::decode(&log).expect("readable");
        assert_eq!(record.entries()[1].event_id, event_id);
        record.entries()[1].cause
    };
    let request = |by| Cause::Request { by, request_id: Uuid::from_u128(77) };
    for (by, player) in [(Color::White, 3), (Color::Black, 4)] {
        assert_eq!(cause_of(None, actor::side(by)), request(by));
        assert_eq!(cause_of(Some(Uuid::from_u128(8)), &Uuid::from_u128(player).to_string()), request(by));
    }
    for other in ["game", "", "W", "white", &Uuid::from_u128(5).to_string()] {
        assert_eq!(cause_of(None, other), Cause::Service, "{other:?}");
    }
}

#[test]
fn only_the_first_and_the_last_event_leave_the_service() {
    let publications: Vec<_> = written().iter().map(|(event, _)| (event.kind, event.publication)).collect();
    for (kind, publication) in publications {
        let expected = match kind {
            "GameStarted" => Publication::Public { follows: 0 },
            "GameEnded" | "GameAborted" => Publication::Public { follows: 1 },
            _ => Publication::Private,
        };
        assert_eq!(publication, expected, "{kind}");
    }
}

#[test]
fn a_game_without_clocks_from_another_position_survives_the_log() {
    let mut started = started(RuleSet::friendly(), None);
    started.start_position = StartPosition::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").expect("a position");
    started.standing = Standing::Casual;
    started.time_scale = TimeScale::new(50).expect("a scale");
    let first = codec::encode_started(Uuid::from_u128(9), &facts(), &started);
    let second = codec::encode(None, &Event::MovePlayed(e4(None))).expect("a stored event");
    let record =
        codec::decode(&[recorded(&first, 1, "game"), recorded(&second, 2, "game")]).expect("readable");
    assert_eq!(*record.started(), started);
    assert_eq!(record.entries()[1].event, Event::MovePlayed(e4(None)));
}

#[test]
fn a_log_of_another_version_or_with_a_strange_event_is_refused() {
    let all = written();
    let start = recorded(&all[0].0, 1, "game");
    let mut newer = recorded(&all[1].0, 2, "game");
    newer.schema = 2;
    assert!(matches!(codec::decode(&[start.clone(), newer]), Err(CodecError::Unknown { schema: 2, .. })));
    let mut strange = recorded(&all[1].0, 2, "game");
    strange.kind = "PieceSang".to_owned();
    assert!(matches!(codec::decode(&[start.clone(), strange]), Err(CodecError::Unknown { .. })));
    let mut broken = recorded(&all[1].0, 2, "game");
    broken.data = vec![0xff; 7];
    assert!(matches!(codec::decode(&[start, broken]), Err(CodecError::Bytes { .. })));
    assert!(matches!(codec::decode(&[recorded(&all[1].0, 1, "game")]), Err(CodecError::NoStart)));
    assert!(matches!(codec::decode(&[]), Err(CodecError::NoStart)));
}

/// Every event of a table, as it is written today.
fn table_events() -> Vec<TableEvent> {
    let sitter = |id, name: &str, nature| Sitter {
        seat: Seat { player_id: PlayerId(Uuid::from_u128(id)), name: name.to_owned() },
        nature,
    };
    let (ada, robot) = (sitter(3, "Ada", Nature::Person), sitter(4, "Robot", Nature::Computer));
    let player_id = ada.seat.player_id;
    let terms = Terms {
        rule_set: RuleSet::fide(),
        time_control: Some(TimeControl::new(180_000, 2_000)),
        visibility: Visibility::ByLink,
        wanted: Standing::Rated,
        host_color: Some(Color::Black),
    };
    vec![
        TableEvent::Opened {
            table_id: TableId(Uuid::from_u128(5)),
            host: ada.clone(),
            terms: Box::new(terms),
            at_ms: 1_000,
        },
        TableEvent::SeatTaken { sitter: robot.clone(), at_ms: 2_000 },
        TableEvent::GameBegun {
            game_id: GameId(Uuid::from_u128(1)),
            white: robot.seat,
            black: ada.seat,
            at_ms: 2_000,
        },
        TableEvent::RematchOffered { player_id, at_ms: 3_000 },
        TableEvent::RematchDeclined { player_id, at_ms: 4_000 },
        TableEvent::SeatLeft { player_id, at_ms: 5_000 },
        TableEvent::Closed { at_ms: 6_000 },
    ]
}

// GAME-7
#[test]
fn the_bytes_of_every_event_of_a_table_are_those_of_its_version_and_are_read_again() {
    let golden = include_str!("table_golden.txt");
    let events = table_events();
    let written: Vec<NewEvent> =
        events.iter().map(|event| table_codec::encode(Uuid::from_u128(9), event)).collect();
    let actual: Vec<String> =
        written.iter().map(|event| format!("{} {} {}", event.kind, event.schema, hex(&event.data))).collect();
    assert_eq!(actual, golden.lines().collect::<Vec<_>>(), "{}", actual.join("\n"));
    for (stored, event) in written.iter().zip(events) {
        let entry = table_codec::decode(&recorded(stored, 1, &Uuid::from_u128(4).to_string()));
        let entry = entry.expect("readable");
        assert_eq!((entry.event, entry.by), (event, Some(PlayerId(Uuid::from_u128(4)))));
        assert_eq!(stored.publication, Publication::Private);
    }
}

#[test]
fn a_game_at_a_table_has_no_match_and_no_stake_in_its_log() {
    let facts = Facts {
        match_id: None,
        table_id: Some(TableId(Uuid::from_u128(5))),
        city_id: CityId(String::new()),
        stake: None,
        ..facts()
    };
    let first = codec::encode_started(Uuid::from_u128(9), &facts, &started(RuleSet::table(), None));
    let record = codec::decode(&[recorded(&first, 1, "game")]).expect("readable");
    assert_eq!(**record.facts(), facts);
}

#[test]
fn every_preset_survives_its_record() {
    for rules in [RuleSet::city(), RuleSet::table(), RuleSet::friendly(), RuleSet::solo(), RuleSet::fide()] {
        assert_eq!(rule_set::decode(&rule_set::encode(&rules)), Ok(rules));
    }
}

#[test]
fn every_value_of_every_field_survives_its_record() {
    use domain_chess::{
        ClockStart, ColourPolicy, DrawRule, LagCredit, MaterialRule, MatingRule, RatingPolicy, StakePolicy,
        TableLeaving, TimedControls, UntimedGames,
    };
    let mating = [MatingRule::F1, MatingRule::F2, MatingRule::F3, MatingRule::F4];
    let mut sets = Vec::new();
    let mut with = |change: &dyn Fn(&mut RuleSet)| {
        let mut rules = RuleSet::city();
        change(&mut rules);
        sets.push(rules);
    };
    for rule in mating {
        with(&|rules| rules.flag = rule);
        with(&|rules| rules.resignation = ResignationRule::DrawWhenOpponentCannotMate(rule));
    }
    for timed in [TimedControls::Any, TimedControls::Refused, TimedControls::Listed(Vec::new())] {
        with(&|rules| rules.time_controls.timed = timed.clone());
    }
    for start in [ClockStart::Never, ClockStart::WithGame, ClockStart::FirstMovesFree { due_ms: 7 }] {
        with(&|rules| rules.clock_start = start);
    }
    for credit in [None, Some(LagCredit { per_move_ms_max: 1, allowance_ms_max: 9, ..LagCredit::STANDARD })] {
        with(&|rules| rules.lag_credit = credit);
    }
    for colours in [ColourPolicy::RandomEvened, ColourPolicy::DrawnThenSwapped, ColourPolicy::PlayersChoice] {
        with(&|rules| rules.colours = colours);
    }
    let ratings =
        [RatingPolicy::Always, RatingPolicy::WhenBothArePeople, RatingPolicy::Chosen, RatingPolicy::Never];
    for rating in ratings {
        with(&|rules| rules.rating = rating);
    }
    with(&|rules| {
        rules.name = "a=b".to_owned();
        rules.time_controls.untimed = UntimedGames::Allowed;
        rules.draws = DrawRule::ByClaim;
        rules.insufficient_material = MaterialRule::M2;
        rules.draw_offers.per_player_max = None;
        rules.draw_offers.first_after_own_moves = 1;
        rules.draw_offers.own_moves_between = 5;
        rules.leaving.gone_timed_ms = None;
        rules.leaving.gone_untimed_rated_ms = Some(180_000);
        rules.leaving.table = TableLeaving::Loses;
        rules.leaving.leaving_spares_material = true;
        rules.stakes = StakePolicy::Unstaked;
    });
    for rules in sets {
        assert_eq!(rule_set::decode(&rule_set::encode(&rules)), Ok(rules));
    }
}

#[test]
fn a_rule_set_with_a_missing_a_strange_or_an_unknown_field_is_refused() {
    let good = rule_set::encode(&RuleSet::city());
    let mut missing = good.clone();
    missing.fields.remove(3);
    let mut unknown = good.clone();
    unknown.fields.push("gravity=on".to_owned());
    let mut strange = good.clone();
    strange.fields[0] = "time_controls=list:3+".to_owned();
    for bad in [missing, unknown, strange] {
        assert!(rule_set::decode(&bad).is_err(), "{bad:?}");
    }
}
