//! The lines of the last full depth, out of everything an engine says during a search.
//!
//! An engine reports its lines in blocks that begin with rank 1. A block is full when it holds every rank owed, all
//! exact and all of one depth. When the node budget runs out in the middle of an iteration, engines report that
//! iteration too, though only part of the moves were looked at; such a block is told by its node count, which has
//! reached the budget, and is used only when there is no other.

use shakmaty::{Chess, Position};

use crate::error::Fault;
use crate::protocol::{Exactness, Info, Score};
use crate::search::{Line, Prepared, legal_move, written};

/// Gathers `info` lines of one search.
#[derive(Debug)]
pub(crate) struct Collector {
    width: usize,
    budget_nodes: u64,
    block: Vec<Entry>,
    whole: Option<Vec<Entry>>,
    cut: Option<Vec<Entry>>,
    nodes: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    depth: u32,
    score: Score,
    nodes: u64,
    moves: Vec<String>,
}

impl Collector {
    pub(crate) fn new(prepared: &Prepared) -> Self {
        Self {
            width: prepared.width(),
            budget_nodes: prepared.nodes,
            block: Vec::new(),
            whole: None,
            cut: None,
            nodes: 0,
        }
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(crate) fn add(&mut self, info: &Info<'_>) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        if info.rank == 1 {
            self.block.clear();
        }
        let is_next = info.rank == self.block.len() + 1
            && info.exactness == Exactness::Exact
            && self.block.first().is_none_or(|first| first.depth == info.depth);
        if !is_next {
            // Without its first ranks the rest of the block finds no place either.
            self.block.clear();
            return;
        }
        self.block.push(Entry {
            depth: info.depth,
            score: info.score,
            nodes: info.nodes.unwrap_or(0),
            moves: info.moves.iter().map(|&uci| uci.to_owned()).collect(),
        });
        if self.block.len() == self.width {
            self.keep_block();
        }
    }

    /// The lines of the last full depth, checked against the position.
    pub(crate) fn finish(self, position: &Chess) -> Result<Vec<Line>, Fault> {
        let block = self.whole.or(self.cut).ok_or(Fault::Unusable("no full depth"))?;
        let mut lines: Vec<Line> = Vec::with_capacity(block.len());
        for (entry, rank) in block.into_iter().zip(1..) {
            let moves = legal_prefix(position, &entry.moves);
            let first = moves.first().ok_or(Fault::Unusable("illegal move in a line"))?;
            if lines.iter().any(|line| line.moves.first() == Some(first)) {
                return Err(Fault::Unusable("two lines with one move"));
            }
            let Entry { depth, score, nodes, .. } = entry;
            lines.push(Line { rank, moves, score, depth, nodes });
        }
        Ok(lines)
    }

    fn keep_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        let is_cut = block.iter().any(|entry| entry.nodes >= self.budget_nodes);
        let kept = if is_cut { &mut self.cut } else { &mut self.whole };
        let depth = |entries: &[Entry]| entries.first().map_or(0, |entry| entry.depth);
        if kept.as_deref().is_none_or(|kept| depth(kept) <= depth(&block)) {
            *kept = Some(block);
        }
    }
}

/// The moves up to the first that is not legal. Only the first move of a line carries its score, so a tail that a
/// hash collision spoiled costs nothing.
fn legal_prefix(position: &Chess, moves: &[String]) -> Vec<String> {
    let mut position = position.clone();
    let mut prefix = Vec::with_capacity(moves.len());
    for uci in moves {
        let Some(played) = legal_move(&position, uci) else { break };
        prefix.push(written(played).to_string());
        position.play_unchecked(played);
    }
    prefix
}
