//! Time of a full proof: on the final positions of games, or on positions given one a line.
//!
//! `mating_chances FILE.pgn [ROUNDS [SHOWN]]`, `mating_chances FILE.txt [ROUNDS [SHOWN]]` (a FEN a line; words after
//! it are ignored). Each side of each position is asked in every round; its time is the median of its rounds. The
//! evidence is checked, outside the time. The slowest are shown.

use std::error::Error;
use std::fs::{self, File};
use std::time::{Duration, Instant};

use tabiya_arbiter::mate::{CheckError, DEFAULT_LIMIT, Prover, Verdict, check, check_line};
use tabiya_rules::pgn::{MainLine, Reader};
use tabiya_rules::{Board, Color, fen};

/// One side of one position.
struct Answer {
    time: Duration,
    positions: u32,
    board: Board,
    side: Color,
    word: &'static str,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("usage: mating_chances FILE [ROUNDS [SHOWN]]")?;
    let rounds: usize = arguments.next().map_or(Ok(1), |rounds| rounds.parse())?;
    let shown: usize = arguments.next().map_or(Ok(12), |shown| shown.parse())?;
    let boards = if path.ends_with(".pgn") {
        final_positions(&path)?
    } else {
        listed_positions(&path)?
    };
    let mut prover = Prover::default();
    let mut answers = Vec::new();
    for board in &boards {
        for side in Color::ALL {
            answers.push(ask(&mut prover, board, side, rounds.max(1))?);
        }
    }
    report(&mut answers, shown);
    Ok(())
}

fn final_positions(path: &str) -> Result<Vec<Board>, Box<dyn Error>> {
    let mut reader = Reader::new(File::open(path)?);
    let mut line = MainLine::default();
    let mut boards = Vec::new();
    while reader.read_game(&mut line)? {
        boards.push(*line.board());
    }
    Ok(boards)
}

fn listed_positions(path: &str) -> Result<Vec<Board>, Box<dyn Error>> {
    let mut boards = Vec::new();
    for line in fs::read_to_string(path)?.lines() {
        let words: Vec<&str> = line.split_whitespace().take(6).collect();
        match Board::from_fen(&words.join(" ")) {
            Ok(board) => boards.push(board),
            Err(error) => eprintln!("left out: {line}: {error}"),
        }
    }
    Ok(boards)
}

fn ask(prover: &mut Prover, board: &Board, side: Color, rounds: usize) -> Result<Answer, CheckError> {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..rounds {
        let start = Instant::now();
        let proof = prover.prove(board, side, DEFAULT_LIMIT);
        times.push(start.elapsed());
        last = Some(proof);
    }
    times.sort_unstable();
    let (mut positions, mut word) = (0, "");
    if let Some(proof) = last {
        positions = proof.positions;
        word = match proof.verdict {
            Verdict::Yes(line) => check_line(board, side, &line).map(|()| "yes")?,
            Verdict::No(certificate) => check(board, side, &certificate).map(|()| "no")?,
            Verdict::Unknown => "undecided",
        };
    }
    Ok(Answer {
        time: times[rounds / 2],
        positions,
        board: *board,
        side,
        word,
    })
}

fn report(answers: &mut [Answer], shown: usize) {
    answers.sort_by_key(|answer| std::cmp::Reverse(answer.time));
    let sides = answers.len().max(1);
    let count = |word| answers.iter().filter(|answer| answer.word == word).count();
    println!(
        "{sides} sides: {} can mate, {} cannot, {} undecided",
        count("yes"),
        count("no"),
        count("undecided")
    );
    let total: Duration = answers.iter().map(|answer| answer.time).sum();
    let at = |share: f64| {
        let index = ((1.0 - share) * sides as f64) as usize;
        answers.get(index).map_or(0.0, |answer| micros(answer.time))
    };
    println!(
        "a side, in microseconds: mean {:.1}, median {:.1}, 99 of 100 within {:.1}, most {:.1}",
        micros(total) / sides as f64,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    for answer in answers.iter().take(shown) {
        println!(
            "{:9.1} us {:7} positions, {} for {}: {}",
            micros(answer.time),
            answer.positions,
            answer.word,
            answer.side,
            fen::xfen(&answer.board)
        );
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
