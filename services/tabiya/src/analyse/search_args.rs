use clap::Args;

use super::Ask;
use crate::choice::{Backend, BulkMode};

/// Node limit of a search without any limit.
const DEFAULT_NODES: u64 = 20_000;

/// How each position of a file is searched.
#[derive(Args, Clone, Debug)]
pub(crate) struct SearchArgs {
    /// End each search at so many positions visited [default: 20000 if no other limit is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// End each search at this depth in plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// End each search after so many milliseconds; answers then depend on the machine's speed
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// Best lines to find in each position
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(super) multipv: u32,
    /// Whether the positions of a game are searched together
    #[arg(long, value_enum, default_value_t)]
    pub(super) bulk_mode: BulkMode,
}

impl SearchArgs {
    /// What is asked about every position, of this backend and network.
    pub(crate) fn ask(&self, backend: Backend, network: String) -> Ask {
        let limited = self.nodes.is_some() || self.depth.is_some() || self.movetime.is_some();
        Ask {
            nodes: self.nodes.or((!limited).then_some(DEFAULT_NODES)),
            depth: self.depth,
            movetime: self.movetime,
            multipv: self.multipv,
            bulk_mode: self.bulk_mode,
            backend,
            network,
        }
    }
}
