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
    assert_eq!(found[0].recorded, "4 further plies");
    assert_eq!(found[0].recorded_zh, "其后另有4着");
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

/// What goes on here only is told in the words of the report, with what leaves the draw out.
#[test]
fn a_draw_that_the_ruleset_passes_over_is_told() {
    let drawn = |termination, fen| {
        let tags = [
            ("FEN", fen),
            ("SetUp", "1"),
            ("Result", "1/2-1/2"),
            ("Termination", termination),
        ];
        read(&tags, "1. Kd4 1/2-1/2")
    };
    let (kings, rook) = ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", "8/8/4k3/8/8/3K4/8/7R w - - 0 1");
    let here = ("GoesOnHere", &["not-mentioned"][..]);
    for (termination, fen, kind, (ruled, articles)) in [
        ("insufficient material", kings, Kind::Termination, here),
        ("insufficient material", rook, Kind::Termination, ("GoesOn", &[])),
        ("unterminated", kings, Kind::Result, here),
        ("unterminated", rook, Kind::Result, ("GoesOn", &[])),
    ] {
        let (report, found) = rule("online-platform", &drawn(termination, fen));
        assert_eq!(kinds(&found), [kind], "{termination} {fen}");
        assert_eq!((found[0].ruled.as_str(), report.reason.name()), (ruled, ruled));
        assert_eq!(found[0].ruled_zh, report.reason.zh());
        assert_eq!(found[0].articles, articles, "{termination} {fen}");
    }
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
            [
                "line 3, byte 25: comment not closed",
                "第3行，第25字节：评注没有结束标记",
            ],
        ),
        (
            "1. e4 e5 (1... c5 2. Nf3 1-0",
            ["variation not closed", "变着没有右括号"],
        ),
        (
            "1. e4 \0 e5 1-0",
            [
                "line 3, byte 22: unexpected character '\\0'",
                "第3行，第22字节：此处不应有字符'\\0'",
            ],
        ),
    ] {
        let record = read(&tags, moves);
        assert_eq!(record.plies(), 2, "{moves}");
        let (_, found) = rule("fide-2023", &record);
        assert_eq!(found[0].kind, Kind::Unread, "{moves}");
        for (language, told) in [Language::English, Language::Chinese].into_iter().zip(told) {
            let recorded = found[0].recorded(language);
            assert!(recorded.ends_with(told), "{recorded}");
        }
    }
    // What concerns variations alone is no matter of the record.
    let (_, found) = rule("fide-2023", &read(&tags, "1. e4 e5 (1... Ke3) 1-0"));
    assert_eq!(found, []);
}

/// A sentence without what it quotes: of the record's own words, and between quotation marks.
fn unquoted(one: &Contradiction) -> String {
    let sentence = one.sentence(Language::Chinese);
    let own = if one.recorded_zh.is_empty() {
        one.recorded.as_str()
    } else {
        ""
    };
    let mut quote = None;
    let mut escaped = false;
    let outside = |c: &char| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        match quote {
            Some(_) if *c == '\\' => escaped = true,
            Some(mark) if *c == mark => quote = None,
            None if matches!(*c, '"' | '\'') => quote = Some(*c),
            None => return true,
            Some(_) => {}
        }
        false
    };
    sentence.replacen(own, "", 1).chars().filter(outside).collect()
}

