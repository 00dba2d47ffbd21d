//! Records of games: what they say of their end, and where they contradict the rules.

use tabiya_arbiter::{
    recorded::{Contradiction, ContradictionKind as Kind, Record, RecordError, contradictions},
    replay::{GameResult, Reason, Report},
    ruleset::Library,
    words::Language,
};

fn read(tags: &[(&str, &str)], moves: &str) -> Record {
    let tags: String = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    Record::read(&format!("{tags}\n{moves}\n"), 1000).unwrap()
}

fn rule(ruleset: &str, record: &Record) -> (Report, Vec<Contradiction>) {
    let ruleset = Library::built_in().unwrap().find(ruleset).unwrap();
    let (events, report) = record.rule(ruleset);
    assert_eq!(report.rulings.len(), events.len());
    let found = contradictions(record, ruleset, record.control.as_ref(), &events, &report);
    for one in &found {
        for language in [Language::English, Language::Chinese] {
            assert!(!one.sentence(language).is_empty());
        }
    }
    (report, found)
}

fn kinds(found: &[Contradiction]) -> Vec<Kind> {
    found.iter().map(|one| one.kind).collect()
}

#[test]
fn a_clean_record_has_no_contradiction() {
    for (result, termination, moves) in [
        ("0-1", "Normal", "1. f3 e5 2. g4 Qh4# 0-1"),
        ("1-0", "Normal", "1. e4 e5 1-0"),
        ("0-1", "Time forfeit", "1. e4 e5 0-1"),
        ("1/2-1/2", "Normal", "1. e4 e5 1/2-1/2"),
        ("*", "Unterminated", "1. e4 e5 *"),
        ("1-0", "Abandoned", "1. e4 1-0"),
    ] {
        let record = read(&[("Result", result), ("Termination", termination)], moves);
        let (report, found) = rule("fide-2023", &record);
        assert_eq!(found, [], "{termination} {moves}");
        assert_eq!(report.conclusion.and_then(|end| end.result), record.result());
    }
}

#[test]
fn a_win_on_time_by_a_side_that_cannot_mate_is_a_draw() {
    let record = read(
        &[
            ("FEN", "8/8/4k3/8/8/3K4/8/r7 b - - 0 1"),
            ("SetUp", "1"),
            ("Result", "1-0"),
            ("Termination", "Time forfeit"),
        ],
        "1... Ra2 1-0",
    );
    let (report, found) = rule("fide-2023", &record);
    let end = report.conclusion.unwrap();
    assert_eq!(
        (end.result, end.reason),
        (Some(GameResult::Draw), Reason::FlagDraw)
    );
    assert_eq!(kinds(&found), [Kind::Result]);
    assert_eq!(found[0].recorded, "1-0, Time forfeit");
    assert_eq!(found[0].ruled, "1/2-1/2, FlagDraw");
    assert_eq!(found[0].articles, ["6.9"]);
    // Where the bare king may win on time, the record is right.
    assert_eq!(rule("popular", &record).1, []);
}

