//! What can be seen of a change from its own stream, before its turn in the pool comes.

use super::book::Change;
use super::correction::CorrectionKind;
use super::game_record::GameRecord;
use super::rebuild::Difference;

/// Follows the log stream by stream: each begins with the rating of its game, and everything behind is a correction; a void
/// takes back exactly what the stream before it has come to.
#[derive(Debug, Default)]
pub struct LogCheck {
    current: Option<GameRecord>,
}

impl LogCheck {
    /// Looks at the next event, which stands at `version` of its stream.
    ///
    /// # Errors
    /// When it cannot stand there.
    pub fn look(&mut self, version: i64, change: &Change) -> Result<(), Difference> {
        let wrong = || Difference::Stream(change.game_id());
        match change {
            Change::Game(rated) if version == 1 => {
                self.current = Some(GameRecord::new(*rated));
                Ok(())
            }
            Change::Game(_) => Err(wrong()),
            Change::Correction(made) => {
                let correction = &made.correction;
                let record = self.current.as_mut().ok_or_else(wrong)?;
                let rated = &record.rated().game;
                if rated.game_id() != correction.game_id
                    || rated.pool() != correction.pool
                    || i64::try_from(record.version()) != Ok(version - 1)
                {
                    return Err(wrong());
                }
                let adjustments = match (correction.kind, correction.adjustments.as_slice()) {
                    (CorrectionKind::Voided, _) => record.void(),
                    (CorrectionKind::Adjusted, [one]) => record.adjust(one.player, one.points),
                    (CorrectionKind::Adjusted, _) => return Err(wrong()),
                };
                let bits = |points: f64| points.to_bits();
                let is_right = adjustments.is_ok_and(|adjustments| {
                    adjustments.len() == correction.adjustments.len()
                        && adjustments.iter().zip(&correction.adjustments).all(|(one, other)| {
                            (one.player, one.opponent) == (other.player, other.opponent)
                                && bits(one.points) == bits(other.points)
                        })
                });
                if !is_right {
                    return Err(wrong());
                }
                record.corrected(made.clone());
                Ok(())
            }
        }
    }
}
