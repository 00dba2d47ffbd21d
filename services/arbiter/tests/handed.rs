//! Handed rows, where they are at hand: bug reports on arbiters elsewhere, repetitions and counters, classes of material.

use std::{env, fs, path::Path, time::Duration};

use serde_json::Value;
use tabiya_arbiter::{
    ClaimGround,
    replay::{
        DelayMode, Event, EventKind, GameResult, GameStatus, Period, Reason, Report, TimeControl, Witness,
        replay,
    },
    ruleset::Library,
};
use tabiya_rules::{
    Board, Color, Game, Square, Variant,
    fen::{self, FenMode, Placement, Setup},
    san, uci,
};

/// The rows of a file, or none where the folder is not named.
fn rows(file: &str) -> Vec<Value> {
    let Some(folder) = env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: TABIYA_CASES is not set ({file})");
        return Vec::new();
    };
    let path = Path::new(&folder).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn variant(row: &Value) -> Variant {
    match row["chess960"].as_bool() {
        Some(true) => Variant::Chess960,
        _ => Variant::Standard,
    }
}

fn rule(id: &str, overrides: &[(&str, &str)], game: &Game, variant: Variant, events: &[Event]) -> Report {
    let set: Vec<_> = overrides
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let ruleset = Library::built_in()
        .unwrap()
        .find(id)
        .unwrap()
        .with_overrides(&set)
        .unwrap();
    replay(&ruleset, game, variant, None, events)
}

fn flag(side: Color) -> Event {
    let kind = EventKind::FlagFall {
        side: Some(side),
        last_period: None,
        witness: Witness::Arbiter,
        confirmed: None,
    };
    Event::new(None, kind)
}

/// The game of a row: its start, then its moves in SAN or UCI.
fn game(row: &Value, fen: Option<&str>, san_text: &str, uci_moves: &[Value]) -> Game {
    let start = fen.map_or_else(Board::startpos, |text| {
        fen::parse(text, FenMode::Analysis, variant(row)).unwrap().board
    });
    let mut game = Game::new(start);
    for text in san_text.split_whitespace() {
        game.play(san::parse(game.board(), text, san::SanMode::Lenient).unwrap());
    }
    for text in uci_moves {
        game.play(uci::parse(game.board(), text.as_str().unwrap(), variant(row)).unwrap());
    }
    game
}

fn end(report: &Report) -> (Option<GameResult>, Option<Reason>) {
    let end = report.conclusion.as_ref();
    (end.and_then(|end| end.result), end.map(|end| end.reason))
}

const DRAW: Option<GameResult> = Some(GameResult::Draw);
const WHITE_WINS: Option<GameResult> = Some(GameResult::Wins(Color::White));

