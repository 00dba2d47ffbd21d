//! Labels by a UCI engine.

use std::time::Duration;

use super::bounded;
use crate::{
    arena::engine::{Engine, EngineSpec, Failure},
    error::Error,
    record::Record,
};

/// An engine that has not answered by then hangs.
const LONGEST_SEARCH: Duration = Duration::from_secs(600);

/// A UCI engine that searches each position to the same number of nodes.
pub(crate) struct ByEngine {
    spec: EngineSpec,
    nodes: u64,
}

impl ByEngine {
    /// Starts the engine once, so that a wrong command or option is told before any work.
    ///
    /// # Errors
    /// An engine that does not start or does not speak UCI.
    pub(crate) fn new(command: &str, options: &[(String, String)], nodes: u64) -> Result<Self, Error> {
        let spec = EngineSpec {
            name: command.into(),
            command: command.into(),
            options: options.to_vec(),
        };
        Engine::start(&spec)?;
        Ok(Self { spec, nodes })
    }

    /// Labels rows with an engine of their own, which forgets between them.
    ///
    /// # Errors
    /// An engine that does not start again, falls silent, ends, or gives no score.
    pub(crate) fn label(&self, rows: &mut [Record]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut engine = Engine::start(&self.spec)?;
        let go = format!("go nodes {}", self.nodes);
        for row in rows {
            let fen = row.fen();
            let fail = |reason: &str| Error::Engine {
                engine: self.spec.command.clone(),
                reason: format!("{reason} at {fen}"),
            };
            let failed = |failure: Failure| {
                fail(match failure {
                    Failure::Silence => "no answer",
                    Failure::Crash => "ended",
                })
            };
            engine.new_game().map_err(failed)?;
            let reply = engine.search(&format!("position fen {fen}"), &go, LONGEST_SEARCH);
            let score = reply.map_err(failed)?.score;
            row.set_label(bounded(score.ok_or_else(|| fail("no score"))?));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_from_fen;

    #[test]
    fn an_engine_labels_what_it_searches() {
        let options = [("Hash".into(), "1".into())];
        let commands = ["stockfish", "/usr/games/stockfish"];
        let mut started = commands
            .iter()
            .map(|command| ByEngine::new(command, &options, 2000));
        let Some(engine) = started.find_map(Result::ok) else {
            eprintln!("SKIPPED: no stockfish as an engine that labels");
            return;
        };
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ];
        let mut rows = fens.map(record_from_fen);
        engine.label(&mut rows).expect("labels");
        let labels = rows.map(|row| row.label().expect("a label"));
        assert!((0..=100).contains(&labels[0]), "{labels:?}");
        assert_eq!(labels[1], 10_000, "mate in one");
        assert!(labels[2] < 0, "{labels:?}");
        assert_eq!(labels[3], 0, "stalemate");
        // In another order, each row's label is the same.
        let mut again = fens.map(record_from_fen);
        again.reverse();
        engine.label(&mut again).expect("labels");
        again.reverse();
        assert_eq!(rows, again);
    }

    #[test]
    fn an_engine_that_does_not_start_is_named() {
        let error = ByEngine::new("true", &[], 1).err().expect("no engine");
        assert!(error.to_string().contains("engine true"), "{error}");
    }
}
