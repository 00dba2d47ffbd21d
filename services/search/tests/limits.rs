//! What ends a search, and that equal questions get equal answers.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{PlainEvaluator, game, legal, random_games, run};
use tabiya_rules::{Board, Game};
use tabiya_search::{Bound, Iteration, Limits, Options, Score, SearchResult, Searcher, StoppedBy, search};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Everything but the time.
fn facts(result: &SearchResult) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        result.best_move,
        result.lines.clone(),
        result.score,
        result.nodes,
        result.evaluations,
        result.tt_hits,
        result.stopped_by,
    )
}

#[test]
fn the_node_limit_is_exact_and_the_answer_repeats() {
    let game = game(KIWIPETE);
    for nodes in [0, 1, 2, 47, 48, 49, 1_000, 1_023, 1_024, 33_333] {
        let first = run(&game, &Limits::nodes(nodes), &Options::default());
        assert_eq!(first.nodes, nodes);
        assert_eq!(first.stopped_by, StoppedBy::Nodes);
        assert!(first.best_move.is_some_and(|mv| game.board().is_legal(mv)));
        let second = run(&game, &Limits::nodes(nodes), &Options::default());
        assert_eq!(facts(&first), facts(&second));
    }
}

#[test]
fn a_prepared_searcher_answers_like_a_new_one() {
    let limits = Limits::nodes(20_000);
    let stop = AtomicBool::new(false);
    let mut searcher = Searcher::new(1 << 20);
    let mut evaluator = PlainEvaluator::default();
    for fen in [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", KIWIPETE] {
        let game = game(fen);
        searcher.prepare(&limits);
        assert_eq!(searcher.table_bytes(), limits.table_bytes());
        let kept = searcher.search(
            &game,
            &limits,
            &Options::default(),
            &mut evaluator,
            &stop,
            &mut |_| {},
        );
        assert_eq!(facts(&kept), facts(&run(&game, &limits, &Options::default())));
    }
}

#[test]
fn the_stop_flag_and_the_clock_are_heard() {
    let game = game(KIWIPETE);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        let start = Instant::now();
        let mut evaluator = PlainEvaluator::default();
        let result = search(
            &game,
            &Limits::default(),
            &Options::default(),
            &mut evaluator,
            &stop,
            &mut |_| {},
        );
        assert_eq!(result.stopped_by, StoppedBy::Stop);
        assert!(start.elapsed() < Duration::from_secs(3));
    });
    for limits in [
        Limits {
            time: Some(Duration::from_millis(60)),
            ..Limits::default()
        },
        Limits {
            deadline: Instant::now().checked_add(Duration::from_millis(60)),
            ..Limits::default()
        },
    ] {
        let result = run(&game, &limits, &Options::default());
        assert_eq!(result.stopped_by, StoppedBy::Time);
        assert!(result.elapsed < Duration::from_secs(3));
    }
}

#[test]
fn a_stop_flag_set_before_still_gives_a_legal_move() {
    let game = game(KIWIPETE);
    let stop = AtomicBool::new(true);
    let mut evaluator = PlainEvaluator::default();
    let result = search(
        &game,
        &Limits::default(),
        &Options::default(),
        &mut evaluator,
        &stop,
        &mut |_| {},
    );
    assert!(result.best_move.is_some_and(|mv| game.board().is_legal(mv)));
    assert_eq!((result.lines[0].depth, result.lines[0].bound), (0, Bound::Lower));
}

#[test]
fn the_depth_limit_counts_iterations() {
    let mut depths = Vec::new();
    let mut evaluator = PlainEvaluator::default();
    let stop = AtomicBool::new(false);
    let result = search(
        &game(KIWIPETE),
        &Limits::depth(5),
        &Options::default(),
        &mut evaluator,
        &stop,
        &mut |iteration| {
            depths.push(iteration.depth);
        },
    );
    assert_eq!(depths, [1, 2, 3, 4, 5]);
    assert_eq!((result.depth, result.stopped_by), (5, StoppedBy::Depth));
    assert_eq!(evaluator.depth, 0, "every push has its pop");
}

