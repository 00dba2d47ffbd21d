//! A game in memory: main line, variations, comments, glyphs.

use std::time::Duration;

use super::command::{self, Eval};
use super::notes::{NO_NOTES, Notes, normalized};
use super::{Defect, Location, Outcome, Severity, Tags};
use crate::{Board, Move, Variant};

/// A move in a [`GameTree`], or its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The start of the game, before any move.
    pub const ROOT: Self = Self(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Most nodes of a tree.
pub const MAX_NODES: usize = 1 << 20;

#[derive(Clone, Debug)]
struct Node {
    mv: Move,
    parent: NodeId,
    first_child: Option<NodeId>,
    /// Where the next variation is joined on: a walk along the siblings would make reading quadratic.
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
    notes: Option<Box<Notes>>,
}

/// A game with its variations. The first child of a node goes on with its line; the others are variations.
#[derive(Clone, Debug)]
pub struct GameTree {
    pub(super) tags: Tags,
    start: Board,
    variant: Variant,
    marker: Option<Outcome>,
    nodes: Vec<Node>,
    pub(super) location: Location,
    pub(super) defects: Vec<Defect>,
    pub(super) more_defects: usize,
    /// What ended the main line before its text did.
    pub(super) cut: Option<Defect>,
}

/// Equal if a reader of the written games could see no difference: tags, start, moves, notes and marker. Where a
/// game was read from, and with which defects, does not count.
impl PartialEq for GameTree {
    fn eq(&self, other: &Self) -> bool {
        if (&self.tags, self.variant, self.marker) != (&other.tags, other.variant, other.marker)
            || self.start != other.start
            || self.start.halfmove_clock() != other.start.halfmove_clock()
            || self.start.fullmove_number() != other.start.fullmove_number()
        {
            return false;
        }
        let mut pairs = vec![(NodeId::ROOT, NodeId::ROOT)];
        while let Some((ours, theirs)) = pairs.pop() {
            if self.mv(ours) != other.mv(theirs) || self.notes(ours) != other.notes(theirs) {
                return false;
            }
            let (mut left, mut right) = (self.children(ours), other.children(theirs));
            loop {
                match (left.next(), right.next()) {
                    (Some(ours), Some(theirs)) => pairs.push((ours, theirs)),
                    (None, None) => break,
                    _ => return false,
                }
            }
        }
        true
    }
}

impl Eq for GameTree {}

impl GameTree {
    /// A game without moves.
    #[must_use]
    pub fn new(start: Board, variant: Variant) -> Self {
        let root = Node {
            mv: Move::NULL,
            parent: NodeId::ROOT,
            first_child: None,
            last_child: None,
            next_sibling: None,
            notes: None,
        };
        Self {
            tags: Tags::default(),
            start,
            variant,
            marker: None,
            nodes: vec![root],
            location: Location::default(),
            defects: Vec::new(),
            more_defects: 0,
            cut: None,
        }
    }

    /// The tag pairs.
    #[must_use]
    pub fn tags(&self) -> &Tags {
        &self.tags
    }

    /// The tag pairs, to change. The writer makes `Variant`, `SetUp` and `FEN` itself.
    pub fn tags_mut(&mut self) -> &mut Tags {
        &mut self.tags
    }

    /// The position before the first move.
    #[must_use]
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// How castling is set up and written.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    pub(super) fn set_start(&mut self, start: Board, variant: Variant) {
        (self.start, self.variant) = (start, variant);
    }

    /// The termination marker, if there is one.
    #[must_use]
    pub fn marker(&self) -> Option<Outcome> {
        self.marker
    }

    /// Sets the termination marker.
    pub fn set_marker(&mut self, marker: Outcome) {
        self.marker = Some(marker);
    }

    /// Where the game was read.
    #[must_use]
    pub fn location(&self) -> Location {
        self.location
    }

    /// What was wrong with the text it was read from, at most the first hundred.
    #[must_use]
    pub fn defects(&self) -> &[Defect] {
        &self.defects
    }

    /// Why the main line ends before its text does; none if it was read whole.
    #[must_use]
    pub fn cut(&self) -> Option<&Defect> {
        self.cut.as_ref()
    }

    /// Number of defects beyond those listed.
    #[must_use]
    pub fn more_defects(&self) -> usize {
        self.more_defects
    }

    /// Defects that lost some of the text.
    pub fn errors(&self) -> impl Iterator<Item = &Defect> {
        self.defects
            .iter()
            .filter(|defect| defect.kind.severity() == Severity::Error)
    }

    /// Number of moves in all lines.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The move of a node; [`Move::NULL`] for the root and for a null move.
    #[must_use]
    pub fn mv(&self, node: NodeId) -> Move {
        self.node(node).mv
    }

    /// The node that a move follows; none for the root.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node != NodeId::ROOT).then(|| self.node(node).parent)
    }

    /// The moves that follow a node, the main one first.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.node(node).first_child, |&child| {
            self.node(child).next_sibling
        })
    }

    pub(super) fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).next_sibling
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.node(NodeId::ROOT).first_child, |&node| {
            self.node(node).first_child
        })
    }

    /// Number of variations, at any depth.
    #[must_use]
    pub fn variation_count(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| node.next_sibling.is_some())
            .count()
    }

    /// The position after a node's move.
    #[must_use]
    pub fn board(&self, node: NodeId) -> Board {
        let path: Vec<_> = std::iter::successors(Some(node), |&node| self.parent(node)).collect();
        let mut board = self.start;
        for &node in path.iter().rev().skip(1) {
            play(&mut board, self.mv(node));
        }
        board
    }

    /// Appends a move after a node: as its continuation if it is the first, else as a variation. [`Move::NULL`]
    /// is a null move. None if the move is not legal there, or the tree is full.
    pub fn add_move(&mut self, parent: NodeId, mv: Move) -> Option<NodeId> {
        let board = self.board(parent);
        let legal = if mv == Move::NULL {
            !board.in_check()
        } else {
            board.is_legal(mv)
        };
        if !legal {
            return None;
        }
        self.push(parent, mv)
    }

    /// Appends a move known to be legal.
    pub(super) fn push(&mut self, parent: NodeId, mv: Move) -> Option<NodeId> {
        if self.nodes.len() > MAX_NODES {
            return None;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).ok()?);
        let last = self.nodes[parent.index()].last_child.replace(id);
        self.nodes.push(Node {
            mv,
            parent,
            first_child: None,
            last_child: None,
            next_sibling: None,
            notes: None,
        });
        match last {
            None => self.nodes[parent.index()].first_child = Some(id),
            Some(last) => self.nodes[last.index()].next_sibling = Some(id),
        }
        Some(id)
    }

    /// Comments after a move; for the root, before the first.
    #[must_use]
    pub fn comments(&self, node: NodeId) -> &[String] {
        &self.notes(node).after
    }

    /// Comments before a move, where it begins a variation.
    #[must_use]
    pub fn comments_before(&self, node: NodeId) -> &[String] {
        &self.notes(node).before
    }

    /// Annotation glyphs of a move.
    #[must_use]
    pub fn nags(&self, node: NodeId) -> &[u8] {
        &self.notes(node).nags
    }

    /// Adds a comment after a move. Space around it is dropped, and a line end inside is a space: written text is
    /// wrapped, so neither could be told apart again. An empty comment is not added.
    pub fn add_comment(&mut self, node: NodeId, text: &str) {
        if let Some(text) = normalized(text) {
            self.notes_mut(node).after.push(text);
        }
    }

    /// Adds a comment before a move that begins a variation; before any other move, it goes after the parent.
    pub fn add_comment_before(&mut self, node: NodeId, text: &str) {
        let parent = self.node(node).parent;
        if self.node(parent).first_child == Some(node) || node == NodeId::ROOT {
            self.add_comment(parent, text);
        } else if let Some(text) = normalized(text) {
            self.notes_mut(node).before.push(text);
        }
    }

    /// Adds an annotation glyph to a move; the root takes none.
    pub fn add_nag(&mut self, node: NodeId, nag: u8) {
        if node != NodeId::ROOT {
            self.notes_mut(node).nags.push(nag);
        }
    }

    /// Time left on the mover's clock, from `[%clk]`.
    #[must_use]
    pub fn clock(&self, node: NodeId) -> Option<Duration> {
        command::parse_time(self.command(node, "clk")?)
    }

    /// Time spent on the move, from `[%emt]`.
    #[must_use]
    pub fn elapsed(&self, node: NodeId) -> Option<Duration> {
        command::parse_time(self.command(node, "emt")?)
    }

    /// The engine's judgement after the move, from `[%eval]`.
    #[must_use]
    pub fn eval(&self, node: NodeId) -> Option<Eval> {
        Eval::parse(self.command(node, "eval")?)
    }

    /// Sets `[%eval]`: in its place if there is one, else in the first comment that has a command, else in a new one.
    pub fn set_eval(&mut self, node: NodeId, eval: Eval) {
        let command = format!("[%eval {eval}]");
        let comments = &mut self.notes_mut(node).after;
        for comment in comments.iter_mut() {
            if let Some((range, _)) = command::span(comment, "eval") {
                comment.replace_range(range, &command);
                return;
            }
        }
        match comments
            .iter_mut()
            .find_map(|comment| comment.find("[%").map(|at| (comment, at)))
        {
            Some((comment, at)) => comment.insert_str(at, &format!("{command} ")),
            None => comments.insert(0, command),
        }
    }

    fn command(&self, node: NodeId, name: &str) -> Option<&str> {
        self.comments(node)
            .iter()
            .find_map(|comment| command::find(comment, name))
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    fn notes(&self, node: NodeId) -> &Notes {
        self.node(node).notes.as_deref().unwrap_or(&NO_NOTES)
    }

    fn notes_mut(&mut self, node: NodeId) -> &mut Notes {
        self.nodes[node.index()].notes.get_or_insert_default()
    }
}

/// Plays a legal move of a [`GameTree`] on a board; [`Move::NULL`] passes the turn.
pub fn play(board: &mut Board, mv: Move) {
    if mv == Move::NULL {
        board.play_null();
    } else {
        board.play(mv);
    }
}