#[test]
fn a_game_that_was_over_stays_over() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(5);
    let record = read(
        &[("Result", "1-0"), ("Termination", "Normal")],
        &format!("{shuffle} 1-0"),
    );
    let (report, found) = rule("fide-2023", &record);
    assert_eq!(report.conclusion.unwrap().reason, Reason::Repetition);
    assert_eq!(kinds(&found), [Kind::MovesAfterEnd, Kind::Result]);
    assert_eq!((found[0].ply, found[0].articles[0].as_str()), (Some(17), "9.6.1"));
    // An older code knows only claims: all moves count, and the loser resigned.
    let (report, found) = rule("cn-classic", &record);
    assert_eq!(report.conclusion.unwrap().reason, Reason::Resigned);
    assert_eq!(found, []);

    let stale = [("FEN", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"), ("Result", "1-0")];
    let (_, found) = rule("fide-2023", &read(&stale, "1. Qf7 1-0"));
    assert_eq!(kinds(&found), [Kind::Result]);
    assert_eq!(found[0].ruled, "1/2-1/2, Stalemate");
    // A move after stalemate is no legal move, and the end is told.
    let (_, found) = rule("fide-2023", &read(&stale, "1. Qf7 Kg8 1-0"));
    assert_eq!(kinds(&found), [Kind::MovesAfterEnd, Kind::Result]);
    assert_eq!(found[0].recorded, "Kg8");
    // Mate came before the flag.
    let late = [("Result", "0-1"), ("Termination", "Time forfeit")];
    let (_, found) = rule("fide-2023", &read(&late, "1. f3 e5 2. g4 Qh4# 0-1"));
    assert_eq!(kinds(&found), [Kind::Termination]);
    assert_eq!(found[0].ruled, "0-1, Mate");
}

/// Nobody knows of a record when the offer was made: it is taken as made when offers are to be made.
#[test]
fn an_agreed_draw_accuses_nobody() {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 \
                 11. c4 c6 12. Nc3 Bb7 13. a3 Qc7 14. Be3 Rfe8 15. Rc1 Rac8 16. Qd2 Bf8 17. Bc2 g6";
    let agreed = [("Result", "1/2-1/2"), ("Termination", "Normal")];
    let offer = |ruleset, moves: &str| {
        let (report, found) = rule(ruleset, &read(&agreed, &format!("{moves} 1/2-1/2")));
        let end = report.conclusion.map(|end| (end.result, end.reason));
        assert_eq!(end, Some((Some(GameResult::Draw), Reason::Agreed)), "{ruleset}");
        assert_eq!(found, [], "{ruleset}");
        let offer = report.rulings[0].clone();
        (offer.reason, offer.articles, offer.effects.len())
    };
    let made = |articles: &[&str]| {
        let articles = articles.iter().map(ToString::to_string).collect();
        (Reason::OfferMade, articles, 1)
    };
    assert_eq!(offer("fide-2023", moves), made(&["9.1.2.1"]));
    assert_eq!(offer("cn-classic", moves), made(&["10.7"]));
    // There the side on move asks.
    assert_eq!(offer("online-platform", moves), made(&["offers"]));
    assert_eq!(
        offer("online-platform", &moves.replace("17. Bc2 g6", "17. Bc2")),
        made(&["offers"])
    );
}

/// 9.2.1: the move of such a claim is written down and not played, so no record has it.
#[test]
fn a_repetition_is_claimed_with_the_move_that_was_not_played() {
    let tags = [("Result", "1/2-1/2"), ("Termination", "Draw by repetition")];
    let shuffled = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 1/2-1/2";
    for ruleset in ["fide-2023", "cn-classic"] {
        let (report, found) = rule(ruleset, &read(&tags, shuffled));
        let end = report.conclusion.unwrap();
        assert_eq!(end.reason, Reason::ClaimUpheld, "{ruleset}");
        assert_eq!(found, [], "{ruleset}");
    }
    // Twice is not thrice, whatever the claim would cost.
    for ruleset in ["fide-2023", "cn-classic"] {
        let (report, found) = rule(ruleset, &read(&tags, "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 1/2-1/2"));
        assert!(report.conclusion.is_none(), "{ruleset}");
        assert_eq!(kinds(&found), [Kind::NotAllowed], "{ruleset}");
    }
}

#[test]
fn a_way_to_end_that_does_not_have_the_result_is_told() {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6";
    for (termination, result) in [
        ("Game drawn by agreement", "1-0"),
        ("White won by resignation", "1/2-1/2"),
        ("Game drawn by repetition", "1-0"),
        ("Game drawn by 50-move rule", "0-1"),
        ("White won by resignation", "0-0"),
    ] {
        let tags = [("Result", result), ("Termination", termination)];
        let (report, found) = rule("fide-2023", &read(&tags, &format!("{moves} {result}")));
        assert!(report.conclusion.is_none(), "{termination} {result}");
        assert_eq!(kinds(&found), [Kind::Termination], "{termination} {result}");
        assert_eq!(found[0].recorded, format!("{result}, {termination}"));
    }
}

#[test]
fn what_could_not_end_the_game_is_told() {
    let early = read(&[("Result", "1/2-1/2"), ("Termination", "Normal")], "1/2-1/2");
    let (report, found) = rule("fide-2023", &early);
    assert!(report.conclusion.is_none());
    assert_eq!(kinds(&found), [Kind::NotAllowed]);
    assert_eq!(
        (found[0].ruled.as_str(), found[0].articles[0].as_str()),
        ("AgreedEarly", "5.2.3")
    );
    let early = read(
        &[("Result", "1-0"), ("Termination", "won by resignation")],
        "1. e4 e5 1-0",
    );
    assert_eq!(kinds(&rule("online-platform", &early).1), [Kind::NotAllowed]);
    let wrong = read(
        &[("Result", "1/2-1/2"), ("Termination", "drawn by repetition")],
        "1. e4 e5 1/2-1/2",
    );
    let (_, found) = rule("fide-2023", &wrong);
    assert_eq!(
        (kinds(&found), found[0].ruled.as_str()),
        (vec![Kind::NotAllowed], "ClaimWrong")
    );
    let open = read(
        &[("Result", "1-0"), ("Termination", "unterminated")],
        "1. e4 e5 1-0",
    );
    assert_eq!(kinds(&rule("fide-2023", &open).1), [Kind::Result]);
    let unseen = read(
        &[("Result", "1-0"), ("Termination", "won by checkmate")],
        "1. e4 e5 1-0",
    );
    assert_eq!(kinds(&rule("fide-2023", &unseen).1), [Kind::Termination]);
}

#[test]
fn a_record_that_contradicts_itself_is_told() {
    let record = read(&[("Result", "1-0")], "1. e4 e5 0-1");
    assert_eq!(kinds(&rule("fide-2023", &record).1), [Kind::ResultMarker]);
    let record = read(
        &[("Result", "1-0"), ("Termination", "Normal")],
        "1. e4 e5 2. Ke3 Nc6 1-0",
    );
    let (report, found) = rule("fide-2023", &record);
    assert_eq!(kinds(&found), [Kind::IllegalMove]);
    assert_eq!((found[0].recorded.as_str(), found[0].ply), ("Ke3", Some(3)));
    assert!(report.conclusion.is_none() && report.rulings.is_empty());
}

#[test]
fn clocks_that_cannot_be_are_told() {
    let tags = |termination| {
        [
            ("Result", "1-0"),
            ("Termination", termination),
            ("TimeControl", "180+2"),
        ]
    };
    let moves = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:02]} 2. Nf3 {[%clk 0:02:50]} Nc6 {[%clk 0:03:05]} 1-0";
    assert_eq!(rule("fide-2023", &read(&tags("Normal"), moves)).1, []);
    let risen = moves.replace("0:03:05", "0:04:05");
    let (_, found) = rule("fide-2023", &read(&tags("Normal"), &risen));
    assert_eq!(kinds(&found), [Kind::ClockTooHigh]);
    assert_eq!((found[0].ply, found[0].ruled.as_str()), (Some(4), "0:03:04"));
    let spent = moves.replace("0:02:50]", "0:02:50][%emt 0:00:40]");
    assert_eq!(
        kinds(&rule("fide-2023", &read(&tags("Normal"), &spent)).1),
        [Kind::ClockTimeSpent]
    );

    let zero = moves.replace("0:03:05", "0:00:00");
    let (_, found) = rule("fide-2023", &read(&tags("Normal"), &zero));
    assert_eq!(
        (kinds(&found), found[0].articles[0].as_str()),
        (vec![Kind::FlagShown], "6.8")
    );
    assert_eq!(rule("fide-2023", &read(&tags("Time forfeit"), &zero)).1, []);
    let left = moves.replace("0:03:05", "0:01:00");
    assert_eq!(
        kinds(&rule("fide-2023", &read(&tags("Time forfeit"), &left)).1),
        [Kind::FlagNotShown]
    );
    // Periods: after two moves the next period's time is added.
    let periods = [("Result", "*"), ("TimeControl", "2/60:30")];
    let moves = "1. e4 {[%clk 0:00:50]} e5 2. Nf3 {[%clk 0:01:15]} *";
    assert_eq!(rule("fide-2023", &read(&periods, moves)).1, []);
}

