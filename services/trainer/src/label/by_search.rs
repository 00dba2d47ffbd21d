//! Labels by our own search.

use std::sync::{Arc, atomic::AtomicBool};

use tabiya_evaluator::{AnyKernel, CpuEvaluator, Kernel, KernelVisitor, Network, NetworkSource, dispatch};
use tabiya_rules::{Board, Game};
use tabiya_search::{Limits, Options, Score, Searcher};

use super::{LABEL_LIMIT, bounded};
use crate::{error::Error, record::Record};

/// Our search, each position with the same number of nodes and empty tables.
pub(crate) struct BySearch {
    network: Arc<Network>,
    nodes: u64,
}

impl BySearch {
    /// Loads the network.
    ///
    /// # Errors
    /// A file that cannot be read or is no network.
    pub(crate) fn new(source: &NetworkSource, nodes: u64) -> Result<Self, Error> {
        let network = source.load();
        let network = network.map_err(|error| Error::content(source.to_string(), error.to_string()))?;
        Ok(Self { network, nodes })
    }

    /// The digest of the network that evaluates.
    pub(crate) fn network_digest(&self) -> String {
        self.network.digest().to_string()
    }

    /// Labels rows.
    ///
    /// # Errors
    /// A row that is no legal position.
    pub(crate) fn label(&self, rows: &mut [Record]) -> Result<(), Error> {
        dispatch(AnyKernel::best(), Labelling { source: self, rows })
    }
}

struct Labelling<'a> {
    source: &'a BySearch,
    rows: &'a mut [Record],
}

impl KernelVisitor for Labelling<'_> {
    type Output = Result<(), Error>;

    fn visit<K: Kernel>(self, kernel: K) -> Self::Output {
        let limits = Limits::nodes(self.source.nodes);
        let mut searcher = Searcher::new(limits.table_bytes());
        let mut evaluator = CpuEvaluator::new(kernel, self.source.network.clone());
        let stop = AtomicBool::new(false);
        for row in self.rows {
            let fen = row.fen();
            let board = Board::from_fen(&fen).map_err(|error| Error::Position {
                fen: fen.clone(),
                reason: error.to_string(),
            })?;
            searcher.clear();
            let game = Game::new(board);
            let result = searcher.search(
                &game,
                &limits,
                &Options::default(),
                &mut evaluator,
                &stop,
                &mut |_| {},
            );
            row.set_label(match result.score {
                Score::Centipawns(value) => bounded(value),
                Score::Mate(moves) if moves > 0 => LABEL_LIMIT,
                Score::Mate(_) => -LABEL_LIMIT,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_from_fen;

    #[test]
    fn our_search_sees_what_a_static_value_does_not() {
        let search = BySearch::new(&NetworkSource::default(), 2000).expect("the program's own network");
        let fens = [
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
            // Black takes the queen at once.
            "3rk3/8/8/3Q4/8/8/8/4K3 b - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ];
        let mut rows = fens.map(record_from_fen);
        search.label(&mut rows).expect("labels");
        let labels = rows.map(|row| row.label().expect("a label"));
        assert_eq!(labels[0], LABEL_LIMIT, "mate in one");
        assert!(labels[1] > 200, "{labels:?}");
        assert_eq!(labels[2], 0, "stalemate");
        let mut again = fens.map(record_from_fen);
        again.reverse();
        search.label(&mut again).expect("labels");
        again.reverse();
        assert_eq!(rows, again);
    }

    #[test]
    fn a_network_that_is_none_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("none.nnue");
        let named = |path: &std::path::Path| {
            let source = NetworkSource::File(path.into());
            let error = BySearch::new(&source, 1).err().expect("no network");
            assert!(error.to_string().contains("none.nnue"), "{error}");
        };
        named(&path);
        std::fs::write(&path, "no network").expect("written");
        named(&path);
    }
}
