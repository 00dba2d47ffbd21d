//! Reading games and playing every move of the main line.

use std::ops::ControlFlow;

use pgn_reader::{SanPlus, Skip, Visitor};
use shakmaty::{Chess, Position};

use crate::race;

pub fn run(path: &str, copies: usize, rounds: usize) {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            std::process::exit(2);
        }
    };
    let text = text.repeat(copies);
    println!("{} copies of {path}, {:.1} MB", copies, text.len() as f64 / 1e6);
    race(
        "games read, main line played",
        "moves",
        rounds,
        &[
            ("tabiya-rules", Box::new(|| ours(&text))),
            ("pgn-reader 0.29.0", Box::new(|| theirs(&text))),
        ],
    );
    let start = std::time::Instant::now();
    let trees = tabiya_rules::pgn::Games::new(&text[..], tabiya_rules::pgn::Mode::Lenient);
    let moves: usize = trees.map(|tree| tree.unwrap().main_line().count()).sum();
    println!(
        "  full trees, ours only: {:.1} ms for {moves} moves",
        start.elapsed().as_secs_f64() * 1e3
    );
}

fn ours(text: &[u8]) -> u64 {
    let mut reader = tabiya_rules::pgn::Reader::new(text);
    let mut line = tabiya_rules::pgn::MainLine::default();
    let mut moves = 0;
    while reader.read_game(&mut line).unwrap() {
        assert!(line.is_complete());
        moves += line.moves().len() as u64;
    }
    moves
}

struct Replay;

impl Visitor for Replay {
    type Tags = ();
    type Movetext = (Chess, Vec<shakmaty::Move>);
    type Output = u64;

    fn begin_tags(&mut self) -> ControlFlow<u64> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, _tags: ()) -> ControlFlow<u64, Self::Movetext> {
        ControlFlow::Continue((Chess::default(), Vec::with_capacity(256)))
    }

    fn begin_variation(&mut self, _movetext: &mut Self::Movetext) -> ControlFlow<u64, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn san(&mut self, (position, moves): &mut Self::Movetext, san_plus: SanPlus) -> ControlFlow<u64> {
        let mv = san_plus.san.to_move(position).unwrap();
        position.play_unchecked(mv);
        moves.push(mv);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, moves): Self::Movetext) -> u64 {
        moves.len() as u64
    }
}

fn theirs(text: &[u8]) -> u64 {
    let mut reader = pgn_reader::Reader::new(text);
    let mut moves = 0;
    while let Some(count) = reader.read_game(&mut Replay).unwrap() {
        moves += count;
    }
    moves
}
