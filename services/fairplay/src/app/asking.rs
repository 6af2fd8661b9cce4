//! Positions through an engine, each alone: what is found depends on the position, the engine and the nodes, and on nothing
//! that was asked before. So a position that was found once, in whatever game, is not searched again, a worker that takes over
//! from one that died goes on where that one was, and anybody can check a single position.

use std::collections::HashMap;
use std::time::Duration;

use domain_fairplay::{Candidate, PlyEvaluation, ReportError, Score};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode, Position as _};
use sqlx::PgPool;
use uci::{Analysis, GameSession, Pool, Search, Start};
use uuid::Uuid;

use super::analysis::{AnalysisError, Source};
use super::settings::SearchSettings;
use crate::metrics::{POSITIONS_FOUND, POSITIONS_KNOWN};
use crate::store::positions::{self, Found};

/// Plies at the start that are never more than probed: they count for nothing but the accuracy.
const PROBED_PLIES: usize = 8;
/// Centipawns of the probe beyond which a position is decided, and not searched further.
const DECIDED_CENTIPAWNS: i32 = 700;
/// Positions that are found before they are written down: what a worker that dies loses at most.
const WRITE_AT: usize = 8;

/// Where positions that were found are kept.
#[derive(Debug, Clone, Copy)]
pub enum Memory<'a> {
    /// Nowhere.
    None,
    /// In the service's database.
    Database(&'a PgPool),
}

/// An engine that is asked about positions.
pub struct Asking<'a> {
    session: GameSession,
    search: SearchSettings,
    memory: Memory<'a>,
    engine: String,
    known: HashMap<Uuid, PlyEvaluation>,
    fresh: Vec<Found>,
    cpu_before: Duration,
}

impl<'a> Asking<'a> {
    /// Takes an engine, and looks up what is known of these positions.
    ///
    /// # Errors
    /// When there is no engine.
    pub async fn open(
        engines: &Pool,
        search: SearchSettings,
        memory: Memory<'a>,
        positions: &[&Chess],
    ) -> Result<Self, AnalysisError> {
        let session = engines.open_game().await?;
        let engine = engines.identity().name.clone();
        let cpu_before = session.engine_cpu_time().unwrap_or_default();
        let (known, fresh) = (HashMap::new(), Vec::new());
        let mut asking = Self { session, search, memory, engine, known, fresh, cpu_before };
        asking.remember(positions).await;
        Ok(asking)
    }

    /// As in the first pass: a probe, and a whole search where the game is open and there is a choice.
    ///
    /// # Errors
    /// See [`AnalysisError`].
    pub async fn pass_a(&mut self, index: usize, position: &Chess) -> Result<PlyEvaluation, AnalysisError> {
        let probe = self.at(index, position, self.search.probe_nodes()).await?;
        if index < PROBED_PLIES || position.legal_moves().len() == 1 || is_decided(&probe) {
            return Ok(probe);
        }
        self.whole(index, position).await
    }

    /// With all nodes.
    ///
    /// # Errors
    /// See [`AnalysisError`].
    pub async fn whole(&mut self, index: usize, position: &Chess) -> Result<PlyEvaluation, AnalysisError> {
        self.at(index, position, self.search.nodes).await
    }

    /// Writes down what was found, and tells where it all came from.
    pub async fn finish(mut self) -> Source {
        self.write_down().await;
        let cpu_after = self.session.engine_cpu_time().unwrap_or_default();
        let engine_time = cpu_after.saturating_sub(self.cpu_before);
        Source { engine: self.engine, search: self.search, engine_time }
    }

