//! A game's events one after the other, written and read by the same steps.

use shakmaty::{Color, uci::UciMove};

use super::{
    Damaged, Unpackable,
    course::{Consequences, Course},
    moves::Moves,
    numbers::{Number, Widths},
    range_coder::{Coder, Reader, Writer},
    symbol::{SURE, Symbol, UNSURE},
};
use crate::{
    clock::Clocks,
    event::{Ended, Event, MovePlayed, Started},
    notation::legal_move,
    outcome::{EndReason, Outcome},
};

/// The coarsest unit in which all thinking times of a game are whole numbers: imported games know seconds only, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit(u8);

/// Of the last one only zero is a multiple.
const UNITS_MS: [i64; 5] = [1, 10, 100, 1_000, i64::MAX];

/// How often thinking times have each number of bits in each unit, counted over games between people.
static WIDTHS: [Widths; 5] = [
    Symbol::expecting(&[1, 1, 1, 1, 2, 3, 4, 6, 8, 12, 16, 17, 14, 9, 5, 2, 1], UNSURE),
    Symbol::expecting(&[2, 3, 4, 6, 8, 12, 16, 17, 13, 9, 5, 2], UNSURE),
    Symbol::expecting(&[10, 6, 8, 12, 17, 17, 13, 9, 5, 2], UNSURE),
    Symbol::expecting(&[18, 18, 17, 17, 13, 9, 5, 2], UNSURE),
    Symbol::expecting(&[1], SURE),
];

/// Kinds of events. A move is its kind with what is odd about it added.
const MOVE: usize = 0;
const CREDITED: usize = 1;
const UNEXPECTED: usize = 2;
const MOVES: std::ops::Range<usize> = MOVE..4;
const OFFERED: usize = 4;
const DECLINED: usize = 5;
const GONE: usize = 6;
const BACK: usize = 7;
const RESUMED: usize = 8;
const ENDED: usize = 9;
/// There is nothing more.
const NOTHING: usize = 10;

/// What happens in a running game, and after its end.
const KINDS: Symbol<16> = Symbol::expecting(&[600, 200, 6, 6, 8, 4, 4, 4, 1, 20, 4], UNSURE);
const KINDS_AFTER_END: Symbol<16> = Symbol::expecting(&[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1_000], SURE);

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
        Unit((0..UNITS_MS.len() as u8).rev().find(fits).unwrap_or(0))
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

    fn widths(self) -> &'static Widths {
        &WIDTHS[usize::from(self.0)]
    }
}

/// The models, and where the game stands.
pub(super) struct Script {
    unit: Unit,
    moves: Moves,
    ply: u32,
    course: Course,
    kinds: Symbol<16>,
    elapsed: Number,
    credit: Number,
    odd: Number,
    delay: Number,
}

impl Script {
    pub(super) fn new(started: &Started, unit: Unit) -> Script {
        Script {
            unit,
            moves: Moves::from(started.start_position.position().clone()),
            ply: 0,
            course: Course::new(started),
            kinds: KINDS,
            elapsed: Number::expecting(unit.widths()),
            credit: Number::new(),
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
            Event::MovePlayed(played) => self.write_move(writer, played, index),
            _ => self.write_other(writer, event, index),
        }
    }

    pub(super) fn write_end(&mut self, writer: &mut Writer) {
        writer.learn(&mut self.kinds, NOTHING);
    }

    /// The next event; `None` when there is no more.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> Result<Option<Event>, Damaged> {
        let kind = reader.learn(&mut self.kinds, MOVE);
        if MOVES.contains(&kind) {
            return self.read_move(reader, kind).map(|played| Some(Event::MovePlayed(played)));
        }
        if kind == NOTHING {
            return Ok(None);
        }
        if kind == ENDED {
            let ended = Event::Ended(self.read_ended(reader)?);
            self.happened(&ended);
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
        self.happened(&event);
        Ok(Some(event))
    }

    fn happened(&mut self, event: &Event) {
        self.course.happened(event);
        if matches!(event, Event::Ended(_)) {
            self.kinds = KINDS_AFTER_END;
        }
    }

