//! Mating chances: proofs against an oracle that knows no argument, against mutation, and against handed cases.

mod handed;
mod mutation;
mod oracle;
mod random;

use tabiya_arbiter::mate::{self, Prover, Verdict};
use tabiya_rules::{Board, Color};

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

#[test]
fn an_answer_does_not_depend_on_earlier_questions() {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/4k3/8/8/4K3/4P3/8 b - - 0 1",
        "8/8/2k5/p1p1p1p1/P1P1P1P1/8/3K4/8 w - - 0 1",
        "8/8/1k4B1/1p2K2p/1r6/8/8/8 b - - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "8/8/4kr2/8/8/3NK3/8/8 w - - 0 1",
    ];
    let mut used = Prover::default();
    for round in 0..3 {
        for number in 0..fens.len() {
            let board = Board::from_fen(fens[(number * (round + 1)) % fens.len()]).unwrap();
            for side in Color::ALL {
                let fresh = mate::prove(&board, side, mate::DEFAULT_LIMIT);
                assert_eq!(used.prove(&board, side, mate::DEFAULT_LIMIT), fresh);
            }
        }
    }
}
