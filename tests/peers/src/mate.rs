//! Mating chances: our full proofs beside the Chess Unwinnability Analyzer (CHA), a program of its own, as a black box.
//!
//! Both are asked the same sides of the same positions, in turn, round by round. A side's time is the median of its
//! rounds: ours is measured around the call, theirs is what CHA prints, in whole microseconds. Our evidence is
//! checked, and so are CHA's helpmates.
//!
//! CHA (github.com/miguel-ambrona/D3-Chess) builds with its own Makefiles on Stockfish at the commit that they name. The
//! network file, which it never uses, can be left out: `make all ARCH=x86-64 EXTRACXXFLAGS=-DNNUE_EMBEDDING_OFF` in
//! Stockfish's `src`, then the shared library as the Makefile links it.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use tabiya_arbiter::mate::{self, Prover, Verdict};
use tabiya_rules::pgn::{MainLine, Reader};
use tabiya_rules::{Board, Color, MoveList, Variant, fen, uci};

/// Names the program.
const PROGRAM: &str = "TABIYA_CHA";

/// Names a folder with `dead.jsonl` in it.
const CASES: &str = "TABIYA_CASES";

struct Question {
    board: Board,
    side: Color,
}

#[derive(Clone)]
struct Answer {
    micros: f64,
    can_mate: Option<bool>,
}

pub fn run(files: &[String], rounds: usize) -> Result<(), Box<dyn Error>> {
    let Some(program) = std::env::var_os(PROGRAM) else {
        eprintln!("SKIPPED: mate: {PROGRAM} does not name the CHA program");
        return Ok(());
    };
    let mut files = files.to_vec();
    match std::env::var(CASES) {
        Ok(folder) => files.push(format!("{folder}/dead.jsonl")),
        Err(_) => eprintln!("SKIPPED: mate: dead.jsonl: {CASES} is not set"),
    }
    for file in files {
        let questions = questions(&file)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            ours.push(our_answers(&questions));
            theirs.push(their_answers(&program, &questions)?);
        }
        report(&file, rounds, &questions, &medians(&ours), &medians(&theirs));
    }
    Ok(())
}

/// Both sides of the final positions of games, or of positions a line: as FEN, or as JSON with the field `fen`.
fn questions(path: &str) -> Result<Vec<Question>, Box<dyn Error>> {
    let mut boards = Vec::new();
    if path.ends_with(".pgn") {
        let mut reader = Reader::new(File::open(path)?);
        let mut line = MainLine::default();
        while reader.read_game(&mut line)? {
            boards.push(*line.board());
        }
    } else {
        for line in fs::read_to_string(path)?.lines() {
            let text = match line.split_once("\"fen\": \"") {
                Some((_, rest)) => rest.split('"').next().unwrap_or(rest).to_owned(),
                None => line.split_whitespace().take(6).collect::<Vec<_>>().join(" "),
            };
            match Board::from_fen(&text) {
                Ok(board) => boards.push(board),
                Err(error) => eprintln!("left out, both sides: {text}: {error}"),
            }
        }
    }
    let both = |board| Color::ALL.map(|side| Question { board, side });
    Ok(boards.into_iter().flat_map(both).collect())
}

fn our_answers(questions: &[Question]) -> Vec<Answer> {
    let mut prover = Prover::default();
    let answer = |Question { board, side }: &Question| {
        let start = Instant::now();
        let proof = prover.prove(board, *side, mate::DEFAULT_LIMIT);
        let micros = start.elapsed().as_secs_f64() * 1e6;
        let can_mate = match proof.verdict {
            Verdict::Yes(line) => {
                mate::check_line(board, *side, &line).expect("our line ends in mate");
                Some(true)
            }
            Verdict::No(certificate) => {
                mate::check(board, *side, &certificate).expect("our certificate holds");
                Some(false)
            }
            Verdict::Unknown => None,
        };
        Answer { micros, can_mate }
    };
    questions.iter().map(answer).collect()
}