/// Whatever is wrong with a text, what a Chinese answer says of it is Chinese. Names of tags are names everywhere.
#[test]
fn no_contradiction_of_any_text_speaks_english_in_chinese() {
    let parts = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "<12>",
        "$",
        "$9999",
        ";",
        "%",
        "\"",
        "\\",
        "\n",
        "\n\n",
        "\u{1}",
        "~",
        "。",
        "é",
        "--",
        "1.",
        "2...",
        "e4",
        "e5",
        "Nf3",
        "Ke8",
        "e8",
        "1-0",
        "0-1",
        "*",
        "1/2",
        "!?",
        "[12]",
        "[X \"12\"]",
        "[X 12]\n",
        "12345",
        "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
        "[%clk 0:00:00]",
        "{[%clk 9:00:00]}",
    ];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 16) as usize % bound
    };
    let (mut told, mut unread) = (0, std::collections::BTreeSet::new());
    for round in 0..4000 {
        let result = ["1-0", "0-1", "1/2-1/2", "*", "12"][below(5)];
        let ending = [
            "Normal",
            "Time forfeit",
            "12",
            "Abandoned",
            "Game drawn by repetition",
        ][below(5)];
        let mut text =
            format!("[Result \"{result}\"]\n[Termination \"{ending}\"]\n[TimeControl \"60\"]\n\n1. e4 e5 ");
        for _ in 0..below(12) {
            text += parts[below(parts.len())];
            text += [" ", ""][below(2)];
        }
        let Ok(record) = Record::read(&text, 1000) else {
            continue;
        };
        let (_, found) = rule(
            ["fide-2023", "cn-classic", "popular", "online-platform"][round % 4],
            &record,
        );
        for one in found {
            let said = unquoted(&one);
            let names = ["FEN", "Result"]
                .iter()
                .fold(said.clone(), |text, name| text.replace(name, ""));
            assert!(
                !names.contains(|c: char| c.is_ascii_alphabetic()),
                "{said}: {text:?}"
            );
            told += 1;
            if one.kind == Kind::Unread {
                unread.insert(said.chars().filter(|c| !c.is_ascii_digit()).collect::<String>());
            }
        }
    }
    assert!(
        told > 1000 && unread.len() >= 4,
        "{told} told, unread: {unread:?}"
    );
}

const SPANISH: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 \
                       11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5 16. d5 c4 17. Bg5 h6 18. Be3 Nc5 19. Qd2 Kh7";

/// Every ruleset lets the side offer whose it is to offer, and nothing in a record blames it for the moment.
#[test]
fn an_agreed_draw_is_in_order_everywhere() {
    for (result, moves) in [("Normal", SPANISH), ("Normal", &SPANISH[..SPANISH.len() - 4])] {
        let tags = [("Result", "1/2-1/2"), ("Termination", result)];
        let record = read(&tags, &format!("{moves} 1/2-1/2"));
        for id in [
            "fide-2023",
            "cn-classic",
            "cn-domestic",
            "popular",
            "club",
            "online-platform",
        ] {
            let (report, found) = rule(id, &record);
            assert_eq!(found, [], "{id}");
            let end = report.conclusion.unwrap();
            assert_eq!(
                (end.result, end.reason),
                (Some(GameResult::Draw), Reason::Agreed),
                "{id}"
            );
            assert_eq!(report.rulings[0].reason, Reason::OfferMade, "{id}");
        }
    }
}

#[test]
fn a_termination_that_never_gives_the_result_is_told() {
    for (termination, result) in [
        ("Game drawn by agreement", "1-0"),
        ("White won by resignation", "1/2-1/2"),
        ("Game drawn by repetition", "1-0"),
        ("Game drawn by 50-move rule", "0-1"),
        ("Game drawn by agreement", "*"),
        ("White won by resignation", "*"),
        ("Game drawn by repetition", "*"),
    ] {
        let record = read(
            &[("Result", result), ("Termination", termination)],
            &format!("{SPANISH} {result}"),
        );
        for id in ["fide-2023", "cn-classic", "popular", "online-platform"] {
            let (report, found) = rule(id, &record);
            assert!(report.conclusion.is_none(), "{id} {termination} {result}");
            assert_eq!(kinds(&found), [Kind::Termination], "{id} {termination} {result}");
        }
    }
}

