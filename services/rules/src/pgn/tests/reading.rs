use super::*;
use crate::pgn::{Defect, DefectKind, Location, MainLine, NodeId, Outcome, Reader, Visitor};
use crate::{Move, Variant};

#[test]
fn tags_with_escapes_and_bare_quotes() {
    let tree = read_one(concat!(
        "[Event \"a \\\"b\\\" \\\\ c\\d\"]\n[Site \"the \"old\" hall\"]\n[Round \"1\"] [White \"[x]\"]\n",
        "[Black \"no bracket\"\n[ Annotator  \"spaced\" ]\n\n*\n",
    ));
    let tags: Vec<_> = tree.tags().iter().collect();
    let expected = [
        ("Event", "a \"b\" \\ c\\d"),
        ("Site", "the \"old\" hall"),
        ("Round", "1"),
        ("White", "[x]"),
        ("Black", "no bracket"),
        ("Annotator", "spaced"),
    ];
    assert_eq!(tags, expected);
    assert!(errors(&tree).is_empty());
}

#[test]
fn damaged_tags_cost_only_themselves() {
    let tree = read_one("[Event \"open\n[White \"A\"]\n[???]\n[Black \"B\"]\n\n1. d4 *");
    assert_eq!(
        tree.tags().iter().collect::<Vec<_>>(),
        [("White", "A"), ("Black", "B")]
    );
    assert_eq!(
        errors(&tree),
        [
            "tag pair \"[Event \\\"open\" cannot be read",
            "tag pair \"[???]\" cannot be read"
        ]
    );
    assert_eq!(moves(&tree), "d2d4");
}

#[test]
fn a_game_without_moves_ends_where_the_next_begins() {
    let games = read("[Event \"a\"]\n[Result \"*\"]\n\n[Event \"b\"]\n[Result \"*\"]\n\n1. e4 *\n");
    assert_eq!(games.len(), 2);
    let second = games[1].as_ref().unwrap();
    assert_eq!(
        (second.tags().get("Event"), moves(second).as_str()),
        (Some("b"), "e2e4")
    );
}

#[test]
fn numbers_dots_and_glued_words() {
    assert_eq!(
        moves(&read_one("1.e4 e5 2 . Nf3 2... Nc6 3.Bb5 3...a6 4 Ba4*")),
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4"
    );
    assert_eq!(
        moves(&read_one("1.e4!?{x}e5?!$14(1...c5)2.Nf3 +-")),
        "e2e4 e7e5 g1f3"
    );
}

#[test]
fn signs_become_glyphs() {
    let tree = read_one("1. e4! e5?? 2. Nf3 ± Nc6 = $255 3. Bb5 !! +- N *");
    let nags: Vec<_> = tree.main_line().map(|node| tree.nags(node).to_vec()).collect();
    assert_eq!(
        nags,
        [vec![1], vec![4], vec![16], vec![10, 255], vec![3, 18, 146]]
    );
    let odd = read_one("1. e4 $256 e5 $ 2. Nf3 !!! *");
    assert_eq!((moves(&odd).as_str(), errors(&odd).len()), ("e2e4 e7e5 g1f3", 0));
    assert_eq!(
        odd.defects()
            .iter()
            .filter(|d| matches!(d.kind, DefectKind::UnknownGlyph(_)))
            .count(),
        3
    );
}

#[test]
fn results_in_many_spellings() {
    for (text, outcome) in [
        ("1-0", Outcome::WhiteWins),
        ("0-1", Outcome::BlackWins),
        ("1/2-1/2", Outcome::Draw),
        ("*", Outcome::Unknown),
        ("½-½", Outcome::Draw),
        ("1/2", Outcome::Draw),
        ("1–0", Outcome::WhiteWins),
        ("0:1", Outcome::BlackWins),
    ] {
        let tree = read_one(&format!("1. e4 e5 {text}\n"));
        assert_eq!((tree.marker(), errors(&tree).len()), (Some(outcome), 0), "{text}");
    }
    assert_eq!(
        moves(&read_one("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 0-0 1-0"))
            .matches(' ')
            .count(),
        7
    );
    assert_eq!(read_one("1. e4 3-2 e5 1-0").marker(), Some(Outcome::WhiteWins));
}

#[test]
fn a_result_inside_a_variation_is_a_remark() {
    let tree = read_one("1. e4 e5 (1... f6 2. d4 g5 3. Qh5# 1-0) 2. Nf3 *");
    assert_eq!(
        (moves(&tree).as_str(), tree.marker()),
        ("e2e4 e7e5 g1f3", Some(Outcome::Unknown))
    );
    assert!(errors(&tree).is_empty());
}

