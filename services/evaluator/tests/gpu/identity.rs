//! Bit identity with the scalar reference.

use tabiya_eval_shaders::KernelLayout;
use tabiya_evaluator::{
    Backend, Network, PackedPosition, evaluate_reference,
    gpu::GpuOptions,
    network::{Architecture, KingBuckets, OutputBuckets},
};

use crate::{open, samples};

const LAYOUTS: [KernelLayout; 2] = [
    KernelLayout::WorkgroupPerPosition,
    KernelLayout::ThreadPerPosition,
];

/// Every architecture by both layouts, `count` positions in one call.
fn check(architecture: Architecture, count: usize) {
    let network = samples::network(architecture, count as u64);
    let positions = samples::positions(count, 7);
    let expected: Vec<i32> = positions
        .iter()
        .map(|position| evaluate_reference(&network, position))
        .collect();
    assert!(expected.iter().any(|&value| value > 0) && expected.iter().any(|&value| value < 0));
    for layout in LAYOUTS {
        let options = GpuOptions {
            layout: Some(layout),
            max_batch: 4096,
            ..GpuOptions::default()
        };
        let Some(mut backend) = open(&network, options) else {
            return;
        };
        let mut values = vec![i32::MIN; count];
        backend.evaluate_raw(&positions, &mut values).unwrap();
        assert_same(&network, layout, &positions, &values, &expected);
    }
}

fn assert_same(
    network: &Network,
    layout: KernelLayout,
    positions: &[PackedPosition],
    values: &[i32],
    expected: &[i32],
) {
    let wrong: Vec<usize> = (0..values.len())
        .filter(|&at| values[at] != expected[at])
        .collect();
    if let Some(&first) = wrong.first() {
        panic!(
            "{} {layout:?}: {} of {} differ, first {:08x?}: {} instead of {}",
            network.architecture(),
            wrong.len(),
            values.len(),
            positions[first].words(),
            values[first],
            expected[first]
        );
    }
}

#[test]
fn linear_heads() {
    for width in [64, 96, 256, 512] {
        check(samples::architecture(width, None, KingBuckets::NONE), 2_000);
    }
    check(samples::architecture(1024, None, KingBuckets::NONE), 1_000);
    check(samples::architecture(2048, None, KingBuckets::NONE), 500);
}

#[test]
fn one_output_bucket() {
    let shape = samples::architecture(128, None, KingBuckets::NONE);
    check(
        Architecture {
            output_buckets: OutputBuckets::One,
            ..shape
        },
        1_000,
    );
}

#[test]
fn mirrored_king_buckets() {
    check(
        samples::architecture(256, None, samples::mirrored_buckets()),
        2_000,
    );
    check(
        samples::architecture(512, Some(16), samples::mirrored_buckets()),
        1_000,
    );
    let unmirrored = KingBuckets {
        map: std::array::from_fn(|square| (square / 2) as u8),
        mirror: false,
    };
    check(samples::architecture(64, None, unmirrored), 1_000);
}

#[test]
fn hidden_layers() {
    check(samples::architecture(64, Some(16), KingBuckets::NONE), 2_000);
    check(samples::architecture(256, Some(32), KingBuckets::NONE), 1_000);
    check(samples::architecture(1024, Some(16), KingBuckets::NONE), 300);
    check(samples::architecture(2048, Some(32), KingBuckets::NONE), 100);
}
