//! What the logs of four services say of each match, and whether it is one of the two things that may become of it.

use std::collections::BTreeMap;

use sqlx::PgPool;
use uuid::Uuid;

/// How often each kind of event stands in a stream; of the kinds that decide a fate.
const COUNTS: &str =
    "select stream_id, type, count(*) from events where type = any ($1) group by stream_id, type";

const MATCHES: &str = "select match_id, game_id from matches";

/// Events of a match's stream in matchmaking, of the same stream in the wallet, of the game's stream in the game service, and
/// of it in the rating service.
const MATCH_ENDS: [&str; 2] = ["MatchClosed", "MatchCancelled"];
const MONEY: [&str; 4] = ["StakesHeld", "StakesRefused", "PotPaid", "StakesRefunded"];
const GAMES: [&str; 3] = ["GameStarted", "GameEnded", "GameAborted"];
const RATINGS: [&str; 1] = ["RatingsChanged"];

/// The databases of the four.
#[derive(Debug)]
pub struct Logs {
    /// Matchmaking's.
    pub matchmaking: PgPool,
    /// The wallet's.
    pub wallet: PgPool,
    /// The game service's.
    pub game: PgPool,
    /// The rating service's.
    pub rating: PgPool,
}

/// How often each of these happened to a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fate {
    /// `MatchClosed`.
    pub closed: i64,
    /// `MatchCancelled`.
    pub cancelled: i64,
    /// `StakesHeld`.
    pub held: i64,
    /// `StakesRefused`.
    pub refused: i64,
    /// `PotPaid`.
    pub paid: i64,
    /// `StakesRefunded`.
    pub refunded: i64,
    /// `GameStarted`.
    pub started: i64,
    /// `GameEnded`.
    pub ended: i64,
    /// `GameAborted`.
    pub aborted: i64,
    /// `RatingsChanged`.
    pub rated: i64,
}

/// What became of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its game started with both stakes held, ended, and was settled and, if it counts, rated, each once.
    Played,
    /// It was cancelled and nothing is held.
    CameToNothing,
    /// Neither yet; it may still become one of them.
    Open,
    /// It never can.
    Impossible,
}

impl Fate {
    /// Judges.
    pub fn outcome(&self) -> Outcome {
        if self.doubled() > 0 {
            return Outcome::Impossible;
        }
        let settled = self.paid + self.refunded;
        match (self.closed, self.cancelled) {
            (1, 0) if self.held + self.started < 2 || self.refused > 0 => Outcome::Impossible,
            (1, 0) if self.paid > self.ended || self.rated > self.ended => Outcome::Impossible,
            (1, 0) if settled == 1 && self.ended + self.aborted == 1 && self.rated == self.ended => {
                Outcome::Played
            }
            (0, 1) if self.started > 0 || self.paid > 0 || self.rated > 0 => Outcome::Impossible,
            (0, 1) if self.held == self.refunded => Outcome::CameToNothing,
            _ => Outcome::Open,
        }
    }

    /// How many effects there are that must not be: each of these happens once, and of the alternatives one.
    pub fn doubled(&self) -> u64 {
        let once = [
            self.closed + self.cancelled,
            self.held + self.refused,
            self.paid + self.refunded,
            self.started,
            self.ended + self.aborted,
            self.rated,
        ];
        once.into_iter().map(|count| (count - 1).max(0).unsigned_abs()).sum()
    }

    /// Whether stakes are held that nobody has paid out or given back.
    pub fn is_unsettled(&self) -> bool {
        self.held > self.paid + self.refunded
    }
}

