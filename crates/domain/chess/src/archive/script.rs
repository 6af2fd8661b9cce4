//! A game's events one after the other, written and read by the same steps.

use shakmaty::{
    Chess, Color, MoveList, Position as _, Square,
    san::{San, SanPlus, Suffix},
    uci::UciMove,
};

use super::{
    Damaged, Unpackable,
    course::{Consequences, Course},
    numbers::Number,
    order::Ordered,
    range_coder::{Bit, Coder, Reader, Writer},
    ranks,
};
use crate::{
    clock::Clocks,
    event::{Ended, Event, MovePlayed, Started},
    outcome::{EndReason, Outcome},
};

/// The coarsest unit in which all thinking times of a game are whole numbers: imported games know seconds only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit(u8);

const UNITS_MS: [i64; 4] = [1, 10, 100, 1_000];

/// What follows a move most of the time is a move.
const ANOTHER_MOVE: Bit = Bit::expecting(64_000, 20);
/// Clocks nearly always show what they must.
const AS_EXPECTED: Bit = Bit::expecting(65_000, 20);

/// Kinds of what is not a move, three bits. The number 7 says that there is nothing more.
const OFFERED: u32 = 0;
const DECLINED: u32 = 1;
const GONE: u32 = 2;
const BACK: u32 = 3;
const RESUMED: u32 = 4;
const ENDED: u32 = 5;
const NOTHING: u32 = 7;
const KIND_BITS: u32 = 3;
const REASON_BITS: u32 = 5;
const OUTCOME_BITS: u32 = 2;
const OUTCOMES: [Outcome; 4] = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::Aborted];

impl Unit {
    pub(super) fn of(events: &[Event]) -> Unit {
        let times = || {
            events.iter().filter_map(|event| match event {
                Event::MovePlayed(played) => Some([played.elapsed_ms, played.lag_credit_ms]),
                _ => None,
            })
        };
        let fits = |code: &u8| {
            let unit_ms = UNITS_MS[usize::from(*code)];
            times().flatten().all(|time_ms| time_ms % unit_ms == 0)
        };
        Unit((0..4).rev().find(fits).unwrap_or(0))
    }

    pub(super) fn code(self) -> u8 {
        self.0
    }

    pub(super) fn from_code(code: u8) -> Option<Unit> {
        (usize::from(code) < UNITS_MS.len()).then_some(Unit(code))
    }

    fn ms(self) -> i64 {
        UNITS_MS[usize::from(self.0)]
    }

    /// How often thinking times have each number of bits in this unit, counted over games between people.
    fn widths(self) -> &'static [u32] {
        match self.0 {
            3 => &[18, 18, 17, 17, 13, 9, 5, 2],
            2 => &[10, 6, 8, 12, 17, 17, 13, 9, 5, 2],
            1 => &[2, 3, 4, 6, 8, 12, 16, 17, 13, 9, 5, 2],
            _ => &[1, 1, 1, 1, 2, 3, 4, 6, 8, 12, 16, 17, 14, 9, 5, 2, 1],
        }
    }
}

/// The models, and where the game stands.
pub(super) struct Script {
    unit: Unit,
    position: Chess,
    ordered: Ordered,
    last_to: Option<Square>,
    ply: u32,
    course: Course,
    another_move: Bit,
    elapsed: [Number; 2],
    credited: Bit,
    credit: Number,
    as_expected: Bit,
    odd: Number,
    delay: Number,
}

impl Script {
    pub(super) fn new(started: &Started, unit: Unit) -> Script {
        let position = started.start_position.position().clone();
        let elapsed = Number::expecting(unit.widths());
        Script {
            unit,
            position,
            ordered: Ordered::new(),
            last_to: None,
            ply: 0,
            course: Course::new(started),
            another_move: ANOTHER_MOVE,
            elapsed: [elapsed.clone(), elapsed],
            credited: Bit::even(),
            credit: Number::new(),
            as_expected: AS_EXPECTED,
            odd: Number::new(),
            delay: Number::new(),
        }
    }

    pub(super) fn write(
        &mut self,
        writer: &mut Writer,
        event: &Event,
        index: usize,
    ) -> Result<(), Unpackable> {
        match event {
            Event::MovePlayed(played) => {
                writer.bit(&mut self.another_move, false);
                self.write_move(writer, played, index)
            }
            _ => {
                writer.bit(&mut self.another_move, true);
                self.write_other(writer, event, index)
            }
        }
    }

    pub(super) fn write_end(&mut self, writer: &mut Writer) {
        writer.bit(&mut self.another_move, true);
        writer.plain(KIND_BITS, NOTHING);
    }

