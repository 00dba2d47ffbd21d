//! What cannot be reached from outside: losing a device, and a driver that computes wrongly.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::{GpuDevice, GpuError, GpuOptions, engine::Engine, warm_up};
use crate::{
    BackendChoice, BatchEvaluator, BatchOptions, Network, PackedPosition,
    batch::{Device, DeviceHealth, RecoveryOptions},
    evaluate_reference,
};

fn options() -> GpuOptions {
    GpuOptions {
        allow_software: true,
        max_batch: 1024,
        ..GpuOptions::default()
    }
}

/// Passes a device on, or says that the test is skipped for lack of one.
fn or_skip<T>(opened: Result<T, GpuError>) -> Option<T> {
    match opened {
        Ok(device) => Some(device),
        Err(error @ (GpuError::NoInterface | GpuError::NoLoader | GpuError::NoAdapter)) => {
            let required = std::env::var_os("TABIYA_REQUIRE_VULKAN").is_some_and(|value| value == "1");
            assert!(!required, "TABIYA_REQUIRE_VULKAN=1, but: {error}");
            eprintln!("SKIPPED: no vulkan adapter: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn batch() -> (Arc<[PackedPosition]>, Vec<i32>) {
    let positions = warm_up::positions(500);
    let network = Network::default_network();
    let expected = positions
        .iter()
        .map(|position| evaluate_reference(&network, position))
        .collect();
    (positions.into(), expected)
}

#[test]
fn a_lost_device_reports_it_and_another_can_be_opened() {
    let network = Network::default_network();
    let (positions, expected) = batch();
    let Some(device) = or_skip(GpuDevice::open(&network, &options())) else {
        return;
    };
    assert_eq!(device.evaluate_raw(&positions), Ok(expected.clone()));
    device.destroy_device();
    let error = device.evaluate_raw(&positions).unwrap_err();
    assert!(!matches!(error, GpuError::Timeout(_)), "{error}");
    // It stays broken, and says so at once.
    let start = Instant::now();
    device.evaluate_raw(&positions).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5));
    drop(device);
    let again = GpuDevice::open(&network, &options()).unwrap();
    assert_eq!(again.evaluate_raw(&positions), Ok(expected));
}

#[test]
fn the_batch_evaluator_outlives_lost_devices() {
    let network = Network::default_network();
    if or_skip(GpuDevice::open(&network, &options())).is_none() {
        return;
    }
    let current: Arc<Mutex<Option<Arc<GpuDevice>>>> = Arc::default();
    let factory = {
        let (network, current) = (Arc::clone(&network), Arc::clone(&current));
        move || {
            let device = GpuDevice::open(&network, &options()).map_err(|error| error.to_string())?;
            let device = Arc::new(device);
            *current.lock().unwrap() = Some(Arc::clone(&device));
            Ok(device as Arc<dyn Device>)
        }
    };
    let batch_options = BatchOptions {
        recovery: RecoveryOptions {
            first_pause: Duration::ZERO,
            ..RecoveryOptions::default()
        },
        ..BatchOptions::default()
    };
    let evaluator = BatchEvaluator::start_with_device(&network, &batch_options, Box::new(factory)).unwrap();
    let (positions, expected) = batch();
    let expected: Vec<i32> = expected.iter().map(|&raw| network.to_centipawns(raw)).collect();
    for round in 1..=3 {
        let ask = |choice| {
            evaluator
                .submit(choice, positions.to_vec())
                .unwrap()
                .wait()
                .unwrap()
                .values
        };
        assert_eq!(ask(BackendChoice::Gpu), expected);
        let device = current.lock().unwrap().take().unwrap();
        device.destroy_device();
        drop(device);
        assert_eq!(ask(BackendChoice::Gpu), expected, "on the cpu");
        assert_eq!(evaluator.counters().device_failures, round);
        let start = Instant::now();
        while evaluator.status().device_health != DeviceHealth::Healthy {
            assert!(start.elapsed() < Duration::from_secs(60), "{evaluator:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn wrong_results_are_found_before_a_device_serves() {
    let network = Network::default_network();
    let Some((mut engine, _)) = or_skip(Engine::open(&network, &options())) else {
        return;
    };
    assert_eq!(warm_up::check(&mut engine, &network, &options()), Ok(()));
    // The device holds one network's weights and the judge another's.
    let mut parts = network.to_parts();
    parts.output_bias.iter_mut().for_each(|bias| *bias += 1);
    let other = Network::from_parts(parts).unwrap();
    let found = warm_up::check(&mut engine, &other, &options());
    assert!(
        matches!(found, Err(GpuError::WrongResult { index: 0, got, expected }) if expected == got + 1),
        "{found:?}"
    );
}

#[test]
fn a_panic_becomes_words() {
    let words = |body: fn()| {
        let payload = std::panic::catch_unwind(body).unwrap_err();
        super::thread::panic_text(&*payload)
    };
    assert_eq!(words(|| panic!("plain")), "plain");
    assert_eq!(words(|| panic!("with {}", 1)), "with 1");
    assert_eq!(words(|| std::panic::panic_any(7)), "no message");
}
