//! The moves played, and nothing else.

use super::notation::{parse_fen, parse_san, variant_of};
use super::{Defect, DefectKind, Flow, Location, Mode, Outcome, Visitor};
use crate::{Board, Move, Variant};

/// A [`Visitor`] that plays the main line and skips variations and comments. It can be used for game after game, and then
/// allocates only while a game is longer than any before.
///
/// ```
/// use tabiya_rules::pgn::{MainLine, Reader};
///
/// let mut reader = Reader::new("1. e4 e5 {quiet} 2. Nf3 (2. f4) Nc6 *".as_bytes());
/// let mut line = MainLine::default();
/// while reader.read_game(&mut line)? {
///     assert_eq!(line.moves().len(), 4);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MainLine {
    start: Board,
    board: Board,
    variant: Variant,
    moves: Vec<Move>,
    marker: Option<Outcome>,
    fen: Option<String>,
    variant_tag: Option<String>,
    complete: bool,
}

impl Default for MainLine {
    fn default() -> Self {
        let start = Board::startpos();
        Self {
            start,
            board: start,
            variant: Variant::Standard,
            moves: Vec::new(),
            marker: None,
            fen: None,
            variant_tag: None,
            complete: true,
        }
    }
}

impl MainLine {
    /// The position before the first move.
    #[must_use]
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// The position after the last move.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How castling is set up and written.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The moves up to the end, or to the first that is none.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The termination marker.
    #[must_use]
    pub fn marker(&self) -> Option<Outcome> {
        self.marker
    }

    /// Whether every word of the main line was a legal move or a remark on one, from a start that can be played.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

impl Visitor for MainLine {
    fn begin_game(&mut self, _at: Location) {
        let moves = std::mem::take(&mut self.moves);
        *self = Self {
            start: Board::startpos(),
            moves,
            ..Self::default()
        };
        self.moves.clear();
    }

    fn tag(&mut self, name: &str, value: &str) -> Result<(), DefectKind> {
        match name {
            "FEN" => self.fen = Some(value.to_owned()),
            "Variant" => self.variant_tag = Some(value.to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn begin_moves(&mut self) -> Result<Flow, DefectKind> {
        self.complete = false;
        self.variant = variant_of(self.variant_tag.as_deref())?;
        if let Some(fen) = &self.fen {
            self.start = parse_fen(fen, self.variant, Mode::Lenient)?.board;
            self.board = self.start;
        }
        self.complete = true;
        Ok(Flow::Read)
    }

    #[inline]
    fn san(&mut self, text: &str) -> Result<(), DefectKind> {
        let mv = parse_san(&self.board, text, Mode::Lenient)?;
        self.board.play(mv);
        self.moves.push(mv);
        Ok(())
    }

    fn result(&mut self, marker: Outcome) {
        self.marker = Some(marker);
    }

    fn defect(&mut self, defect: Defect) {
        // A word that is no move may still be a remark on one, such as `e.p.`: only the reader knows.
        if defect.kind.ends_line() || defect.kind == DefectKind::NullMove {
            self.complete = false;
        }
    }
}
