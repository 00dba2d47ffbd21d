//! A device breaks; no caller notices.

use std::{
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use tabiya_evaluator::{
    BackendChoice, BatchError, BatchEvaluator, BatchOptions,
    batch::{DeviceHealth, LaneKind, RecoveryOptions},
};

use crate::{
    common::Random,
    devices::{Fault, Script},
    expected, network, options, positions,
};

const LONG: Duration = Duration::from_secs(600);

/// Options under which a broken device stays broken for the length of a test.
fn no_recovery() -> BatchOptions {
    BatchOptions {
        recovery: RecoveryOptions {
            first_pause: LONG,
            longest_pause: LONG,
            ..Default::default()
        },
        ..options()
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "not within 20 s: {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn every_way_to_break_gives_the_same_values() {
    let leaves = positions(1_000, 1);
    let expected = expected(&leaves);
    for fault in [Fault::Error, Fault::Panic, Fault::Hang, Fault::Nonsense] {
        for good_batches in [0, 2] {
            let script = Script::new(network(), &[(good_batches, fault)]);
            let evaluator =
                BatchEvaluator::start_with_device(&network(), &no_recovery(), script.factory()).unwrap();
            let hold = evaluator.hold();
            let tickets: Vec<_> = leaves
                .iter()
                .map(|&leaf| evaluator.submit(BackendChoice::Gpu, vec![leaf]).unwrap())
                .collect();
            drop(hold);
            let start = Instant::now();
            let values: Vec<i32> = tickets
                .into_iter()
                .map(|ticket| ticket.wait().unwrap().values[0])
                .collect();
            let took = start.elapsed();
            assert_eq!(values, expected, "{fault:?} after {good_batches}");
            // The device's time-out is 200 ms, and up to three batches wait for it at once.
            assert!(took < Duration::from_secs(1), "{fault:?} took {took:?}");
            let counters = evaluator.counters();
            assert_eq!(counters.lane(LaneKind::Device).positions, 1_000);
            assert_eq!(counters.device_failures, 1, "{fault:?}");
            assert!(counters.fallback_batches >= 1, "{counters:?}");
            let health = evaluator.status().device_health;
            assert!(matches!(health, DeviceHealth::Broken { .. }), "{health:?}");
            // Insisting on the GPU is an error now; anything else is served.
            let insisted = evaluator.submit(BackendChoice::Gpu, leaves[..1].to_vec());
            assert!(matches!(insisted, Err(BatchError::NoDevice(_))), "{insisted:?}");
            let auto = evaluator
                .submit(BackendChoice::Auto, leaves.clone())
                .unwrap()
                .wait()
                .unwrap();
            assert_eq!((auto.values, auto.lane), (expected.clone(), LaneKind::Cpu));
        }
    }
}

#[test]
fn a_device_that_breaks_while_it_is_measured_is_broken() {
    let script = Script::new(network(), &[(5, Fault::Error)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &no_recovery(), script.factory()).unwrap();
    let table = evaluator.calibrate(Duration::from_millis(100));
    assert_eq!(table.device_from, None);
    assert!(
        table.reason.contains("failed while it was measured"),
        "{}",
        table.reason
    );
    let health = evaluator.status().device_health;
    assert!(matches!(health, DeviceHealth::Broken { .. }), "{health:?}");
    assert_eq!(evaluator.counters().device_failures, 1);
    assert!(evaluator.choose(BackendChoice::Gpu, 1).is_err());
}

#[test]
fn work_of_many_requests_goes_on_in_its_lane() {
    let script = Script::new(network(), &[(3, Fault::Panic)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &no_recovery(), script.factory()).unwrap();
    let all = positions(100, 8);
    let values = expected(&all);
    let lane = evaluator.choose(BackendChoice::Gpu, 1).unwrap();
    assert_eq!(lane, LaneKind::Device);
    for (at, &position) in all.iter().enumerate() {
        let reply = evaluator.submit_in(lane, vec![position]).unwrap().wait().unwrap();
        assert_eq!(reply.values, [values[at]]);
        assert_eq!(reply.stood_in, u32::from(at >= 3), "{at}");
    }
    assert!(evaluator.choose(BackendChoice::Gpu, 1).is_err());
    let mut out = vec![0; all.len()];
    evaluator.evaluate_blocking_in(lane, &all, &mut out).unwrap();
    assert_eq!(out, values);
}

#[test]
fn work_that_waits_for_a_device_survives_it() {
    // The first batch breaks it; 19 more wait in its lane.
    let script = Script::new(network(), &[(0, Fault::Error)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &no_recovery(), script.factory()).unwrap();
    let all = positions(5_000, 2);
    let reply = evaluator
        .submit(BackendChoice::Gpu, all.clone())
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(reply.values, expected(&all));
    let counters = evaluator.counters();
    assert_eq!(
        counters.fallback_batches + counters.standin_batches,
        counters.lane(LaneKind::Device).batches
    );
    assert!((1..=3).contains(&counters.fallback_batches), "{counters:?}");
}

#[test]
fn a_broken_device_is_opened_again_and_serves() {
    let script = Script::new(
        network(),
        &[(1, Fault::Panic), (1, Fault::Error), (0, Fault::None)],
    );
    let evaluator = BatchEvaluator::start_with_device(&network(), &options(), script.factory()).unwrap();
    let all = positions(100, 3);
    for round in 0..2 {
        for _ in 0..2 {
            let reply = evaluator
                .submit(BackendChoice::Gpu, all.clone())
                .unwrap()
                .wait()
                .unwrap();
            assert_eq!(reply.values, expected(&all));
        }
        wait_until("healthy again", || {
            evaluator.counters().device_recoveries == round + 1
        });
        assert_eq!(evaluator.status().device_health, DeviceHealth::Healthy);
    }
    let before = script.batches.lock().unwrap().len();
    for _ in 0..10 {
        let reply = evaluator
            .submit(BackendChoice::Gpu, all.clone())
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(reply.values, expected(&all));
    }
    assert_eq!(
        script.batches.lock().unwrap().len(),
        before + 10,
        "the third device serves"
    );
    assert_eq!(evaluator.status().device.unwrap().device, "device 2");
    assert_eq!(evaluator.counters().device_failures, 2);
}

#[test]
fn a_device_that_keeps_breaking_is_given_up() {
    let recovery = RecoveryOptions {
        tries: 3,
        first_pause: Duration::ZERO,
        ..Default::default()
    };
    let options = BatchOptions {
        recovery,
        ..options()
    };
    let script = Script::new(network(), &[(0, Fault::Error)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &options, script.factory()).unwrap();
    let all = positions(10, 4);
    let start = Instant::now();
    loop {
        match evaluator.submit(BackendChoice::Gpu, all.clone()) {
            Ok(ticket) => assert_eq!(ticket.wait().unwrap().values, expected(&all)),
            Err(BatchError::NoDevice(_)) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{error}"),
        }
        if matches!(
            evaluator.status().device_health,
            DeviceHealth::GivenUp { tries: 3, .. }
        ) {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(
        script.opened.load(SeqCst),
        4,
        "once at the start, then three tries"
    );
    let status = evaluator.status();
    assert!(
        status.auto_reason.contains("given up after 3 tries"),
        "{}",
        status.auto_reason
    );
    let reply = evaluator
        .submit(BackendChoice::Auto, all.clone())
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(reply.values, expected(&all));
}

#[test]
fn a_sound_device_gets_all_its_tries_back() {
    let recovery = RecoveryOptions {
        tries: 1,
        first_pause: Duration::ZERO,
        sound_after: Duration::ZERO,
        ..Default::default()
    };
    let options = BatchOptions {
        recovery,
        ..options()
    };
    let script = Script::new(network(), &[(1, Fault::Error)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &options, script.factory()).unwrap();
    let all = positions(10, 5);
    for failures in 1..=5 {
        for _ in 0..2 {
            assert_eq!(
                evaluator
                    .submit(BackendChoice::Gpu, all.clone())
                    .unwrap()
                    .wait()
                    .unwrap()
                    .values,
                expected(&all)
            );
        }
        wait_until("recovery", || evaluator.counters().device_recoveries == failures);
    }
}

#[test]
fn many_callers_while_devices_break() {
    let lives: Vec<_> = (0..40)
        .map(|index| {
            (
                index % 4,
                [Fault::Error, Fault::Panic, Fault::Nonsense][index % 3],
            )
        })
        .collect();
    let script = Script::new(network(), &lives);
    let recovery = RecoveryOptions {
        tries: 1_000,
        first_pause: Duration::ZERO,
        ..Default::default()
    };
    let options = BatchOptions {
        recovery: RecoveryOptions {
            longest_pause: Duration::ZERO,
            ..recovery
        },
        ..options()
    };
    let evaluator = BatchEvaluator::start_with_device(&network(), &options, script.factory()).unwrap();
    let all = positions(3_000, 6);
    let values = expected(&all);
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let (evaluator, all, values) = (&evaluator, &all, &values);
            scope.spawn(move || {
                let mut random = Random(seed);
                for _ in 0..40 {
                    let from = random.below(all.len());
                    let count = random.below(600).min(all.len() - from);
                    let choice = [
                        BackendChoice::Gpu,
                        BackendChoice::Gpu,
                        BackendChoice::Cpu,
                        BackendChoice::Auto,
                    ][random.below(4)];
                    match evaluator.submit(choice, all[from..][..count].to_vec()) {
                        Ok(ticket) => assert_eq!(ticket.wait().unwrap().values, values[from..][..count]),
                        Err(BatchError::NoDevice(_)) => assert_eq!(choice, BackendChoice::Gpu),
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let counters = evaluator.counters();
    assert!(counters.device_failures >= 3, "{counters:?}");
    assert_eq!(counters.waiting, 0);
}

#[test]
fn dropping_an_evaluator_does_not_wait_for_a_hanging_device() {
    let script = Script::new(network(), &[(0, Fault::Hang)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &no_recovery(), script.factory()).unwrap();
    let ticket = evaluator.submit(BackendChoice::Gpu, positions(5, 7)).unwrap();
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(20));
    drop(evaluator);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    // Its batch had begun, so it was finished, on the CPU.
    assert_eq!(ticket.wait().unwrap().values, expected(&positions(5, 7)));
}
