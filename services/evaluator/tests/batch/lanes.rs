//! Which lane serves whom, and why.

use std::{sync::Arc, time::Duration};

use tabiya_evaluator::{
    BackendChoice, BatchError, BatchEvaluator, BatchOptions,
    batch::{CALIBRATION_SIZES, DeviceHealth, LaneKind},
};

use crate::{
    devices::{Fault, Script},
    expected, network, options, positions,
};

#[test]
fn without_a_device_auto_serves_and_gpu_says_why() {
    let none = || Box::new(|| Err("no such card".to_owned()));
    let evaluator = BatchEvaluator::start_with_device(&network(), &options(), none()).unwrap();
    let all = positions(300, 1);
    let auto = evaluator
        .submit(BackendChoice::Auto, all.clone())
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!((auto.values, auto.lane), (expected(&all), LaneKind::Cpu));
    let gpu = evaluator.submit(BackendChoice::Gpu, all.clone());
    assert_eq!(gpu.unwrap_err(), BatchError::NoDevice("no such card".to_owned()));
    let status = evaluator.status();
    assert_eq!(
        status.device_health,
        DeviceHealth::Absent("no such card".to_owned())
    );
    assert_eq!(status.auto, BackendChoice::Cpu);
    assert_eq!(status.auto_reason, "cpu: no gpu, no such card");
    let insisting = BatchOptions {
        backend: BackendChoice::Gpu,
        ..options()
    };
    let refused = BatchEvaluator::start_with_device(&network(), &insisting, none());
    assert_eq!(
        refused.unwrap_err(),
        BatchError::NoDevice("no such card".to_owned())
    );
}

#[test]
fn a_configuration_without_a_gpu_opens_none() {
    for backend in [BackendChoice::Cpu, BackendChoice::Scalar] {
        let evaluator = BatchEvaluator::start(&network(), &BatchOptions { backend, ..options() }).unwrap();
        let health = evaluator.status().device_health;
        let reason = format!("the configuration asks for backend {backend}");
        assert_eq!(health, DeviceHealth::Absent(reason));
    }
}

#[test]
fn auto_is_the_cpu_until_calibrated_and_never_a_slow_device() {
    // Behind the device is the scalar reference, which no CPU kernel is slower than.
    let script = Script::new(network(), &[(0, Fault::None)]);
    let evaluator = BatchEvaluator::start_with_device(&network(), &options(), script.factory()).unwrap();
    assert_eq!(evaluator.status().auto_reason, "cpu: not calibrated yet");
    let table = evaluator.calibrate(Duration::from_millis(200));
    assert_eq!(
        table.rows.iter().map(|row| row.batch).collect::<Vec<_>>(),
        CALIBRATION_SIZES
    );
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.cpu_thread > 0.0 && row.cpu_all >= row.cpu_thread)
    );
    // This device holds 256 positions.
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.device_all.is_some() == (row.batch <= 256))
    );
    assert_eq!(table.device_from, None, "{table}");
    assert_eq!(evaluator.status().calibration, Some(table));
    let all = positions(1_000, 2);
    let reply = evaluator
        .submit(BackendChoice::Auto, all.clone())
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!((reply.values, reply.lane), (expected(&all), LaneKind::Cpu));
}

#[test]
fn lanes_work_side_by_side() {
    let script = Script::new(network(), &[(0, Fault::None)]);
    let evaluator =
        Arc::new(BatchEvaluator::start_with_device(&network(), &options(), script.factory()).unwrap());
    let all = positions(2_000, 3);
    let expected = expected(&all);
    let tickets: Vec<_> = [BackendChoice::Cpu, BackendChoice::Gpu, BackendChoice::Scalar]
        .into_iter()
        .map(|choice| evaluator.submit(choice, all.clone()).unwrap())
        .collect();
    for ticket in tickets {
        assert_eq!(ticket.wait().unwrap().values, expected);
    }
    let counters = evaluator.counters();
    for lane in LaneKind::ALL {
        assert_eq!(counters.lane(lane).positions, 2_000, "{lane:?}");
    }
}
