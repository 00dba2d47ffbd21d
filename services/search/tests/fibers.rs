//! Searches in fibers: the same answers as in place, on every backend, alone and among hundreds.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use common::{Numbers, shared_batches::SharedBatches};
use tabiya_evaluator::batch::{BatchEvaluator, BatchOptions, Device, DeviceThread, LaneKind};
use tabiya_evaluator::{
    AnyKernel, Backend, BackendError, BackendInfo, CpuBatch, CpuEvaluator, Kernel, KernelVisitor, Network,
    PackedPosition, dispatch,
};
use tabiya_rules::{Board, Game};
use tabiya_search::fiber::{FiberError, FiberScheduler, InPlace, LeafBackend, OffThread, Supply, Task};
use tabiya_search::{Limits, Line, Options, SearchResult, StoppedBy, search};

/// What must be equal: everything but the time.
type Facts = (Vec<Line>, u64, u64, u64, StoppedBy);

fn facts(result: &SearchResult) -> Facts {
    (
        result.lines.clone(),
        result.nodes,
        result.evaluations,
        result.tt_hits,
        result.stopped_by,
    )
}

/// A backend for the tests, with a choice of kernel.
type AnyBackend = Box<dyn Backend + Send>;

/// `Backend` for a box, so that one list holds all kinds.
struct Boxed(AnyBackend);

impl Backend for Boxed {
    fn network(&self) -> &Arc<Network> {
        self.0.network()
    }

    fn info(&self) -> &BackendInfo {
        self.0.info()
    }

    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        self.0.evaluate_raw(positions, out)
    }
}

struct MakeBatch(Arc<Network>);

fn best_batch() -> Boxed {
    dispatch(AnyKernel::best(), MakeBatch(Network::default_network()))
}

impl KernelVisitor for MakeBatch {
    type Output = Boxed;

    fn visit<K: Kernel>(self, kernel: K) -> Boxed {
        Boxed(Box::new(CpuBatch::new(kernel, self.0)))
    }
}

struct Direct<'a> {
    network: Arc<Network>,
    game: &'a Game,
    limits: &'a Limits,
    options: &'a Options,
}

impl KernelVisitor for Direct<'_> {
    type Output = SearchResult;

    fn visit<K: Kernel>(self, kernel: K) -> SearchResult {
        let mut evaluator = CpuEvaluator::new(kernel, self.network);
        let stop = AtomicBool::new(false);
        search(
            self.game,
            self.limits,
            self.options,
            &mut evaluator,
            &stop,
            &mut |_| {},
        )
    }
}

/// Positions from games of the engine with itself, begun with a few random moves, each with its history.
fn positions(count: usize) -> Vec<Game> {
    let mut numbers = Numbers(0xf1be_2000);
    let mut games = Vec::new();
    while games.len() < count {
        let mut game = Game::new(Board::startpos());
        for ply in 0..120 {
            let list = common::legal(game.board());
            if list.is_empty() {
                // A position without a move is a question too.
                games.push(game.clone());
                break;
            }
            let mv = if ply < 8 || numbers.below(10) == 0 {
                list[numbers.below(list.len())]
            } else {
                let limits = Limits::nodes(40);
                let direct = Direct {
                    network: Network::default_network(),
                    game: &game,
                    limits: &limits,
                    options: &Options::default(),
                };
                dispatch(AnyKernel::best(), direct).best_move.unwrap()
            };
            game.play(mv);
            if numbers.below(12) == 0 {
                games.push(game.clone());
            }
        }
    }
    games.truncate(count);
    games
}

/// Runs every game in fibers and gives the answers in the order of the games.
fn in_fibers(
    games: &[Game],
    question: &dyn Fn(usize) -> (Limits, Options),
    fibers: usize,
    groups: usize,
    backend: &mut dyn LeafBackend,
) -> Result<Vec<Option<SearchResult>>, FiberError> {
    let mut scheduler = FiberScheduler::new(fibers, groups);
    let mut next = 0;
    let mut answers = vec![None; games.len()];
    let outcome = scheduler.run(
        &mut |_, _| match games.get(next) {
            Some(game) => {
                let (limits, options) = question(next);
                let stop = Arc::new(AtomicBool::new(false));
                next += 1;
                Supply::Task(Box::new(Task {
                    ticket: next - 1,
                    game: game.clone(),
                    limits,
                    options,
                    stop,
                }))
            }
            None => Supply::Closed,
        },
        backend,
        &mut |ticket, answer| answers[ticket] = answer,
    );
    outcome.map(|()| answers)
}

/// Limits and options that differ from item to item, so that neighbours are never alike.
fn question(index: usize) -> (Limits, Options) {
    let limits = match index % 5 {
        0 => Limits::depth(1 + index as u32 % 5),
        _ => Limits::nodes(200 + 97 * (index as u64 % 11)),
    };
    (
        limits,
        Options {
            multi_pv: 1 + usize::from(index.is_multiple_of(7)),
            ..Options::default()
        },
    )
}

