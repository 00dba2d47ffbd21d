//! Plain loops for every processor, the twin of the vector kernels.

use super::{Kernel, hidden, joined};
use crate::lane::{LANE_WIDTH, Lane};
use crate::network::{Head, HiddenHead, LinearHead, Network};

/// Plain loops; the compiler vectorises them for the target's baseline (SSE2, NEON).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar;

/// Lanes whose sums are made together, to stay in registers.
const TILE: usize = 2;

impl Kernel for Scalar {
    fn name(self) -> &'static str {
        "scalar"
    }

    fn update(self, network: &Network, from: &[Lane], added: &[u32], removed: &[u32], to: &mut [Lane]) {
        let lanes = network.row_lanes();
        let (from, to) = (&from[..lanes], &mut to[..lanes]);
        let mut start = 0;
        while start + TILE <= lanes {
            update_tile::<TILE>(network, from, added, removed, to, start);
            start += TILE;
        }
        while start < lanes {
            update_tile::<1>(network, from, added, removed, to, start);
            start += 1;
        }
    }

    fn forward(self, network: &Network, own: &[Lane], their: &[Lane], output_bucket: usize) -> i32 {
        let lanes = network.row_lanes();
        let (own, their) = (&own[..lanes], &their[..lanes]);
        match network.head() {
            Head::Linear(head) => linear(head, own, their, output_bucket),
            Head::Hidden(head) => hidden_layer(head, own, their, output_bucket),
        }
    }
}

#[inline(always)]
fn update_tile<const T: usize>(
    network: &Network,
    from: &[Lane],
    added: &[u32],
    removed: &[u32],
    to: &mut [Lane],
    start: usize,
) {
    let lanes = from.len();
    let mut sums = [Lane::ZERO; T];
    sums.copy_from_slice(&from[start..][..T]);
    for &row in added {
        for (sum, weights) in sums
            .iter_mut()
            .zip(&network.feature_weights()[row as usize * lanes + start..][..T])
        {
            for (value, &weight) in sum.0.iter_mut().zip(&weights.0) {
                *value = value.wrapping_add(weight);
            }
        }
    }
    for &row in removed {
        for (sum, weights) in sums
            .iter_mut()
            .zip(&network.feature_weights()[row as usize * lanes + start..][..T])
        {
            for (value, &weight) in sum.0.iter_mut().zip(&weights.0) {
                *value = value.wrapping_sub(weight);
            }
        }
    }
    to[start..][..T].copy_from_slice(&sums);
}

fn linear(head: &LinearHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let weights = &head.weights[bucket * 2 * own.len()..][..2 * own.len()];
    let mut sums = [0_i32; LANE_WIDTH];
    for (lane, weights) in own.iter().chain(their).zip(weights) {
        for ((sum, &x), &weight) in sums.iter_mut().zip(&lane.0).zip(&weights.0) {
            *sum += activate(x, 8) * i32::from(weight);
        }
    }
    head.bias[bucket] + sums.iter().sum::<i32>()
}

fn hidden_layer(head: &HiddenHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let neurons = head.layer.width;
    let mut sums = [0; hidden::MAX_NEURONS];
    let sums = &mut sums[..neurons];
    sums.copy_from_slice(&head.hidden_bias[bucket * neurons..][..neurons]);
    // A group is four activations; its weights for 16 neurons fill one byte lane.
    let lanes_per_group = neurons / 16;
    let groups = 16 * own.len();
    let first_group = bucket * groups;
    for lane_index in 0..2 * own.len() {
        let lane = joined(own, their, lane_index);
        for (index, inputs) in lane.0.as_chunks::<4>().0.iter().enumerate() {
            let inputs = inputs.map(|x| activate(x, 9));
            if inputs == [0; 4] {
                continue;
            }
            let group = first_group + lane_index * (LANE_WIDTH / 4) + index;
            let weights = &head.grouped_weights[group * lanes_per_group..][..lanes_per_group];
            let weights = weights.iter().flat_map(|lane| lane.0.as_chunks::<4>().0);
            for (sum, weights) in sums.iter_mut().zip(weights) {
                for (input, &weight) in inputs.iter().zip(weights) {
                    *sum += input * i32::from(weight);
                }
            }
        }
    }
    hidden::output(head, sums, bucket)
}

#[inline(always)]
fn activate(x: i16, shift: u32) -> i32 {
    let clipped = i32::from(x).clamp(0, 255);
    (clipped * clipped) >> shift
}