#[test]
fn a_result_before_a_comment_inside_a_variation_is_a_remark_too() {
    for comment in ["{quick}", "; quick\n"] {
        let tree = read_one(&format!("1. e4 e5 (1... c5 2. Nf3 1-0 {comment}) 2. Nf3 1/2-1/2"));
        assert_eq!(
            (moves(&tree).as_str(), tree.marker()),
            ("e2e4 e7e5 g1f3", Some(Outcome::Draw))
        );
        let node = tree.children(tree.main_line().next().unwrap()).nth(1).unwrap();
        let last = tree.children(node).next().unwrap();
        assert_eq!(
            (tree.comments(last), errors(&tree).len()),
            (&["quick".to_owned()][..], 0)
        );
    }
}

#[test]
fn what_is_wrong_with_comments_before_a_game_is_kept() {
    let cut = format!("{{{}}} {{x}} [Event \"a\"]\n\n1. e4 *", "a".repeat(1_200_000));
    let many = format!("{} 1. e4 *", "{x} ".repeat(17));
    for text in [cut, many] {
        assert_eq!(errors(&read_one(&text)), ["comment, tag or word too long"]);
        let strict = Games::new(text.as_bytes(), Mode::Strict).next().unwrap();
        assert!(matches!(strict, Err(PgnError::Rejected(_))));
    }
    assert!(errors(&read_one(&format!("{} 1. e4 *", "{x} ".repeat(16)))).is_empty());
}

#[test]
fn an_error_in_a_variation_leaves_the_main_line() {
    let tree = read_one("1. e4 e5 (1... c5 2. Ke3 {lost} Nc6 (2... d6) 3. a3) 2. Nf3 (2. f4 ed4) Nc6 1-0");
    assert_eq!(moves(&tree), "e2e4 e7e5 g1f3 b8c6");
    assert_eq!(tree.variation_count(), 2);
    assert_eq!(
        errors(&tree),
        ["move \"Ke3\": not legal here", "move \"ed4\": not legal here"]
    );
}

#[test]
fn an_error_in_the_main_line_keeps_what_came_before() {
    let games = read("1. e4 e5 2. Ke3 (2. Nf3) Nc6 {gone} 3. Nf3 1-0\n\n[Event \"next\"]\n\n1. d4 *\n");
    let first = games[0].as_ref().unwrap();
    assert_eq!(
        (moves(first).as_str(), first.marker()),
        ("e2e4 e7e5", Some(Outcome::WhiteWins))
    );
    assert_eq!(first.move_count(), 2);
    let defect = first.errors().next().unwrap();
    assert_eq!(
        defect.location,
        Location {
            game: 1,
            offset: 12,
            line: 1
        }
    );
    assert_eq!(moves(games[1].as_ref().unwrap()), "d2d4");
}

#[test]
fn an_open_comment_does_not_swallow_the_next_game() {
    for end in ["\n", "\r\n"] {
        let text = "1. e4 {open\nstill open\n\nopen [%clk 1:00] \n\n[Event \"b\"]\n\n1. d4 {closed} *\n"
            .replace('\n', end);
        let games = read(&text);
        assert_eq!(games.len(), 2);
        let first = games[0].as_ref().unwrap();
        assert_eq!(errors(first), ["comment not closed"]);
        assert_eq!(first.errors().next().unwrap().location.offset, 6);
        assert_eq!(
            first.comments(first.main_line().next().unwrap()),
            ["open still open open [%clk 1:00]"]
        );
        assert_eq!(moves(games[1].as_ref().unwrap()), "d2d4");
    }
}

#[test]
fn an_open_comment_before_all_games_is_told() {
    let games = read("{open 1. e4 *\n\n1. d4 *\n");
    assert_eq!(games.len(), 1);
    let swallowed = games[0].as_ref().unwrap();
    assert_eq!(
        (moves(swallowed).as_str(), errors(swallowed)),
        ("", vec!["comment not closed".into()])
    );
    let games = read("{open\n\n[Event \"a\"]\n\n1. e4 *\n");
    assert_eq!(games.len(), 1);
    let game = games[0].as_ref().unwrap();
    assert_eq!(
        (moves(game).as_str(), errors(game)),
        ("e2e4", vec!["comment not closed".into()])
    );
    assert!(read("{closed}").is_empty());
}

