use std::sync::Arc;

use tabiya_rules::{Board, Color, Move, MoveList, Piece, Square};

use super::*;

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn certificate(fen: &str, side: Color) -> (Board, Certificate) {
    let board = board(fen);
    match prove(&board, side, DEFAULT_LIMIT).verdict {
        Verdict::No(certificate) => (board, certificate),
        other => panic!("{fen} for {side}: {other:?}"),
    }
}

#[test]
fn material_that_cannot_mate_is_named() {
    let classes = [
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", Some(MaterialClass::BareKing)),
        ("8/3qr3/4k3/8/8/4K3/8/2B2B2 w - - 0 1", None),
        (
            "8/3qr3/4k3/8/8/4K3/8/2B1B3 w - - 0 1",
            Some(MaterialClass::BishopsOfOneColor),
        ),
        (
            "5b2/3qr3/4k3/8/8/4K3/8/2B1B3 w - - 0 1",
            Some(MaterialClass::BishopsOfOneColor),
        ),
        ("2b5/3qr3/4k3/8/8/4K3/8/2B1B3 w - - 0 1", None),
        ("8/3qn3/4k3/8/8/4K3/8/2B1B3 w - - 0 1", None),
        (
            "8/3qq3/4k3/8/8/4K3/8/2N5 w - - 0 1",
            Some(MaterialClass::KnightAgainstQueens),
        ),
        ("8/3qr3/4k3/8/8/4K3/8/2N5 w - - 0 1", None),
        ("8/3qq3/4k3/8/8/4K3/8/2N1N3 w - - 0 1", None),
    ];
    for (fen, class) in classes {
        assert_eq!(MaterialClass::of(&board(fen), Color::White), class, "{fen}");
    }
}

#[test]
fn a_certificate_that_lies_is_refused() {
    let (cage, confined) = certificate("8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1", Color::White);
    assert_eq!(check(&cage, Color::White, &confined), Ok(()));
    let Certificate::Confined(reach) = &confined else {
        panic!("{confined:?}")
    };
    for number in 0..reach.pieces.len() {
        let mut smaller = reach.clone();
        smaller.pieces.remove(number);
        let refused = check(&cage, Color::White, &Certificate::Confined(smaller));
        assert_eq!(refused, Err(CheckError::Pieces));
        for square in reach.pieces[number].squares {
            let mut smaller = reach.clone();
            smaller.pieces[number].squares &= !square.bitboard();
            assert!(
                check(&cage, Color::White, &Certificate::Confined(smaller)).is_err(),
                "{square}"
            );
        }
    }
    // With one pawn fewer the same claim is false.
    let open = board("8/8/4k3/1p1p1p2/1P1P1P1P/4K3/8/8 w - - 0 1");
    assert!(check(&open, Color::White, &confined).is_err());
    let mut listed = reach.clone();
    listed.pieces.retain(|piece| open.occupied().has(piece.from));
    let refused = check(&open, Color::White, &Certificate::Confined(listed));
    assert_eq!(refused, Err(CheckError::NotConfined));

    let (corner, exhausted) = certificate("7k/6R1/8/8/8/8/8/K7 b - - 0 1", Color::White);
    assert_eq!(check(&corner, Color::White, &exhausted), Ok(()));
    let Certificate::Exhausted { steps, digest } = exhausted else {
        panic!("{exhausted:?}")
    };
    let refuted = |steps: Vec<Step>, digest| {
        check(&corner, Color::White, &Certificate::Exhausted { steps, digest }).unwrap_err()
    };
    assert_eq!(refuted(steps.clone(), digest ^ 1), CheckError::Digest);
    assert_eq!(refuted(Vec::new(), 0), CheckError::Step(0));
    assert_eq!(steps.len(), 2, "the rook must be taken, and bare kings are left");
    assert_eq!(refuted(steps[..1].to_vec(), digest), CheckError::NotClosed(0));
    let mut wrong = steps.clone();
    wrong[0].end = StepEnd::Material(MaterialClass::BishopsOfOneColor);
    assert_eq!(refuted(wrong, digest), CheckError::Claim(0));

    let material = Certificate::Material(MaterialClass::KnightAgainstQueens);
    let rook = board("8/3qr3/4k3/8/8/4K3/8/2N5 w - - 0 1");
    assert_eq!(check(&rook, Color::White, &material), Err(CheckError::Material));
}

#[test]
fn a_line_is_replayed_move_by_move() {
    let start = Board::startpos();
    for side in Color::ALL {
        let Verdict::Yes(line) = prove(&start, side, DEFAULT_LIMIT).verdict else {
            panic!("{side} can mate from the start")
        };
        assert_eq!(check_line(&start, side, &line), Ok(()));
        assert_eq!(check_line(&start, !side, &line), Err(CheckError::NoMate));
        let cut = &line[..line.len() - 1];
        assert_eq!(check_line(&start, side, cut), Err(CheckError::NoMate));
        let illegal = [Move::NULL];
        assert_eq!(
            check_line(&start, side, &illegal),
            Err(CheckError::IllegalMove(0))
        );
    }
}

