//! Where rulesets differ, and why.

use tabiya_arbiter::{
    compare::{Difference, Field, Ruled, compare},
    replay::{Breach, Choice, ClockReading, Decision, Effect, Event, EventKind, Witness, replay},
    ruleset::{Library, Ruleset},
    words::Language,
};
use tabiya_rules::{Board, Color, Game, Variant};

fn differences(rulesets: &[&str], fen: &str, events: &[Event]) -> Vec<Difference> {
    let library = Library::built_in().unwrap();
    let rulesets: Vec<&Ruleset> = rulesets.iter().map(|id| &**library.find(id).unwrap()).collect();
    let game = Game::new(Board::from_fen(fen).unwrap());
    let reports: Vec<_> = rulesets
        .iter()
        .map(|ruleset| replay(ruleset, &game, Variant::Standard, None, events))
        .collect();
    let ruled: Vec<_> = rulesets
        .iter()
        .zip(&reports)
        .map(|(ruleset, report)| Ruled {
            ruleset,
            events,
            report,
        })
        .collect();
    compare(&ruled, Variant::Standard)
}

fn event(actor: Option<Color>, kind: EventKind) -> Event {
    Event::new(actor, kind)
}

fn side(difference: &Difference, value: &str) -> Vec<(usize, Vec<String>)> {
    let side = difference.sides.iter().find(|side| side.value == value);
    side.unwrap_or_else(|| panic!("{value} in {difference:?}"))
        .rulesets
        .clone()
}

const ROOK_AND_BARE_KING: &str = "8/8/4k3/8/8/3K4/8/7R w - - 0 1";

#[test]
fn a_flag_against_a_bare_king_is_ruled_differently() {
    let flag = event(
        None,
        EventKind::FlagFall {
            side: Some(Color::White),
            last_period: None,
            witness: Witness::Arbiter,
            confirmed: None,
        },
    );
    let rulesets = ["fide-2023", "cn-classic", "popular", "online-platform"];
    let found = differences(&rulesets, ROOK_AND_BARE_KING, &[flag]);
    let of = |field| found.iter().find(|one| one.field == field).unwrap();
    let result = of(Field::Result);
    let drawn = side(result, "1/2-1/2");
    assert_eq!(drawn[0], (0, vec!["6.9".to_owned()]));
    assert_eq!((drawn[1].0, drawn[1].1[0].as_str()), (1, "10.14"));
    assert_eq!(side(result, "0-1")[0].0, 2);
    assert_eq!(side(result, "")[0].0, 3);
    let status = of(Field::Status);
    assert_eq!(
        side(status, "VOID"),
        [(3, vec!["time".to_owned(), "rounds".to_owned()])]
    );
    assert_eq!(side(status, "DECIDED").len(), 3);
    let names = |place: usize| rulesets[place].to_owned();
    let sentence = result.sentence(Language::English, names);
    assert!(
        sentence.starts_with("the result: 1/2-1/2 (fide-2023 6.9; cn-classic 10.14, 10.5), 0-1 ("),
        "{sentence}"
    );
    assert!(!result.sentence(Language::Chinese, names).is_ascii());
}

#[test]
fn where_one_goes_on_its_ruling_on_the_event_is_cited() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let resigned = event(Some(Color::White), EventKind::Resignation);
    let found = differences(&["fide-2023", "online-platform"], start, &[resigned]);
    let status = &found[0];
    assert_eq!(status.field, Field::Status);
    assert_eq!(side(status, "DECIDED"), [(0, vec!["5.1.2".to_owned()])]);
    assert_eq!(
        side(status, "ONGOING"),
        [(1, vec!["resignation".to_owned(), "rounds".to_owned()])]
    );
    let ruling = found.iter().find(|one| one.field == Field::Ruling).unwrap();
    assert_eq!(ruling.event, Some(0));
    assert_eq!(side(ruling, "refused, ResignedEarly")[0].0, 1);
}

#[test]
fn penalties_are_compared_event_by_event() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let illegal = EventKind::Move {
        text: "e2e5".into(),
        notation: None,
        two_hands: false,
        unnoticed: false,
    };
    let events = [
        event(Some(Color::White), illegal),
        event(Some(Color::White), EventKind::ClockPress),
    ];
    let found = differences(&["fide-2023", "fide-2023-rapid-a4"], start, &events);
    let penalty = found.iter().find(|one| one.field == Field::Penalty).unwrap();
    assert_eq!((penalty.event, penalty.sides.len()), (Some(1), 2));
    assert!(found.iter().all(|one| one.field != Field::Result), "{found:?}");
}

#[test]
fn a_ruleset_does_not_differ_from_itself() {
    let claim = event(
        Some(Color::White),
        EventKind::Claim {
            ground: tabiya_arbiter::ClaimGround::FiftyMoves,
            with_move: None,
            remaining: None,
            display_only: false,
        },
    );
    assert_eq!(
        differences(&["fide-2023", "fide-2023"], ROOK_AND_BARE_KING, &[claim]),
        []
    );
}

