//! Turns answers, which come in the order of game and ply, into text, output and progress.

use tabiya_client::v1::AnalyzeResponse;

use super::{
    output::{Output, Reached},
    writer::Writer,
};
use crate::{
    failure::{Failure, Refusal},
    input::InputGame,
    progress::Progress,
};

/// The end of the line.
#[derive(Debug)]
pub(crate) struct Sink {
    writer: Writer,
    output: Output,
    progress: Progress,
    /// Text that is complete and not written yet.
    text: Vec<u8>,
    /// Everything taken.
    taken: Reached,
    /// The last point at which all that was taken is in `text` or written.
    whole: Reached,
}

impl Sink {
    /// A sink that goes on from what an earlier run has reached.
    pub(crate) fn new(writer: Writer, output: Output, progress: Progress, reached: Reached) -> Self {
        Self {
            writer,
            output,
            progress,
            text: Vec::new(),
            taken: reached,
            whole: reached,
        }
    }

    /// Counts a position that an earlier run has done.
    pub(crate) fn inherit(&self, ends_game: bool) {
        self.progress.inherit(ends_game);
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// If it cannot be put into the output's format.
    pub(crate) fn position(
        &mut self,
        game: &InputGame,
        ply: usize,
        answer: &AnalyzeResponse,
    ) -> Result<(), Failure> {
        self.writer.position(game, ply, answer, &mut self.text)?;
        self.count(game, ply, false);
        Ok(())
    }

    /// Takes note that a position has no answer.
    pub(crate) fn failure(&mut self, game: &InputGame, ply: usize, why: &Refusal) {
        self.progress
            .note(&format!("{}: game {}, ply {ply}: {why}", game.file, game.number));
        self.count(game, ply, true);
    }

    fn count(&mut self, game: &InputGame, ply: usize, failed: bool) {
        let ends_game = ply + 1 == game.positions();
        if ends_game {
            self.writer.end_game(game, &mut self.text);
        }
        self.taken.positions += 1;
        self.taken.failed += u64::from(failed);
        if ends_game || self.writer.is_whole_after_each_position() {
            self.whole = self.taken;
        }
        self.progress.advance(ends_game);
    }

    /// Writes what is complete.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if !self.text.is_empty() {
            self.output.write(&self.text)?;
            self.text.clear();
        }
        self.output.checkpoint(self.whole)
    }

    /// Ends the output, complete or to be continued, and tells how far it came.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn close(mut self, done: bool, skipped: u64) -> Result<Reached, Failure> {
        self.flush()?;
        self.progress.finish();
        let reached = Reached {
            skipped,
            ..self.whole
        };
        self.output.close(reached, done)?;
        Ok(reached)
    }
}
