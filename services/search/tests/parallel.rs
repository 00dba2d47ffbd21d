//! One search on several threads: what holds whatever the threads do.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use common::{PlainEvaluator, game, run};
use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Game, Move};
use tabiya_search::{
    Bound, HELP_PORTION, Helper, Iteration, Limits, Options, Score, SearchResult, Searcher, StoppedBy, Team,
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn on_threads<H: Helper>(
    game: &Game,
    limits: &Limits,
    helpers: Vec<H>,
    stop: &AtomicBool,
    on_iteration: &mut dyn FnMut(&Iteration<'_>),
) -> SearchResult {
    let team = Team {
        make: &PlainEvaluator::default,
        helpers,
    };
    Searcher::new(limits.table_bytes()).search_with_helpers(
        game,
        limits,
        &Options::default(),
        team,
        stop,
        on_iteration,
    )
}

fn with_helpers(game: &Game, limits: &Limits, helpers: usize) -> SearchResult {
    on_threads(
        game,
        limits,
        vec![(); helpers],
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

#[test]
fn without_helpers_nothing_differs() {
    let (game, limits) = (game(KIWIPETE), Limits::nodes(20_000));
    let alone = run(&game, &limits, &Options::default());
    let team = with_helpers(&game, &limits, 0);
    assert_eq!(
        (
            &team.lines,
            team.nodes,
            team.evaluations,
            team.tt_hits,
            team.threads
        ),
        (&alone.lines, alone.nodes, alone.evaluations, alone.tt_hits, 1)
    );
}

#[test]
fn the_sum_of_nodes_keeps_the_limit() {
    let game = game(KIWIPETE);
    for threads in [2, 3, 8] {
        for nodes in [0, 1, 63, 1_000, 100_000] {
            let result = with_helpers(&game, &Limits::nodes(nodes), threads - 1);
            assert_eq!(result.threads as usize, threads);
            assert_eq!(result.stopped_by, StoppedBy::Nodes);
            let least = nodes.saturating_sub(threads as u64 * (HELP_PORTION - 1));
            assert!(
                (least..=nodes).contains(&result.nodes),
                "{threads} threads, {nodes}: {}",
                result.nodes
            );
            assert!(result.best_move.is_some_and(|mv| game.board().is_legal(mv)));
            assert!(result.evaluations <= result.nodes + threads as u64);
        }
    }
}

#[test]
fn mates_are_found_with_their_length() {
    for (fen, moves) in [
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            1,
        ),
        ("8/8/8/8/8/5k2/8/r4K2 w - - 0 1", 0),
        ("k7/8/2K5/8/8/8/8/1R6 w - - 0 1", 2),
        ("k7/8/2K5/8/8/8/8/7R b - - 0 1", -2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ] {
        for threads in [2, 4] {
            let game = game(fen);
            let result = with_helpers(&game, &Limits::nodes(300_000), threads - 1);
            assert_eq!(result.score, Score::Mate(moves), "{fen} on {threads} threads");
            if let Some(line) = result.lines.first() {
                assert_eq!(line.bound, Bound::Exact);
                let mut board: Board = *game.board();
                for &mv in &line.moves {
                    assert!(board.is_legal(mv));
                    board.play(mv);
                }
                assert!(
                    board.is_checkmate(),
                    "{fen} on {threads} threads: {:?}",
                    line.moves
                );
            }
        }
    }
}

#[test]
fn a_depth_limit_is_reached_and_reported() {
    let mut depths = Vec::new();
    let mut nodes = 0;
    let result = on_threads(
        &game(KIWIPETE),
        &Limits::depth(9),
        vec![(); 3],
        &AtomicBool::new(false),
        &mut |iteration| {
            depths.push(iteration.depth);
            assert!(iteration.nodes >= nodes);
            nodes = iteration.nodes;
        },
    );
    assert_eq!(depths, (1..=9).collect::<Vec<_>>());
    assert_eq!((result.depth, result.stopped_by), (9, StoppedBy::Depth));
    assert!(result.nodes >= nodes);
}

#[test]
fn all_threads_stop_when_told() {
    let stop = AtomicBool::new(false);
    let (result, late) = std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            let result = on_threads(
                &game(KIWIPETE),
                &Limits::default(),
                vec![(); 3],
                &stop,
                &mut |_| {},
            );
            (result, Instant::now())
        });
        std::thread::sleep(Duration::from_millis(150));
        let told = Instant::now();
        stop.store(true, Relaxed);
        let (result, ended) = search.join().unwrap();
        (result, ended - told)
    });
    assert_eq!(result.stopped_by, StoppedBy::Stop);
    // Four threads on a machine that does other work, too.
    assert!(late < Duration::from_secs(1), "{late:?}");
}

#[test]
fn the_clock_is_kept() {
    let limits = Limits {
        time: Some(Duration::from_millis(100)),
        ..Limits::default()
    };
    let result = with_helpers(&game(KIWIPETE), &limits, 2);
    assert_eq!(result.stopped_by, StoppedBy::Time);
    assert!(result.elapsed >= Duration::from_millis(100) && result.elapsed < Duration::from_secs(2));
}

/// A right that is taken back after a while, and says when it is given up.
struct Lent {
    asked: AtomicUsize,
    given_up: Arc<AtomicUsize>,
}

impl Helper for Lent {
    fn is_called_away(&self) -> bool {
        self.asked.fetch_add(1, Relaxed) > 20
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.given_up.fetch_add(1, Relaxed);
    }
}

#[test]
fn helpers_called_away_leave_the_search_to_the_others() {
    let given_up = Arc::new(AtomicUsize::new(0));
    let lent = |_| Lent {
        asked: AtomicUsize::new(0),
        given_up: given_up.clone(),
    };
    // The search goes on until both have left.
    let stop = AtomicBool::new(false);
    let result = on_threads(
        &game(KIWIPETE),
        &Limits::default(),
        (0..2).map(lent).collect(),
        &stop,
        &mut |_| stop.store(given_up.load(Relaxed) == 2, Relaxed),
    );
    assert_eq!((result.stopped_by, result.threads), (StoppedBy::Stop, 3));
    assert_eq!(given_up.load(Relaxed), 2);
    assert!(result.nodes > 2 * 20 * HELP_PORTION);
}

/// Fails on helping threads.
#[derive(Default)]
struct Failing(PlainEvaluator);

impl Evaluator for Failing {
    fn refresh(&mut self, board: &Board) {
        self.0.refresh(board);
    }

    fn push(&mut self, before: &Board, mv: Move, after: &Board) {
        self.0.push(before, mv, after);
    }

    fn push_null(&mut self) {
        self.0.push_null();
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        let name = std::thread::current().name().map(str::to_owned);
        assert!(
            !name.is_some_and(|name| name.starts_with("search-")),
            "on purpose"
        );
        self.0.evaluate(board)
    }
}

#[test]
fn a_helper_that_fails_fails_the_search_and_hangs_nothing() {
    let game = game(KIWIPETE);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let team = Team {
            make: &Failing::default,
            helpers: vec![(); 2],
        };
        let limits = Limits::nodes(10_000);
        let stop = AtomicBool::new(false);
        let options = Options::default();
        Searcher::new(1 << 20).search_with_helpers(&game, &limits, &options, team, &stop, &mut |_| {})
    }));
    assert!(outcome.is_err());
}
