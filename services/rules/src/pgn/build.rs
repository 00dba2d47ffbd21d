//! From events to a [`GameTree`].

use super::defect::cut;
use super::notation::{parse_fen, parse_san, variant_of};
use super::tags::SEVEN_TAG_ROSTER;
use super::tree::{GameTree, NodeId, play};
use super::{Defect, DefectKind, Flow, Location, Mode, Outcome, Visitor};
use crate::san::SanErrorKind;
use crate::{Board, Move, Variant};

/// Defects listed for a game; more are counted.
const MAX_DEFECTS: usize = 100;
/// Bytes of tags and comments kept for a game; more are dropped and reported.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Tags kept for a game; with more it is too large. A look for a name passes all of them.
const MAX_TAGS: usize = 256;

/// A line of moves being read.
struct Frame {
    /// The position before the last move, where a variation on it begins.
    before: Board,
    board: Board,
    node: NodeId,
    /// Whether the line has no move yet.
    empty: bool,
    /// Comments before the line's first move.
    leading: Vec<String>,
}

/// Builds the tree of one game.
pub(super) struct TreeBuilder {
    mode: Mode,
    pub(super) tree: GameTree,
    pub(super) rejected: bool,
    frames: Vec<Frame>,
    text_budget: usize,
    truncated: bool,
    /// What is to be said of the move just taken.
    remark: Option<DefectKind>,
}

impl TreeBuilder {
    pub(super) fn new(mode: Mode) -> Self {
        Self {
            mode,
            tree: GameTree::new(Board::startpos(), Variant::Standard),
            rejected: false,
            frames: Vec::new(),
            text_budget: MAX_TEXT_BYTES,
            truncated: false,
            remark: None,
        }
    }

    fn spend(&mut self, bytes: usize) -> bool {
        match self.text_budget.checked_sub(bytes) {
            Some(left) => self.text_budget = left,
            None => self.truncated = true,
        }
        !self.truncated
    }

    fn find_start(&mut self) -> Result<(), DefectKind> {
        let tags = self.tree.tags();
        let variant = variant_of(tags.get("Variant"))?;
        let start = match tags.get("FEN") {
            Some(text) => {
                let fen = parse_fen(text, variant, self.mode)?;
                for repair in fen.repairs {
                    let kind = DefectKind::StartPositionRepaired(repair.to_string());
                    self.report(self.tree.location, kind);
                }
                fen.board
            }
            None => Board::startpos(),
        };
        self.tree.set_start(start, variant);
        Ok(())
    }

    fn report(&mut self, location: Location, kind: DefectKind) {
        self.defect(Defect { location, kind });
    }
}

impl Visitor for TreeBuilder {
    fn begin_game(&mut self, at: Location) {
        self.tree.location = at;
    }

    fn tag(&mut self, name: &str, value: &str) -> Result<(), DefectKind> {
        if !self.spend(name.len() + value.len()) {
            return Err(DefectKind::GameTooLarge);
        }
        if self.tree.tags().len() >= MAX_TAGS && self.tree.tags().get(name).is_none() {
            self.truncated = true;
            return Err(DefectKind::GameTooLarge);
        }
        match self.tree.tags_mut().set(name, value) {
            Some(_) => Err(DefectKind::DuplicateTag(cut(name))),
            None => Ok(()),
        }
    }

    fn begin_moves(&mut self) -> Result<Flow, DefectKind> {
        self.find_start().inspect_err(|_| self.rejected = true)?;
        let board = *self.tree.start();
        self.frames.push(Frame {
            before: board,
            board,
            node: NodeId::ROOT,
            empty: true,
            leading: Vec::new(),
        });
        Ok(Flow::Read)
    }

