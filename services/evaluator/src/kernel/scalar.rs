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
    if head.layer.width == 16 {
        sized_hidden_layer::<1>(head, own, their, bucket)
    } else {
        sized_hidden_layer::<2>(head, own, their, bucket)
    }
}

/// `G` is the number of byte lanes in a group of four activations: 1 for 16 neurons, 2 for 32.
fn sized_hidden_layer<const G: usize>(head: &HiddenHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let neurons = 16 * G;
    let weights = &head.grouped_weights[bucket * 16 * own.len() * G..][..16 * own.len() * G];
    // Four sums for each neuron, one for each place in a group: this form is one that compilers vectorise.
    let mut sums = [[0_i32; 64]; G];
    for lane_index in 0..2 * own.len() {
        let lane = joined(own, their, lane_index);
        for (group, inputs) in lane.0.as_chunks::<4>().0.iter().enumerate() {
            let inputs = inputs.map(|x| activate(x, 9) as i16);
            if inputs == [0; 4] {
                continue;
            }
            let inputs: [i16; 64] = std::array::from_fn(|index| inputs[index % 4]);
            let weights = &weights[(lane_index * LANE_WIDTH / 4 + group) * G..][..G];
            for (sums, weights) in sums.iter_mut().zip(weights) {
                for ((sum, input), &weight) in sums.iter_mut().zip(inputs).zip(&weights.0) {
                    // At most 127 · 128, which fits 16 bits.
                    *sum += i32::from(input * i16::from(weight));
                }
            }
        }
    }
    let mut totals = [0; hidden::MAX_NEURONS];
    let totals = &mut totals[..neurons];
    let biases = &head.hidden_bias[bucket * neurons..][..neurons];
    let fours = sums.as_flattened().as_chunks::<4>().0;
    for ((total, four), bias) in totals.iter_mut().zip(fours).zip(biases) {
        *total = bias + four.iter().sum::<i32>();
    }
    hidden::output(head, totals, bucket)
}

#[inline(always)]
fn activate(x: i16, shift: u32) -> i32 {
    let clipped = i32::from(x).clamp(0, 255);
    (clipped * clipped) >> shift
}
