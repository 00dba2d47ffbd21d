//! What the services compute with.

use std::{sync::Arc, thread};

use tabiya_evaluator::{Network, PackedPosition, evaluate_reference};
use tabiya_rules::Board;

use crate::{Config, ServerError, compute::Pool, health::Proof, phase::Lifecycle};

/// The compute threads, shared by the services.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    /// Long games and bulk work of the rules.
    pub(crate) rules: Pool,
    /// Perft, which may take long.
    pub(crate) counting: Pool,
    pub(crate) network: Arc<Network>,
    pub(crate) lifecycle: Lifecycle,
}

impl Engine {
    pub(crate) fn start(config: &Config, lifecycle: Lifecycle, proof: Proof) -> Result<Self, ServerError> {
        let engine = Self {
            rules: Pool::start("tabiya-rules", config.rules_threads, config.bulk_queue)?,
            counting: Pool::start("tabiya-perft", config.rules_threads, config.interactive_queue)?,
            network: Network::default_network(),
            lifecycle,
        };
        let network = engine.network.clone();
        thread::Builder::new()
            .name("tabiya-warm-up".into())
            .spawn(move || {
                if let Some(start) = pack(&Board::startpos()) {
                    evaluate_reference(&network, &start);
                    proof.give();
                }
            })
            .map_err(|source| ServerError::Thread {
                what: "the warm-up",
                source,
            })?;
        Ok(engine)
    }

    /// Lets all compute threads end.
    pub(crate) fn close(&self) {
        self.rules.close();
        self.counting.close();
    }
}

fn pack(board: &Board) -> Option<PackedPosition> {
    let pieces = tabiya_rules::Square::all().filter_map(|square| {
        let (color, piece) = (board.color_on(square)?, board.piece_on(square)?);
        Some((color.index() as u8, piece.index() as u8))
    });
    PackedPosition::pack(board.occupied().0, pieces, board.side_to_move().index() == 1).ok()
}
