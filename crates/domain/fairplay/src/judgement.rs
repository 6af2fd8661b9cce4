//! Judgements on single moves, as players know them.

/// What a move that gave win chance away is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// A drop of at least 0.1 on the scale of −1 to 1.
    Inaccuracy,
    /// A drop of at least 0.2.
    Mistake,
    /// A drop of at least 0.3.
    Blunder,
}

impl Judgement {
    /// Judges a move by the mover's win chance before and after it, both in percent.
    ///
    /// The limits are lichess's and are meant on the scale of −1 to 1, on which one point of percent is 0.02.
    #[must_use]
    pub fn of(before: f64, after: f64) -> Option<Self> {
        match (before - after) / 50.0 {
            drop if drop >= 0.3 => Some(Self::Blunder),
            drop if drop >= 0.2 => Some(Self::Mistake),
            drop if drop >= 0.1 => Some(Self::Inaccuracy),
            _ => None,
        }
    }
}

/// How many moves of a side were judged, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgementCounts {
    /// Inaccuracies.
    pub inaccuracies: usize,
    /// Mistakes.
    pub mistakes: usize,
    /// Blunders.
    pub blunders: usize,
}

impl JudgementCounts {
    pub(crate) fn add(&mut self, judgement: Judgement) {
        match judgement {
            Judgement::Inaccuracy => self.inaccuracies += 1,
            Judgement::Mistake => self.mistakes += 1,
            Judgement::Blunder => self.blunders += 1,
        }
    }
}