/// Every row on repetition, claims, counters, reasons, flags, dead positions, material, resignation and clocks. The
/// rest is about the rules and notation, and is tested there.
#[test]
fn bug_reports_are_ruled_right() {
    let mut ruled = 0;
    let reports = rows("bugs.jsonl");
    for row in &reports {
        let id = row["id"].as_str().unwrap();
        let input = &row["input"];
        let text = |name: &str| input[name].as_str();
        let position = || game(row, text("fen"), text("san").unwrap_or_default(), &[]);
        let fide = |events: &[Event]| rule("fide-2023", &[], &position(), Variant::Standard, events);
        let on_board = |report: &Report| {
            report
                .claimable
                .iter()
                .any(|claim| claim.ground == ClaimGround::ThreefoldRepetition && claim.with_move.is_none())
        };
        match id {
            "bug-01" | "bug-03" => assert!(on_board(&fide(&[])), "{id}"),
            "bug-04" => {
                let moves: Vec<_> = text("san").unwrap().split(' ').collect();
                for plies in 0..=moves.len() {
                    let game = game(row, text("fen"), &moves[..plies].join(" "), &[]);
                    let report = rule("fide-2023", &[], &game, Variant::Standard, &[]);
                    assert_eq!(on_board(&report), plies == 10, "{id} {plies}");
                }
            }
            "bug-06" => assert!(!on_board(&fide(&[])), "{id}"),
            "bug-07" => {
                let report = fide(&[]);
                assert!(!on_board(&report), "{id}");
                let with: Vec<_> = report
                    .claimable
                    .iter()
                    .filter_map(|claim| claim.with_move)
                    .collect();
                assert_eq!(
                    with.iter().map(ToString::to_string).collect::<Vec<_>>(),
                    ["f6g8"],
                    "{id}"
                );
            }
            "bug-09" => {
                let report = fide(&[]);
                assert_eq!(
                    (report.status, report.claimable),
                    (GameStatus::Ongoing, vec![]),
                    "{id}"
                );
            }
            "bug-10" => {
                assert_eq!(end(&fide(&[])), (WHITE_WINS, Some(Reason::Mate)), "{id}");
                let late = text("fen").unwrap().replace("99 60", "149 60");
                let game = game(row, Some(&late), text("san").unwrap(), &[]);
                let report = rule("fide-2023", &[], &game, Variant::Standard, &[]);
                assert_eq!(end(&report), (WHITE_WINS, Some(Reason::Mate)), "{id}");
            }
            "bug-12" | "bug-13" => {
                let report = fide(&[]);
                let end = report.conclusion.unwrap();
                assert_eq!((end.reason, end.ply), (Reason::Repetition, 16), "{id}");
                assert_eq!(end.articles, ["9.6.1"], "{id}");
            }
            "bug-14" => assert_eq!(end(&fide(&[flag(Color::White)])).0, DRAW, "{id}"),
            "bug-16" | "bug-24" => assert_eq!(end(&fide(&[])), (DRAW, Some(Reason::Dead)), "{id}"),
            "bug-18" => assert_eq!(
                end(&fide(&[flag(Color::Black)])),
                (DRAW, Some(Reason::Dead)),
                "{id}"
            ),
            "bug-20" | "bug-21" => {
                assert_eq!(
                    end(&fide(&[flag(Color::Black)])),
                    (WHITE_WINS, Some(Reason::FlagLoss)),
                    "{id}"
                );
            }
            "bug-23" => assert_eq!(end(&fide(&[])), (WHITE_WINS, Some(Reason::Mate)), "{id}"),
            "bug-26" => {
                let resigned = [Event::new(Some(Color::White), EventKind::Resignation)];
                assert_eq!(end(&fide(&resigned)), (DRAW, Some(Reason::ResignedDraw)), "{id}");
                let older = [("resignation_draw", "never")];
                let report = rule("cn-classic", &older, &position(), Variant::Standard, &resigned);
                assert_eq!(end(&report).1, Some(Reason::Resigned), "{id}");
            }
            "bug-44" => move_forty_is_late(),
            "bug-45" => {
                // Nothing is on the board but a flag: no illegal move is on record.
                assert_eq!(
                    end(&fide(&[flag(Color::White)])).1,
                    Some(Reason::FlagLoss),
                    "{id}"
                );
            }
            "bug-47" => {
                let report = fide(&[flag(Color::White)]);
                assert_eq!(end(&report), (DRAW, Some(Reason::FlagDraw)), "{id}");
                assert_eq!(report.conclusion.unwrap().articles, ["6.9"], "{id}");
            }
            _ => continue,
        }
        ruled += 1;
    }
    eprintln!("{ruled} bug reports ruled");
    assert!(reports.is_empty() || ruled == 20);
}

