//! Everything that is said of records, of rulesets beside each other, and of switches, as it was last read and found good.
//! What rulings say is in `words.rs`, what rulesets say in `digests.rs`.

use tabiya_arbiter::{
    ClaimGround,
    compare::{Field, Ruled, compare},
    recorded::{Contradiction, ContradictionKind},
    replay::{Event, EventKind, SetupFault, replay},
    ruleset::{Domain, Library, Ruleset, Switches},
    words::{self, Language},
};
use tabiya_rules::{
    Board, Color, Game, Variant,
    pgn::{Defect, DefectKind, Location, Outcome, ResultConflict},
    san::SanErrorKind,
};

const BOTH: [Language; 2] = [Language::English, Language::Chinese];

fn line(name: &str, said: impl Fn(Language) -> String) -> String {
    let [english, chinese] = BOTH.map(said);
    format!("{name} | {english} | {chinese}")
}

/// Each kind of contradiction, at a ply and without one, with what was recorded and what the rules say.
fn contradictions() -> Vec<String> {
    let mut lines = Vec::new();
    for &kind in ContradictionKind::ALL {
        lines.push(line(&format!("{kind:?}"), |language| {
            kind.words(language).to_owned()
        }));
    }
    let mut told = Contradiction {
        kind: ContradictionKind::Result,
        recorded: "1-0, Normal".into(),
        recorded_zh: String::new(),
        ruled: "1/2-1/2, Stalemate".into(),
        ruled_zh: "1/2-1/2，逼和".into(),
        ply: Some(61),
        articles: vec!["5.2.1".into()],
    };
    lines.push(line("a result at a ply", |language| told.sentence(language)));
    told.ply = None;
    told.ruled.clear();
    told.ruled_zh.clear();
    told.recorded_zh = "第3行，第19字节：空着".into();
    told.kind = ContradictionKind::Unread;
    lines.push(line("a text without a ruling", |language| {
        told.sentence(language)
    }));
    lines
}

/// Every kind of defect of a text, with a text of figures where it quotes one. The words name each by a match, so a new one
/// is missed by no sentence; here it is to be added by hand.
fn kinds() -> Vec<DefectKind> {
    use DefectKind as K;

    let text = || "12".to_owned();
    let (white, draw) = (Outcome::WhiteWins, Outcome::Draw);
    let reasons = [
        SanErrorKind::Syntax,
        SanErrorKind::NullMove,
        SanErrorKind::Illegal,
        SanErrorKind::Ambiguous,
        SanErrorKind::MissingPromotion,
        SanErrorKind::Notation,
        SanErrorKind::Overspecified,
        SanErrorKind::CaptureMark,
        SanErrorKind::CheckMark,
    ];
    let mut kinds = vec![
        K::ByteOrderMark,
        K::BareCarriageReturn,
        K::BlankLines,
        K::MissingTag("Result"),
        K::DuplicateTag(text()),
        K::TagSpelling(text()),
        K::SetUpMismatch,
        K::StartPositionRepaired("the clock is set to 0".into()),
        K::ResultTag(text()),
        K::MissingResult,
        K::ResultSpelling(text()),
        K::ResultInVariation,
        K::ResultConflict(ResultConflict::MarkerTag {
            marker: white,
            tag: draw,
        }),
        K::ResultConflict(ResultConflict::MarkerBoard {
            marker: white,
            board: draw,
        }),
        K::ResultConflict(ResultConflict::TagBoard {
            tag: white,
            board: draw,
        }),
        K::UnknownGlyph(text()),
        K::MisplacedGlyph,
        K::MoveRemark(text()),
        K::NullMove,
        K::EmptyVariation,
        K::ReservedText,
        K::BadTag(text()),
        K::BadStartPosition("White has no king".into()),
        K::UnsupportedVariant(text()),
        K::MoveAfterEnd(text()),
        K::UnexpectedText(text()),
        K::UnexpectedCharacter('~'),
        K::StrayBracket,
        K::UnclosedComment,
        K::UnclosedVariation,
        K::VariationBeforeMove,
        K::NestedTooDeep,
        K::TooLong,
        K::GameTooLarge,
    ];
    kinds.extend(reasons.map(|reason| K::BadMove { text: text(), reason }));
    kinds
}

/// Each defect of a text that a record can have.
fn defects() -> Vec<String> {
    let location = Location {
        game: 1,
        offset: 19,
        line: 3,
    };
    kinds()
        .into_iter()
        .map(|kind| {
            let one = Defect { location, kind };
            line(&format!("{:?}", one.kind), |language| {
                words::defect(&one, language)
            })
        })
        .collect()
}

fn by(actor: Option<Color>, kind: EventKind) -> Event {
    Event::new(actor, kind)
}

fn moved(text: &str) -> Event {
    let kind = EventKind::Move {
        text: text.into(),
        notation: None,
        two_hands: false,
        unnoticed: false,
    };
    by(None, kind)
}