#[test]
fn open_and_stray_brackets() {
    let tree = read_one("1. e4 e5 (1... c5 (1... e6 2. d4 1-0");
    assert_eq!((moves(&tree).as_str(), tree.variation_count()), ("e2e4 e7e5", 2));
    assert_eq!(errors(&tree), ["variation not closed"]);
    let tree = read_one("(1. d4) 1. e4 ) e5 ()");
    assert_eq!(moves(&tree), "e2e4 e7e5");
    assert_eq!(
        errors(&tree),
        [
            "variation before the first move",
            "closing bracket without an opening one"
        ]
    );
}

#[test]
fn deep_nesting_is_cut_not_followed() {
    let text = format!("1. e4 {} e5", "(1. d4 ".repeat(100_000));
    let tree = read_one(&text);
    assert_eq!(tree.variation_count(), crate::pgn::MAX_NESTING);
    assert!(
        tree.errors()
            .any(|defect| defect.kind == DefectKind::NestedTooDeep)
    );
    assert!(tree.to_string().len() > 1000);
}

#[test]
fn a_comment_is_cut_at_the_limit() {
    let text = format!(
        "1. e4 {{{}}} e5 ;{}\n2. Nf3 *",
        "ä".repeat(2_000_000),
        "ö".repeat(2_000_000)
    );
    let tree = read_one(&text);
    assert_eq!(
        (moves(&tree).as_str(), errors(&tree).len()),
        ("e2e4 e7e5 g1f3", 2)
    );
    let lengths: Vec<_> = tree
        .main_line()
        .map(|node| tree.comments(node).first().map_or(0, String::len))
        .collect();
    assert!(
        lengths
            .iter()
            .all(|&length| length < crate::pgn::MAX_TOKEN_BYTES + 200_000),
        "{lengths:?}"
    );
}

#[test]
fn an_endless_game_is_cut_at_the_limit() {
    let text = format!("{} 1-0\n\n1. d4 *", "Nf3 Nf6 Ng1 Ng8 ".repeat(270_000));
    let games = read(&text);
    let first = games[0].as_ref().unwrap();
    assert_eq!(first.move_count(), crate::pgn::MAX_NODES);
    assert_eq!(
        (errors(first), first.marker()),
        (vec!["game too large".to_owned()], Some(Outcome::WhiteWins))
    );
    assert_eq!(moves(games[1].as_ref().unwrap()), "d2d4");
}

#[test]
fn comments_stay_where_they_are() {
    let tree = read_one(
        "; top\n{intro} 1. e4 {a} {b} ({c} 1. d4 {d}) {e} e5 ;f\n% escape 2. d4\n 2. Nf3 1/2-1/2 {g}\n",
    );
    let nodes: Vec<_> = tree.main_line().collect();
    assert_eq!(tree.comments(NodeId::ROOT), ["top", "intro"]);
    assert_eq!(tree.comments(nodes[0]), ["a", "b", "e"]);
    assert_eq!(tree.comments(nodes[1]), ["f"]);
    assert_eq!(tree.comments(nodes[2]), ["g"]);
    let variation = tree.children(NodeId::ROOT).nth(1).unwrap();
    assert_eq!(
        (tree.comments_before(variation), tree.comments(variation)),
        (&["c".to_owned()][..], &["d".to_owned()][..])
    );
}

#[test]
fn a_file_of_comments_holds_no_game() {
    assert!(read("{nothing} ; here\n% at all").is_empty());
    assert!(read(" \r\n\t\u{feff}\n").is_empty());
    let strict: Vec<_> = Games::new(&b""[..], Mode::Strict).collect();
    assert!(matches!(strict[..], [Err(PgnError::NoGame)]));
}

#[test]
fn null_moves() {
    let tree = read_one("1. e4 e5 (1... -- 2. d4) 2. Nf3 *");
    assert!(
        tree.defects()
            .iter()
            .all(|defect| defect.kind != DefectKind::NullMove)
    );
    let variation = tree.children(tree.main_line().next().unwrap()).nth(1).unwrap();
    assert_eq!(tree.mv(variation), Move::NULL);
    let tree = read_one("1. e4 Z0 2. d4 *");
    assert_eq!(moves(&tree), "e2e4 a1a1 d2d4");
    let found: Vec<_> = tree
        .defects()
        .iter()
        .filter(|defect| defect.kind == DefectKind::NullMove)
        .map(|defect| defect.location.offset)
        .collect();
    assert_eq!(found, [6]);
    assert_eq!(errors(&read_one("1. e4 f6 2. d4 g5 3. Qh5 -- 1-0")).len(), 1);
    let mut line = MainLine::default();
    Reader::new("1. e4 -- 2. d4 *".as_bytes())
        .read_game(&mut line)
        .unwrap();
    assert_eq!((line.moves().len(), line.is_complete()), (1, false));
}