    async fn at(
        &mut self,
        index: usize,
        position: &Chess,
        nodes: u64,
    ) -> Result<PlyEvaluation, AnalysisError> {
        let fen = fen(position);
        let key = self.key(&fen, nodes);
        if let Some(known) = self.known.get(&key) {
            metrics::counter!(POSITIONS_KNOWN).increment(1);
            return Ok(known.clone());
        }
        self.session.forget();
        let search =
            Search { start: Start::Fen(fen), moves: Vec::new(), nodes, multi_pv: self.search.multi_pv };
        let analysis = match self.session.analyse(&search).await {
            Ok(analysis) => analysis,
            Err(error) => {
                // The next try need not begin anew.
                self.write_down().await;
                return Err(error.into());
            }
        };
        if analysis.engine.name != self.engine {
            let (expected, found) = (self.engine.clone(), analysis.engine.name.clone());
            return Err(AnalysisError::OtherEngine { expected, found });
        }
        let evaluation = evaluation(analysis);
        check(index, position, &evaluation)?;
        metrics::counter!(POSITIONS_FOUND).increment(1);
        self.known.insert(key, evaluation.clone());
        self.fresh.push(Found::new(key, position.turn(), &evaluation));
        if self.fresh.len() >= WRITE_AT {
            self.write_down().await;
        }
        Ok(evaluation)
    }

    fn key(&self, fen: &str, nodes: u64) -> Uuid {
        positions::key(&self.engine, nodes, self.search.multi_pv, fen)
    }

    /// That it is not to be had costs engine time and nothing else.
    async fn remember(&mut self, positions: &[&Chess]) {
        let Memory::Database(pool) = self.memory else { return };
        let mut turns = HashMap::new();
        for position in positions {
            for nodes in [self.search.probe_nodes(), self.search.nodes] {
                turns.insert(self.key(&fen(position), nodes), position.turn());
            }
        }
        match positions::find(pool, &turns).await {
            Ok(known) => self.known = known,
            Err(error) => tracing::warn!(%error, "what is known of the positions could not be read"),
        }
    }

    async fn write_down(&mut self) {
        let fresh = std::mem::take(&mut self.fresh);
        let Memory::Database(pool) = self.memory else { return };
        if let Err(error) = positions::put(pool, &fresh).await {
            tracing::warn!(%error, "positions that were found could not be kept");
        }
    }
}

/// The position without its history and its move number, so that it is the same in every game.
fn fen(position: &Chess) -> String {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.fullmoves = std::num::NonZeroU32::MIN;
    Fen::try_from(setup).expect("a legal position has a setup").to_string()
}

fn is_decided(probe: &PlyEvaluation) -> bool {
    probe.lines.first().is_some_and(|best| match best.score {
        Score::Cp(centipawns) => centipawns.abs() > DECIDED_CENTIPAWNS,
        Score::Mate(_) => true,
    })
}

fn evaluation(analysis: Analysis) -> PlyEvaluation {
    let lines = analysis.lines.into_iter().filter_map(|line| {
        let uci = line.moves.into_iter().next()?;
        Some(Candidate { uci, score: engine_score(line.score) })
    });
    PlyEvaluation { lines: lines.collect() }
}

fn engine_score(score: uci::Score) -> Score {
    match score {
        uci::Score::Cp(centipawns) => Score::Cp(centipawns),
        uci::Score::Mate(moves) => Score::Mate(moves),
    }
}

/// Nothing is kept of an engine that speaks of another position.
fn check(index: usize, position: &Chess, evaluation: &PlyEvaluation) -> Result<(), ReportError> {
    let is_legal =
        |uci: &str| UciMove::from_ascii(uci.as_bytes()).is_ok_and(|uci| uci.to_move(position).is_ok());
    match evaluation.lines.iter().find(|line| !is_legal(&line.uci)) {
        Some(line) => Err(ReportError::ForeignMove { index, uci: line.uci.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_the_same_in_every_game_that_comes_to_it() {
        let after = |moves: &str| {
            let mut position = Chess::default();
            for uci in moves.split(' ') {
                let uci = UciMove::from_ascii(uci.as_bytes()).expect("a move");
                position.play_unchecked(uci.to_move(&position).expect("legal"));
            }
            fen(&position)
        };
        assert_eq!(
            after("e2e4 e7e5 g1f3 b8c6"),
            after("g1f3 b8c6 e2e4 e7e5 f3g1 c6b8 g1f3 b8c6").replace("4 1", "2 1")
        );
        assert_eq!(after("e2e4"), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        assert_ne!(after("e2e4 e7e5"), after("e2e4 e7e6"));
    }
}
