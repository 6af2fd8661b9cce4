//! Who is at the board: an open stream of a player is his presence, and its answered nonces measure his network.
//!
//! The owner of a game keeps this in memory. Streams tell it of themselves by [`Sign`]s, which take the way of every other
//! request to the owner; what follows for the game, going and coming back, is decided by the domain and stands in the log.

use std::collections::VecDeque;

use domain_chess::{ByColor, Color, Command, Game, LagMeter, Standing};
use uuid::Uuid;

use super::facts::{GameId, PlayerId};

/// A player whose last stream closed has gone when none has opened for so long. A reload of a page is no going, and a client
/// that opens and closes streams in a loop fills no log.
pub(super) const GONE_AFTER_MS: i64 = 2_000;
/// A player who was sent away, or whose game was just taken up, is waited for so long before he has gone.
pub(super) const ARRIVAL_MS_MAX: i64 = 30_000;
/// A stream at another instance that is silent for so long has closed: instances that die tell nobody. Its nonces come every few seconds.
pub(super) const SILENT_MS_MAX: i64 = 15_000;
/// How many streams of one player are told apart. The oldest is forgotten first.
const STREAMS_PER_PLAYER_MAX: usize = 8;

/// What a player's stream tells the owner of its game.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    /// The game.
    pub game_id: GameId,
    /// Whose stream it is.
    pub player_id: PlayerId,
    /// What it tells.
    pub news: News,
    /// When, on the service's clock.
    pub at_ms: i64,
}

/// What a player's stream tells.
#[derive(Clone, Copy, Debug)]
pub enum News {
    /// It is open.
    Opened {
        /// The stream.
        stream_id: Uuid,
    },
    /// It sent a nonce. Also says once more that it is open, for an owner that has just taken the game up.
    Pinged {
        /// The stream.
        stream_id: Uuid,
        /// The nonce.
        nonce: u64,
    },
    /// The player returned a nonce.
    Ponged {
        /// The nonce.
        nonce: u64,
    },
    /// It closed.
    Closed {
        /// The stream.
        stream_id: Uuid,
        /// Why.
        why: Closing,
    },
}

/// Why a stream closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The client went.
    Left,
    /// The server sent the client elsewhere: no going, if he comes soon.
    SentAway,
}

/// Where a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// In this process, and so it says when it closes.
    Here,
    /// At another instance, which may die without a word.
    Elsewhere,
}

/// Both players' presence in one game.
#[derive(Debug)]
pub(super) struct Attendance {
    players: ByColor<Visits>,
    /// When the game's owner began.
    since_ms: i64,
}

#[derive(Debug, Default)]
struct Visits {
    streams: VecDeque<Stream>,
    absence: Absence,
    /// Of the last stream that closed; a liar's is kept.
    last_meter: LagMeter,
}

#[derive(Debug)]
struct Stream {
    stream_id: Uuid,
    meter: LagMeter,
    awaited: Option<(u64, i64)>,
    /// Unless it says more before then, it has closed.
    silent_at_ms: Option<i64>,
}

/// What is known of a player without a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Absence {
    /// Nothing: this owner has never seen him. He may play by commands alone.
    #[default]
    NeverSeen,
    /// His last stream closed.
    Since { went_at_ms: i64, gone_at_ms: i64 },
}

impl Attendance {
    /// Nobody is known to be there.
    pub(super) fn new(since_ms: i64) -> Attendance {
        Attendance { players: ByColor::default(), since_ms }
    }

    /// Takes in what a stream of a player tells.
    pub(super) fn note(&mut self, by: Color, sign: &Sign, origin: Origin) {
        let silent_at_ms = match origin {
            Origin::Here => None,
            Origin::Elsewhere => Some(sign.at_ms.saturating_add(SILENT_MS_MAX)),
        };
        let visits = self.players.get_mut(by);
        match sign.news {
            News::Opened { stream_id } => {
                visits.stream(stream_id).silent_at_ms = silent_at_ms;
            }
            News::Pinged { stream_id, nonce } => {
                let stream = visits.stream(stream_id);
                stream.silent_at_ms = silent_at_ms;
                stream.awaited = Some((nonce, sign.at_ms));
            }
            News::Ponged { nonce } => visits.ponged(nonce, sign.at_ms),
            News::Closed { stream_id, why } => visits.close(stream_id, why, sign.at_ms),
        }
    }