    fn san(&mut self, text: &str) -> Result<(), DefectKind> {
        if self.truncated {
            return Err(DefectKind::GameTooLarge);
        }
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let mv = match parse_san(&frame.board, text, self.mode) {
            // Annotators show threats with null moves; the main line has no place for one, but is read on.
            Err(DefectKind::NullMove) => {
                if frame.board.in_check() {
                    return Err(DefectKind::BadMove {
                        text: cut(text),
                        reason: SanErrorKind::NullMove,
                    });
                }
                if self.frames.len() == 1 {
                    self.remark = Some(DefectKind::NullMove);
                }
                Move::NULL
            }
            read => read?,
        };
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        let Some(node) = self.tree.push(frame.node, mv) else {
            return Err(DefectKind::GameTooLarge);
        };
        frame.before = frame.board;
        play(&mut frame.board, mv);
        frame.node = node;
        frame.empty = false;
        for comment in std::mem::take(&mut frame.leading) {
            self.tree.add_comment_before(node, &comment);
        }
        Ok(())
    }

    fn remark(&mut self) -> Option<DefectKind> {
        self.remark.take()
    }

    fn nag(&mut self, nag: u8) -> Result<(), DefectKind> {
        match self.frames.last() {
            Some(frame) if !frame.empty => {
                self.tree.add_nag(frame.node, nag);
                Ok(())
            }
            _ => Err(DefectKind::MisplacedGlyph),
        }
    }

    fn comment(&mut self, text: &str) {
        if !self.spend(text.len()) {
            return;
        }
        let inside_variation = self.frames.len() > 1;
        match self.frames.last_mut() {
            Some(frame) if frame.empty && inside_variation => frame.leading.push(text.to_owned()),
            Some(frame) => self.tree.add_comment(frame.node, text),
            None => self.tree.add_comment(NodeId::ROOT, text),
        }
    }

    fn begin_variation(&mut self) -> Result<Flow, DefectKind> {
        match self.frames.last() {
            Some(frame) if !frame.empty => {
                let board = frame.before;
                let node = self.tree.parent(frame.node).unwrap_or(NodeId::ROOT);
                self.frames.push(Frame {
                    before: board,
                    board,
                    node,
                    empty: true,
                    leading: Vec::new(),
                });
                Ok(Flow::Read)
            }
            _ => Err(DefectKind::VariationBeforeMove),
        }
    }

    fn end_variation(&mut self) -> Result<(), DefectKind> {
        match self.frames.pop() {
            Some(frame) if frame.empty => {
                // Its comments would be lost with it; they are about the move that it varies.
                if let Some(outer) = self.frames.last() {
                    let node = outer.node;
                    frame
                        .leading
                        .iter()
                        .for_each(|comment| self.tree.add_comment(node, comment));
                }
                Err(DefectKind::EmptyVariation)
            }
            _ => Ok(()),
        }
    }

    fn result(&mut self, marker: Outcome) {
        self.tree.set_marker(marker);
    }

    fn defect(&mut self, defect: Defect) {
        // Only the main line's frame is open: the defect is not a variation's.
        if self.frames.len() == 1 && defect.kind.ends_line() && self.tree.cut.is_none() {
            self.tree.cut = Some(defect.clone());
        }
        // The reason for a rejection is listed whatever came before it.
        let rejects = matches!(
            defect.kind,
            DefectKind::BadStartPosition(_) | DefectKind::UnsupportedVariant(_)
        );
        if self.tree.defects.len() < MAX_DEFECTS || rejects {
            self.tree.defects.push(defect);
        } else {
            self.tree.more_defects += 1;
        }
    }

    fn end_game(&mut self, at: Location) {
        let begin = self.tree.location;
        for name in SEVEN_TAG_ROSTER {
            if self.tree.tags().get(name).is_none() {
                self.report(begin, DefectKind::MissingTag(name));
            }
        }
        let set_up = self.tree.tags().get("SetUp").is_some_and(|value| value == "1");
        if set_up != self.tree.tags().get("FEN").is_some() {
            self.report(begin, DefectKind::SetUpMismatch);
        }
        if let Some(value) = self.tree.tags().get("Result")
            && Outcome::from_standard(value).is_none()
        {
            let kind = DefectKind::ResultTag(cut(value));
            self.report(begin, kind);
        }
        if !self.rejected {
            for conflict in self.tree.conflicts() {
                self.report(at, DefectKind::ResultConflict(conflict));
            }
        }
    }
}