fn expected(games: &[Game]) -> Vec<Facts> {
    expected_of(&Network::default_network(), games)
}

fn expected_of(network: &Arc<Network>, games: &[Game]) -> Vec<Facts> {
    let ask = |(index, game)| {
        let (limits, options) = question(index);
        facts(&dispatch(
            AnyKernel::best(),
            Direct {
                network: network.clone(),
                game,
                limits: &limits,
                options: &options,
            },
        ))
    };
    games.iter().enumerate().map(ask).collect()
}

fn assert_equal(answers: &[Option<SearchResult>], expected: &[Facts], what: &str) {
    assert_eq!(answers.len(), expected.len());
    for (index, (answer, expected)) in answers.iter().zip(expected).enumerate() {
        let answer = facts(
            answer
                .as_ref()
                .unwrap_or_else(|| panic!("{what}: {index} has no answer")),
        );
        assert_eq!(answer, *expected, "{what}, position {index}");
    }
}

#[test]
fn every_kernel_in_place_gives_the_same_answer() {
    let games = positions(60);
    let expected = expected(&games);
    for kernel in AnyKernel::all() {
        for (index, game) in games.iter().enumerate() {
            let (limits, options) = question(index);
            let direct = dispatch(
                kernel,
                Direct {
                    network: Network::default_network(),
                    game,
                    limits: &limits,
                    options: &options,
                },
            );
            assert_eq!(facts(&direct), expected[index], "{kernel:?}");
        }
    }
}

#[test]
fn fibers_give_the_same_answer_on_every_kernel_alone_and_among_500() {
    let games = positions(500);
    let expected = expected(&games);
    for kernel in AnyKernel::all() {
        let make = || dispatch(kernel, MakeBatch(Network::default_network()));
        let mut in_place = InPlace::new(make());
        let answers = in_fibers(&games, &question, 500, 2, &mut in_place).unwrap();
        assert_equal(&answers, &expected, &format!("{kernel:?}, 500 fibers"));
        let mut off_thread = OffThread::new(vec![make(), make(), make()]).unwrap();
        let answers = in_fibers(&games, &question, 64, 3, &mut off_thread).unwrap();
        assert_equal(&answers, &expected, &format!("{kernel:?}, 64 fibers, off thread"));
    }
    let mut in_place = InPlace::new(best_batch());
    let answers = in_fibers(&games[..40], &question, 1, 1, &mut in_place).unwrap();
    assert_equal(&answers, &expected[..40], "alone");
}

/// Two networks, which take turns with the groups.
struct TwoNetworks([InPlace<Boxed>; 2]);

impl LeafBackend for TwoNetworks {
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError> {
        self.0[group % 2].submit(group, positions)
    }

    fn collect(&mut self, group: usize, values: &mut [i32]) -> Result<(), BackendError> {
        self.0[group % 2].collect(group, values)
    }
}

#[test]
fn groups_may_have_networks_of_their_own() {
    let standard = Network::default_network();
    let mut parts = standard.to_parts();
    parts.scale.numerator *= 2;
    let doubled = Arc::new(Network::from_parts(parts).unwrap());
    let networks = [standard, doubled];
    let games = positions(60);
    let expected = networks.each_ref().map(|network| expected_of(network, &games));
    assert_ne!(expected[0], expected[1]);
    let mut backend =
        TwoNetworks(networks.map(|network| InPlace::new(dispatch(AnyKernel::best(), MakeBatch(network)))));
    let (mut next, mut answers) = ([0; 2], [vec![None; games.len()], vec![None; games.len()]]);
    let outcome = FiberScheduler::new(32, 4).run(
        &mut |group, idle| {
            let network = group % 2;
            let index = next[network];
            let Some(game) = games.get(index) else {
                return if idle && next == [games.len(); 2] {
                    Supply::Closed
                } else {
                    Supply::NothingNow
                };
            };
            next[network] += 1;
            let (limits, options) = question(index);
            Supply::Task(Box::new(Task {
                ticket: (network, index),
                game: game.clone(),
                limits,
                options,
                stop: Arc::default(),
            }))
        },
        &mut backend,
        &mut |(network, index), answer| answers[network][index] = answer,
    );
    outcome.unwrap();
    for network in 0..2 {
        assert_equal(
            &answers[network],
            &expected[network],
            &format!("network {network}"),
        );
    }
}

