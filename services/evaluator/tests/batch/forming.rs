//! Which batches are executed, and what does not fit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    time::{Duration, Instant},
};

use tabiya_evaluator::{
    BackendChoice, BatchError, BatchEvaluator, BatchOptions, PackedPosition,
    batch::{LaneKind, Reply, ReplySink},
};

use crate::{
    devices::{Fault, Script},
    expected, network, options, positions,
};

#[test]
fn a_held_queue_of_1000_takes_exactly_four_batches() {
    let script = Script::new(network(), &[(0, Fault::None)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &options(), script.factory()).unwrap();
    let leaves = positions(1_000, 1);
    for (choice, lane) in [
        (BackendChoice::Gpu, LaneKind::Device),
        (BackendChoice::Cpu, LaneKind::Cpu),
    ] {
        let hold = evaluator.hold();
        let tickets: Vec<_> = leaves
            .iter()
            .map(|&leaf| evaluator.submit(choice, vec![leaf]).unwrap())
            .collect();
        assert_eq!(evaluator.counters().waiting, 1_000);
        assert_eq!(evaluator.counters().lane(lane).batches, 0);
        drop(hold);
        let values: Vec<i32> = tickets
            .into_iter()
            .map(|ticket| ticket.wait().unwrap().values[0])
            .collect();
        assert_eq!(values, expected(&leaves));
        let counters = evaluator.counters();
        let sizes = counters.lane(lane);
        assert_eq!((sizes.batches, sizes.positions), (4, 1_000), "{lane:?}");
        // 232 and 256 both lie within 129..=256.
        assert_eq!(sizes.batch_sizes[8], 4);
        assert_eq!(sizes.mean_batch(), 250.0);
        assert_eq!(counters.waiting, 0);
    }
    let mut executed = script.batches.lock().unwrap().clone();
    // Three threads hand batches over at the same time, so they may arrive in any order.
    executed.sort_unstable();
    assert_eq!(executed, [232, 256, 256, 256]);
}

/// Callers that ask again as soon as they are answered, until all requests are made.
struct Callers {
    evaluator: BatchEvaluator,
    choice: BackendChoice,
    leaves: Vec<PackedPosition>,
    expected: Vec<i32>,
    left: AtomicUsize,
    answered: mpsc::Sender<()>,
}

impl Callers {
    fn ask(self: &Arc<Self>) {
        let one_less = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Relaxed, Relaxed, one_less).is_err() {
            return;
        }
        let callers = Arc::clone(self);
        let sink = move |reply: Result<Reply, BatchError>| {
            assert_eq!(reply.unwrap().values, callers.expected);
            callers.ask();
            // The last answer may find nobody listening.
            let _ = callers.answered.send(());
        };
        self.evaluator
            .submit_to(self.choice, self.leaves.clone(), Box::new(sink))
            .unwrap();
    }
}

/// Saturation: at every moment more waits, or is being dealt out, than all threads of a lane can hold. A thread hands its
/// answers out, and so has its callers' next requests in the queue, before it forms its next batch, and the others hold a
/// batch each at most; so there is a full one for it, however threads are scheduled. Only when nobody asks any more the last
/// batches are what is left.
#[test]
fn batches_are_full_under_saturation() {
    const MOST: usize = 256;
    const LEAVES: usize = 7;
    const REQUESTS: usize = 1_500;
    // A batch for each of three threads, and what their cut requests wait for.
    const CALLERS: usize = (3 * MOST + 3 * LEAVES).div_ceil(LEAVES);
    let leaves = positions(LEAVES, 11);
    let script = Script::new(network(), &[(0, Fault::None)]);
    for (choice, lane, threads) in [
        (BackendChoice::Gpu, LaneKind::Device, 3),
        (BackendChoice::Cpu, LaneKind::Cpu, 2),
    ] {
        let evaluator = BatchEvaluator::start_with_device(&network(), &options(), script.factory()).unwrap();
        let (answered, answers) = mpsc::channel();
        let callers = Arc::new(Callers {
            evaluator,
            choice,
            expected: expected(&leaves),
            leaves: leaves.clone(),
            left: AtomicUsize::new(REQUESTS),
            answered,
        });
        let hold = callers.evaluator.hold();
        (0..CALLERS).for_each(|_| callers.ask());
        drop(hold);
        for _ in 0..REQUESTS {
            answers.recv_timeout(Duration::from_secs(120)).expect("an answer");
        }
        let counters = callers.evaluator.counters();
        let done = counters.lane(lane);
        let (batches, executed) = (done.batches as usize, done.positions as usize);
        assert_eq!(executed, REQUESTS * LEAVES, "{lane:?}");
        // Each thread may have one at the end that is not full.
        let fewest = executed.div_ceil(MOST);
        assert!(
            (fewest..=fewest + threads).contains(&batches),
            "{lane:?}: {batches} batches for {executed} positions"
        );
        let fill = executed as f64 / (batches * MOST) as f64;
        assert!(fill >= 0.7, "{lane:?}: {fill}");
    }
}