    /// The next event; `None` when there is no more.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> Result<Option<Event>, Damaged> {
        if !reader.bit(&mut self.another_move, false) {
            return self.read_move(reader).map(|played| Some(Event::MovePlayed(played)));
        }
        let kind = reader.plain(KIND_BITS, 0);
        if kind == NOTHING {
            return Ok(None);
        }
        if kind == ENDED {
            let ended = Event::Ended(self.read_ended(reader)?);
            self.course.happened(&ended);
            return Ok(Some(ended));
        }
        let mover = if kind == RESUMED { 0 } else { reader.plain(1, 0) };
        let by = Color::from_white(mover == 0);
        let at_ms = self.course.last_at_ms().wrapping_add(self.delay.code_signed(reader, 0));
        let event = match kind {
            OFFERED => Event::DrawOffered { by, at_ms },
            DECLINED => Event::DrawDeclined { by, at_ms },
            GONE => Event::PlayerGone { by, at_ms },
            BACK => Event::PlayerBack { by, at_ms },
            RESUMED => Event::Resumed { at_ms, stood_still_ms: self.delay.code_signed(reader, 0) },
            _ => return Err(Damaged),
        };
        self.course.happened(&event);
        Ok(Some(event))
    }

    fn write_move(
        &mut self,
        writer: &mut Writer,
        played: &MovePlayed,
        index: usize,
    ) -> Result<(), Unpackable> {
        let misfit = Unpackable::Move { ply: played.ply };
        let legal = self.position.legal_moves();
        let place = legal.iter().position(|m| UciMove::from_standard(*m) == played.uci).ok_or(misfit)?;
        self.ordered.fill(&self.position, &legal, self.last_to);
        writer.slot(&ranks::BOUNDS, legal.len(), self.ordered.rank_of(place));
        let mover = self.position.turn();
        if played.elapsed_ms < 0
            || played.lag_credit_ms < 0
            || played.clocks.is_some() != self.course.has_clocks()
        {
            return Err(Unpackable::Time { index });
        }
        let own = Consequences {
            received_at_ms: played.received_at_ms,
            charged_ms: played.charged_ms,
            clocks: played.clocks,
        };
        self.times(writer, mover, (played.elapsed_ms, played.lag_credit_ms), own);
        let (ply, san) = (self.ply + 1, self.advance(&legal, place));
        if (played.ply, played.san) != (ply, san) {
            return Err(misfit);
        }
        self.course.played(mover, played);
        Ok(())
    }

    fn read_move(&mut self, reader: &mut Reader<'_>) -> Result<MovePlayed, Damaged> {
        let legal = self.position.legal_moves();
        if legal.is_empty() {
            return Err(Damaged);
        }
        self.ordered.fill(&self.position, &legal, self.last_to);
        let rank = reader.slot(&ranks::BOUNDS, legal.len(), 0);
        let place = self.ordered.at_rank(rank);
        let uci = UciMove::from_standard(legal[place]);
        let mover = self.position.turn();
        let nothing = Consequences { received_at_ms: 0, charged_ms: 0, clocks: None };
        let ((elapsed_ms, lag_credit_ms), own) = self.times(reader, mover, (0, 0), nothing);
        let san = self.advance(&legal, place);
        let played = MovePlayed {
            ply: self.ply,
            uci,
            san,
            received_at_ms: own.received_at_ms,
            elapsed_ms,
            charged_ms: own.charged_ms,
            lag_credit_ms,
            clocks: own.clocks,
        };
        self.course.played(mover, &played);
        Ok(played)
    }

    /// Codes a move's own two times, and what follows from them where it is not what was to be expected.
    fn times(
        &mut self,
        coder: &mut impl Coder,
        mover: Color,
        (elapsed_ms, credit_ms): (i64, i64),
        own: Consequences,
    ) -> ((i64, i64), Consequences) {
        let unit_ms = self.unit.ms();
        let model = &mut self.elapsed[mover.fold_wb(0, 1)];
        let elapsed_ms = model.code(coder, elapsed_ms / unit_ms).saturating_mul(unit_ms);
        let credit_ms = match coder.bit(&mut self.credited, credit_ms != 0) {
            true => self.credit.code(coder, credit_ms / unit_ms).saturating_mul(unit_ms),
            false => 0,
        };
        let expected = self.course.after_move(mover, elapsed_ms, credit_ms);
        if !coder.bit(&mut self.as_expected, own != expected) {
            return ((elapsed_ms, credit_ms), expected);
        }
        let mut odd = |own: i64, expected: i64| {
            expected.wrapping_add(self.odd.code_signed(coder, own.wrapping_sub(expected)))
        };
        let received_at_ms = odd(own.received_at_ms, expected.received_at_ms);
        let charged_ms = odd(own.charged_ms, expected.charged_ms);
        let clocks = expected.clocks.map(|expected| {
            let own = own.clocks.unwrap_or(expected);
            Clocks {
                white_ms: odd(own.white_ms, expected.white_ms),
                black_ms: odd(own.black_ms, expected.black_ms),
            }
        });
        ((elapsed_ms, credit_ms), Consequences { received_at_ms, charged_ms, clocks })
    }

    /// Plays the legal move at `place` and answers how it is written.
    fn advance(&mut self, legal: &MoveList, place: usize) -> SanPlus {
        let m = legal[place];
        let san = San::disambiguate(m, legal);
        self.position.play_unchecked(m);
        self.last_to = Some(m.to());
        self.ply += 1;
        let suffix = self.position.is_check().then(|| match self.position.legal_moves().is_empty() {
            true => Suffix::Checkmate,
            false => Suffix::Check,
        });
        SanPlus { san, suffix }
    }

    fn write_other(&mut self, writer: &mut Writer, event: &Event, index: usize) -> Result<(), Unpackable> {
        let (kind, by, still_ms) = match event {
            Event::Started(_) => return Err(Unpackable::NoStart),
            Event::MovePlayed(_) => unreachable!("moves are written elsewhere"),
            Event::DrawOffered { by, .. } => (OFFERED, Some(*by), None),
            Event::DrawDeclined { by, .. } => (DECLINED, Some(*by), None),
            Event::PlayerGone { by, .. } => (GONE, Some(*by), None),
            Event::PlayerBack { by, .. } => (BACK, Some(*by), None),
            Event::Resumed { stood_still_ms, .. } => (RESUMED, None, Some(*stood_still_ms)),
            Event::Ended(ended) => {
                if ended.clocks.is_some() != self.course.has_clocks() {
                    return Err(Unpackable::Time { index });
                }
                writer.plain(KIND_BITS, ENDED);
                self.write_ended(writer, ended);
                self.course.happened(event);
                return Ok(());
            }
        };
        writer.plain(KIND_BITS, kind);
        if let Some(by) = by {
            writer.plain(1, by.fold_wb(0, 1));
        }
        self.delay.code_signed(writer, event.at_ms().wrapping_sub(self.course.last_at_ms()));
        if let Some(still_ms) = still_ms {
            self.delay.code_signed(writer, still_ms);
        }
        self.course.happened(event);
        Ok(())
    }

    fn write_ended(&mut self, writer: &mut Writer, ended: &Ended) {
        let outcome = OUTCOMES.iter().position(|outcome| *outcome == ended.outcome);
        let reason = EndReason::ALL.iter().position(|reason| *reason == ended.reason);
        let number = |place: Option<usize>| place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
        writer.plain(OUTCOME_BITS, number(outcome));
        writer.plain(REASON_BITS, number(reason));
        self.end_times(writer, ended.reason, ended.at_ms, ended.clocks);
    }

    fn read_ended(&mut self, reader: &mut Reader<'_>) -> Result<Ended, Damaged> {
        let outcome = OUTCOMES[reader.plain(OUTCOME_BITS, 0) as usize];
        let reason = *EndReason::ALL.get(reader.plain(REASON_BITS, 0) as usize).ok_or(Damaged)?;
        let (at_ms, clocks) = self.end_times(reader, reason, 0, None);
        Ok(Ended { outcome, reason, at_ms, clocks })
    }

    fn end_times(
        &mut self,
        coder: &mut impl Coder,
        reason: EndReason,
        at_ms: i64,
        clocks: Option<Clocks>,
    ) -> (i64, Option<Clocks>) {
        let mover = self.position.turn();
        let expected_at_ms = self.course.ends_at_ms(mover, reason);
        let at_ms =
            expected_at_ms.wrapping_add(self.delay.code_signed(coder, at_ms.wrapping_sub(expected_at_ms)));
        let expected = self.course.clocks_at(mover, at_ms);
        if !coder.bit(&mut self.as_expected, clocks != expected) {
            return (at_ms, expected);
        }
        let mut odd = |own: i64, expected: i64| {
            expected.wrapping_add(self.odd.code_signed(coder, own.wrapping_sub(expected)))
        };
        let clocks = expected.map(|expected| {
            let own = clocks.unwrap_or(expected);
            Clocks {
                white_ms: odd(own.white_ms, expected.white_ms),
                black_ms: odd(own.black_ms, expected.black_ms),
            }
        });
        (at_ms, clocks)
    }
}