/// The platform says nothing of material: that is what it is cited for, whether an event leaves the bare kings or not.
#[test]
fn what_a_ruleset_does_not_mention_is_cited_where_another_ends_the_game() {
    let takes = EventKind::Move {
        text: "d3e3".into(),
        notation: None,
        two_hands: false,
        unnoticed: false,
    };
    let games = [
        (
            "8/8/4k3/8/8/3Kp3/8/8 w - - 0 40",
            vec![event(Some(Color::White), takes)],
        ),
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 40", vec![]),
    ];
    for (fen, events) in games {
        let found = differences(&["fide-2023", "online-platform"], fen, &events);
        let status = found.iter().find(|one| one.field == Field::Status).unwrap();
        assert_eq!(side(status, "DECIDED"), [(0, vec!["5.2.2".to_owned()])]);
        assert_eq!(side(status, "ONGOING"), [(1, vec!["not-mentioned".to_owned()])]);
    }
}

/// Where a draw by position is not automatic, what the ruleset says of it is cited.
#[test]
fn a_ruleset_that_goes_on_cites_what_it_says_of_the_draw() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    let events: Vec<_> = shuffle
        .into_iter()
        .map(|text| {
            let text = text.into();
            let (notation, two_hands) = (None, false);
            event(
                None,
                EventKind::Move {
                    text,
                    notation,
                    two_hands,
                    unnoticed: false,
                },
            )
        })
        .collect();
    let found = differences(&["popular", "fide-2023", "cn-classic"], start, &events);
    assert_eq!(found[0].field, Field::Status);
    assert_eq!(
        side(&found[0], "ONGOING"),
        [(1, vec!["9.2.2".to_owned()]), (2, vec!["10.10(2)".to_owned()])]
    );
    let knights = "8/8/3k4/8/8/8/8/K1NN4 w - - 0 1";
    let found = differences(&["popular", "fide-2023", "cn-classic", "club"], knights, &[]);
    let articles = ["5.2.2", "10.4", "material"].map(|article| vec![article.to_owned()]);
    let [fide, cn, club] = articles;
    assert_eq!(side(&found[0], "ONGOING"), [(1, fide), (2, cn), (3, club)]);
}

/// Names for machines and English sentences stay out of the Chinese ones, but for moves, results and rulesets.
#[test]
fn chinese_sentences_hold_no_english() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let claim = EventKind::Claim {
        ground: tabiya_arbiter::ClaimGround::FiftyMoves,
        with_move: None,
        remaining: None,
        display_only: false,
    };
    let offer = EventKind::DrawOffer {
        consent: None,
        moment_unknown: false,
    };
    let events = [
        event(Some(Color::White), offer),
        event(Some(Color::White), claim),
        event(Some(Color::White), EventKind::Resignation),
    ];
    let found = differences(
        &["fide-2023", "cn-classic", "popular", "online-platform"],
        start,
        &events,
    );
    let fields: Vec<Field> = found.iter().map(|one| one.field).collect();
    for field in [
        Field::Status,
        Field::Termination,
        Field::Ruling,
        Field::Penalty,
        Field::Effects,
    ] {
        assert!(fields.contains(&field), "{field:?}");
    }
    for difference in &found {
        // Rulesets are named by figures here; lay articles are words.
        let mut sides = difference.sides.iter().map(|side| side.text(Language::Chinese));
        let latin = |text: &&str| text.chars().any(|c| c.is_ascii_alphabetic());
        assert_eq!(sides.find(latin), None, "{difference:?}");
    }
}

/// Time that compensates is no penalty, even where one article of a house's own rules gives both.
#[test]
fn penalties_and_compensations_of_one_article_are_told_apart() {
    let text = r#"
        id = "house"
        version = "1"
        title_en = "House rules"
        title_zh = "本馆规则"
        base = "fide-2023"
        [rules]
        disturbance = ["H"]
        disturbance_time = ["H"]
        sanctions = ["H"]
        sanction_add_time = ["H"]
        [articles.H]
        en = "The arbiter may add to the time of a player: for a disturbance, and against a breach."
        zh = "裁判员可因干扰补时，也可因违规给对方加时。"
    "#;
    let library = Library::built_in().unwrap();
    let house = library
        .read("house.toml", text)
        .unwrap_or_else(|error| panic!("{error}"));
    let choose = |choice| {
        event(
            None,
            EventKind::ArbiterDecision(Decision::Choice {
                choice,
                event: Some(0),
                side: Some(Color::White),
                time: Some(std::time::Duration::from_secs(60)),
                half_points: 0,
                result: None,
                clocks: ClockReading::default(),
            }),
        )
    };
    let disturbance = EventKind::Disturbance { interrupted: true };
    let breach = EventKind::Breach {
        breach: Breach::Disturbing,
    };
    let game = Game::new(Board::startpos());
    for (first, choice, offender) in [
        (event(None, disturbance), Choice::AddTime, None),
        (
            event(Some(Color::White), breach),
            Choice::AddOpponentTime,
            Some(Color::White),
        ),
    ] {
        let report = replay(&house, &game, Variant::Standard, None, &[first, choose(choice)]);
        let ruling = &report.rulings[1];
        assert!(
            ruling.accepted && ruling.articles.contains(&"H".to_owned()),
            "{ruling:?}"
        );
        let given = ruling
            .effects
            .iter()
            .find(|effect| matches!(effect, Effect::TimeAdded { .. }));
        assert_eq!(ruling.punished(given.unwrap()), offender, "{ruling:?}");
    }
}