#[test]
fn a_mate_or_stalemate_on_the_board_decides() {
    let mated = board("R6k/8/7K/8/8/8/8/8 b - - 0 1");
    assert!(matches!(prove(&mated, Color::White, 10).verdict, Verdict::Yes(_)));
    let stalemate = board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let Verdict::No(certificate) = prove(&stalemate, Color::White, 10).verdict else {
        panic!("the game is over")
    };
    assert_eq!(check(&stalemate, Color::White, &certificate), Ok(()));
}

#[test]
fn a_small_limit_is_admitted() {
    let far = board("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1");
    assert_eq!(prove(&far, Color::White, 5).verdict, Verdict::Unknown);
    // A locked position in which the way to a mate is long.
    let locked = board("1k6/1P1p1p1p/BP6/1P5p/8/8/3P1PKP/8 w - - 0 1");
    for limit in [100, 3_000, 20_000] {
        let proof = prove(&locked, Color::Black, limit);
        assert_eq!(proof.verdict, Verdict::Unknown);
        // The last position is expanded as a whole.
        assert!(
            proof.positions >= limit && proof.positions < limit + 300,
            "{limit}: {}",
            proof.positions
        );
    }
}

#[test]
fn a_raised_flag_stops_the_proof() {
    let far = board("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1");
    let proof = Prover::stopped_by(Arc::new(true.into())).prove(&far, Color::White, DEFAULT_LIMIT);
    assert_eq!(proof.verdict, Verdict::Unknown);
    assert!(proof.positions < 1_000);
}

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) % bound as u64) as usize
    }
}

/// A piece's square at the start, by its square now.
type Origins = [Option<Square>; 64];

fn follow(origins: &mut Origins, before: &Board, mv: Move) {
    let (from, to) = (mv.from(), mv.to());
    if mv.is_en_passant() {
        origins[Square::at(to.file(), from.rank()).index()] = None;
    }
    assert!(before.piece_on(from).is_some() && !mv.is_castle());
    origins[to.index()] = origins[from.index()].take();
}

#[test]
fn no_game_ever_leaves_the_reach() {
    let fens = [
        "8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1",
        "2k5/p1p1p1p1/P1P1P1P1/2p1p2K/8/8/2P1P1P1/8 w - - 0 1",
        "1b1b2k1/8/8/p1p1p1p1/P1P1P1P1/8/6B1/3B1BK1 w - - 0 1",
        "4k3/2p1p1p1/8/1P1P1P2/8/1p1p1p2/P1P1P3/4K3 b - - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "k1b5/1p1p4/1PpP4/8/8/1pPp4/1P1P4/K1B5 b - - 0 1",
        "6k1/1p4p1/bPp2pPb/n1P2P1n/N1p2p1N/BpP2PpB/1P2K1P1/8 w - - 0 1",
        "8/p1p1p3/6p1/6P1/6PK/P5PP/2P1P3/k7 w - - 0 1",
    ];
    let mut random = Random(7);
    for fen in fens {
        let start = board(fen);
        let reach = reach::reach(&start).unwrap();
        let entry = |from: Square| reach.pieces.iter().find(|piece| piece.from == from).unwrap();
        for _ in 0..200 {
            let mut now = start;
            let mut origins: Origins = std::array::from_fn(|index| {
                let square = Square::new(index as u8)?;
                start.piece_on(square).map(|_| square)
            });
            for _ in 0..120 {
                let mut moves = MoveList::new();
                now.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                // Captures first, every other time: they change most.
                let mut captures = MoveList::new();
                now.captures(&mut captures);
                let list = if captures.is_empty() || random.below(2) == 0 {
                    moves
                } else {
                    captures
                };
                let mv = list[random.below(list.len())];
                follow(&mut origins, &now, mv);
                now.play(mv);
                let standing = now
                    .occupied()
                    .into_iter()
                    .map(|at| (at, origins[at.index()].unwrap()));
                let mut alive = tabiya_rules::Bitboard::EMPTY;
                for (at, from) in standing {
                    alive |= from.bitboard();
                    assert!(entry(from).squares.has(at), "{fen}: {from} on {at}");
                    let pawn_now = now.piece_on(at) == Some(Piece::Pawn);
                    let pawn_then = start.piece_on(from) == Some(Piece::Pawn);
                    assert!(
                        pawn_now == pawn_then || entry(from).promotes,
                        "{fen}: {from} promoted"
                    );
                }
                for taken in start.occupied() & !alive {
                    assert!(entry(taken).capturable, "{fen}: {taken} taken");
                }
            }
        }
    }
}
