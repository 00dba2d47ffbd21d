//! The export format.

use std::fmt;

use super::Outcome;
use super::notation::{format_fen, format_san};
use super::tags::SEVEN_TAG_ROSTER;
use super::tree::{GameTree, NodeId, play};
use crate::{Board, Color, Variant};

/// Printed characters a line, at most, where words allow.
const COLUMNS: usize = 79;
/// Tags that say from where the moves start; made from the tree's start.
const START_TAGS: [&str; 3] = ["Variant", "SetUp", "FEN"];

/// The game in export format, with an empty line at the end: written games can follow each other.
///
/// The seven-tag roster comes first, `?` where unknown, then the other tags by name. Comments are kept: in braces,
/// or behind a semicolon if they contain a closing brace.
impl fmt::Display for GameTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tags(self, f)?;
        let mut text = Wrapper {
            out: f,
            column: 0,
            joined: false,
        };
        write_moves(self, &mut text)?;
        text.word(marker(self).as_str())?;
        f.write_str("\n\n")
    }
}

fn marker(tree: &GameTree) -> Outcome {
    let tag = || tree.tags().get("Result").and_then(Outcome::from_informal);
    tree.marker().or_else(tag).unwrap_or(Outcome::Unknown)
}

fn write_tags(tree: &GameTree, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for name in SEVEN_TAG_ROSTER {
        let default = match name {
            "Date" => "????.??.??",
            "Result" => marker(tree).as_str(),
            _ => "?",
        };
        write_tag(f, name, tree.tags().get(name).unwrap_or(default))?;
    }
    let fen = format_fen(tree.start());
    let mut others: Vec<_> = tree
        .tags()
        .iter()
        .filter(|(name, _)| !SEVEN_TAG_ROSTER.contains(name) && !START_TAGS.contains(name))
        .collect();
    if tree.variant() == Variant::Chess960 {
        others.push(("Variant", "Chess960"));
    }
    if fen != format_fen(&Board::startpos()) {
        others.extend([("SetUp", "1"), ("FEN", &fen)]);
    }
    others.sort_unstable();
    for (name, value) in others {
        write_tag(f, name, value)?;
    }
    f.write_str("\n")
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(f, "[{name} \"{value}\"]")
}

/// What is left to write, last first.
enum Task {
    /// A move, and its variations if it is the first child of its node.
    Move(NodeId, Board),
    Variation(NodeId, Board),
    Close,
}

fn write_moves(tree: &GameTree, text: &mut Wrapper<'_, '_>) -> fmt::Result {
    for comment in tree.comments(NodeId::ROOT) {
        text.comment(comment)?;
    }
    let first = tree.children(NodeId::ROOT).next();
    let mut tasks: Vec<_> = first
        .map(|node| Task::Move(node, *tree.start()))
        .into_iter()
        .collect();
    let mut number_wanted = true;
    while let Some(task) = tasks.pop() {
        let (node, board, first) = match task {
            Task::Move(node, board) => (node, board, true),
            Task::Variation(node, board) => {
                text.open()?;
                for comment in tree.comments_before(node) {
                    text.comment(comment)?;
                }
                number_wanted = true;
                (node, board, false)
            }
            Task::Close => {
                text.close()?;
                number_wanted = true;
                continue;
            }
        };
        write_move(tree, node, &board, number_wanted, text)?;
        number_wanted = !tree.comments(node).is_empty();
        let mut after = board;
        play(&mut after, tree.mv(node));
        if let Some(next) = tree.children(node).next() {
            tasks.push(Task::Move(next, after));
        }
        if first {
            let others: Vec<_> =
                std::iter::successors(tree.next_sibling(node), |&n| tree.next_sibling(n)).collect();
            for other in others.into_iter().rev() {
                tasks.push(Task::Close);
                tasks.push(Task::Variation(other, board));
            }
        }
    }
    Ok(())
}

fn write_move(
    tree: &GameTree,
    node: NodeId,
    board: &Board,
    number_wanted: bool,
    text: &mut Wrapper<'_, '_>,
) -> fmt::Result {
    let san = format_san(board, tree.mv(node));
    match board.side_to_move() {
        Color::White => text.word(&format!("{}. {san}", board.fullmove_number()))?,
        Color::Black if number_wanted => text.word(&format!("{}... {san}", board.fullmove_number()))?,
        Color::Black => text.word(&san)?,
    }
    for nag in tree.nags(node) {
        text.word(&format!("${nag}"))?;
    }
    for comment in tree.comments(node) {
        text.comment(comment)?;
    }
    Ok(())
}

/// Breaks lines between words.
struct Wrapper<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
    /// Whether an opening bracket was just written, to which the next word is joined.
    joined: bool,
}

impl Wrapper<'_, '_> {
    fn word(&mut self, word: &str) -> fmt::Result {
        let length = word.chars().count();
        if self.column > 0 {
            // A percent sign may not begin a line: it would make that an escape.
            if self.column + 1 + length > COLUMNS && !word.starts_with('%') {
                self.out.write_str("\n")?;
                self.column = 0;
            } else if !self.joined {
                self.out.write_str(" ")?;
                self.column += 1;
            }
        }
        self.joined = false;
        self.out.write_str(word)?;
        self.column += length;
        Ok(())
    }

    fn open(&mut self) -> fmt::Result {
        self.word("(")?;
        self.joined = true;
        Ok(())
    }

    fn close(&mut self) -> fmt::Result {
        self.out.write_str(")")?;
        self.column += 1;
        Ok(())
    }

    fn comment(&mut self, comment: &str) -> fmt::Result {
        if comment.contains('}') {
            self.word(";")?;
            writeln!(self.out, "{comment}")?;
            self.column = 0;
            return Ok(());
        }
        let text = format!("{{{comment}}}");
        // Only a single space can become a line end and come back as it was; commands are kept whole, since not all
        // readers look for them across lines.
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        let (mut start, mut command_end) = (0, 0);
        let last_close = text.rfind(']').unwrap_or(0);
        for (at, byte) in text.bytes().enumerate() {
            // Beyond the last closing bracket nothing is looked for, or many open commands would cost a look each.
            if byte == b'[' && text[at + 1..].starts_with('%') && (command_end..last_close).contains(&at) {
                command_end = text[at..].find(']').map_or(at, |length| at + length);
            }
            let bytes = text.as_bytes();
            if byte == b' ' && at >= command_end && !is_blank(bytes[at - 1]) && !is_blank(bytes[at + 1]) {
                self.word(&text[start..at])?;
                start = at + 1;
            }
        }
        self.word(&text[start..])
    }
}
