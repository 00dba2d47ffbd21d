//! Repetition and the fifty-move rule, from the game's history and inside the tree.

mod common;

use common::{forces_mate, game, run};
use tabiya_rules::{Game, Move};
use tabiya_search::{Bound, Limits, Options, Score, Wdl};

/// Plays moves given as king-takes-rook coordinates.
fn play(game: &mut Game, moves: &str) {
    for text in moves.split(' ') {
        let mv: Move = common::legal(game.board())
            .iter()
            .copied()
            .find(|mv| mv.to_string() == text)
            .unwrap();
        game.play(mv);
    }
}

#[test]
fn perpetual_check_saves_a_lost_game() {
    // Two rooks down, White checks on g5 and f6 for ever: each reply is forced.
    let game = game("5rk1/qp3p1p/8/8/r7/6PP/7K/2Q5 w - - 0 1");
    let result = run(&game, &Limits::nodes(50_000), &Options::default());
    assert_eq!(result.score, Score::Centipawns(0));
    assert_eq!(result.best_move.map(|mv| mv.to_string()).as_deref(), Some("c1g5"));
}

#[test]
fn a_third_occurrence_is_a_draw() {
    // Black, a rook up, may repeat a third time.
    let mut game = game("6k1/8/8/8/8/8/r7/7K w - - 0 1");
    play(&mut game, "h1g1 g8h8 g1h1 h8g8 h1g1 g8h8 g1h1");
    // h8g8 repeats the start for the third time: the only other moves keep the rook.
    let options = Options {
        multi_pv: 100,
        ..Options::default()
    };
    let result = run(&game, &Limits::depth(4), &options);
    let repeating = result
        .lines
        .iter()
        .find(|line| line.moves[0].to_string() == "h8g8")
        .unwrap();
    assert_eq!(repeating.score, Score::Centipawns(0));
    assert_ne!(result.best_move, Some(repeating.moves[0]));
    assert!(
        matches!(result.score, Score::Centipawns(cp) if cp > 300) || matches!(result.score, Score::Mate(1..))
    );
}

#[test]
fn mate_on_the_hundredth_ply_counts_and_later_ones_do_not() {
    // The back-rank mate is ply 100 of the clock.
    let at_99 = game("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 99 80");
    assert_eq!(
        run(&at_99, &Limits::depth(5), &Options::default()).score,
        Score::Mate(1)
    );
    // A mate in two by rook and king comes a ply too late when the clock stands at 98.
    let fen = "k7/8/2K5/8/8/8/8/1R6 w - -";
    let in_time = game(&format!("{fen} 97 80"));
    assert!(forces_mate(in_time.board(), 2));
    assert_eq!(
        run(&in_time, &Limits::depth(6), &Options::default()).score,
        Score::Mate(2)
    );
    let too_late = game(&format!("{fen} 98 80"));
    assert_eq!(
        run(&too_late, &Limits::depth(6), &Options::default()).score,
        Score::Centipawns(0)
    );
}

#[test]
fn bare_minor_pieces_draw() {
    for fen in [
        "8/8/4k3/8/8/3K4/4B3/8 w - - 0 1",
        "8/8/4k3/8/8/3K4/4n3/8 w - - 0 1",
    ] {
        assert_eq!(
            run(&game(fen), &Limits::depth(5), &Options::default()).score,
            Score::Centipawns(0)
        );
    }
}

/// Where the game is over, every line is worth a draw and nothing else, whatever its moves would bring.
#[test]
fn a_game_that_is_over_is_a_certain_draw() {
    let mut fivefold = game("6k1/8/8/8/8/8/r7/7K w - - 0 1");
    for _ in 0..4 {
        play(&mut fivefold, "h1g1 g8h8 g1h1 h8g8");
    }
    assert_eq!(fivefold.repetition_count(), 5);
    // Bishops of one colour of square; a queen more after 75 moves; a rook less for the fifth time.
    let over = [
        game("5b2/8/4k3/6B1/8/4BK2/8/8 w - - 0 1"),
        game("8/8/4k3/8/8/3QK3/8/8 w - - 150 200"),
        fivefold.clone(),
    ];
    for game in &over {
        for limits in [Limits::nodes(0), Limits::nodes(3_000), Limits::depth(1)] {
            let options = Options {
                multi_pv: 3,
                ..Options::default()
            };
            let result = run(game, &limits, &options);
            assert_eq!(result.score, Score::Centipawns(0));
            assert!(result.best_move.is_some());
            for line in &result.lines {
                assert_eq!(
                    (line.score, line.bound, line.wdl),
                    (Score::Centipawns(0), Bound::Exact, Wdl::DRAW)
                );
            }
        }
    }
    // One ply, one occurrence, one piece less, and the game goes on.
    fivefold = Game::new(*fivefold.start());
    for _ in 0..3 {
        play(&mut fivefold, "h1g1 g8h8 g1h1 h8g8");
    }
    for game in [
        game("5b2/8/4k3/6B1/8/4BKN1/8/8 w - - 0 1"),
        game("8/8/4k3/8/8/3QK3/8/8 w - - 149 200"),
        fivefold,
    ] {
        let result = run(&game, &Limits::nodes(3_000), &Options::default());
        assert_eq!(result.lines[0].wdl, result.score.wdl());
        assert_ne!(result.lines[0].wdl, Wdl::DRAW);
    }
    // Mate comes first.
    let mated = game("7k/6Q1/6K1/8/8/8/8/8 b - - 150 200");
    let result = run(&mated, &Limits::nodes(100), &Options::default());
    assert_eq!(result.score, Score::Mate(0));
}