/// 40 moves in a second; the 40th, five milliseconds late, does not get the next period's time to live on.
fn move_forty_is_late() {
    let period = |moves, time| Period {
        moves,
        time: Duration::from_millis(time),
        increment: Duration::ZERO,
        delay: Duration::ZERO,
        delay_mode: DelayMode::Simple,
    };
    let control = TimeControl::new(vec![period(40, 1000), period(0, 60_000)]).unwrap();
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut events = Vec::new();
    // White takes 25 milliseconds a move, and 30 for the last; Black takes none. Without repetition, which ends games.
    for ply in 0..79_u64 {
        let at = Some(Duration::from_millis(
            25 * (ply / 2 + 1) + if ply == 78 { 5 } else { 0 },
        ));
        let actor = Some([Color::White, Color::Black][ply as usize % 2]);
        let text = knights[ply as usize % 4].to_owned();
        let made = EventKind::Move {
            text,
            notation: None,
            two_hands: false,
            unnoticed: false,
        };
        for kind in [made, EventKind::ClockPress] {
            events.push(Event {
                at,
                ..Event::new(actor, kind)
            });
        }
    }
    events.push(flag(Color::White));
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    let off = [("automatic_repetition".to_owned(), "0".to_owned())];
    let ruleset = ruleset.with_overrides(&off).unwrap();
    let start = Game::new(Board::startpos());
    let report = replay(&ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(
        end(&report),
        (Some(GameResult::Wins(Color::Black)), Some(Reason::FlagLoss))
    );
    // In time, it would have lived on.
    for event in &mut events[156..] {
        event.at = Some(Duration::from_millis(999));
    }
    let report = replay(&ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(report.rulings.last().unwrap().reason, Reason::FlagUp);
}

#[test]
fn repetitions_counters_and_checks_are_counted_right() {
    for row in rows("repetition.jsonl") {
        let id = row["id"].as_str().unwrap();
        let variant = variant(&row);
        let moves = row["moves"].as_array().unwrap();
        let game = game(&row, row["fen"].as_str(), "", moves);
        let fide = rule("fide-2023", &[], &game, variant, &[]);
        let claims = |ground| -> (bool, Vec<String>) {
            let claims = || fide.claimable.iter().filter(move |claim| claim.ground == ground);
            let on_board = claims().any(|claim| claim.with_move.is_none());
            let mut with: Vec<_> = claims()
                .filter_map(|claim| claim.with_move)
                .map(|mv| uci::write(mv, variant).to_string())
                .collect();
            with.sort();
            (on_board, with)
        };
        let wanted = |name: &str| -> Vec<String> {
            let list = row[name].as_array().unwrap();
            let mut list: Vec<_> = list.iter().map(|mv| mv.as_str().unwrap().to_owned()).collect();
            list.sort();
            list
        };
        match row["kind"].as_str().unwrap() {
            "repetition" => {
                let five = row["auto_draw_fivefold"].as_bool().unwrap();
                assert_eq!(end(&fide).1 == Some(Reason::Repetition), five, "{id}");
                if five {
                    let ply = fide.conclusion.as_ref().unwrap().ply as u64;
                    assert_eq!(Some(ply), row["first_ply_fifth"].as_u64(), "{id}");
                    continue;
                }
                let (on_board, with) = claims(ClaimGround::ThreefoldRepetition);
                assert_eq!(Some(on_board), row["claim_on_board"].as_bool(), "{id}");
                // Once the position itself gives the claim, no move has to be written down for it.
                if !on_board {
                    assert_eq!(with, wanted("claim_by_intended"), "{id}");
                }
            }
            "counter" => {
                let auto = row["fide_auto_75"].as_bool().unwrap();
                assert_eq!(end(&fide).1 == Some(Reason::Quiet), auto, "{id}");
                let (on_board, with) = claims(ClaimGround::FiftyMoves);
                if fide.status == GameStatus::Ongoing {
                    assert_eq!(Some(on_board), row["fide_claim_on_board"].as_bool(), "{id}");
                    if !on_board {
                        assert_eq!(with, wanted("fide_claim_by_intended"), "{id}");
                    }
                }
                for (ruleset, field) in [
                    ("online-platform", "platform_30_move_auto"),
                    ("popular", "popular_30_move_draw"),
                ] {
                    // The row is about the last position; where the count is shorter, an earlier one ends the game.
                    let last = Game::new(*game.board());
                    let report = rule(ruleset, &[], &last, variant, &[]);
                    let quiet = end(&report).1 == Some(Reason::Quiet);
                    // Mate and stalemate come first, and the lists of popular material too.
                    let first = report.status == GameStatus::Decided && !quiet;
                    assert!(Some(quiet) == row[field].as_bool() || first, "{id} {ruleset}");
                }
            }
            "counter-forced" => {
                let by_letter = rule(
                    "fide-2023",
                    &[],
                    &game,
                    variant,
                    &[flag(game.board().side_to_move())],
                );
                assert_eq!(end(&by_letter).1, Some(Reason::FlagLoss), "{id}");
                let aware = [("unwinnable_by_count", "true")];
                let report = rule(
                    "fide-2023",
                    &aware,
                    &game,
                    variant,
                    &[flag(game.board().side_to_move())],
                );
                assert_eq!(end(&report).0, DRAW, "{id}");
            }
            "checks" => {
                let platform = rule("online-platform", &[], &game, variant, &[]);
                let checks = platform
                    .conclusion
                    .as_ref()
                    .filter(|end| matches!(end.reason, Reason::ChecksInARow | Reason::ChecksInTotal));
                let ply = checks.map(|end| end.ply as u64);
                assert_eq!(ply, row["platform_draw_at_ply"].as_u64(), "{id}");
                let popular = end(&rule("popular", &[], &game, variant, &[])).1;
                let draw = row["popular_draw"].as_bool();
                assert_eq!(Some(popular == Some(Reason::ChecksInARow)), draw, "{id}");
            }
            other => panic!("{id}: {other}"),
        }
    }
}

/// Random positions of a class that can never mate: running out of time against it is a draw. In a class that can, the
/// example is mate.
#[test]
fn classes_of_material_are_ruled_as_they_were_counted() {
    let mut state = 1_u64;
    for row in rows("material_classes.jsonl") {
        let id = row["id"].as_str().unwrap();
        if let Some(fen) = row["example_mate_fen"].as_str() {
            let game = Game::new(Board::from_fen(fen).unwrap());
            let report = rule("fide-2023", &[], &game, Variant::Standard, &[]);
            assert_eq!(end(&report), (WHITE_WINS, Some(Reason::Mate)), "{id}");
            continue;
        }
        let men = format!(
            "{}{}",
            row["own"].as_str().unwrap(),
            row["opponent"].as_str().unwrap()
        );
        let mut seen = 0;
        while seen < 20 {
            let Some(board) = placed(&men, row["bishop_colours"] == "same", &mut state) else {
                continue;
            };
            seen += 1;
            let game = Game::new(board);
            let report = rule("fide-2023", &[], &game, Variant::Standard, &[flag(Color::Black)]);
            // Unless the other side had mated already.
            let result = end(&report).0;
            let lost = result == Some(GameResult::Wins(Color::Black));
            assert!(result == DRAW || lost, "{id}: {}", fen::xfen(&board));
        }
    }
}

/// Men on random squares, if that is a position; letters as in FEN.
fn placed(men: &str, bishops_of_one_colour: bool, state: &mut u64) -> Option<Board> {
    let mut placement = Placement::default();
    let mut colours = Vec::new();
    for letter in men.chars() {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        let square = Square::new((*state >> 40) as u8 % 64)?;
        if placement.piece_on(square).is_some() {
            return None;
        }
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let piece = tabiya_rules::Piece::from_letter(letter.to_ascii_lowercase())?;
        if piece == tabiya_rules::Piece::Bishop {
            colours.push((square.file() + square.rank()) % 2);
        }
        placement.put(square, color, piece);
    }
    colours.dedup();
    if bishops_of_one_colour && colours.len() > 1 {
        return None;
    }
    let setup = Setup {
        placement,
        side_to_move: Color::Black,
        castling_rooks: tabiya_rules::Bitboard(0),
        en_passant: None,
        halfmove_clock: 0,
        fullmove_number: 1,
    };
    setup.to_board().ok()
}