/// The fates of all matches there are, by match.
pub async fn read(logs: &Logs) -> Result<BTreeMap<Uuid, Fate>, sqlx::Error> {
    let matches: Vec<(Uuid, Uuid)> = sqlx::query_as(MATCHES).fetch_all(&logs.matchmaking).await?;
    let ends = counts(&logs.matchmaking, &MATCH_ENDS).await?;
    let money = counts(&logs.wallet, &MONEY).await?;
    let games = counts(&logs.game, &GAMES).await?;
    let ratings = counts(&logs.rating, &RATINGS).await?;
    let fates = matches.into_iter().map(|(match_id, game_id)| {
        let count = |of: &Counts, id: Uuid, kind: &str| {
            of.get(&id).and_then(|kinds| kinds.get(kind)).copied().unwrap_or_default()
        };
        let fate = Fate {
            closed: count(&ends, match_id, "MatchClosed"),
            cancelled: count(&ends, match_id, "MatchCancelled"),
            held: count(&money, match_id, "StakesHeld"),
            refused: count(&money, match_id, "StakesRefused"),
            paid: count(&money, match_id, "PotPaid"),
            refunded: count(&money, match_id, "StakesRefunded"),
            started: count(&games, game_id, "GameStarted"),
            ended: count(&games, game_id, "GameEnded"),
            aborted: count(&games, game_id, "GameAborted"),
            rated: count(&ratings, game_id, "RatingsChanged"),
        };
        (match_id, fate)
    });
    Ok(fates.collect())
}

type Counts = BTreeMap<Uuid, BTreeMap<String, i64>>;

async fn counts(pool: &PgPool, kinds: &[&str]) -> Result<Counts, sqlx::Error> {
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    let rows: Vec<(Uuid, String, i64)> = sqlx::query_as(COUNTS).bind(kinds).fetch_all(pool).await?;
    let mut counts = Counts::new();
    for (stream_id, kind, count) in rows {
        counts.entry(stream_id).or_default().insert(kind, count);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYED: Fate = Fate {
        closed: 1,
        cancelled: 0,
        held: 1,
        refused: 0,
        paid: 1,
        refunded: 0,
        started: 1,
        ended: 1,
        aborted: 0,
        rated: 1,
    };
    const ABORTED: Fate = Fate { paid: 0, refunded: 1, ended: 0, aborted: 1, rated: 0, ..PLAYED };
    const CANCELLED: Fate =
        Fate { closed: 0, cancelled: 1, held: 0, paid: 0, started: 0, ended: 0, ..PLAYED };

    #[test]
    fn a_match_is_played_or_comes_to_nothing() {
        let cancelled = Fate { rated: 0, ..CANCELLED };
        let drawn = Fate { paid: 0, refunded: 1, ..PLAYED };
        for played in [PLAYED, ABORTED, drawn] {
            assert_eq!(played.outcome(), Outcome::Played, "{played:?}");
        }
        for nothing in
            [cancelled, Fate { refused: 1, ..cancelled }, Fate { held: 1, refunded: 1, ..cancelled }]
        {
            assert_eq!(nothing.outcome(), Outcome::CameToNothing, "{nothing:?}");
        }
    }

    #[test]
    fn what_is_still_to_come_is_waited_for() {
        let unpaid = Fate { paid: 0, ..PLAYED };
        assert!(unpaid.is_unsettled());
        for open in [Fate::default(), unpaid, Fate { rated: 0, ..PLAYED }, Fate { closed: 0, ..PLAYED }] {
            assert_eq!(open.outcome(), Outcome::Open, "{open:?}");
        }
        assert_eq!(Fate { held: 1, rated: 0, ..CANCELLED }.outcome(), Outcome::Open);
    }

    #[test]
    fn what_must_never_be_is_told_apart() {
        for impossible in [
            Fate { paid: 2, ..PLAYED },
            Fate { refunded: 1, ..PLAYED },
            Fate { cancelled: 1, ..PLAYED },
            Fate { rated: 2, ..PLAYED },
            Fate { rated: 1, ..ABORTED },
            Fate { held: 0, ..PLAYED },
            Fate { started: 0, ..PLAYED },
            Fate { started: 1, rated: 0, ..CANCELLED },
        ] {
            assert_eq!(impossible.outcome(), Outcome::Impossible, "{impossible:?}");
        }
        assert_eq!(Fate { paid: 2, rated: 3, ..PLAYED }.doubled(), 3);
    }
}
