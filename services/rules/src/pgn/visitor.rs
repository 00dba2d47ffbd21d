//! The events of a PGN stream.

use super::{Defect, DefectKind, Location, Outcome};

/// Whether a visitor wants what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Deliver it.
    Read,
    /// Skip it; brackets and comments are still matched.
    Skip,
}

/// Receives the parts of a game in the order in which they are written.
///
/// The texts are borrowed from the read buffer: nothing is allocated for an event. An `Err` from a method is
/// reported back as a [`Defect`] with its place. From [`san`](Self::san), [`begin_moves`](Self::begin_moves) and
/// [`begin_variation`](Self::begin_variation) it also says that the current line of moves cannot go on: the reader
/// skips to the end of that variation (of that game, in the main line) and goes on behind it.
pub trait Visitor {
    /// A game begins.
    fn begin_game(&mut self, _at: Location) {}
    /// A tag pair, its escapes resolved.
    ///
    /// # Errors
    /// If there is something to report about it.
    fn tag(&mut self, _name: &str, _value: &str) -> Result<(), DefectKind> {
        Ok(())
    }
    /// The tags are complete, the move text follows.
    ///
    /// # Errors
    /// If no moves can be read from this start.
    fn begin_moves(&mut self) -> Result<Flow, DefectKind> {
        Ok(Flow::Read)
    }
    /// A word in the place of a move, without annotation suffix.
    ///
    /// # Errors
    /// If it is no move here.
    fn san(&mut self, _text: &str) -> Result<(), DefectKind> {
        Ok(())
    }
    /// What is to be reported of the word that [`san`](Self::san) has just taken, although its line goes on.
    fn remark(&mut self) -> Option<DefectKind> {
        None
    }
    /// A numeric annotation glyph for the last move.
    ///
    /// # Errors
    /// If there is no move to annotate.
    fn nag(&mut self, _nag: u8) -> Result<(), DefectKind> {
        Ok(())
    }
    /// The text between the braces, or from a semicolon to the end of the line, as written.
    fn comment(&mut self, _text: &str) {}
    /// A variation on the last move begins.
    ///
    /// # Errors
    /// If none can begin here.
    fn begin_variation(&mut self) -> Result<Flow, DefectKind> {
        Ok(Flow::Skip)
    }
    /// The variation ends. Not called for one that was skipped from its start.
    ///
    /// # Errors
    /// If there is something to report about it.
    fn end_variation(&mut self) -> Result<(), DefectKind> {
        Ok(())
    }
    /// The termination marker.
    fn result(&mut self, _marker: Outcome) {}
    /// Something in the text departs from the export format.
    fn defect(&mut self, _defect: Defect) {}
    /// The game ends.
    fn end_game(&mut self, _at: Location) {}
}