#[test]
fn a_remark_on_a_move_does_not_break_a_line_off() {
    for (text, count, complete) in [
        ("1. e4 d5 2. e5 f5 3. exf6 e.p. exf6 4. d4 N *", 7, true),
        ("1. e4 e5 2. Ke3 Nc6 *", 2, false),
        ("1. e4 e5 (1... c5 2. Ke3) 2. Nf3 *", 3, true),
        ("1. e4 3-2 e5 *", 1, false),
    ] {
        let mut line = MainLine::default();
        Reader::new(text.as_bytes()).read_game(&mut line).unwrap();
        assert_eq!(
            (line.moves().len(), line.is_complete()),
            (count, complete),
            "{text}"
        );
    }
}

#[test]
fn chess960_castling() {
    let pgn = "[Variant \"Fischerandom\"]\n[SetUp \"1\"]\n[FEN \"1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w KQkq - 0 1\"]\n\n1. O-O O-O-O *\n";
    let tree = read_one(pgn);
    assert_eq!(
        (tree.variant(), moves(&tree).as_str()),
        (Variant::Chess960, "f1h1 f8b8")
    );
    let games = read("[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. e4 *");
    assert!(
        matches!(&games[0], Err(PgnError::Rejected(game)) if game.defects[0].kind == DefectKind::UnsupportedVariant("Atomic".into()))
    );
    assert!(games[1].is_ok());
}

#[test]
fn the_start_position_must_be_playable() {
    let games = read("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n1. d4 *");
    let Err(error @ PgnError::Rejected(_)) = &games[0] else {
        panic!("accepted")
    };
    assert!(
        error
            .to_string()
            .starts_with("game rejected: game 1, line 3, byte 35: start position: "),
        "{error}"
    );
    assert_eq!(moves(games[1].as_ref().unwrap()), "d2d4");
}

#[test]
fn the_reason_for_a_rejection_is_not_lost_behind_trifles() {
    let text = format!("{}[FEN \"x\"]\n\n1. e4 *", "[A \"x\"]\n".repeat(200));
    let Err(PgnError::Rejected(game)) = &read(&text)[0] else {
        panic!("accepted")
    };
    assert!(
        matches!(game.defects[0].kind, DefectKind::BadStartPosition(_)),
        "{:?}",
        game.defects[0]
    );
    assert_eq!(game.defects.len(), 101);
    // Beyond the first hundred trifles: the rest of the 199 doubles and spellings of tags, tags missing, `SetUp`.
    assert!(game.more_defects > 99, "{}", game.more_defects);
}

#[test]
fn what_is_wrong_with_a_start_position_is_told_in_bounds() {
    let fen = format!("{} w KQkq - 0 1", "rrrrrrrr/".repeat(2_000));
    let games = read(&format!("[FEN \"{fen}\"]\n\n1. e4 *"));
    let Err(PgnError::Rejected(game)) = &games[0] else {
        panic!("accepted")
    };
    assert!(game.defects[0].to_string().len() < 700, "{}", game.defects[0]);
}

/// Each of these took minutes, or seconds for the comments, when its length was squared.
#[test]
fn long_texts_take_time_in_proportion() {
    let time = |name: &str, work: &dyn Fn()| {
        let begin = std::time::Instant::now();
        work();
        let seconds = begin.elapsed().as_secs_f64();
        assert!(seconds < 3.0, "{name}: {seconds} s");
    };
    let variations = format!("1. e4 {} e5 *", "(1. d4) ".repeat(300_000));
    time("variations", &|| {
        assert_eq!(read_one(&variations).variation_count(), 300_000)
    });
    let tags: String = (0..300_000).map(|n| format!("[A{n} \"\"]\n")).collect();
    time("tags", &|| {
        let tree = read_one(&format!("{tags}\n1. e4 *"));
        assert_eq!((tree.tags().len(), moves(&tree).as_str()), (256, ""));
        assert!(
            tree.errors()
                .all(|defect| defect.kind == DefectKind::GameTooLarge)
        );
    });
    let commands = read_one(&format!("1. e4 {{{}]}} *", "[%".repeat(300_000)));
    time("commands in one bracket", &|| {
        assert_eq!(commands.clock(commands.main_line().next().unwrap()), None);
    });
    let open = read_one(&format!("1. e4 {{{}}} *", "[% ".repeat(300_000)));
    time("open commands", &|| assert!(open.to_string().len() > 900_000));
}

