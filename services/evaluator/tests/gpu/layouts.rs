//! Both kernel layouts give the reference's numbers, for networks of every shape.

use tabiya_eval_shaders::KernelLayout;
use tabiya_evaluator::{
    Backend, evaluate_reference,
    gpu::GpuOptions,
    network::{Architecture, HiddenLayer},
};

use crate::{
    common::{four_mirrored_buckets, gpu::open, random_network, shape, shapes},
    scattered,
};

const LAYOUTS: [KernelLayout; 2] = [
    KernelLayout::WorkgroupPerPosition,
    KernelLayout::ThreadPerPosition,
];

/// Both layouts, `count` positions in one call; `max_batch` cuts it into dispatches.
fn check(architecture: Architecture, count: usize, max_batch: usize) {
    check_all(architecture, &[count], max_batch);
}

/// The same for calls of several sizes, each with the first of the same positions.
fn check_all(architecture: Architecture, counts: &[usize], max_batch: usize) {
    let count = counts.iter().copied().max().unwrap_or_default();
    let network = random_network(architecture, count as u64);
    let positions = scattered::positions(count, 7);
    let expected: Vec<i32> = positions
        .iter()
        .map(|position| evaluate_reference(&network, position))
        .collect();
    for layout in LAYOUTS {
        let options = GpuOptions {
            layout: Some(layout),
            max_batch,
            ..GpuOptions::default()
        };
        let Some(mut backend) = open(&network, options) else {
            return;
        };
        for &count in counts {
            let mut values = vec![i32::MIN; count];
            backend.evaluate_raw(&positions[..count], &mut values).unwrap();
            let wrong: Vec<usize> = (0..count).filter(|&at| values[at] != expected[at]).collect();
            if let Some(&first) = wrong.first() {
                panic!(
                    "{} {layout:?}: {} of {count} differ, first {:08x?}: {} instead of {}",
                    network.architecture(),
                    wrong.len(),
                    positions[first].words(),
                    values[first],
                    expected[first]
                );
            }
        }
    }
}

fn with_hidden(width: usize, neurons: usize) -> Architecture {
    Architecture {
        hidden: Some(HiddenLayer {
            width: neurons,
            shift: 9,
        }),
        ..shape(width)
    }
}

#[test]
fn every_feature_of_the_format() {
    for shape in shapes() {
        check(shape, 1_000, 4096);
    }
}

#[test]
fn narrow_and_wide_networks() {
    check(shape(64), 1_000, 4096);
    check(shape(1024), 500, 4096);
    check(shape(2048), 300, 4096);
    check(with_hidden(64, 32), 1_000, 4096);
    check(with_hidden(1024, 16), 200, 4096);
    let widest = Architecture {
        king_buckets: four_mirrored_buckets(),
        ..with_hidden(2048, 32)
    };
    check(widest, 100, 4096);
}

#[test]
fn as_many_workgroups_as_one_dimension_holds_and_more() {
    // No dispatch at all; one dimension; one that is full; 65,537 workgroups in two, the last row nearly empty.
    check_all(shape(64), &[0, 1, 65_535, 65_536, 65_537], 1 << 17);
}

/// More than 64 times what a dimension holds, 134 MB of records (gfx-rs/naga#1205): in few dispatches and in many.
#[test]
fn four_million_positions_in_one_call() {
    const COUNT: usize = 4_194_241;
    if !std::env::var("TABIYA_LONG_TESTS").is_ok_and(|value| value == "1") {
        eprintln!("SKIPPED: four million positions on the GPU: takes minutes (tests/run --long)");
        return;
    }
    let network = random_network(shape(64), 1);
    let some = scattered::positions(997, 7);
    let expected: Vec<i32> = some
        .iter()
        .map(|position| evaluate_reference(&network, position))
        .collect();
    let positions: Vec<_> = some.iter().copied().cycle().take(COUNT).collect();
    for (layout, max_batch) in LAYOUTS.into_iter().zip([1 << 18, 16_384]) {
        let options = GpuOptions {
            layout: Some(layout),
            max_batch,
            ..GpuOptions::default()
        };
        let Some(mut backend) = open(&network, options) else {
            return;
        };
        let mut values = vec![i32::MIN; COUNT];
        backend.evaluate_raw(&positions, &mut values).unwrap();
        let wrong = values
            .iter()
            .zip(expected.iter().cycle())
            .position(|(got, right)| got != right);
        assert_eq!(wrong, None, "{layout:?}");
    }
}

#[test]
fn calls_larger_than_the_ring() {
    // 34 dispatches through three slots, the last one of a single position.
    check(shape(64), 1_000, 30);
}