/// 5.1.2, 10.5: of rook and bare king, only the rook's side can resign and draw.
#[test]
fn a_resignation_that_draws_is_the_side_s_whose_opponent_cannot_win() {
    let tags = [
        ("FEN", "8/8/4k3/8/8/3K4/8/r7 b - - 0 1"),
        ("SetUp", "1"),
        ("Result", "1/2-1/2"),
        ("Termination", "resignation"),
    ];
    for id in ["fide-2023", "cn-classic"] {
        let (report, found) = rule(id, &read(&tags, "1... Ra2 1/2-1/2"));
        assert_eq!(
            report.conclusion.map(|end| end.reason),
            Some(Reason::ResignedDraw),
            "{id}"
        );
        assert_eq!(found, [], "{id}");
    }
    // Where every resignation loses, it draws for nobody.
    assert_eq!(
        kinds(&rule("popular", &read(&tags, "1... Ra2 1/2-1/2")).1),
        [Kind::Termination]
    );
}

/// 9.2.1, 10.10(1): the move of such a claim is written down, and never in the record.
#[test]
fn a_claim_may_rest_on_a_move_that_was_only_announced() {
    let tags = [("Result", "1/2-1/2"), ("Termination", "Draw by repetition")];
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 1/2-1/2";
    for id in ["fide-2023", "cn-classic"] {
        let (report, found) = rule(id, &read(&tags, moves));
        assert_eq!(
            report.conclusion.map(|end| end.reason),
            Some(Reason::ClaimUpheld),
            "{id}"
        );
        assert_eq!(found, [], "{id}");
    }
    // Fifty moves are claimed by the older code once they have been made (10.12).
    let quiet = [
        ("FEN", "4k3/8/8/8/8/8/8/R3K3 b - - 98 80"),
        ("SetUp", "1"),
        ("Result", "1/2-1/2"),
        ("Termination", "Draw by 50-move rule"),
    ];
    let record = read(&quiet, "80... Kd8 1/2-1/2");
    assert_eq!(rule("fide-2023", &record).1, []);
    assert_eq!(kinds(&rule("cn-classic", &record).1), [Kind::NotAllowed]);
}

/// What a wrong claim costs needs a fact; that it is wrong does not.
#[test]
fn a_wrong_claim_is_told_although_its_price_is_not_known() {
    let tags = [("Result", "1/2-1/2"), ("Termination", "Draw by repetition")];
    let record = read(&tags, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 1/2-1/2");
    for id in ["fide-2023", "cn-classic"] {
        let (_, found) = rule(id, &record);
        assert_eq!(
            (kinds(&found), found[0].ruled.as_str()),
            (vec![Kind::NotAllowed], "ClaimWrong"),
            "{id}"
        );
    }
}

/// What the caller tells besides is no part of the record.
#[test]
fn a_caller_s_event_that_is_refused_does_not_contradict_the_record() {
    use tabiya_arbiter::replay::{Event, EventKind, Witness, replay};
    use tabiya_rules::{Color, Variant};

    let record = read(&[("Result", "1-0")], "1. e4 e5 1-0");
    let seen = EventKind::FlagFall {
        side: Some(Color::Black),
        last_period: None,
        witness: Witness::Bystander,
        confirmed: None,
    };
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    let told = [Event::new(None, seen)];
    let report = replay(ruleset, &record.game, Variant::Standard, None, &told);
    assert_eq!(report.rulings[0].reason, Reason::FlagBystander);
    assert_eq!(contradictions(&record, ruleset, None, &[], &report), []);
}

#[test]
fn a_chinese_sentence_names_the_ruling_in_chinese() {
    let tags = [("Result", "1-0"), ("Termination", "Time forfeit")];
    let (_, found) = rule("fide-2023", &read(&tags, "1. e4 e5 1-0"));
    assert_eq!(found, []);
    let late = [("Result", "0-1"), ("Termination", "Time forfeit")];
    let (_, found) = rule("fide-2023", &read(&late, "1. f3 e5 2. g4 Qh4# 0-1"));
    assert_eq!(
        found[0].sentence(Language::Chinese),
        "所记终局方式并非对局的实际终局方式；记录：0-1, Time forfeit；依规则：0-1，将死"
    );
}
