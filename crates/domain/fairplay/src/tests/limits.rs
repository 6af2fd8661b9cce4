//! Six staked games a pair and UTC day.

use crate::pairs::*;

fn id(number: u128) -> MatchId {
    MatchId(number)
}

fn reserve(number: u128) -> Command {
    Command::Reserve { match_id: id(number), relation: Relation::Apart { taken_elsewhere: 0 } }
}

fn count(number: u128) -> Command {
    Command::Count { match_id: id(number) }
}

fn release(number: u128) -> Command {
    Command::Release { match_id: id(number) }
}

/// The state after commands that must all be accepted.
fn given(commands: &[Command]) -> PairDay {
    let mut day = PairDay::default();
    for command in commands {
        when(&mut day, *command).expect("the command follows");
    }
    day
}

fn when(day: &mut PairDay, command: Command) -> Result<Option<Event>, Contradiction> {
    let decided = day.decide(command)?;
    decided.iter().for_each(|event| day.evolve(event));
    Ok(decided)
}

fn refused(number: u128) -> Event {
    Event::PairingRefused { match_id: id(number), reason: Refusal::PairLimitReached }
}

#[test]
fn the_seventh_match_of_a_day_is_refused() {
    // E14
    let mut day = given(&(1..=6).map(reserve).collect::<Vec<_>>());
    assert_eq!(when(&mut day, reserve(7)), Ok(Some(refused(7))));
    assert_eq!(day.slots_taken(), GAMES_PER_DAY_MAX);
    let mut played = given(&(1..=6).flat_map(|n| [reserve(n), count(n)]).collect::<Vec<_>>());
    assert_eq!(when(&mut played, reserve(7)), Ok(Some(refused(7))));
}

#[test]
fn two_hundred_reservations_give_exactly_six() {
    // PAIR-1
    let day = given(&(0..200).map(reserve).collect::<Vec<_>>());
    assert_eq!(day.with_standing(Standing::Reserved).count(), 6);
    assert_eq!(day.with_standing(Standing::Refused).count(), 194);
}

#[test]
fn a_match_without_a_game_gives_its_slot_back() {
    // E14: aborted games do not count.
    let mut day = given(&(1..=6).map(reserve).collect::<Vec<_>>());
    assert_eq!(when(&mut day, release(3)), Ok(Some(Event::PairingReleased { match_id: id(3) })));
    assert_eq!(when(&mut day, reserve(7)), Ok(Some(Event::PairingReserved { match_id: id(7) })));
    assert_eq!(when(&mut day, reserve(8)), Ok(Some(refused(8))));
}

#[test]
fn what_a_pair_has_under_other_names_counts_and_one_person_is_no_pair() {
    // E14
    let day = given(&[reserve(1), reserve(2)]);
    let reserve_beside =
        |taken_elsewhere| Command::Reserve { match_id: id(3), relation: Relation::Apart { taken_elsewhere } };
    assert_eq!(day.decide(reserve_beside(3)), Ok(Some(Event::PairingReserved { match_id: id(3) })));
    assert_eq!(day.decide(reserve_beside(4)), Ok(Some(refused(3))));
    let same = Command::Reserve { match_id: id(3), relation: Relation::Same };
    let refusal = Event::PairingRefused { match_id: id(3), reason: Refusal::SamePerson };
    assert_eq!(day.decide(same), Ok(Some(refusal)));
}

#[test]
fn a_repeated_command_changes_nothing() {
    // PAIR-2
    for commands in [
        vec![reserve(1), reserve(1)],
        vec![reserve(1), count(1), count(1)],
        vec![reserve(1), count(1), reserve(1)],
        vec![reserve(1), release(1), release(1)],
        vec![reserve(1), release(1), reserve(1)],
        vec![release(1), reserve(1)],
    ] {
        let (last, before) = commands.split_last().expect("not empty");
        let mut day = given(before);
        let standing = day.clone();
        assert_eq!(when(&mut day, *last), Ok(None), "{commands:?}");
        assert_eq!(day, standing);
    }
}

#[test]
fn a_refusal_stays_a_refusal_when_a_slot_becomes_free() {
    // PAIR-2
    let mut day = given(&(1..=7).map(reserve).collect::<Vec<_>>());
    when(&mut day, release(1)).expect("it was reserved");
    assert_eq!(when(&mut day, reserve(7)), Ok(None));
    assert_eq!(day.standing(id(7)), Some(Standing::Refused));
    assert_eq!(when(&mut day, release(7)), Ok(None));
    assert_eq!(day.slots_taken(), 5);
}

#[test]
fn what_contradicts_the_past_is_refused() {
    let full = given(&(1..=7).map(reserve).collect::<Vec<_>>());
    assert_eq!(full.decide(count(7)), Err(Contradiction::NotReserved));
    assert_eq!(full.decide(count(99)), Err(Contradiction::NotReserved));
    assert_eq!(given(&[reserve(1), release(1)]).decide(count(1)), Err(Contradiction::NotReserved));
    assert_eq!(given(&[reserve(1), count(1)]).decide(release(1)), Err(Contradiction::AlreadyCounted));
}

#[test]
fn a_reservation_made_before_midnight_counts_on_its_own_day() {
    // E14: 2025-01-01 begins at 1,735,689,600,000 ms.
    let midnight_ms = 1_735_689_600_000;
    let (eve, new_year) = (UtcDay::of_unix_ms(midnight_ms - 1), UtcDay::of_unix_ms(midnight_ms));
    assert_eq!((eve, new_year), (UtcDay(20_088), UtcDay(20_089)));
    assert_eq!(UtcDay::of_unix_ms(-1), UtcDay(-1));
    let mut old_day = given(&(1..=6).map(reserve).collect::<Vec<_>>());
    let mut new_day = PairDay::default();
    // Its game ends after midnight; the day of its reservation keeps it, the new day has all six.
    when(&mut old_day, count(6)).expect("it was reserved");
    for number in 11..=16 {
        let taken = when(&mut new_day, reserve(number));
        assert!(matches!(taken, Ok(Some(Event::PairingReserved { .. }))));
    }
    assert_eq!(new_day.decide(count(6)), Err(Contradiction::NotReserved));
}

#[test]
fn a_pair_has_no_order_and_two_persons() {
    let (anna, ben, day) = (PersonId(9), PersonId(4), UtcDay(20_000));
    let key = pair_day_key(anna, ben, day).expect("two persons");
    assert_eq!(pair_day_key(ben, anna, day), Ok(key));
    assert_eq!((key.lower(), key.higher(), key.day()), (ben, anna, day));
    assert_ne!(pair_day_key(anna, PersonId(5), day), Ok(key), "another opponent is another pair");
    assert_ne!(pair_day_key(anna, ben, UtcDay(20_001)), Ok(key));
    assert_eq!(pair_day_key(anna, anna, day), Err(SamePerson));
}
