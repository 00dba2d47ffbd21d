//! Every backend gives the same number for the same position, whatever the batch, the order and the neighbours.

mod common;

use std::sync::Arc;

use common::{Random, random_boards, random_network, saturated_network, shapes};
use tabiya_evaluator::network::HiddenLayer;
use tabiya_evaluator::{
    AnyKernel, Backend, CpuBatch, Kernel, KernelVisitor, Network, PackedPosition, dispatch,
    evaluate_reference, pack,
};

const BATCH_SIZES: [usize; 9] = [1, 3, 63, 64, 65, 255, 256, 1000, 65_536];
const POSITIONS: usize = 12_000;

/// Every backend of this machine for one network; a further kind of backend is a line here.
fn backends(network: &Arc<Network>) -> Vec<Box<dyn Backend>> {
    let cpu = AnyKernel::all()
        .into_iter()
        .map(|kernel| cpu_batch(kernel, network));
    cpu.chain(gpu(network)).collect()
}

#[cfg(feature = "gpu")]
fn gpu(network: &Arc<Network>) -> Option<Box<dyn Backend>> {
    // Room for the largest batch in one dispatch.
    let options = tabiya_evaluator::gpu::GpuOptions {
        max_batch: 65_536,
        ..Default::default()
    };
    Some(Box::new(common::gpu::open(network, options)?))
}

#[cfg(not(feature = "gpu"))]
fn gpu(_network: &Arc<Network>) -> Option<Box<dyn Backend>> {
    eprintln!("SKIPPED: the gpu's part of this test, as the build has no gpu support");
    None
}

fn cpu_batch(kernel: AnyKernel, network: &Arc<Network>) -> Box<dyn Backend> {
    struct Make<'a>(&'a Arc<Network>);
    impl KernelVisitor for Make<'_> {
        type Output = Box<dyn Backend>;
        fn visit<K: Kernel>(self, kernel: K) -> Box<dyn Backend> {
            Box::new(CpuBatch::new(kernel, Arc::clone(self.0)))
        }
    }
    dispatch(kernel, Make(network))
}

/// Records of distinct random positions.
fn positions(count: usize, seed: u64) -> Vec<PackedPosition> {
    let mut seen = std::collections::HashSet::new();
    let mut positions: Vec<_> = random_boards(2 * count, 200, seed).iter().map(pack).collect();
    positions.retain(|position| seen.insert(*position));
    positions.truncate(count);
    assert_eq!(positions.len(), count, "random games repeat too much");
    positions
}

fn assert_same(backend: &mut dyn Backend, batch: &[PackedPosition], expected: &[i32], what: &str) {
    let mut values = vec![i32::MIN; batch.len()];
    backend.evaluate_raw(batch, &mut values).unwrap();
    for ((position, value), expected) in batch.iter().zip(values).zip(expected) {
        let name = &backend.info().name;
        assert_eq!(value, *expected, "{name}, {what}: {:08x?}", position.words());
    }
}

#[test]
fn backends_agree_on_every_batch_size_and_order() {
    let distinct = positions(POSITIONS, 1);
    for (index, shape) in shapes().into_iter().enumerate() {
        let network = random_network(shape, index as u64);
        let values: Vec<_> = distinct
            .iter()
            .map(|position| evaluate_reference(&network, position))
            .collect();
        let spread: std::collections::HashSet<_> = values.iter().collect();
        assert!(
            spread.len() > POSITIONS / 2,
            "the network {} tells too little apart",
            network.architecture()
        );
        for mut backend in backends(&network) {
            for size in BATCH_SIZES {
                let what = format!("{}, batches of {size}", network.architecture());
                // Large batches go round the list more than once; small ones see a part of it.
                let total = if size < 63 {
                    100 * size
                } else {
                    POSITIONS.max(size)
                };
                let order: Vec<_> = (0..total).map(|place| place % POSITIONS).collect();
                check_in_batches(&mut *backend, &distinct, &values, &order, size, &what);
            }
            for seed in 0..3 {
                let mut order: Vec<_> = (0..POSITIONS).collect();
                shuffle(&mut order, seed);
                let what = format!("{}, permutation {seed}", network.architecture());
                check_in_batches(&mut *backend, &distinct, &values, &order, 777, &what);
            }
        }
    }
}

fn check_in_batches(
    backend: &mut dyn Backend,
    distinct: &[PackedPosition],
    values: &[i32],
    order: &[usize],
    size: usize,
    what: &str,
) {
    for places in order.chunks(size) {
        let batch: Vec<_> = places.iter().map(|&place| distinct[place]).collect();
        let expected: Vec<_> = places.iter().map(|&place| values[place]).collect();
        assert_same(backend, &batch, &expected, what);
    }
}

fn shuffle(order: &mut [usize], seed: u64) {
    let mut random = Random(seed);
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last + 1));
    }
}

#[test]
fn backends_agree_at_the_ends_of_the_ranges() {
    let batch = positions(300, 2);
    let hidden = |width, shift| Some(HiddenLayer { width, shift });
    for head in [None, hidden(16, 0), hidden(16, 16), hidden(32, 5)] {
        let network = saturated_network(head);
        let expected: Vec<_> = batch
            .iter()
            .map(|position| evaluate_reference(&network, position))
            .collect();
        for mut backend in backends(&network) {
            assert_same(&mut *backend, &batch, &expected, "saturated");
        }
    }
}

#[test]
fn slices_of_different_length_are_refused() {
    let network = Network::default_network();
    for mut backend in backends(&network) {
        let result = backend.evaluate(&positions(2, 3), &mut [0; 3]);
        assert!(matches!(
            result,
            Err(tabiya_evaluator::BackendError::Length {
                positions: 2,
                values: 3
            })
        ));
    }
}