#[test]
fn a_text_that_is_not_one_game_is_refused() {
    let refused = |pgn: &str| Record::read(pgn, 4).unwrap_err();
    assert_eq!(refused(""), RecordError::Empty);
    assert_eq!(refused("1. e4 *\n\n1. d4 *\n"), RecordError::Several);
    assert_eq!(refused("1. e4 e5 2. d4 d5 3. c4 *"), RecordError::TooLong(4));
    let start = refused("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n").to_string();
    assert!(start.starts_with("start position: "), "{start}");
    let variant = refused("[Variant \"Atomic\"]\n\n1. e4 *\n").to_string();
    assert!(variant.contains("not supported"), "{variant}");
}

#[test]
fn sentences_are_in_both_languages() {
    for &kind in Kind::ALL {
        assert!(kind.words(Language::English).is_ascii(), "{kind:?}");
        assert!(!kind.words(Language::Chinese).is_ascii(), "{kind:?}");
    }
}

/// The records of real games, which are right, whatever their notation.
#[test]
fn real_games_contradict_little() {
    let Some(cases) = std::env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: real games, TABIYA_CASES is not set");
        return;
    };
    let path = std::path::Path::new(&cases).join("pgn/online-200.pgn");
    let text = std::fs::read_to_string(path).unwrap();
    let games: Vec<_> = text.split("[Event ").skip(1).collect();
    assert_eq!(games.len(), 200);
    let mut told = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let record = Record::read(&format!("[Event {game}"), 4096).unwrap();
        let (_, found) = rule("fide-2023", &record);
        told.extend(found.into_iter().map(|one| (number + 1, one.kind, one.ply)));
    }
    // The one: a player was given 40 seconds by his opponent.
    assert_eq!(told, [(189, Kind::ClockTooHigh, Some(68))]);
}

