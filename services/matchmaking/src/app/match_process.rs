//! The process manager of a match: from two paired tickets to a game with both stakes held, or to nothing held at all.
//!
//! Pure. The match's own log is its memory: a state is folded from its events, a step that some other service took is an
//! input, and the answer is the events to append. An input that comes twice, late or in another order than expected
//! changes nothing that was decided (invariants MATCH-1 to MATCH-4, see the crate's page).

use proto::matchmaking::v1::CancelReason;
use uuid::Uuid;

/// How far a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is in the log yet.
    Absent,
    /// Fair-play was asked for the pair's place.
    Proposed,
    /// The wallet was asked to hold both stakes.
    StakesRequested,
    /// Both stakes are held; the game was asked for.
    Confirmed,
    /// The game runs.
    Started,
    /// The game is over.
    Closed,
    /// The match came to nothing.
    Cancelled,
}

/// What happened, as far as it concerns a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Two tickets were paired.
    Paired,
    /// Fair-play reserved the pair's place.
    PairingReserved,
    /// Fair-play refused: the pair has used up its day.
    PairingRefused,
    /// The wallet holds both stakes.
    StakesHeld,
    /// The wallet holds neither.
    StakesRefused {
        /// Who was the cause, if somebody was.
        player: Option<Uuid>,
        /// Whether his balance was too small, or something else was wrong.
        cause: StakesRefusal,
    },
    /// A player took his ticket out.
    PlayerLeft {
        /// Who.
        player: Uuid,
    },
    /// The step under way did not answer in time.
    TimedOut,
    /// The game exists.
    GameStarted,
    /// The game ended or was aborted.
    GameOver,
}

/// Why the wallet refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StakesRefusal {
    /// A balance does not cover the stake.
    InsufficientFunds,
    /// Anything else.
    Other,
}

/// What is to be appended to the match's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `MatchProposed`.
    Propose,
    /// `StakesRequested`.
    RequestStakes,
    /// `MatchConfirmed`.
    Confirm,
    /// `MatchCancelled`.
    Cancel {
        /// Why.
        reason: CancelReason,
        /// Who was the cause, if somebody was.
        player: Option<Uuid>,
    },
    /// `MatchStarted`.
    Start,
    /// `MatchClosed`.
    Close,
}

impl Step {
    /// The phase that the step leads to.
    #[must_use]
    pub fn leads_to(self) -> Phase {
        match self {
            Self::Propose => Phase::Proposed,
            Self::RequestStakes => Phase::StakesRequested,
            Self::Confirm => Phase::Confirmed,
            Self::Cancel { .. } => Phase::Cancelled,
            Self::Start => Phase::Started,
            Self::Close => Phase::Closed,
        }
    }

    /// Why the match comes to nothing; empty for a step that goes on.
    #[must_use]
    pub fn reason_name(self) -> &'static str {
        match self {
            Self::Cancel { reason, .. } => reason.as_str_name(),
            _ => "",
        }
    }

    /// The stable name of the step's event.
    #[must_use]
    pub fn event_name(self) -> &'static str {
        match self {
            Self::Propose => "MatchProposed",
            Self::RequestStakes => "StakesRequested",
            Self::Confirm => "MatchConfirmed",
            Self::Cancel { .. } => "MatchCancelled",
            Self::Start => "MatchStarted",
            Self::Close => "MatchClosed",
        }
    }
}

/// Decides the next step, or none when the input comes twice, too late, or concerns a match that is over.
///
/// A step that overtakes another is still taken for what it proves: stakes cannot be held before they were asked for, and
/// a game cannot start before its match was confirmed, so such an input in an earlier phase means that this service lost
/// its log, and is left for the caller to retry ([`Next::Early`]).
#[must_use]
pub fn decide(phase: Phase, input: Input) -> Next {
    use Next::{Early, Nothing, Take};
    match (phase, input) {
        (Phase::Absent, Input::Paired) => Take(Step::Propose),
        (Phase::Absent, _) => Early,
        (Phase::Proposed, Input::PairingReserved) => Take(Step::RequestStakes),
        (Phase::Proposed, Input::PairingRefused) => {
            Take(Step::Cancel { reason: CancelReason::PairLimitReached, player: None })
        }
        (Phase::StakesRequested, Input::StakesHeld) => Take(Step::Confirm),
        (Phase::StakesRequested, Input::StakesRefused { player, cause }) => Take(Step::Cancel {
            reason: match cause {
                StakesRefusal::InsufficientFunds => CancelReason::InsufficientFunds,
                StakesRefusal::Other => CancelReason::StakesRefused,
            },
            player,
        }),
        (Phase::Proposed | Phase::StakesRequested, Input::PlayerLeft { player }) => {
            Take(Step::Cancel { reason: CancelReason::PlayerLeft, player: Some(player) })
        }
        (Phase::Proposed | Phase::StakesRequested, Input::TimedOut) => {
            Take(Step::Cancel { reason: CancelReason::TimedOut, player: None })
        }
        (Phase::Confirmed, Input::GameStarted) => Take(Step::Start),
        (Phase::Confirmed | Phase::Started, Input::GameOver) => Take(Step::Close),
        (Phase::Proposed, Input::StakesHeld | Input::StakesRefused { .. })
        | (Phase::Proposed | Phase::StakesRequested, Input::GameStarted | Input::GameOver) => Early,
        _ => Nothing,
    }
}

/// What [`decide`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Take this step.
    Take(Step),
    /// The input changes nothing: it came before, or the match is over.
    Nothing,
    /// The input came before the step it answers; try again later.
    Early,
}

#[cfg(test)]
mod tests;
