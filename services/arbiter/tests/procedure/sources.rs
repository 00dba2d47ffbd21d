//! What single sources say otherwise than the FIDE laws, and what they do not say.

use tabiya_arbiter::{
    ClaimGround::FiftyMoves,
    replay::{Choice, Effect, Event, EventKind, Reason},
    ruleset::{Library, SwitchError},
};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const F: &str = "fide-2023";
const CN: &str = "cn-classic";
const POPULAR: &str = "popular";
const ROOK_CORNER: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

/// 10.12 asks for what the last 50 rounds were; a move is written down for a repetition only (10.10(1)).
fn quiet_moves() -> Vec<Case> {
    let rook = |clock| format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 80");
    let announced = || claim(W, FiftyMoves, Some("Ra2"), Some(3600));
    let used = |side| Effect::UsedTimeAdded { side, seconds: 300 };
    vec![
        case(
            "",
            CN,
            vec![announced()],
            Rules(false, Reason::ClaimWrong),
            &["10.12", "10.13(2)"],
        )
        .fen(&rook(99))
        .effect(used(WHITE)),
        // What was written down need not be played.
        case(
            "",
            CN,
            vec![announced(), mv(W, "e1d1")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen(&rook(99)),
        case(
            "",
            CN,
            vec![announced()],
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.12", "10.13(1)"],
        )
        .fen(&rook(100)),
        case(
            "",
            F,
            vec![announced()],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.1"],
        )
        .fen(&rook(99)),
    ]
}

/// 7.2(1): the first man touched that can move has to move; only releasing the king binds to castling (6.3).
fn king_and_rook() -> Vec<Case> {
    let touched = |ruleset, articles| {
        let want = Rules(true, Reason::TouchedOwn);
        case("", ruleset, vec![touch(W, "e1 h1", false)], want, articles)
            .fen(ROOK_CORNER)
            .effect(exactly(ROOK_CORNER, "e1d1 e1d2 e1e2 e1f1 e1f2 e1g1"))
    };
    vec![
        touched(CN, &["7.2(1)"]),
        touched(POPULAR, &["touch"]),
        case(
            "",
            F,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen(ROOK_CORNER)
        .effect(exactly(ROOK_CORNER, "e1g1")),
    ]
}

/// 6.4, 4.7: a pawn released on its last rank goes nowhere else, whether the clock was pressed or not.
fn pawn_left() -> Vec<Case> {
    let pawn = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1";
    let left = |ruleset, pressed: bool, then: &str, want, articles| {
        let first = [mv(W, "e7e8"), press(W)];
        let events = [&first[..1 + usize::from(pressed)], &[mv(W, then)]].concat();
        case("", ruleset, events, want, articles)
            .fen(pawn)
            .effect(exactly(pawn, "e7e8q e7e8r e7e8b e7e8n"))
    };
    let binds = || Rules(false, Reason::TouchBinds);
    let made = || Rules(true, Reason::MoveMade);
    vec![
        left(CN, true, "e7d8q", binds(), &["6.4"]),
        left(CN, false, "e7d8q", binds(), &["6.4"]),
        left(CN, true, "e7e8n", made(), &["6.4"]),
        left(POPULAR, true, "e7d8q", binds(), &["release"]),
        left(F, false, "e7d8q", binds(), &["4.7"]),
        left(F, false, "e7e8r", made(), &["4.7"]),
    ]
}

/// 12.5 stops the clocks and gives nobody time; 12.7 is about flags, 8.1 about illegal moves found during the game.
fn older_clocks() -> Vec<Case> {
    let disturbed = |ruleset, interrupted, want, articles| {
        let event = at(ARBITER, EventKind::Disturbance { interrupted });
        case("", ruleset, vec![event], want, articles)
    };
    let disturbs = || Rules(true, Reason::Disturbed);
    let time = || choose_with(Choice::AddTime, None, Some(600));
    vec![
        disturbed(CN, true, disturbs(), &["12.5"]).effect(Effect::ClocksPaused),
        disturbed(CN, false, Rules(false, Reason::Unstated), &[]),
        disturbed(F, false, disturbs(), &["12.5"]).effect(Effect::Option(Choice::AddTime)),
        case("", CN, vec![time()], Rules(false, Reason::NotAnOption), &[]),
        case("", F, vec![time()], Rules(true, Reason::OptionChosen), &["12.5"]),
        case(
            "",
            CN,
            vec![resign(W), report(B, true, true)],
            Rules(false, Reason::ResultStands),
            &["8.1"],
        ),
        case(
            "",
            CN,
            vec![resign(W), flag(B)],
            Rules(false, Reason::GameOver),
            &["12.7"],
        ),
    ]
}

/// The popular sources differ in 30 or 50 quiet moves and in the eleventh check.
#[test]
fn a_popular_source_brings_its_values_and_no_other_ruleset_has_one() {
    let library = Library::built_in().unwrap();
    let of = |id: &str, word: &str| {
        let pair = ("popular_source".to_owned(), word.to_owned());
        let changed = library.find(id).unwrap().with_overrides(&[pair]);
        changed.map(|ruleset| {
            (
                ruleset.switches.automatic_quiet_moves,
                ruleset.switches.checks_in_a_row,
            )
        })
    };
    assert_eq!(of(POPULAR, "000"), Ok((30, 11)));
    assert_eq!(of(POPULAR, "001"), Ok((50, 0)));
    let refused = Err((0, SwitchError::NoReading));
    assert_eq!(of(POPULAR, "none"), refused);
    for id in [F, CN, "cn-domestic", "online-platform", "club"] {
        assert_eq!(of(id, "001"), refused, "{id}");
        assert_eq!(of(id, "000"), refused, "{id}");
        assert!(of(id, "none").is_ok(), "{id}");
    }
    let based = |base: &str, switches: &str| {
        let head = "id = \"house\"\nversion = \"1\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\n";
        let text = format!("{head}base = \"{base}\"\n[switches]\n{switches}");
        let read = library.read("house.toml", &text);
        read.map(|ruleset| {
            (
                ruleset.switches.automatic_quiet_moves,
                ruleset.switches.checks_in_a_row,
            )
        })
    };
    assert_eq!(based(POPULAR, "popular_source = \"001\"\n"), Ok((50, 0)));
    // What the file says itself counts for more.
    let own = "automatic_quiet_moves = 40\npopular_source = \"001\"\n";
    assert_eq!(based(POPULAR, own), Ok((40, 0)));
    let error = based("club", "popular_source = \"001\"\n").unwrap_err();
    assert_eq!((error.line, error.file.as_str()), (7, "house.toml"));
    let shown = library.find(POPULAR).unwrap().to_toml();
    let again = library.read("shown.toml", &shown).unwrap();
    assert_eq!(again.switches, library.find(POPULAR).unwrap().switches);
}

/// A king set across the board, or on an own man, has moved into no attack; mate first is FIDE's (9.6.2).
fn lay_kings() -> Vec<Case> {
    let attacked = "4r1k1/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let thrice = |text| vec![mv(W, text), mv(W, text), mv(W, text)];
    vec![
        case(
            "",
            POPULAR,
            thrice("e1d5"),
            Rules(false, Reason::IllegalAttempt),
            &["king-move"],
        )
        .fen(attacked),
        case(
            "",
            POPULAR,
            thrice("e1f1"),
            Ends(BLACK_WINS, Reason::KingFoulsLose),
            &["king"],
        )
        .fen("5rk1/8/8/8/8/8/4P3/4K3 w - - 0 1"),
    ]
}

/// 10.7, 6.3: half a castling is no move yet, and refuses no offer.
fn offers_by_hand() -> Vec<Case> {
    let castle = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    let events = |then: Event| {
        vec![
            mv(B, "e8e7"),
            offer(B),
            press(B),
            release(W, "e1", "g1", true),
            then,
        ]
    };
    vec![
        case(
            "",
            CN,
            events(answer(W, true)),
            Ends(DRAW, Reason::Agreed),
            &["10.6"],
        )
        .fen(castle),
        case(
            "",
            CN,
            events(release(W, "h1", "f1", true)),
            Rules(true, Reason::Released),
            &["6.3"],
        )
        .fen(castle),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [
        quiet_moves(),
        king_and_rook(),
        pawn_left(),
        older_clocks(),
        lay_kings(),
        offers_by_hand(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
