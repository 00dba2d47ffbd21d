//! Time of a full proof on the final positions of games: `mating_chances FILE.pgn`.

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use tabiya_arbiter::mate::{DEFAULT_LIMIT, Prover, Verdict};
use tabiya_rules::pgn::{MainLine, Reader};
use tabiya_rules::{Board, Color, fen};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: mating_chances FILE.pgn")?;
    let mut reader = Reader::new(File::open(path)?);
    let mut line = MainLine::default();
    let mut boards: Vec<Board> = Vec::new();
    while reader.read_game(&mut line)? {
        boards.push(*line.board());
    }
    let mut prover = Prover::default();
    let mut times = Vec::new();
    let (mut yes, mut no, mut unknown) = (0, 0, 0);
    for board in &boards {
        for side in Color::ALL {
            let start = Instant::now();
            let proof = prover.prove(board, side, DEFAULT_LIMIT);
            times.push((start.elapsed(), proof.positions, *board, side));
            match proof.verdict {
                Verdict::Yes(_) => yes += 1,
                Verdict::No(_) => no += 1,
                Verdict::Unknown => unknown += 1,
            }
        }
    }
    times.sort_by_key(|time| std::cmp::Reverse(time.0));
    let total: std::time::Duration = times.iter().map(|time| time.0).sum();
    let sides = times.len().max(1);
    println!(
        "{} games, {sides} sides: {yes} can mate, {no} cannot, {unknown} undecided",
        boards.len()
    );
    println!(
        "mean {:.1} us, median {:.1} us",
        micros(total) / sides as f64,
        times.get(sides / 2).map_or(0.0, |time| micros(time.0))
    );
    for (time, positions, board, side) in times.iter().take(8) {
        println!(
            "{:9.1} us {positions:7} positions, {side}: {}",
            micros(*time),
            fen::xfen(board)
        );
    }
    Ok(())
}

fn micros(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