    fn write_move(
        &mut self,
        writer: &mut Writer,
        played: &MovePlayed,
        index: usize,
    ) -> Result<(), Unpackable> {
        let misfit = Unpackable::Move { ply: played.ply };
        let m = legal_move(self.moves.position(), played.uci).map_err(|_| misfit)?;
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
        let (mover, times) = (self.moves.turn(), (played.elapsed_ms, played.lag_credit_ms));
        let credited = if played.lag_credit_ms == 0 { 0 } else { CREDITED };
        let expected = self.course.after_move(mover, times.0, times.1);
        let kind = MOVE + credited + if own == expected { 0 } else { UNEXPECTED };
        writer.learn(&mut self.kinds, kind);
        let (_, san) = self.moves.code(writer, Some(m)).ok_or(misfit)?;
        self.times(writer, mover, kind, times, own);
        self.ply += 1;
        if (played.ply, played.san) != (self.ply, san) {
            return Err(misfit);
        }
        self.course.played(mover, played);
        Ok(())
    }

    fn read_move(&mut self, reader: &mut Reader<'_>, kind: usize) -> Result<MovePlayed, Damaged> {
        let mover = self.moves.turn();
        let (m, san) = self.moves.code(reader, None).ok_or(Damaged)?;
        let nothing = Consequences { received_at_ms: 0, charged_ms: 0, clocks: None };
        let ((elapsed_ms, lag_credit_ms), own) = self.times(reader, mover, kind, (0, 0), nothing);
        self.ply += 1;
        let played = MovePlayed {
            ply: self.ply,
            uci: UciMove::from_standard(m),
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
        kind: usize,
        (elapsed_ms, credit_ms): (i64, i64),
        own: Consequences,
    ) -> ((i64, i64), Consequences) {
        let unit_ms = self.unit.ms();
        let elapsed_ms = self.elapsed.code(coder, elapsed_ms / unit_ms).saturating_mul(unit_ms);
        let credit_ms = match kind & CREDITED {
            0 => 0,
            _ => self.credit.code(coder, credit_ms / unit_ms).saturating_mul(unit_ms),
        };
        let expected = self.course.after_move(mover, elapsed_ms, credit_ms);
        if kind & UNEXPECTED == 0 {
            return ((elapsed_ms, credit_ms), expected);
        }
        let received_at_ms = self.odd_one(coder, own.received_at_ms, expected.received_at_ms);
        let charged_ms = self.odd_one(coder, own.charged_ms, expected.charged_ms);
        let clocks = self.odd_clocks(coder, own.clocks, expected.clocks);
        ((elapsed_ms, credit_ms), Consequences { received_at_ms, charged_ms, clocks })
    }

    fn odd_one(&mut self, coder: &mut impl Coder, own: i64, expected: i64) -> i64 {
        expected.wrapping_add(self.odd.code_signed(coder, own.wrapping_sub(expected)))
    }

    /// Codes clocks where some are expected.
    fn odd_clocks(
        &mut self,
        coder: &mut impl Coder,
        own: Option<Clocks>,
        expected: Option<Clocks>,
    ) -> Option<Clocks> {
        expected.map(|expected| {
            let own = own.unwrap_or(expected);
            Clocks {
                white_ms: self.odd_one(coder, own.white_ms, expected.white_ms),
                black_ms: self.odd_one(coder, own.black_ms, expected.black_ms),
            }
        })
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
                writer.learn(&mut self.kinds, ENDED);
                self.write_ended(writer, ended);
                self.happened(event);
                return Ok(());
            }
        };
        writer.learn(&mut self.kinds, kind);
        if let Some(by) = by {
            writer.plain(1, by.fold_wb(0, 1));
        }
        self.delay.code_signed(writer, event.at_ms().wrapping_sub(self.course.last_at_ms()));
        if let Some(still_ms) = still_ms {
            self.delay.code_signed(writer, still_ms);
        }
        self.happened(event);
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
        let mover = self.moves.turn();
        let expected_at_ms = self.course.ends_at_ms(mover, reason);
        let at_ms =
            expected_at_ms.wrapping_add(self.delay.code_signed(coder, at_ms.wrapping_sub(expected_at_ms)));
        let expected = self.course.clocks_at(mover, at_ms);
        if coder.plain(1, u32::from(clocks != expected)) == 0 {
            return (at_ms, expected);
        }
        (at_ms, self.odd_clocks(coder, clocks, expected))
    }
}
