//! Evidence that has been tampered with.

use tabiya_arbiter::mate::{
    self, Certificate, MaterialClass, Reach, Step, StepEnd, Verdict, check, check_line,
};
use tabiya_rules::{Board, Color, Move, Square};

use crate::random::next;

/// Positions from which White can never mate, each with one that differs little and from which White can.
const TWINS: [(&str, &str); 6] = [
    (
        "8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1",
        "8/8/4k3/1p1p1p2/1P1P1P1P/4K3/8/8 w - - 0 1",
    ),
    (
        "2b5/3k4/8/1p1p1p1p/1P1P1P1P/8/3K4/2B5 w - - 0 1",
        "2b5/3k4/8/1p1p1p1p/1P1P1P1P/8/3K4/3B4 w - - 0 1",
    ),
    ("7k/6R1/8/8/8/8/8/K7 b - - 0 1", "6k1/7R/8/8/8/8/8/K7 w - - 0 1"),
    ("K1k5/P7/8/8/8/8/8/8 w - - 0 1", "K2k4/P7/8/8/8/8/8/8 w - - 0 1"),
    (
        "8/8/4kr2/8/8/3BK3/8/8 w - - 0 1",
        "8/8/4kn2/8/8/3BK3/8/8 w - - 0 1",
    ),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"),
];

fn refutation(fen: &str) -> (Board, Certificate) {
    let board = Board::from_fen(fen).unwrap();
    match mate::prove(&board, Color::White, mate::DEFAULT_LIMIT).verdict {
        Verdict::No(certificate) => (board, certificate),
        other => panic!("{fen}: {other:?}"),
    }
}

fn tamper_reach(reach: &mut Reach, random: &mut u64) {
    let Some(last) = reach.pieces.len().checked_sub(1) else {
        return;
    };
    let number = next(random) % (last + 1);
    let piece = &mut reach.pieces[number];
    match next(random) % 5 {
        0 => piece.squares.0 ^= 1 << (next(random) % 64),
        1 => piece.capturable = !piece.capturable,
        2 => piece.promotes = !piece.promotes,
        3 => piece.from = Square::new((next(random) % 64) as u8).unwrap(),
        _ => drop(reach.pieces.swap_remove(number)),
    }
}

fn tamper_steps(steps: &mut Vec<Step>, random: &mut u64) {
    let Some(last) = steps.len().checked_sub(1) else {
        return;
    };
    let number = next(random) % (last + 1);
    match next(random) % 6 {
        0 => steps[number].parent = next(random) as u32 % (last as u32 + 2),
        1 => steps[number].mv = Move::from_bits(next(random) as u16),
        2 => steps.truncate(number),
        3 => steps[number].end = StepEnd::Material(MaterialClass::BareKing),
        4 => steps[number].end = StepEnd::Open,
        _ => drop(steps.swap_remove(number)),
    }
}

fn tamper(certificate: &mut Certificate, random: &mut u64) {
    match certificate {
        Certificate::Material(class) => {
            let classes = [
                MaterialClass::BareKing,
                MaterialClass::BishopsOfOneColor,
                MaterialClass::KnightAgainstQueens,
            ];
            *class = classes[next(random) % 3];
        }
        Certificate::Confined(reach) => tamper_reach(reach, random),
        Certificate::Exhausted { steps, digest } => {
            if next(random).is_multiple_of(8) {
                *digest ^= 1 << (next(random) % 64);
            } else {
                tamper_steps(steps, random);
            }
        }
    }
}

#[test]
fn no_certificate_holds_where_a_mate_exists() {
    let mut random = 0x0dd_ba11;
    for (dead, alive) in TWINS {
        let (board, certificate) = refutation(dead);
        assert_eq!(check(&board, Color::White, &certificate), Ok(()), "{dead}");
        let alive = Board::from_fen(alive).unwrap();
        let Verdict::Yes(line) = mate::prove(&alive, Color::White, mate::DEFAULT_LIMIT).verdict else {
            panic!("{alive:?}")
        };
        check_line(&alive, Color::White, &line).unwrap();
        for _ in 0..2_000 {
            let mut forged = certificate.clone();
            for _ in 0..next(&mut random) % 4 {
                tamper(&mut forged, &mut random);
            }
            assert!(
                check(&alive, Color::White, &forged).is_err(),
                "{dead}: {forged:?}"
            );
        }
    }
}

#[test]
fn a_set_with_a_step_missing_or_altered_is_refused() {
    let mut exhausted = 0;
    for (dead, _) in TWINS {
        let (board, certificate) = refutation(dead);
        let Certificate::Exhausted { steps, digest } = certificate else {
            continue;
        };
        exhausted += 1;
        for number in 0..steps.len() {
            let mut fewer = steps.clone();
            fewer.remove(number);
            let forged = Certificate::Exhausted { steps: fewer, digest };
            assert!(
                check(&board, Color::White, &forged).is_err(),
                "{dead} without {number}"
            );
            let mut altered = steps.clone();
            altered[number].mv = Move::from_bits(altered[number].mv.to_bits() ^ 1 << (number % 12));
            let forged = Certificate::Exhausted {
                steps: altered,
                digest,
            };
            assert!(
                check(&board, Color::White, &forged).is_err(),
                "{dead} with {number} altered"
            );
        }
    }
    assert!(exhausted > 0, "no certificate of this kind among the positions");
}

#[test]
fn a_line_with_a_move_missing_or_altered_is_refused() {
    let board = Board::from_fen("8/8/4k3/8/8/4K3/4P3/8 b - - 0 1").unwrap();
    let Verdict::Yes(line) = mate::prove(&board, Color::White, mate::DEFAULT_LIMIT).verdict else {
        panic!("the pawn promotes")
    };
    for number in 0..line.len() {
        let mut shorter = line.clone();
        shorter.remove(number);
        assert!(
            check_line(&board, Color::White, &shorter).is_err(),
            "without {number}"
        );
        let mut null = line.clone();
        null[number] = Move::NULL;
        assert!(
            check_line(&board, Color::White, &null).is_err(),
            "null at {number}"
        );
    }
    assert!(check_line(&board, Color::Black, &line).is_err());
}
