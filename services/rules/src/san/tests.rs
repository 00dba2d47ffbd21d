use super::*;
use crate::MoveList;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn read(fen: &str, text: &str, mode: SanMode) -> Result<String, SanErrorKind> {
    let board = Board::from_fen(fen).unwrap();
    parse(&board, text, mode)
        .map(|mv| mv.to_string())
        .map_err(|error| error.kind)
}

fn lenient(fen: &str, text: &str) -> Result<String, SanErrorKind> {
    read(fen, text, SanMode::Lenient)
}

/// The move found without generation is the move that generation knows, for every legal move and every text of
/// one square to another.
#[test]
fn resolving_agrees_with_generation() {
    for fen in [
        KIWIPETE,
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "4k3/8/8/8/4r3/8/2N3N1/4K3 w - - 0 1",
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mut list = MoveList::new();
        board.legal_moves(&mut list);
        for &mv in &list {
            let text = write(&board, mv);
            for mode in [SanMode::Strict, SanMode::Lenient] {
                assert_eq!(parse(&board, &text, mode), Ok(mv), "{fen} {text}");
            }
            assert_eq!(parse_bytes(&board, text.as_bytes()), Ok(mv));
        }
        for from in crate::Square::all() {
            for to in crate::Square::all() {
                if let Ok(mv) = parse(&board, &format!("{from}{to}"), SanMode::Lenient) {
                    assert!(list.contains(&mv), "{fen}: {mv}");
                }
            }
        }
    }
}

#[test]
fn import_forms() {
    let fen = "rn1qkbnr/Ppp1pppp/8/3pP3/8/5b2/1PPP1PPP/RNBQK2R w KQkq d6 0 5";
    for (text, uci) in [
        ("0-0", "e1h1"),
        ("Kg1", "e1h1"),
        ("e1g1", "e1h1"),
        ("e1h1", "e1h1"),
        ("gxf3", "g2f3"),
        ("g:f3", "g2f3"),
        ("gf3", "g2f3"),
        ("g2xf3", "g2f3"),
        ("Pg2xf3", "g2f3"),
        ("d1f3", "d1f3"),
        ("Qf3", "d1f3"),
        ("qd1xf3+!!", "d1f3"),
        ("♕×f3", "d1f3"),
        ("Qxf3(=)", "d1f3"),
        ("♕×f3+ (=)", "d1f3"),
        ("axb8=Q(=)", "a7b8q"),
        ("exd6 e.p.(=)", "e5d6"),
        ("exd6e.p.", "e5d6"),
        ("axb8Q", "a7b8q"),
        ("axb8(=N)", "a7b8n"),
        ("axb8=车", "a7b8r"),
        ("a7b8b", "a7b8b"),
    ] {
        assert_eq!(lenient(fen, text).as_deref(), Ok(uci), "{text}");
    }
}

#[test]
fn reasons() {
    let fen = "4k3/P7/8/8/8/2N3N1/8/4K3 w - - 0 1";
    for (text, kind) in [
        ("a8", SanErrorKind::MissingPromotion),
        ("Ne2", SanErrorKind::Ambiguous),
        ("Ne4", SanErrorKind::Ambiguous),
        ("gxf3 e.p.", SanErrorKind::Illegal),
        ("--", SanErrorKind::NullMove),
        ("Z0", SanErrorKind::NullMove),
        ("P@e4", SanErrorKind::Illegal),
        ("Nf6", SanErrorKind::Illegal),
        ("将军", SanErrorKind::Syntax),
        ("", SanErrorKind::Syntax),
        ("x", SanErrorKind::Syntax),
        ("=Q", SanErrorKind::Syntax),
        ("Nce", SanErrorKind::Syntax),
    ] {
        assert_eq!(lenient(fen, text), Err(kind), "{text}");
    }
    let strict = |text| read(KIWIPETE, text, SanMode::Strict).unwrap_err();
    assert_eq!(strict("Kg1"), SanErrorKind::Notation);
    assert_eq!(strict("Qf3xf6"), SanErrorKind::Overspecified);
    assert_eq!(strict("Qf6"), SanErrorKind::CaptureMark);
    assert_eq!(strict("Qxf6+"), SanErrorKind::CheckMark);
    assert_eq!(strict("qxf6"), SanErrorKind::Syntax);
}
