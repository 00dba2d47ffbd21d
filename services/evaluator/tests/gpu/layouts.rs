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
        let mut values = vec![i32::MIN; count];
        backend.evaluate_raw(&positions, &mut values).unwrap();
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
fn more_workgroups_than_one_dimension_holds() {
    // 65,537 workgroups in one dispatch: two dimensions, the last row nearly empty.
    check(shape(64), 65_537, 1 << 17);
}

#[test]
fn calls_larger_than_the_ring() {
    // 34 dispatches through three slots, the last one of a single position.
    check(shape(64), 1_000, 30);
}