#[test]
fn a_text_that_is_no_game_is_refused_with_what_is_strange_in_it() {
    for (text, reason) in [
        ("", "holds no game"),
        ("  \n\n", "holds no game"),
        ("{only a comment}", "holds no game"),
        (
            "<html>",
            "is no game: line 1, byte 0: reserved text in angle brackets",
        ),
        (
            "<html>\n<body>1-0</body>",
            "is no game: line 1, byte 0: reserved text in angle brackets",
        ),
        ("\0\0\0", "is no game: line 1, byte 0: unexpected character '\\0'"),
        (
            "\n  Dear sirs, we agreed.",
            "is no game: line 2, byte 3: unexpected text \"Dear\"",
        ),
        (
            "12 34 56",
            "is no game: it has neither a tag, a move nor a result",
        ),
        (
            "[Event \"x",
            "is no game: line 1, byte 0: tag pair \"[Event \\\"x\" cannot be read",
        ),
        (
            "{never closed 1. e4 e5 1-0",
            "is no game: line 1, byte 26: comment not closed",
        ),
        (
            "((((",
            "is no game: line 1, byte 0: variation before the first move",
        ),
    ] {
        let refused = Record::read(text, 1000).unwrap_err();
        assert_eq!(refused.to_string(), reason, "{text:?}");
    }
    // A result alone, tags alone and a first move that is illegal are records, if poor ones.
    for text in ["*", "[Result \"1-0\"]\n", "1. e5 e6 *", "1. Ke2 *"] {
        assert!(Record::read(text, 1000).is_ok(), "{text:?}");
    }
}

#[test]
fn text_that_could_not_be_read_is_told() {
    let tags = [("Result", "1-0")];
    for (moves, told) in [
        (
            "1. e4 e5 {never closed 2. Nf3 Nc6 1-0",
            "line 3, byte 25: comment not closed",
        ),
        ("1. e4 e5 (1... c5 2. Nf3 1-0", "variation not closed"),
        ("1. e4 \0 e5 1-0", "line 3, byte 22: unexpected character '\\0'"),
    ] {
        let record = read(&tags, moves);
        assert_eq!(record.plies(), 2, "{moves}");
        let (_, found) = rule("fide-2023", &record);
        assert_eq!(found[0].kind, Kind::Unread, "{moves}");
        assert!(found[0].recorded.ends_with(told), "{}", found[0].recorded);
    }
    // What concerns variations alone is no matter of the record.
    let (_, found) = rule("fide-2023", &read(&tags, "1. e4 e5 (1... Ke3) 1-0"));
    assert_eq!(found, []);
}
