//! The handed tables, and positions that they hold.

#![allow(dead_code)] // Each test uses some of it.

use std::path::PathBuf;

use tabiya_rules::Board;
use tabiya_tablebase::Tablebase;

pub(crate) fn folder() -> Option<PathBuf> {
    let cases = std::env::var_os("TABIYA_CASES");
    if cases.is_none() {
        eprintln!("SKIPPED: TABIYA_CASES is not set, so there are no tables");
    }
    Some(PathBuf::from(cases?).join("syzygy"))
}

pub(crate) fn tables() -> Option<Tablebase> {
    Some(Tablebase::open([folder()?.as_path()]).unwrap())
}

pub(crate) fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

/// So many positions of each material with a table.
pub(crate) fn positions(each: usize) -> impl Iterator<Item = Board> {
    let mut names: Vec<_> = std::fs::read_dir(folder().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rtbw"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names.into_iter().flat_map(move |name| positions_of(&name, each))
}

/// So many positions of one material: the first legal ones of a fixed sequence.
pub(crate) fn positions_of(name: &str, count: usize) -> Vec<Board> {
    let (white, black) = name.split_once('v').unwrap();
    let men: Vec<char> = white.chars().chain(black.to_lowercase().chars()).collect();
    let mut numbers = numbers();
    let mut found = Vec::new();
    while found.len() < count {
        let mut squares = [' '; 64];
        for man in &men {
            let free = |square: &usize| {
                squares[*square] == ' ' && (!man.eq_ignore_ascii_case(&'p') || (8..56).contains(square))
            };
            let square = numbers
                .by_ref()
                .map(|number| number as usize % 64)
                .find(free)
                .unwrap();
            squares[square] = *man;
        }
        let mut placement: Vec<String> = squares.rchunks(8).map(|rank| rank.iter().collect()).collect();
        for rank in &mut placement {
            for run in (1..=8).rev() {
                *rank = rank.replace(&" ".repeat(run), &run.to_string());
            }
        }
        let side = if numbers.next().unwrap().is_multiple_of(2) {
            'w'
        } else {
            'b'
        };
        let fen = format!("{} {side} - - 0 1", placement.join("/"));
        found.extend(Board::from_fen(&fen).ok());
    }
    found
}

/// A fixed sequence without visible order.
pub(crate) fn numbers() -> impl Iterator<Item = u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    std::iter::from_fn(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Some((state >> 33) as u32)
    })
}