    /// The believed round trip of a player: the least of his streams that have measured one.
    pub(super) fn measured_ms(&self, player: Color) -> u32 {
        self.players.get(player).measured_ms(|meter| meter.measured_ms())
    }

    /// The same once his move has come back after `elapsed_ms`.
    pub(super) fn measured_after_reply_ms(&self, player: Color, elapsed_ms: i64) -> u32 {
        let elapsed_ms = reply_ms(elapsed_ms);
        self.players.get(player).measured_ms(|meter| {
            let mut meter = meter.clone();
            meter.record_reply(elapsed_ms);
            meter.measured_ms()
        })
    }

    /// A player's move came back after `elapsed_ms` and was played.
    pub(super) fn replied(&mut self, player: Color, elapsed_ms: i64) {
        for stream in &mut self.players.get_mut(player).streams {
            stream.meter.record_reply(reply_ms(elapsed_ms));
        }
    }

    /// When the log has to be told next that a player went or came back, or a silent stream is to be forgotten; `None` when neither is
    /// so.
    pub(super) fn next_due_ms(&self, game: &Game) -> Option<i64> {
        let changes = Color::ALL.into_iter().filter_map(|color| self.change(game, color));
        let silent = Color::ALL.into_iter().flat_map(|color| &self.players.get(color).streams);
        changes.map(|change| change.due_ms).chain(silent.filter_map(|stream| stream.silent_at_ms)).min()
    }

    /// Closes the streams of which nothing has been heard for too long. Nobody went: their players come back by another instance.
    pub(super) fn forget_silent(&mut self, now_ms: i64) {
        for color in Color::ALL {
            let visits = self.players.get_mut(color);
            while let Some(stream_id) = visits.silent_stream(now_ms) {
                visits.close(stream_id, Closing::SentAway, now_ms);
            }
        }
    }

    /// What the log has to be told at `now_ms`.
    pub(super) fn roll_call(&self, game: &Game, now_ms: i64) -> Option<Command> {
        let due = Color::ALL.into_iter().filter_map(|color| self.change(game, color));
        due.filter(|change| change.due_ms <= now_ms).map(|change| change.command(now_ms)).next()
    }

    fn change(&self, game: &Game, by: Color) -> Option<Change> {
        let visits = self.players.get(by);
        let is_there = !visits.streams.is_empty();
        match (is_there, game.gone_since_ms(by), visits.absence) {
            (true, Some(gone_since_ms), _) => Some(Change { by, due_ms: gone_since_ms, went_at_ms: None }),
            (false, None, Absence::Since { went_at_ms, gone_at_ms }) => {
                Some(Change { by, due_ms: gone_at_ms, went_at_ms: Some(went_at_ms) })
            }
            // With a clock the clock decides on somebody who never came. Without one there is nothing else.
            (false, None, Absence::NeverSeen) if needs_presence(game) => {
                let due_ms = self.since_ms.saturating_add(ARRIVAL_MS_MAX);
                Some(Change { by, due_ms, went_at_ms: Some(due_ms) })
            }
            _ => None,
        }
    }
}

/// Whether nothing but presence keeps the game going.
fn needs_presence(game: &Game) -> bool {
    let is_rated = game.started().is_some_and(|started| started.standing == Standing::Rated);
    is_rated && game.time_control().is_none()
}

fn reply_ms(elapsed_ms: i64) -> u32 {
    u32::try_from(elapsed_ms.max(0)).unwrap_or(u32::MAX)
}

struct Change {
    by: Color,
    due_ms: i64,
    /// `None`: he came back.
    went_at_ms: Option<i64>,
}

impl Change {
    fn command(self, now_ms: i64) -> Command {
        match self.went_at_ms {
            Some(went_at_ms) => Command::PlayerGone { by: self.by, now_ms: went_at_ms },
            None => Command::PlayerBack { by: self.by, now_ms },
        }
    }
}

impl Visits {
    fn stream(&mut self, stream_id: Uuid) -> &mut Stream {
        let known = self.streams.iter().position(|stream| stream.stream_id == stream_id);
        let index = known.unwrap_or_else(|| {
            if self.streams.len() == STREAMS_PER_PLAYER_MAX {
                self.streams.pop_front();
            }
            let meters = self.streams.iter().map(|stream| &stream.meter);
            let liar = meters.chain([&self.last_meter]).find(|meter| meter.has_lied());
            let meter = liar.map(LagMeter::for_next_stream).unwrap_or_default();
            self.streams.push_back(Stream { stream_id, meter, awaited: None, silent_at_ms: None });
            self.streams.len() - 1
        });
        &mut self.streams[index]
    }

