//! Adapters that may not serve, and batches that take too long.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tabiya_evaluator::{
    BackendChoice, BatchEvaluator, BatchOptions, Network, PackedPosition,
    batch::{DeviceHealth, RecoveryOptions},
    evaluate_reference,
    gpu::{AdapterKind, GpuDevice, GpuError, GpuOptions, list_adapters},
};

use crate::{
    common::{gpu::open, random_network, shape},
    scattered,
};

fn software() -> GpuOptions {
    GpuOptions {
        allow_software: true,
        ..GpuOptions::default()
    }
}

#[test]
fn software_adapters_are_listed_but_not_chosen() {
    let network = Network::default_network();
    if open(&network, GpuOptions::default()).is_none() {
        return;
    }
    let adapters = list_adapters(&GpuOptions::default()).unwrap();
    assert!(!adapters.is_empty());
    for adapter in &adapters {
        assert!(
            !adapter.name.is_empty() && !adapter.driver.is_empty(),
            "{adapter:?}"
        );
        let software = adapter.kind == AdapterKind::Software;
        assert_eq!(adapter.rejected.is_some(), software, "{adapter:?}");
    }
    let allowed = list_adapters(&software()).unwrap();
    assert!(
        allowed.iter().all(|adapter| adapter.rejected.is_none()),
        "{allowed:?}"
    );
    if adapters
        .iter()
        .all(|adapter| adapter.kind == AdapterKind::Software)
    {
        let error = GpuDevice::open(&network, &GpuOptions::default()).unwrap_err();
        assert!(
            matches!(&error, GpuError::NoUsableAdapter(why) if why.contains("software adapter")),
            "{error}"
        );
    }
}

#[test]
fn the_adapter_can_be_named() {
    let network = Network::default_network();
    let Some(backend) = open(&network, GpuOptions::default()) else {
        return;
    };
    let name = backend.device().adapter().name.clone();
    let part = name.split(' ').next().unwrap().to_uppercase();
    let named = GpuOptions {
        adapter: Some(part),
        ..software()
    };
    assert_eq!(GpuDevice::open(&network, &named).unwrap().adapter().name, name);
    let other = GpuOptions {
        adapter: Some("no such card".to_owned()),
        ..software()
    };
    let error = GpuDevice::open(&network, &other).unwrap_err();
    assert!(matches!(error, GpuError::NoUsableAdapter(_)), "{error}");
}

/// A network and a batch that no adapter evaluates within the time-out below.
fn slow() -> (Arc<Network>, Arc<[PackedPosition]>, GpuOptions) {
    let positions = scattered::positions(20_000, 1).into();
    let options = GpuOptions {
        batch_timeout: Some(Duration::from_micros(50)),
        max_batch: 20_000,
        ..software()
    };
    (random_network(shape(1024), 1), positions, options)
}

#[test]
fn a_batch_that_takes_too_long_ends_in_a_time_out() {
    let (network, positions, options) = slow();
    if open(&network, GpuOptions::default()).is_none() {
        return;
    }
    let device = GpuDevice::open(&network, &options).unwrap();
    let start = Instant::now();
    let error = device.evaluate_raw(&positions).unwrap_err();
    assert!(matches!(error, GpuError::Timeout(_)), "{error}");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    // The device is given up, not waited for twice.
    let error = device.evaluate_raw(&positions).unwrap_err();
    assert!(matches!(error, GpuError::Timeout(_)), "{error}");
    drop(device);
    // The driver is as good as before.
    let mut again = open(&network, GpuOptions::default()).unwrap();
    let few = &positions[..300];
    let mut values = vec![0; few.len()];
    tabiya_evaluator::Backend::evaluate_raw(&mut again, few, &mut values).unwrap();
    for (position, value) in few.iter().zip(values) {
        assert_eq!(value, evaluate_reference(&network, position));
    }
}

#[test]
fn a_time_out_is_made_good_by_the_cpu() {
    let (network, positions, gpu) = slow();
    if open(&network, GpuOptions::default()).is_none() {
        return;
    }
    let long = Duration::from_secs(600);
    let options = BatchOptions {
        backend: BackendChoice::Gpu,
        device_batch: 20_000,
        gpu,
        recovery: RecoveryOptions {
            first_pause: long,
            longest_pause: long,
            ..Default::default()
        },
        ..BatchOptions::default()
    };
    let evaluator = BatchEvaluator::start(&network, &options).unwrap();
    let reply = evaluator
        .submit(BackendChoice::Gpu, positions.to_vec())
        .unwrap()
        .wait()
        .unwrap();
    for (position, value) in positions.iter().zip(reply.values) {
        assert_eq!(
            value,
            network.to_centipawns(evaluate_reference(&network, position))
        );
    }
    assert_eq!(evaluator.counters().fallback_batches, 1);
    let health = evaluator.status().device_health;
    assert!(
        matches!(&health, DeviceHealth::Broken { reason, .. } if reason.contains("no answer")),
        "{health:?}"
    );
}

#[test]
fn opening_and_closing_leaves_no_threads_behind() {
    let network = Network::default_network();
    if open(&network, GpuOptions::default()).is_none() {
        return;
    }
    // More than other tests of this process have at once.
    const OPENED: usize = 30;
    for _ in 0..OPENED {
        let device = GpuDevice::open(&network, &software()).unwrap();
        drop(device);
    }
    // Other tests of this process run their own; ours are joined before `drop` returns.
    let own = |name: &str| name.trim() == "tabiya-gpu";
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return;
    };
    let names = tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    let left = names.filter(|name| own(name)).count();
    assert!(left < OPENED, "{left} gpu threads");
}