#[test]
fn a_large_request_is_cut_and_its_values_keep_their_order() {
    let script = Script::new(network(), &[(0, Fault::None)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &options(), script.factory()).unwrap();
    let positions = positions(5_000, 2);
    for choice in [
        BackendChoice::Cpu,
        BackendChoice::Gpu,
        BackendChoice::Scalar,
        BackendChoice::Auto,
    ] {
        let reply = evaluator
            .submit(choice, positions.clone())
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(reply.values, expected(&positions), "{choice}");
        assert_eq!((reply.batches, reply.batch_positions), (20, 5_000));
    }
}

#[test]
fn the_queue_is_bounded() {
    let options = BatchOptions {
        queue_positions: 100,
        backend: BackendChoice::Cpu,
        ..options()
    };
    let evaluator = BatchEvaluator::start(&network(), &options).unwrap();
    let all = positions(250, 3);
    let hold = evaluator.hold();
    let first = evaluator.submit(BackendChoice::Cpu, all[..60].to_vec()).unwrap();
    let second = evaluator
        .submit(BackendChoice::Scalar, all[60..100].to_vec())
        .unwrap();
    let full = evaluator
        .submit(BackendChoice::Cpu, all[..1].to_vec())
        .unwrap_err();
    assert_eq!(
        full,
        BatchError::QueueFull {
            waiting: 100,
            capacity: 100
        }
    );
    let large = evaluator
        .submit(BackendChoice::Cpu, all[..101].to_vec())
        .unwrap_err();
    assert_eq!(
        large,
        BatchError::TooLarge {
            positions: 101,
            capacity: 100
        }
    );
    assert_eq!(evaluator.counters().refused, 1);
    std::thread::scope(|scope| {
        // The blocking call waits for room, and cuts what is larger than the queue.
        let waiting = scope.spawn(|| {
            let mut values = vec![0; all.len()];
            evaluator
                .evaluate_blocking(BackendChoice::Cpu, &all, &mut values)
                .unwrap();
            values
        });
        std::thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished());
        drop(hold);
        assert_eq!(waiting.join().unwrap(), expected(&all));
    });
    assert_eq!(first.wait().unwrap().values, expected(&all[..60]));
    assert_eq!(second.wait().unwrap().values, expected(&all[60..100]));
    assert_eq!(evaluator.counters().waiting, 0);
}

#[test]
fn requests_that_nobody_waits_for_are_not_evaluated() {
    let evaluator = BatchEvaluator::start(&network(), &cpu_only()).unwrap();
    let all = positions(100, 4);
    let hold = evaluator.hold();
    drop(evaluator.submit(BackendChoice::Cpu, all[..70].to_vec()).unwrap());
    let kept = evaluator.submit(BackendChoice::Cpu, all[70..].to_vec()).unwrap();
    drop(hold);
    assert_eq!(kept.wait().unwrap().values, expected(&all[70..]));
    let counters = evaluator.counters();
    assert_eq!(counters.abandoned, 70);
    assert_eq!(counters.lane(LaneKind::Cpu).positions, 30);
    assert_eq!(counters.waiting, 0);
}

#[test]
fn closing_answers_everyone() {
    let evaluator = BatchEvaluator::start(&network(), &cpu_only()).unwrap();
    let hold = evaluator.hold();
    let ticket = evaluator.submit(BackendChoice::Cpu, positions(10, 5)).unwrap();
    let (sender, receiver) = mpsc::channel();
    let sink = move |reply: Result<Reply, BatchError>| sender.send(reply).unwrap();
    evaluator
        .submit_to(BackendChoice::Scalar, positions(10, 6), Box::new(sink))
        .unwrap();
    evaluator.close();
    drop(hold);
    assert_eq!(ticket.wait(), Err(BatchError::Closed));
    assert_eq!(receiver.recv().unwrap(), Err(BatchError::Closed));
    let late = evaluator.submit(BackendChoice::Cpu, positions(1, 7));
    assert_eq!(late.unwrap_err(), BatchError::Closed);
}

#[test]
fn empty_requests_and_unequal_slices() {
    let evaluator = BatchEvaluator::start(&network(), &cpu_only()).unwrap();
    let empty = evaluator
        .submit(BackendChoice::Auto, vec![])
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!((empty.values.len(), empty.batches), (0, 0));
    let unequal = evaluator.evaluate_blocking(BackendChoice::Cpu, &positions(2, 8), &mut [0]);
    assert!(matches!(unequal, Err(BatchError::Backend(_))), "{unequal:?}");
}

#[test]
fn a_delay_fills_batches_and_ends() {
    let options = BatchOptions {
        max_delay: Duration::from_secs(100),
        cpu_batch: 10,
        ..cpu_only()
    };
    let evaluator = BatchEvaluator::start(&network(), &options).unwrap();
    let all = positions(10, 9);
    let start = Instant::now();
    // One position waits out the delay, which is cut to a millisecond, and goes alone.
    let lone = evaluator.submit(BackendChoice::Cpu, all[..1].to_vec()).unwrap();
    assert_eq!(lone.wait().unwrap().values, expected(&all[..1]));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn a_panicking_receiver_harms_nobody() {
    struct Rude;
    impl ReplySink for Rude {
        fn deliver(self: Box<Self>, _reply: Result<Reply, BatchError>) {
            panic!("receiver panics on purpose");
        }
    }
    let evaluator = Arc::new(BatchEvaluator::start(&network(), &cpu_only()).unwrap());
    let all = positions(20, 10);
    for _ in 0..8 {
        evaluator
            .submit_to(BackendChoice::Cpu, all.clone(), Box::new(Rude))
            .unwrap();
    }
    let reply = evaluator
        .submit(BackendChoice::Cpu, all.clone())
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(reply.values, expected(&all));
}

fn cpu_only() -> BatchOptions {
    BatchOptions {
        backend: BackendChoice::Cpu,
        ..options()
    }
}
