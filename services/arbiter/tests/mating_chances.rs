//! Mating chances: proofs against an oracle that knows no argument, and against handed cases.

use std::collections::HashSet;
use std::path::PathBuf;

use tabiya_arbiter::mate::{self, Prover, Verdict};
use tabiya_rules::{Board, Color, MoveList};

/// Proves, and lets the checker and the rules judge the evidence. `None` is undecided.
fn prove(prover: &mut Prover, board: &Board, side: Color, limit: u32) -> Option<bool> {
    match prover.prove(board, side, limit).verdict {
        Verdict::Yes(line) => {
            mate::check_line(board, side, &line).expect("the line replays to mate");
            Some(true)
        }
        Verdict::No(certificate) => {
            mate::check(board, side, &certificate).expect("the certificate holds");
            Some(false)
        }
        Verdict::Unknown => None,
    }
}

#[test]
fn positions_written_for_this_test_are_decided() {
    let rows = [
        // Fen, White can mate, Black can mate.
        ("8/8/4k3/8/8/4K3/8/6R1 b - - 0 1", true, false),
        ("8/8/4k3/8/8/4K3/4P3/8 b - - 0 1", true, false),
        ("5b2/8/4k3/8/8/4K3/8/5B2 w - - 0 1", true, true),
        ("8/8/4kr2/8/8/3BK3/8/8 w - - 0 1", false, true),
        ("8/8/4kr2/8/8/3NK3/8/8 w - - 0 1", true, true),
        ("8/8/2k5/p1p1p1p1/P1P1P1P1/8/3K4/8 w - - 0 1", false, false),
        ("2b5/3k4/8/1p1p1p1p/1P1P1P1P/8/3K4/2B5 w - - 0 1", false, false),
        ("7k/6R1/8/8/8/8/8/K7 b - - 0 1", false, false),
        ("8/8/8/8/8/5k2/6r1/7K w - - 0 1", false, false),
        ("K1k5/P7/8/8/8/8/8/8 w - - 0 1", false, false),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true, true),
    ];
    let mut prover = Prover::default();
    for (fen, white, black) in rows {
        let board = Board::from_fen(fen).unwrap();
        for (side, can) in [(Color::White, white), (Color::Black, black)] {
            let verdict = prove(&mut prover, &board, side, mate::DEFAULT_LIMIT);
            assert_eq!(verdict, Some(can), "{fen} for {side}");
        }
    }
}

/// Whether `side` can mate, by looking at positions in the order they arise; `None` beyond `limit` positions.
fn oracle(root: &Board, side: Color, limit: usize) -> Option<bool> {
    let mut seen = HashSet::from([root.key()]);
    let mut queue = vec![*root];
    let mut next = 0;
    while let Some(board) = queue.get(next).copied() {
        next += 1;
        if board.side_to_move() != side && board.is_checkmate() {
            return Some(true);
        }
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        for &mv in &moves {
            let after = board.after(mv);
            if seen.insert(after.key()) {
                queue.push(after);
            }
        }
        if queue.len() > limit {
            return None;
        }
    }
    Some(false)
}

fn next(random: &mut u64) -> usize {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    (*random >> 16) as usize
}

/// The FEN of a random placement; most are legal positions.
fn placement(pieces: &[u8], to_move: char, random: &mut u64) -> String {
    let mut squares = [None; 64];
    for &piece in pieces {
        let mut at = next(random) % 64;
        while squares[at].is_some() {
            at = (at + 1) % 64;
        }
        squares[at] = Some(char::from(piece));
    }
    let mut ranks = Vec::new();
    for rank in squares.chunks(8) {
        let cell = |piece: &Option<char>| piece.map_or("1".to_owned(), String::from);
        ranks.push(rank.iter().map(cell).collect::<String>());
    }
    let mut text = ranks.join("/");
    for run in (2..=8).rev() {
        text = text.replace(&"1".repeat(run), &run.to_string());
    }
    format!("{text} {to_move} - - 0 1")
}

#[test]
fn a_few_men_agree_with_an_oracle_that_knows_no_argument() {
    let line_ups = [
        "KRk", "KQk", "KBk", "KNk", "KNkq", "KBkr", "KNkn", "KQkr", "KBNk", "KBkn", "KRkbn",
    ];
    let mut prover = Prover::default();
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let (mut can, mut cannot) = (0, 0);
    for round in 0..2_000 {
        for line_up in line_ups {
            let to_move = if round % 2 == 0 { 'w' } else { 'b' };
            let fen = placement(line_up.as_bytes(), to_move, &mut random);
            let Ok(board) = Board::from_fen(&fen) else {
                continue;
            };
            // Few moves make for forced captures, and those for positions that can be exhausted.
            if board.count_legal() > 2 {
                continue;
            }
            for side in Color::ALL {
                let Some(expected) = oracle(&board, side, 8_000) else {
                    continue;
                };
                let verdict = prove(&mut prover, &board, side, mate::DEFAULT_LIMIT);
                assert_eq!(verdict, Some(expected), "{fen} for {side}");
                if expected {
                    can += 1;
                } else {
                    cannot += 1;
                }
            }
        }
    }
    assert!(
        can > 20 && cannot > 20,
        "too few comparisons: {can} can mate, {cannot} cannot"
    );
}

fn cases(name: &str) -> Option<Vec<serde_json::Value>> {
    let Some(folder) = std::env::var_os("TABIYA_CASES").map(PathBuf::from) else {
        eprintln!("SKIPPED: {name}: TABIYA_CASES is not set");
        return None;
    };
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// Decided verdicts of a file against ours: (rows asked, undecided here).
fn compare(name: &str) -> Option<(usize, Vec<String>)> {
    let mut prover = Prover::default();
    let (mut asked, mut undecided) = (0, Vec::new());
    for row in cases(name)? {
        let fen = row["fen"].as_str().unwrap();
        let board = match Board::from_fen(fen) {
            Ok(board) => board,
            Err(error) => {
                eprintln!("SKIPPED: {name}: {fen}: {error}");
                continue;
            }
        };
        for (side, field) in [(Color::White, "white_can_mate"), (Color::Black, "black_can_mate")] {
            let Some(expected) = row[field].as_bool() else {
                continue;
            };
            asked += 1;
            match prove(&mut prover, &board, side, mate::DEFAULT_LIMIT) {
                None => undecided.push(format!("{fen} for {side}")),
                verdict => assert_eq!(verdict, Some(expected), "{fen} for {side}"),
            }
        }
    }
    Some((asked, undecided))
}

#[test]
fn handed_positions_are_decided_and_never_wrongly() {
    let Some((asked, undecided)) = compare("dead.jsonl") else {
        return;
    };
    eprintln!(
        "dead.jsonl: {asked} verdicts, {} undecided: {undecided:#?}",
        undecided.len()
    );
    assert!(asked > 700 && undecided.len() * 100 <= asked * 3);
}

#[test]
fn handed_material_is_decided() {
    let Some((asked, undecided)) = compare("material.jsonl") else {
        return;
    };
    assert!(asked > 60 && undecided.is_empty(), "{undecided:#?}");
}