#[test]
fn fibers_give_the_same_answer_on_the_gpu_backend() {
    use tabiya_evaluator::gpu::{GpuBackend, GpuOptions};

    let network = Network::default_network();
    let options = GpuOptions {
        allow_software: true,
        ..GpuOptions::default()
    };
    let backend = match GpuBackend::open(&network, &options) {
        Ok(backend) => backend,
        Err(error) => {
            let required = std::env::var_os("TABIYA_REQUIRE_VULKAN").is_some_and(|value| value == "1");
            assert!(!required, "TABIYA_REQUIRE_VULKAN=1, but: {error}");
            eprintln!("SKIPPED: fibers on the GPU backend: {error}");
            return;
        }
    };
    eprintln!("fibers on {} ({})", backend.info().device, backend.info().driver);
    let games = positions(500);
    let expected = expected(&games);
    let mut off_thread = OffThread::new(vec![backend.clone(), backend.clone()]).unwrap();
    let answers = in_fibers(&games, &question, 500, 2, &mut off_thread).unwrap();
    assert_equal(&answers, &expected, "gpu, 500 fibers");
    let answers = in_fibers(&games[..12], &question, 1, 1, &mut InPlace::new(backend)).unwrap();
    assert_equal(&answers, &expected[..12], "gpu, alone");
}

#[test]
fn threads_share_batches_and_no_search_ends_when_the_device_breaks() {
    let games = positions(200);
    let expected = expected(&games);
    let open = || -> Result<Arc<dyn Device>, String> {
        let inner = best_batch();
        let failing = Failing { inner, batches: 0 };
        let thread = DeviceThread::start(Box::new(failing), 256, Duration::from_secs(60));
        Ok(Arc::new(thread.map_err(|error| error.to_string())?))
    };
    let network = Network::default_network();
    let options = BatchOptions {
        cpu_threads: 1,
        queue_positions: 100,
        ..BatchOptions::default()
    };
    let evaluator = BatchEvaluator::start_with_device(&network, &options, Box::new(open)).unwrap();
    let evaluator = Arc::new(evaluator);
    for lane in [LaneKind::Device, LaneKind::Cpu] {
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (games, expected, evaluator) = (&games, &expected, Arc::clone(&evaluator));
                scope.spawn(move || {
                    // More leaves at a time than the queue has room for.
                    let mut leaves = SharedBatches::new(evaluator, lane);
                    let answers = in_fibers(games, &question, 150, 2, &mut leaves).unwrap();
                    assert_equal(&answers, expected, &format!("{lane:?}, thread {thread}"));
                });
            }
        });
        let counters = evaluator.counters();
        assert!(counters.lane(lane).mean_batch() > 20.0, "{counters:?}");
    }
    assert!(evaluator.counters().device_failures >= 1);
}

/// Fails at its third batch.
struct Failing {
    inner: Boxed,
    batches: u32,
}

impl Backend for Failing {
    fn network(&self) -> &Arc<Network> {
        self.inner.network()
    }

    fn info(&self) -> &BackendInfo {
        self.inner.info()
    }

    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        self.batches += 1;
        if self.batches == 3 {
            return Err(BackendError::DeviceLost("as the test wants it".to_owned()));
        }
        self.inner.evaluate_raw(positions, out)
    }
}

#[test]
fn a_failing_backend_is_an_error_and_the_scheduler_goes_on() {
    let games = positions(30);
    let expected = expected(&games);
    let failing = || Failing {
        inner: best_batch(),
        batches: 0,
    };
    let backends: [Box<dyn LeafBackend>; 2] = [
        Box::new(InPlace::new(failing())),
        Box::new(OffThread::new(vec![failing(), failing()]).unwrap()),
    ];
    for mut backend in backends {
        let mut scheduler = FiberScheduler::new(10, 2);
        let mut next = 0;
        let mut open: Vec<usize> = Vec::new();
        let mut unanswered = Vec::new();
        let mut answers = vec![None; games.len()];
        // The first run fails, with a second group still out; the second run does what is left.
        for attempt in 0..2 {
            let mut todo: Vec<usize> = if attempt == 0 {
                (0..games.len()).collect()
            } else {
                std::mem::take(&mut unanswered)
            };
            if attempt == 1 {
                todo.extend(next..games.len());
            }
            let mut todo = todo.into_iter();
            let outcome = scheduler.run(
                &mut |_, _| match todo.next() {
                    Some(index) => {
                        next = next.max(index + 1);
                        open.push(index);
                        let (limits, options) = question(index);
                        let stop = Arc::new(AtomicBool::new(false));
                        Supply::Task(Box::new(Task {
                            ticket: index,
                            game: games[index].clone(),
                            limits,
                            options,
                            stop,
                        }))
                    }
                    None => Supply::Closed,
                },
                &mut *backend,
                &mut |index, answer| match answer {
                    Some(answer) => answers[index] = Some(answer),
                    None => unanswered.push(index),
                },
            );
            if attempt == 0 {
                assert!(matches!(
                    outcome,
                    Err(FiberError::Backend(BackendError::DeviceLost(_)))
                ));
                assert!(!unanswered.is_empty());
                let answered = answers.iter().flatten().count();
                assert_eq!(open.len(), answered + unanswered.len(), "each ticket came back");
            } else {
                outcome.unwrap_or_else(|error| panic!("{error}"));
            }
        }
        assert_equal(&answers, &expected, "after a failure");
    }
}

