//! Every row of the repetition case file: occurrences, counters, checks.

mod cases;

use cases::{rows, text, texts};
use serde_json::Value;
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Checks, Color, Game, MoveList, Piece, Variant, uci};

/// Plays the moves; the visitor sees the game at the start and after each.
fn replay(row: &Value, mut visit: impl FnMut(&Game)) -> Game {
    let variant = if row["chess960"] == true {
        Variant::Chess960
    } else {
        Variant::Standard
    };
    let start = fen::parse(text(row, "fen"), FenMode::Analysis, variant)
        .unwrap()
        .board;
    let mut game = Game::new(start);
    visit(&game);
    for text in texts(row, "moves") {
        game.play(uci::parse(game.board(), text, variant).unwrap());
        visit(&game);
    }
    if let Some(wanted) = row["final_fen"].as_str() {
        assert_eq!(fen::xfen(game.board()), wanted, "{}", row["id"]);
    }
    game
}

/// The legal moves for which the predicate holds, as sorted UCI.
fn moves(game: &Game, holds: impl Fn(tabiya_rules::Move) -> bool) -> Vec<String> {
    let mut list = MoveList::new();
    game.board().legal_moves(&mut list);
    let mut texts: Vec<String> = list
        .iter()
        .filter(|&&mv| holds(mv))
        .map(|&mv| uci::write(mv, Variant::Standard).to_string())
        .collect();
    texts.sort();
    texts
}

fn repetition(row: &Value) {
    let mut counts = Vec::new();
    let game = replay(row, |game| counts.push(game.repetition_count()));
    let id = text(row, "id");
    let number = |name: &str| row[name].as_u64();
    assert_eq!(
        u64::from(game.repetition_count()),
        number("occurrences_final").unwrap(),
        "{id}"
    );
    assert_eq!(
        counts.iter().max().map(|&count| u64::from(count)),
        number("max_occurrences"),
        "{id}"
    );
    let first = |wanted: u32| {
        counts
            .iter()
            .position(|&count| count == wanted)
            .map(|ply| ply as u64)
    };
    assert_eq!(first(3), number("first_ply_third"), "{id}");
    assert_eq!(first(5), number("first_ply_fifth"), "{id}");
    assert_eq!(
        game.repetition_count() >= 3,
        row["claim_on_board"].as_bool().unwrap(),
        "{id}"
    );
    assert_eq!(
        first(5).is_some(),
        row["auto_draw_fivefold"].as_bool().unwrap(),
        "{id}"
    );
    let intended = moves(&game, |mv| game.repetition_count_after(mv) >= 3);
    assert_eq!(intended, texts(row, "claim_by_intended"), "{id}");
}

fn counter(row: &Value) {
    let game = replay(row, |_| {});
    let (id, board) = (text(row, "id"), game.board());
    let clock = board.halfmove_clock();
    assert_eq!(u64::from(clock), row["halfmove"].as_u64().unwrap(), "{id}");
    let terminal = match () {
        () if board.is_checkmate() => Some("checkmate"),
        () if board.is_stalemate() => Some("stalemate"),
        () => None,
    };
    assert_eq!(terminal, row["terminal"].as_str(), "{id}");

    // A game that is over is neither drawn by a counter nor open to a claim.
    let goes_on = terminal.is_none();
    let flag = |name: &str| row[name].as_bool().unwrap();
    let automatic = goes_on && clock >= 150;
    assert_eq!(automatic, flag("fide_auto_75"), "{id}");
    assert_eq!(
        goes_on && !automatic && clock >= 100,
        flag("fide_claim_on_board"),
        "{id}"
    );
    assert_eq!(goes_on && clock >= 60, flag("platform_30_move_auto"), "{id}");
    assert_eq!(goes_on && clock >= 60, flag("popular_30_move_draw"), "{id}");
    let intended = moves(&game, |mv| {
        let quiet = board.piece_on(mv.from()) != Some(Piece::Pawn);
        !automatic && quiet && board.after(mv).halfmove_clock() >= 100
    });
    assert_eq!(intended, texts(row, "fide_claim_by_intended"), "{id}");
}

/// The counter alone: that a forced move will reach 150 does not make the position dead.
fn forced(row: &Value) {
    let game = replay(row, |_| {});
    let only = moves(&game, |_| true);
    assert_eq!(only.len(), 1, "{}", row["id"]);
    assert_eq!(game.board().halfmove_clock(), 149);
    assert!(!game.board().is_checkmate() && !game.board().is_stalemate());
}

fn checks(row: &Value) {
    let mut drawn_at = None;
    let game = replay(row, |game| {
        let reached = |checks: Checks| checks.current_run >= 10 || checks.total >= 30;
        if Color::ALL.iter().any(|&color| reached(game.checks(color))) {
            drawn_at.get_or_insert(game.moves().len() as u64);
        }
    });
    let id = text(row, "id");
    for (color, name) in [(Color::White, "white"), (Color::Black, "black")] {
        let checks = game.checks(color);
        assert_eq!(
            u64::from(checks.longest_run),
            row["consecutive_checks"][name].as_u64().unwrap(),
            "{id}"
        );
        assert_eq!(
            u64::from(checks.total),
            row["total_checks"][name].as_u64().unwrap(),
            "{id}"
        );
    }
    assert_eq!(drawn_at, row["platform_draw_at_ply"].as_u64(), "{id}");
    let longest = Color::ALL.map(|color| game.checks(color).longest_run);
    assert_eq!(
        longest.iter().any(|&run| run > 10),
        row["popular_draw"].as_bool().unwrap(),
        "{id}"
    );
    assert_eq!(
        game.board().is_checkmate(),
        row["mate"].as_bool().unwrap(),
        "{id}"
    );
}

#[test]
fn repetition_rows() {
    let Some(rows) = rows("repetition_rows", "repetition.jsonl") else {
        return;
    };
    assert_eq!(rows.len(), 40);
    for row in &rows {
        match text(row, "kind") {
            "repetition" => repetition(row),
            "counter" => counter(row),
            "counter-forced" => forced(row),
            "checks" => checks(row),
            other => panic!("{}: {other}", row["id"]),
        }
    }
}
