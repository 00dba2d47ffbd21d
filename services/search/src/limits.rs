//! What ends a search, and what it is asked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tabiya_rules::Move;
use tabiya_tablebase::Tablebase;

use crate::TimeBudget;

/// Limits of one search; the first one reached ends it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Positions visited, the root not counted. Exact: a search never visits more.
    pub nodes: Option<u64>,
    /// Iterations finished, in plies.
    pub depth: Option<u32>,
    /// Time from the start of the search.
    pub time: Option<Duration>,
    /// A proof that the side to move mates in at most this many moves.
    pub mate: Option<u32>,
    /// Point in time, such as a caller's deadline. It never changes the size of the table.
    pub deadline: Option<Instant>,
    /// Share of a game clock.
    pub budget: Option<TimeBudget>,
}

/// Smallest table in bytes.
const MIN_TABLE: u64 = 1 << 16;
/// Largest table in bytes.
const MAX_TABLE: u64 = 1 << 26;
/// Table when nothing bounds the nodes beforehand, in bytes.
const DEFAULT_TABLE: u64 = 1 << 24;
/// Nodes a millisecond that a time limit is taken to allow.
const NODES_PER_MILLISECOND: u64 = 1_000;
/// Nodes for each move of a mate limit that stands alone.
const NODES_PER_MATE_MOVE: u64 = 10_000_000;

impl Limits {
    /// A limit of nodes and nothing else.
    pub fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::default()
        }
    }

    /// A limit of depth and nothing else, in plies.
    pub fn depth(depth: u32) -> Self {
        Self {
            depth: Some(depth),
            ..Self::default()
        }
    }

    /// The node limit in force: a mate limit without any other one is given 10,000,000 nodes a move, as there may be
    /// no such mate.
    pub fn effective_nodes(&self) -> Option<u64> {
        let alone =
            self.depth.is_none() && self.time.is_none() && self.deadline.is_none() && self.budget.is_none();
        match (self.nodes, self.mate) {
            (None, Some(moves)) if alone => Some(NODES_PER_MATE_MOVE.saturating_mul(u64::from(moves.max(1)))),
            (nodes, _) => nodes,
        }
    }

    /// Bytes of the transposition table: a function of these limits and of nothing else, so that an answer never depends on
    /// load. 16 bytes for each expected node, rounded up to a power of two, from 64 KiB to 64 MiB.
    pub fn table_bytes(&self) -> usize {
        let by_time = self
            .time
            .map(|time| (time.as_millis() as u64).saturating_mul(NODES_PER_MILLISECOND));
        let by_depth = self
            .depth
            .filter(|&depth| depth <= 12)
            .map(|depth| 4_u64.pow(depth));
        let expected = [self.effective_nodes(), by_time, by_depth]
            .into_iter()
            .flatten()
            .min();
        let bytes = expected.map_or(DEFAULT_TABLE, |nodes| {
            nodes.saturating_mul(16).min(MAX_TABLE).next_power_of_two()
        });
        bytes.clamp(MIN_TABLE, MAX_TABLE) as usize
    }
}

impl Limits {
    /// Bytes of the table for the positions of a game that are searched one after the other: room for some eight
    /// of them, within the same bounds as [`Limits::table_bytes`].
    pub fn game_table_bytes(&self) -> usize {
        self.table_bytes().saturating_mul(8).min(MAX_TABLE as usize)
    }
}

/// What is asked of a search besides its limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lines wanted, best first; 0 is taken as 1. Fewer come back where there are fewer moves.
    pub multi_pv: usize,
    /// Root moves to consider; empty for all. Moves that are not legal are left out.
    pub search_moves: Vec<Move>,
    /// Nodes between two looks at the clock, rounded up to a power of two. The stop flag is looked at on every node.
    pub clock_interval: u64,
    /// Endgame tables to ask. The answer depends on which there are.
    pub tables: Option<Arc<Tablebase>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            search_moves: Vec::new(),
            clock_interval: 1024,
            tables: None,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoppedBy {
    /// The node limit.
    Nodes,
    /// The depth limit.
    Depth,
    /// The time limit, the share of the game clock or the deadline.
    Time,
    /// The mate asked for was found.
    Mate,
    /// The stop flag.
    Stop,
    /// Nothing is left to search: no legal move, or the deepest possible iteration is finished.
    Exhausted,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_size_follows_the_limits_only() {
        assert_eq!(Limits::nodes(20_000).table_bytes(), 1 << 19);
        assert_eq!(Limits::nodes(0).table_bytes(), 1 << 16);
        assert_eq!(Limits::nodes(u64::MAX).table_bytes(), 1 << 26);
        assert_eq!(Limits::depth(4).table_bytes(), 1 << 16);
        assert_eq!(Limits::nodes(20_000).game_table_bytes(), 1 << 22);
        assert_eq!(Limits::nodes(u64::MAX).game_table_bytes(), 1 << 26);
        assert_eq!(Limits::default().table_bytes(), 1 << 24);
        let with_deadline = Limits {
            deadline: Some(Instant::now()),
            ..Limits::nodes(20_000)
        };
        assert_eq!(with_deadline.table_bytes(), 1 << 19);
    }

    #[test]
    fn a_lone_mate_limit_ends() {
        let lone = Limits {
            mate: Some(3),
            ..Limits::default()
        };
        assert_eq!(lone.effective_nodes(), Some(30_000_000));
        assert_eq!(
            Limits {
                depth: Some(9),
                ..lone
            }
            .effective_nodes(),
            None
        );
    }
}