/// Games on which rulesets differ, in every field and with every status.
fn games() -> Vec<(&'static str, &'static str, Vec<Event>)> {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let white = Some(Color::White);
    let claim = |ground, with: Option<&str>| {
        let kind = EventKind::Claim {
            ground,
            with_move: with.map(str::to_owned),
            remaining: None,
            display_only: false,
        };
        by(white, kind)
    };
    let seal = EventKind::Seal {
        text: "e2e4".into(),
        clock_stopped: true,
        session_left: None,
    };
    let wrong = EventKind::SetupFault {
        fault: SetupFault::WrongPieces,
        first_period_permille: None,
        squares: vec![],
    };
    let shuffle = |count: usize| -> Vec<Event> {
        let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
        round.iter().cycle().take(count).map(|text| moved(text)).collect()
    };
    vec![
        (
            "a resignation at once",
            start,
            vec![by(white, EventKind::Resignation)],
        ),
        ("a wrong set-up", start, vec![by(None, wrong)]),
        ("a sealed move", start, vec![by(white, seal)]),
        ("a third occurrence", start, shuffle(8)),
        ("one before it", start, shuffle(7)),
        ("fifty moves", "4k3/8/8/8/8/8/8/R3K3 w - - 100 80", vec![]),
        ("one move before them", "4k3/8/8/8/8/8/8/4K2R w - - 99 80", vec![]),
        (
            "a wrong claim",
            start,
            vec![claim(ClaimGround::ThreefoldRepetition, Some("e2e4"))],
        ),
    ]
}

fn comparisons() -> Vec<String> {
    let mut lines: Vec<String> = Field::ALL
        .iter()
        .map(|field| line(&format!("{field:?}"), |language| field.words(language).to_owned()))
        .collect();
    let library = Library::built_in().unwrap();
    let ids = ["fide-2023", "cn-classic", "popular", "online-platform"];
    let rulesets: Vec<&Ruleset> = ids.iter().map(|id| &**library.find(id).unwrap()).collect();
    for (name, fen, events) in games() {
        let game = Game::new(Board::from_fen(fen).unwrap());
        let reports: Vec<_> = rulesets
            .iter()
            .map(|ruleset| replay(ruleset, &game, Variant::Standard, None, &events))
            .collect();
        let ruled: Vec<_> = rulesets
            .iter()
            .zip(&reports)
            .map(|(ruleset, report)| Ruled {
                ruleset,
                events: &events,
                report,
            })
            .collect();
        for difference in compare(&ruled, Variant::Standard) {
            let name = format!("{name}, {:?}", difference.field);
            lines.push(line(&name, |language| {
                difference.sentence(language, |place| ids[place].to_owned())
            }));
        }
    }
    lines
}

/// What each switch decides, and which values it takes.
fn switches() -> Vec<String> {
    let domain = |domain: &Domain| match domain {
        Domain::Number { min, max } => format!("{min} to {max}"),
        Domain::Count { min, max } => format!("0, or {min} to {max}"),
        Domain::Flag => "true or false".to_owned(),
        Domain::Choice(words) => words.join(", "),
        Domain::Words(words) => format!("a list of {}", words.join(", ")),
        Domain::Form(form) => (*form).to_owned(),
    };
    Switches::default()
        .list()
        .iter()
        .map(|switch| format!("{} | {} | {}", switch.name, switch.about, domain(&switch.domain)))
        .collect()
}

fn everything() -> String {
    let parts = [
        ("Contradictions", contradictions()),
        ("Texts of records", defects()),
        ("Comparisons", comparisons()),
        ("Switches", switches()),
    ];
    let parts = parts.map(|(title, lines)| format!("{title}\n{}\n", lines.join("\n")));
    parts.join("\n")
}

/// `UPDATE_SNAPSHOTS=1` writes it anew, to be read again.
#[test]
fn sentences_are_as_they_were_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sentences.txt");
    let now = everything();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let then = std::fs::read_to_string(path).unwrap();
    for (then, now) in then.lines().zip(now.lines()) {
        assert_eq!(then, now, "{path}; UPDATE_SNAPSHOTS=1 writes it anew");
    }
    assert_eq!(then, now, "{path}; UPDATE_SNAPSHOTS=1 writes it anew");
}

/// The games above show every field, and every status in words.
#[test]
fn every_field_is_said_in_a_sentence() {
    let lines = comparisons();
    for field in Field::ALL {
        let said = |line: &&String| line.contains(&format!(", {field:?} | "));
        assert!(lines.iter().any(|line| said(&line)), "{field:?}");
    }
    let all = lines.join("\n");
    for status in ["对局继续", "已有结果", "对局作废", "对局暂停"] {
        assert!(all.contains(status), "{status}");
    }
    for claim in [
        "repetition",
        "repetition with f6g8",
        "quiet moves",
        "quiet moves with",
    ] {
        assert!(all.contains(claim), "{claim}");
    }
}

#[test]
fn no_chinese_sentence_about_a_text_holds_english() {
    for said in defects() {
        let (name, chinese) = (
            said.split(" | ").next().unwrap(),
            said.rsplit(" | ").next().unwrap(),
        );
        let english = said.split(" | ").nth(1).unwrap();
        assert!(
            english.is_ascii() && english.starts_with("line 3, byte 19: "),
            "{name}: {english}"
        );
        assert!(chinese.starts_with("第3行，第19字节："), "{name}: {chinese}");
        // Names of tags are names in every language.
        let words = ["FEN", "SetUp", "Result"]
            .iter()
            .fold(chinese.to_owned(), |text, name| text.replace(name, ""));
        assert!(
            !words.contains(|c: char| c.is_ascii_alphabetic()),
            "{name}: {chinese}"
        );
    }
}
