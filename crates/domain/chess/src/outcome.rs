//! How a game ends: what it is worth to the players, and why.

use std::fmt;

use shakmaty::Color;

/// What an ended game is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// 1-0.
    WhiteWins,
    /// 0-1.
    BlackWins,
    /// 1/2-1/2.
    Draw,
    /// The game does not count.
    Aborted,
}

impl Outcome {
    /// The outcome in which `winner` wins.
    pub fn won_by(winner: Color) -> Outcome {
        winner.fold_wb(Outcome::WhiteWins, Outcome::BlackWins)
    }

    /// Who won, if anybody did.
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::WhiteWins => Some(Color::White),
            Outcome::BlackWins => Some(Color::Black),
            Outcome::Draw | Outcome::Aborted => None,
        }
    }

    /// The result as PGN writes it: `1-0`, `0-1`, `1/2-1/2`, and `*` for an aborted game.
    pub fn pgn(self) -> &'static str {
        match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::Aborted => "*",
        }
    }
}

/// Why a game ended. The list is closed: one code for each kind of end (case A14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The king is attacked and cannot get away.
    Checkmate,
    /// A player gave up.
    Resignation,
    /// A flag fell.
    Time,
    /// A player was gone too long while on move.
    Abandonment,
    /// A player got up from the table.
    LeftTable,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side has enough left to mate.
    InsufficientMaterial,
    /// The position stood for the third time and the rule set ends the game by itself.
    Threefold,
    /// The position stood for the fifth time.
    Fivefold,
    /// A hundred half-moves without capture or pawn move, and the rule set ends the game by itself.
    FiftyMoves,
    /// A hundred and fifty half-moves without capture or pawn move.
    SeventyFiveMoves,
    /// A player claimed the third repetition.
    ClaimThreefold,
    /// A player claimed the hundredth quiet half-move.
    ClaimFiftyMoves,
    /// The players agreed on a draw.
    Agreement,
    /// A flag fell, but the opponent could not have mated.
    TimeVsInsufficientMaterial,
    /// A player gave up, but the opponent could not have mated.
    ResignationVsInsufficientMaterial,
    /// A player's first move did not come in time.
    AbortedNoFirstMove,
    /// The server gave the game up.
    AbortedServer,
}

impl EndReason {
    /// Every reason, in the order of the rules of play.
    pub const ALL: [EndReason; 18] = [
        EndReason::Checkmate,
        EndReason::Resignation,
        EndReason::Time,
        EndReason::Abandonment,
        EndReason::LeftTable,
        EndReason::Stalemate,
        EndReason::InsufficientMaterial,
        EndReason::Threefold,
        EndReason::Fivefold,
        EndReason::FiftyMoves,
        EndReason::SeventyFiveMoves,
        EndReason::ClaimThreefold,
        EndReason::ClaimFiftyMoves,
        EndReason::Agreement,
        EndReason::TimeVsInsufficientMaterial,
        EndReason::ResignationVsInsufficientMaterial,
        EndReason::AbortedNoFirstMove,
        EndReason::AbortedServer,
    ];

    /// A stable name in lower case for logs and files, for example `claim_threefold`.
    pub fn name(self) -> &'static str {
        match self {
            EndReason::Checkmate => "checkmate",
            EndReason::Resignation => "resignation",
            EndReason::Time => "time",
            EndReason::Abandonment => "abandonment",
            EndReason::LeftTable => "left_table",
            EndReason::Stalemate => "stalemate",
            EndReason::InsufficientMaterial => "insufficient_material",
            EndReason::Threefold => "threefold",
            EndReason::Fivefold => "fivefold",
            EndReason::FiftyMoves => "fifty_moves",
            EndReason::SeventyFiveMoves => "seventy_five_moves",
            EndReason::ClaimThreefold => "claim_threefold",
            EndReason::ClaimFiftyMoves => "claim_fifty_moves",
            EndReason::Agreement => "agreement",
            EndReason::TimeVsInsufficientMaterial => "time_vs_insufficient_material",
            EndReason::ResignationVsInsufficientMaterial => "resignation_vs_insufficient_material",
            EndReason::AbortedNoFirstMove => "aborted_no_first_move",
            EndReason::AbortedServer => "aborted_server",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
