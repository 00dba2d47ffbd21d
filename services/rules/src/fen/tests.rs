use super::*;
use crate::{Color, Piece, Square};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn read(text: &str, mode: FenMode, variant: Variant) -> Result<String, Vec<Reason>> {
    parse(text, mode, variant)
        .map(|fen| xfen(&fen.board))
        .map_err(|error| error.reasons().to_vec())
}

fn refused(text: &str, mode: FenMode) -> Vec<Reason> {
    read(text, mode, Variant::Standard).unwrap_err()
}

#[test]
fn the_start_passes_in_every_mode_and_comes_back() {
    for mode in [FenMode::Analysis, FenMode::Strict, FenMode::Lenient] {
        let fen = parse(START, mode, Variant::Standard).unwrap();
        assert_eq!(xfen(&fen.board), START);
        assert_eq!(fen.board, Board::startpos());
        assert_eq!(fen.repairs, []);
    }
    assert_eq!(shredder(&Board::startpos()), START.replace("KQkq", "HAha"));
}

#[test]
fn every_reason_is_listed() {
    assert_eq!(
        refused("4k3/8/8/8/8/8/8/P7 x K7 e5 z 0", FenMode::Analysis),
        [
            Reason::SideToMove("x".into()),
            Reason::CastlingField("K7".into()),
            Reason::EnPassantRank("e5".parse().unwrap()),
            Reason::HalfmoveClock("z".into()),
            Reason::FullmoveNumber("0".into()),
            Reason::KingMissing(Color::White),
            Reason::PawnOnBackRank("a1".parse().unwrap()),
        ]
    );
    assert_eq!(
        refused("4k2R/8/8/8/8/4K3/8/8 w KQ e6 0 1", FenMode::Analysis),
        [
            Reason::OppositeCheck(Color::Black),
            Reason::CastlingRight(CastlingLetter::new('K').unwrap()),
            Reason::CastlingRight(CastlingLetter::new('Q').unwrap()),
            Reason::EnPassant("e6".parse().unwrap(), EnPassantFlaw::NoPawn),
        ]
    );
}

#[test]
fn lenient_reading_lists_its_repairs() {
    let text = "\u{feff}4k3/44/8/8/8/8/8/4K2R  W KQK E3 00";
    let fen = parse(text, FenMode::Lenient, Variant::Standard).unwrap();
    assert_eq!(xfen(&fen.board), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let e3: Square = "e3".parse().unwrap();
    for repair in [
        Repair::ByteOrderMark,
        Repair::Spacing,
        Repair::DigitsMerged(7),
        Repair::SideCase,
        Repair::CastlingOrdered,
        Repair::CastlingDropped(CastlingLetter::new('Q').unwrap()),
        Repair::EnPassantCase,
        Repair::EnPassantDropped(e3, EnPassantFlaw::Side),
        Repair::LeadingZeros(0),
        Repair::CounterAssumed,
    ] {
        assert!(
            fen.repairs.contains(&repair),
            "{repair} not among {:?}",
            fen.repairs
        );
    }
    assert_eq!(fen.repairs.len(), 10);
}

#[test]
fn strict_reading_knows_what_cannot_have_happened() {
    let cases = [
        ("rnbqkbnr/pppppppp/8/8/8/5P2/P1PPPPPP/RNBQKBNR b KQkq - 0 1", 'p'),
        ("4k3/8/8/8/8/8/3N4/R3K2R w KQ - 5 1", 'h'),
        ("4k3/3P1P2/8/8/8/8/8/4K3 b - - 0 1", 'd'),
        ("8/8/8/8/8/3k4/4P3/4K3 b - - 0 1", 'u'),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 'x'),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 2 1", 'c'),
    ];
    for (text, kind) in cases {
        assert!(read(text, FenMode::Analysis, Variant::Standard).is_ok(), "{text}");
        let reasons = refused(text, FenMode::Strict);
        let named = |reason: &Reason| match reason {
            Reason::PawnCaptures { .. } => 'p',
            Reason::HalfmoveAhead(..) => 'h',
            Reason::DoubleCheck => 'd',
            Reason::UnmovedPawnCheck(_) => 'u',
            Reason::EnPassantNotXfen(_) => 'x',
            Reason::EnPassantClock(_) => 'c',
            _ => '?',
        };
        assert!(
            reasons.iter().any(|reason| named(reason) == kind),
            "{text}: {reasons:?}"
        );
        assert!(
            reasons.iter().all(|reason| reason.stage() == Stage::Plausible),
            "{text}: {reasons:?}"
        );
    }
}

#[test]
fn chess960_letters() {
    let inner = "4k3/8/8/8/8/8/8/RR2K3 w B - 0 1";
    assert_eq!(read(inner, FenMode::Strict, Variant::Chess960).unwrap(), inner);
    let outer = "4k3/8/8/8/8/8/8/RR2K3 w A - 0 1";
    assert_eq!(
        read(outer, FenMode::Analysis, Variant::Chess960).unwrap(),
        outer.replace(" A ", " Q ")
    );
    assert_eq!(
        read(outer, FenMode::Strict, Variant::Chess960).unwrap_err(),
        [Reason::CastlingNotXfen(CastlingLetter::new('A').unwrap())]
    );
    assert_eq!(
        read(
            "4k3/8/8/8/8/8/8/RR2K3 w BA - 0 1",
            FenMode::Lenient,
            Variant::Chess960
        )
        .unwrap_err(),
        [Reason::CastlingTwice(Color::White)]
    );
}

#[test]
fn crowded_boards_are_refused_before_their_moves_are_counted() {
    let queens = "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/QQQQQQQ1/K5k1 w - - 0 1";
    assert!(refused(queens, FenMode::Lenient).contains(&Reason::Overcrowded(Color::White, 22)));
    // Five bishops more than pawns could have become, in a side of twelve; and six.
    let fortress = "5k2/6p1/5pP1/4pP1B/3pP1B1/2pP1B1B/2P1B1B1/3B1BKB w - - 0 1";
    assert!(read(fortress, FenMode::Analysis, Variant::Standard).is_ok());
    let one_more = "5k2/6p1/5pP1/4pP1B/3pP1B1/2pP1B1B/2P1B1B1/1B1B1BKB w - - 0 1";
    let reasons = refused(one_more, FenMode::Analysis);
    assert!(
        reasons.contains(&Reason::Overcrowded(Color::White, 6)),
        "{reasons:?}"
    );
}

#[test]
fn set_ups_become_boards_or_say_why_not() {
    let mut setup = Setup::from(&Board::startpos());
    assert_eq!(setup.to_board().unwrap(), Board::startpos());
    setup.placement.clear("h1".parse().unwrap());
    setup
        .placement
        .put("d5".parse().unwrap(), Color::White, Piece::King);
    let error = setup.to_board().unwrap_err();
    assert_eq!(
        error.reasons(),
        [
            Reason::KingCount(Color::White, 2),
            Reason::CastlingRook("h1".parse().unwrap())
        ]
    );
}