    fn silent_stream(&self, now_ms: i64) -> Option<Uuid> {
        let is_silent =
            |stream: &&Stream| stream.silent_at_ms.is_some_and(|silent_at_ms| silent_at_ms <= now_ms);
        self.streams.iter().find(is_silent).map(|stream| stream.stream_id)
    }

    fn ponged(&mut self, nonce: u64, at_ms: i64) {
        for stream in &mut self.streams {
            if let Some((_, sent_at_ms)) = stream.awaited.take_if(|(awaited, _)| *awaited == nonce) {
                stream.meter.record_round_trip(reply_ms(at_ms.saturating_sub(sent_at_ms)));
            }
        }
    }

    fn close(&mut self, stream_id: Uuid, why: Closing, at_ms: i64) {
        let Some(index) = self.streams.iter().position(|stream| stream.stream_id == stream_id) else {
            return;
        };
        if let Some(closed) = self.streams.remove(index)
            && !self.last_meter.has_lied()
        {
            self.last_meter = closed.meter;
        }
        if self.streams.is_empty() {
            let wait_ms = match why {
                Closing::Left => GONE_AFTER_MS,
                Closing::SentAway => ARRIVAL_MS_MAX,
            };
            self.absence = Absence::Since { went_at_ms: at_ms, gone_at_ms: at_ms.saturating_add(wait_ms) };
        }
    }

    fn measured_ms(&self, read: impl Fn(&LagMeter) -> u32) -> u32 {
        self.streams.iter().map(|stream| read(&stream.meter)).filter(|ms| *ms > 0).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON_MS: i64 = 1_760_000_000_000;

    fn sign(news: News, at_ms: i64) -> Sign {
        Sign { game_id: GameId(Uuid::nil()), player_id: PlayerId(Uuid::nil()), news, at_ms }
    }

    fn streams(attendance: &Attendance) -> usize {
        attendance.players.get(Color::White).streams.len()
    }

    // GAME-11: an instance that dies tells nobody that its streams have closed.
    #[test]
    fn a_stream_elsewhere_that_falls_silent_has_closed_and_one_here_has_not() {
        let mut attendance = Attendance::new(NOON_MS);
        let (here, elsewhere) = (Uuid::new_v4(), Uuid::new_v4());
        attendance.note(Color::White, &sign(News::Opened { stream_id: here }, NOON_MS), Origin::Here);
        let opened = sign(News::Opened { stream_id: elsewhere }, NOON_MS);
        attendance.note(Color::White, &opened, Origin::Elsewhere);
        let pinged = sign(News::Pinged { stream_id: elsewhere, nonce: 1 }, NOON_MS + 4_000);
        attendance.note(Color::White, &pinged, Origin::Elsewhere);
        let silent_at_ms = NOON_MS + 4_000 + SILENT_MS_MAX;
        assert_eq!(attendance.next_due_ms(&Game::new()), Some(silent_at_ms));
        attendance.forget_silent(silent_at_ms - 1);
        assert_eq!(streams(&attendance), 2);
        attendance.forget_silent(silent_at_ms);
        assert_eq!(streams(&attendance), 1);
        // The one here says itself when it closes.
        attendance.forget_silent(i64::MAX);
        assert_eq!(streams(&attendance), 1);
        assert_eq!(attendance.next_due_ms(&Game::new()), None);
    }

    // GAME-11: nobody is charged for the end of the instance that he was at.
    #[test]
    fn whoever_was_at_an_instance_that_died_is_waited_for_as_one_who_was_sent_away() {
        let mut attendance = Attendance::new(NOON_MS);
        let opened = sign(News::Opened { stream_id: Uuid::new_v4() }, NOON_MS);
        attendance.note(Color::White, &opened, Origin::Elsewhere);
        let silent_at_ms = NOON_MS + SILENT_MS_MAX;
        attendance.forget_silent(silent_at_ms);
        let absence = attendance.players.get(Color::White).absence;
        let gone_at_ms = silent_at_ms + ARRIVAL_MS_MAX;
        assert_eq!(absence, Absence::Since { went_at_ms: silent_at_ms, gone_at_ms });
    }
}
