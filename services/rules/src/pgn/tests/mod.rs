//! Reading and writing, on text made for it.

mod properties;
mod reading;
mod writing;

use std::io::{self, Read};

use super::{GameTree, Games, Mode, PgnError};

/// A stream that gives a few bytes at a time, as sockets do.
struct Trickle<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.step.min(self.bytes.len()).min(buffer.len());
        let (head, rest) = self.bytes.split_at(length);
        buffer[..length].copy_from_slice(head);
        self.bytes = rest;
        Ok(length)
    }
}

fn read(text: &str) -> Vec<Result<GameTree, PgnError>> {
    Games::new(text.as_bytes(), Mode::Lenient).collect()
}

/// Reads one game that must not be rejected.
fn read_one(text: &str) -> GameTree {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).unwrap()
}

fn moves(tree: &GameTree) -> String {
    let moves: Vec<_> = tree.main_line().map(|node| tree.mv(node).to_string()).collect();
    moves.join(" ")
}

fn errors(tree: &GameTree) -> Vec<String> {
    tree.errors().map(|defect| defect.kind.to_string()).collect()
}