#[test]
fn a_stopped_fiber_answers_with_what_it_has() {
    let games = positions(20);
    let stop = Arc::new(AtomicBool::new(false));
    let mut scheduler = FiberScheduler::new(20, 2);
    let mut next = 0;
    let start = Instant::now();
    let mut stopped = 0;
    let mut backend = InPlace::new(best_batch());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, Relaxed);
        });
        scheduler
            .run(
                &mut |_, _| match games.get(next) {
                    Some(game) => {
                        next += 1;
                        let (game, stop) = (game.clone(), Arc::clone(&stop));
                        let (limits, options) = (Limits::default(), Options::default());
                        Supply::Task(Box::new(Task {
                            ticket: next - 1,
                            game,
                            limits,
                            options,
                            stop,
                        }))
                    }
                    None => Supply::Closed,
                },
                &mut backend,
                &mut |index, answer| {
                    let answer = answer.unwrap();
                    stopped += usize::from(answer.stopped_by == StoppedBy::Stop);
                    let board = games[index].board();
                    assert!(
                        answer
                            .best_move
                            .map_or_else(|| common::legal(board).is_empty(), |mv| board.is_legal(mv))
                    );
                },
            )
            .unwrap();
    });
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(stopped >= 15, "{stopped} of 20 were stopped");
}

/// Runs `count` searches that end at once, all with tables for so many nodes; gives back the most that ran together.
fn most_together(scheduler: &mut FiberScheduler<usize>, count: usize, nodes: u64) -> usize {
    let games = positions(1);
    let (running, most, mut begun) = (std::cell::Cell::new(0_usize), std::cell::Cell::new(0), 0);
    let source = &mut |_, _| {
        if begun == count {
            return Supply::Closed;
        }
        begun += 1;
        running.set(running.get() + 1);
        most.set(most.get().max(running.get()));
        Supply::Task(Box::new(Task {
            ticket: begun,
            game: games[0].clone(),
            limits: Limits::nodes(nodes),
            options: Options::default(),
            stop: Arc::new(AtomicBool::new(true)),
        }))
    };
    let mut backend = InPlace::new(best_batch());
    let finish = &mut |_, answer: Option<SearchResult>| {
        assert!(answer.is_some());
        running.set(running.get() - 1);
    };
    scheduler.run(source, &mut backend, finish).unwrap();
    most.get()
}

#[test]
fn tables_of_fibers_are_bounded_together_and_great_ones_are_given_back() {
    let great = Limits::nodes(300_000).table_bytes();
    assert_eq!(great, 8 << 20);
    let mut scheduler = FiberScheduler::new(10, 2).with_table_limit(4 * great);
    assert_eq!(most_together(&mut scheduler, 40, 300_000), 4);
    assert_eq!(scheduler.table_bytes(), 0);
    // Small ones do not wait for each other, and ten stay.
    assert_eq!(most_together(&mut scheduler, 40, 20_000), 10);
    assert_eq!(scheduler.table_bytes(), 10 * Limits::nodes(20_000).table_bytes());
    // What is beyond the limit alone runs alone.
    let mut narrow = FiberScheduler::new(10, 2).with_table_limit(1);
    assert_eq!(most_together(&mut narrow, 5, 300_000), 1);
}

#[test]
fn a_search_that_comes_later_does_not_wait_for_a_long_one() {
    let games = positions(1);
    let long = Arc::new(AtomicBool::new(false));
    let task = |ticket: &'static str, limits: Limits, stop: &Arc<AtomicBool>| {
        Supply::Task(Box::new(Task {
            ticket,
            game: games[0].clone(),
            limits,
            options: Options::default(),
            stop: Arc::clone(stop),
        }))
    };
    let mut asked = 0;
    let mut order = Vec::new();
    let mut backend = InPlace::new(best_batch());
    let outcome = FiberScheduler::new(4, 2).run(
        &mut |_, idle| {
            asked += 1;
            match asked {
                1 => task("long", Limits::default(), &long),
                30 => task("late", Limits::nodes(50), &Arc::default()),
                _ if idle => Supply::Closed,
                _ => Supply::NothingNow,
            }
        },
        &mut backend,
        &mut |ticket, _| {
            order.push(ticket);
            long.store(true, Relaxed);
        },
    );
    outcome.unwrap();
    assert_eq!(order, ["late", "long"]);
}