#[test]
fn results_that_contradict_each_other() {
    let conflicts = |text: &str| -> Vec<String> {
        read_one(text)
            .conflicts()
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let mate = "1. f3 e5 2. g4 Qh4#";
    assert_eq!(conflicts(&format!("{mate} 0-1")), [""; 0]);
    assert_eq!(
        conflicts(&format!("{mate} 1/2-1/2")),
        ["termination marker 1/2-1/2 v board 0-1"]
    );
    assert_eq!(
        conflicts(&format!("[Result \"1-0\"]\n\n{mate} 0-1")),
        ["termination marker 0-1 v tag 1-0", "tag 1-0 v board 0-1"]
    );
    assert_eq!(
        read_one(&format!("[Result \"1-0\"]\n\n{mate} 1-0")).outcome(),
        Outcome::BlackWins
    );
}

#[test]
fn line_and_byte_of_each_kind_of_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("1. e4{end}e5{end}2. Qh9 *");
        let tree = read_one(&text);
        let location = tree.errors().next().unwrap().location;
        assert_eq!((location.line, location.offset as usize), (3, 10 + 2 * end.len()));
    }
}

#[test]
fn many_games_in_bounded_memory() {
    struct Counter(u64);
    impl Visitor for Counter {
        fn san(&mut self, _text: &str) -> Result<(), DefectKind> {
            self.0 += 1;
            Ok(())
        }
        fn defect(&mut self, defect: Defect) {
            panic!("{defect}");
        }
    }
    let game = "[Event \"x\"]\n\n1. e4 {c} e5 (1... c5) 2. Nf3 Nc6 *\n\n";
    let mut reader = Reader::new(Repeat {
        text: game.as_bytes(),
        at: 0,
        left: 50_000,
    });
    let mut counter = Counter(0);
    let mut games = 0;
    while reader.read_game(&mut counter).unwrap() {
        games += 1;
    }
    assert_eq!((games, counter.0), (50_000, 200_000));
    let end = reader.location();
    assert_eq!(
        (end.offset, end.line),
        (50_000 * game.len() as u64, 50_000 * 4 + 1)
    );
}

/// The same text over and over.
struct Repeat<'a> {
    text: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Repeat<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let length = buffer.len().min(self.text.len() - self.at);
        buffer[..length].copy_from_slice(&self.text[self.at..self.at + length]);
        self.at += length;
        if self.at == self.text.len() {
            (self.at, self.left) = (0, self.left - 1);
        }
        Ok(length)
    }
}

#[test]
fn an_unreadable_stream_is_an_error_once() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk on fire"))
        }
    }
    let games: Vec<_> = Games::new(io::Cursor::new("1. e4 ").chain(Broken), Mode::Lenient).collect();
    assert!(matches!(games[..], [Err(PgnError::Io(_))]));
}

#[cfg(feature = "pgn-decode")]
#[test]
fn compressed_files() {
    use std::io::Write;
    let pgn = "1. e4 {王前兵} *\n\n1. d4 *\n";
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |text: &str| {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    };
    let (head, tail) = pgn.split_at(13);
    let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
    for (name, bytes) in [
        ("plain", pgn.as_bytes().to_vec()),
        ("gzip", gzip(pgn)),
        ("gzip members", [gzip(head), gzip(tail)].concat()),
        ("zstd", zstd(pgn)),
        (
            "zstd frames",
            [&skippable[..], &zstd(head), &skippable, &zstd(tail)].concat(),
        ),
    ] {
        for step in [1, 5, 4096] {
            let stream = crate::pgn::decompress(Trickle { bytes: &bytes, step }).unwrap();
            let games: Vec<_> = Games::new(stream, Mode::Lenient).map(Result::unwrap).collect();
            assert_eq!(games.len(), 2, "{name} {step}");
            assert_eq!(
                games[0].comments(games[0].main_line().next().unwrap()),
                ["王前兵"],
                "{name}"
            );
        }
        if name != "plain" {
            let cut = &bytes[..bytes.len() - 3];
            let stream = crate::pgn::decompress(Trickle { bytes: cut, step: 64 }).unwrap();
            assert!(
                Games::new(stream, Mode::Lenient).any(|game| matches!(game, Err(PgnError::Io(_)))),
                "{name}"
            );
        }
    }
}