#[test]
fn positions_without_a_move() {
    let mated = run(
        &game("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
        &Limits::nodes(1_000),
        &Options::default(),
    );
    assert_eq!(
        (mated.best_move, mated.score, mated.lines.len()),
        (None, Score::Mate(0), 0)
    );
    let stalemate = run(
        &game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        &Limits::nodes(1_000),
        &Options::default(),
    );
    assert_eq!(
        (stalemate.best_move, stalemate.score),
        (None, Score::Centipawns(0))
    );
    assert_eq!(stalemate.stopped_by, StoppedBy::Exhausted);
}

#[test]
fn several_lines_are_distinct_and_in_order() {
    let game = game(KIWIPETE);
    let options = Options {
        multi_pv: 5,
        ..Options::default()
    };
    let result = run(&game, &Limits::depth(6), &options);
    assert_eq!(result.lines.len(), 5);
    let value = |score| match score {
        Score::Centipawns(cp) => cp,
        Score::Mate(moves) => 100_000 * moves.signum() - moves,
    };
    for pair in result.lines.windows(2) {
        assert!(value(pair[0].score) >= value(pair[1].score));
    }
    for (i, line) in result.lines.iter().enumerate() {
        assert!(
            result.lines[..i]
                .iter()
                .all(|other| other.moves[0] != line.moves[0])
        );
        let mut board = *game.board();
        for &mv in &line.moves {
            assert!(board.is_legal(mv));
            board.play(mv);
        }
    }
    let many = Options {
        multi_pv: 500,
        ..Options::default()
    };
    assert_eq!(
        run(&game, &Limits::depth(2), &many).lines.len(),
        legal(game.board()).len()
    );
    let partial = run(&game, &Limits::nodes(30_001), &options);
    assert_eq!(partial.lines.len(), 5);
}

#[test]
fn only_the_moves_asked_for() {
    let game = game(KIWIPETE);
    let wanted = [legal(game.board())[3], legal(game.board())[9]];
    let options = Options {
        search_moves: wanted.to_vec(),
        multi_pv: 4,
        ..Options::default()
    };
    let result = run(&game, &Limits::depth(5), &options);
    assert_eq!(result.lines.len(), 2);
    assert!(result.lines.iter().all(|line| wanted.contains(&line.moves[0])));
}

#[test]
fn random_games_run_through_without_harm() {
    random_games(77, 30, 300, |game: &Game| {
        let result = run(game, &Limits::nodes(60), &Options::default());
        assert!(result.best_move.is_some_and(|mv| game.board().is_legal(mv)));
    });
}

#[test]
fn a_capped_position_with_the_most_moves() {
    let board = Board::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").unwrap();
    assert_eq!(legal(&board).len(), 218);
    let result = run(&Game::new(board), &Limits::nodes(50_000), &Options::default());
    assert_eq!(result.score, Score::Mate(1));
}

/// Searches with a table whose size does not depend on the limits, so that a search with fewer nodes is the beginning
/// of one with more.
fn with_fixed_table(game: &Game, limits: &Limits, each: &mut dyn FnMut(&Iteration<'_>)) -> SearchResult {
    let (stop, mut evaluator) = (AtomicBool::new(false), PlainEvaluator::default());
    Searcher::new(1 << 20).search(game, limits, &Options::default(), &mut evaluator, &stop, each)
}

/// In these iterations the move that turns out best fails high early and is then searched with wider windows.
#[test]
fn a_better_move_is_not_lost_again_when_its_iteration_is_broken_off() {
    for (fen, worse, better) in [
        (
            "rnb1kb1r/pp1ppppp/5q2/6Nn/2p1P3/5P2/P1PP2PP/RNB1KB1R w KQkq - 2 8",
            "f1c4",
            "d2d4",
        ),
        (
            "1nqn1rk1/1bpp2p1/4P2p/rP3pPR/pPQ2P2/N3P3/P2K4/R1B2BN1 b - - 4 27",
            "b7d5",
            "d7d5",
        ),
        (
            "r1b1kbr1/5pp1/3pp2p/pp2P2N/1n1P4/B2P1Pn1/P2KB1PP/RN5R b q - 1 21",
            "g3h1",
            "g3h5",
        ),
    ] {
        let game = game(fen);
        let mut finished = Vec::new();
        with_fixed_table(&game, &Limits::nodes(12_000), &mut |iteration| {
            finished.push((iteration.nodes, iteration.lines[0].moves[0].to_string()));
        });
        let [(from, _), (to, _)] = finished
            .windows(2)
            .rfind(|pair| pair[0].1 == worse && pair[1].1 == better)
            .unwrap_or_else(|| panic!("{fen}: {finished:?}"))
        else {
            unreachable!("windows of two")
        };
        let (from, to) = (*from, *to);
        for nodes in (from + (to - from) * 3 / 5..to).step_by(20) {
            let answer = with_fixed_table(&game, &Limits::nodes(nodes), &mut |_| {});
            let first = &answer.lines[0];
            assert_eq!(
                first.moves[0].to_string(),
                better,
                "{fen} {nodes} of {from}..{to}"
            );
            // Moves not yet searched may be better still; the last iteration finished was another move's.
            assert_eq!((first.bound, first.depth), (Bound::Lower, answer.depth + 1));
        }
    }
}