fn their_answers(program: &std::ffi::OsStr, questions: &[Question]) -> Result<Vec<Answer>, Box<dyn Error>> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{PROGRAM}: {error}"))?;
    let mut input = String::new();
    for Question { board, side } in questions {
        let side = if *side == Color::White { "white" } else { "black" };
        input.push_str(&format!("{} {side}\n", fen::xfen(board)));
    }
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let writer = std::thread::spawn(move || -> io::Result<()> { stdin.write_all(input.as_bytes()) });
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer stopped")??;
    let text = String::from_utf8(output.stdout)?;
    let words = ["winnable", "unwinnable", "undetermined"];
    let lines = text.lines().filter(|line| words.contains(&first_word(line)));
    let answers: Vec<Answer> = lines.zip(questions).map(their_answer).collect();
    if answers.len() == questions.len() {
        Ok(answers)
    } else {
        Err(format!(
            "CHA gave {} answers to {} questions",
            answers.len(),
            questions.len()
        )
        .into())
    }
}

fn their_answer((line, question): (&str, &Question)) -> Answer {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |name| words.iter().position(|word| *word == name).map(|at| at + 1);
    let micros = after("time")
        .and_then(|at| words.get(at)?.parse().ok())
        .unwrap_or(f64::NAN);
    let can_mate = match first_word(line) {
        "winnable" => {
            let moves: Vec<&str> = words[1..]
                .iter()
                .copied()
                .take_while(|word| *word != "nodes")
                .collect();
            if let Err(error) = replayed(&question.board, question.side, &moves) {
                println!("  CHA's helpmate fails: {error}: {line}");
            }
            Some(true)
        }
        "unwinnable" => Some(false),
        _ => None,
    };
    Answer { micros, can_mate }
}

/// A mate on the board is `winnable#`.
fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or("").trim_end_matches('#')
}

/// Replays moves in UCI notation, with a `#` at the end. CHA leaves out the moves before its first choice.
fn replayed(board: &Board, side: Color, moves: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut now = *board;
    let (mut line, mut forced) = (Vec::new(), 0);
    for text in moves {
        let text = text.trim_end_matches('#');
        if text.is_empty() {
            continue;
        }
        let mut read = uci::parse(&now, text, Variant::Standard);
        while line.len() == forced && read.is_err() && now.count_legal() == 1 {
            let mut only = MoveList::new();
            now.legal_moves(&mut only);
            now.play(only[0]);
            line.push(only[0]);
            forced += 1;
            read = uci::parse(&now, text, Variant::Standard);
        }
        let mv = read?;
        now.play(mv);
        line.push(mv);
    }
    Ok(mate::check_line(board, side, &line)?)
}

fn medians(rounds: &[Vec<Answer>]) -> Vec<Answer> {
    let side = |number: usize| {
        let mut times: Vec<f64> = rounds.iter().map(|round| round[number].micros).collect();
        times.sort_by(f64::total_cmp);
        Answer {
            micros: times[times.len() / 2],
            ..rounds[0][number].clone()
        }
    };
    (0..rounds[0].len()).map(side).collect()
}

fn report(file: &str, rounds: usize, questions: &[Question], ours: &[Answer], theirs: &[Answer]) {
    println!("{file}: {} sides, {rounds} rounds", questions.len());
    for (name, answers) in [("tabiya-arbiter", ours), ("CHA, full analysis", theirs)] {
        let mut times: Vec<f64> = answers.iter().map(|answer| answer.micros).collect();
        times.sort_by(f64::total_cmp);
        let count = |verdict| answers.iter().filter(|answer| answer.can_mate == verdict).count();
        println!(
            "  {name:<20} mean {:>8.1} us, median {:>6.1}, 99 of 100 within {:>8.1}, most {:>9.1}; {} can mate, {} cannot, {} undecided",
            times.iter().sum::<f64>() / times.len().max(1) as f64,
            times.get(times.len() / 2).unwrap_or(&0.0),
            times.get(times.len() * 99 / 100).unwrap_or(&0.0),
            times.last().unwrap_or(&0.0),
            count(Some(true)),
            count(Some(false)),
            count(None),
        );
    }
    let mut disagreements = 0;
    for ((question, ours), theirs) in questions.iter().zip(ours).zip(theirs) {
        if ours.can_mate != theirs.can_mate {
            let word = |answer: &Answer| match answer.can_mate {
                Some(true) => "can mate",
                Some(false) => "cannot",
                None => "undecided",
            };
            let contrary = ours.can_mate.is_some() && theirs.can_mate.is_some();
            disagreements += usize::from(contrary);
            println!(
                "  {}{} for {}: we say {}, CHA says {}",
                if contrary { "DISAGREEMENT: " } else { "" },
                fen::xfen(&question.board),
                question.side,
                word(ours),
                word(theirs)
            );
        }
    }
    println!("  disagreements: {disagreements}");
}
