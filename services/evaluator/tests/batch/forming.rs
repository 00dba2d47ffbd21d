//! Which batches are executed, and what does not fit.

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use tabiya_evaluator::{
    BackendChoice, BatchError, BatchEvaluator, BatchOptions,
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
