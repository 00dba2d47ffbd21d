//! 128-bit vectors for arm64, where every processor has them.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{Kernel, hidden, joined};
use crate::lane::{ByteLane, Lane};
use crate::network::{Head, HiddenHead, LinearHead, Network};

/// The vectors that are part of arm64 itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon;

impl Kernel for Neon {
    fn name(self) -> &'static str {
        "neon"
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
            Head::Hidden(head) if head.layer.width == 16 => {
                hidden_layer::<1>(head, own, their, output_bucket)
            }
            Head::Hidden(head) => hidden_layer::<2>(head, own, their, output_bucket),
        }
    }
}

/// Lanes whose sums are kept in registers: sixteen of the 32 vector registers.
const TILE: usize = 4;

type Quarters = [int16x8_t; 4];

#[inline(always)]
fn load(lane: &Lane) -> Quarters {
    let place = lane.0.as_ptr();
    // SAFETY: a lane is 32 readable values of 16 bits, four vectors of eight.
    unsafe { std::array::from_fn(|quarter| vld1q_s16(place.add(8 * quarter))) }
}

#[inline(always)]
fn store(lane: &mut Lane, quarters: Quarters) {
    let place = lane.0.as_mut_ptr();
    for (quarter, values) in quarters.into_iter().enumerate() {
        // SAFETY: a lane is 32 writable values of 16 bits, four vectors of eight.
        unsafe { vst1q_s16(place.add(8 * quarter), values) };
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
    let from = &from[start..][..T];
    let mut sums: [Quarters; T] = std::array::from_fn(|index| load(&from[index]));
    for &row in added {
        let weights = &network.feature_weights()[row as usize * lanes + start..][..T];
        for (sums, weights) in sums.iter_mut().zip(weights) {
            for (sum, weights) in sums.iter_mut().zip(load(weights)) {
                // SAFETY: NEON is part of the target.
                *sum = unsafe { vaddq_s16(*sum, weights) };
            }
        }
    }
    for &row in removed {
        let weights = &network.feature_weights()[row as usize * lanes + start..][..T];
        for (sums, weights) in sums.iter_mut().zip(weights) {
            for (sum, weights) in sums.iter_mut().zip(load(weights)) {
                // SAFETY: NEON is part of the target.
                *sum = unsafe { vsubq_s16(*sum, weights) };
            }
        }
    }
    for (lane, sums) in to[start..][..T].iter_mut().zip(sums) {
        store(lane, sums);
    }
}

/// `clamp(x, 0, 255)² >> SHIFT` for each 16-bit value; the square fits 16 unsigned bits.
#[inline(always)]
fn activate<const SHIFT: i32>(x: int16x8_t) -> uint16x8_t {
    // SAFETY: NEON is part of the target.
    unsafe {
        let clipped = vreinterpretq_u16_s16(vminq_s16(vmaxq_s16(x, vdupq_n_s16(0)), vdupq_n_s16(255)));
        vshrq_n_u16::<SHIFT>(vmulq_u16(clipped, clipped))
    }
}

fn linear(head: &LinearHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let weights = &head.weights[bucket * 2 * own.len()..][..2 * own.len()];
    // SAFETY: NEON is part of the target.
    let mut sums = unsafe { [vdupq_n_s32(0); 4] };
    for (lane, weights) in own.iter().chain(their).zip(weights) {
        for ((sum, x), weights) in sums.iter_mut().zip(load(lane)).zip(load(weights)) {
            // SAFETY: NEON is part of the target.
            *sum = unsafe {
                let activations = vreinterpretq_s16_u16(activate::<8>(x));
                let low = vmlal_s16(*sum, vget_low_s16(activations), vget_low_s16(weights));
                vmlal_high_s16(low, activations, weights)
            };
        }
    }
    // SAFETY: NEON is part of the target.
    let totals = sums.map(|sum| unsafe { vaddvq_s32(sum) });
    head.bias[bucket] + totals.iter().sum::<i32>()
}

/// The activations of a lane in front of a hidden layer: bytes of 0 to 127, four to a word.
#[inline(always)]
fn activate_words(lane: &Lane) -> [i32; 8] {
    let mut words = [0; 8];
    for (words, x) in words.as_chunks_mut::<2>().0.iter_mut().zip(load(lane)) {
        // SAFETY: NEON is part of the target, and the place is two writable words.
        unsafe {
            let bytes = vmovn_u16(activate::<9>(x));
            vst1_s32(words.as_mut_ptr(), vreinterpret_s32_u8(bytes));
        }
    }
    words
}

/// `G` is the number of byte lanes in a group: 1 for 16 neurons, 2 for 32.
fn hidden_layer<const G: usize>(head: &HiddenHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let neurons = 16 * G;
    let weights = &head.grouped_weights[bucket * 16 * own.len() * G..][..16 * own.len() * G];
    // Two sums for each neuron, side by side.
    // SAFETY: NEON is part of the target.
    let mut sums = unsafe { [[vdupq_n_s32(0); 8]; G] };
    for lane_index in 0..2 * own.len() {
        for (group, input) in activate_words(joined(own, their, lane_index))
            .into_iter()
            .enumerate()
        {
            if input == 0 {
                continue;
            }
            // SAFETY: NEON is part of the target.
            let input = unsafe { vreinterpret_s8_s32(vdup_n_s32(input)) };
            for (sums, weights) in sums.iter_mut().zip(&weights[(lane_index * 8 + group) * G..][..G]) {
                for (sum, weights) in sums.iter_mut().zip(load_bytes(weights)) {
                    // SAFETY: NEON is part of the target. A product is at most 127 · 128 and fits 16 bits.
                    *sum = unsafe { vpadalq_s16(*sum, vmull_s8(input, weights)) };
                }
            }
        }
    }
    let mut totals = [0_i32; hidden::MAX_NEURONS];
    for (totals, sum) in totals.as_chunks_mut::<2>().0.iter_mut().zip(sums.as_flattened()) {
        // SAFETY: NEON is part of the target, and the place is two writable words.
        unsafe {
            vst1_s32(
                totals.as_mut_ptr(),
                vpadd_s32(vget_low_s32(*sum), vget_high_s32(*sum)),
            )
        };
    }
    let totals = &mut totals[..neurons];
    for (total, bias) in totals
        .iter_mut()
        .zip(&head.hidden_bias[bucket * neurons..][..neurons])
    {
        *total += bias;
    }
    hidden::output(head, totals, bucket)
}

#[inline(always)]
fn load_bytes(lane: &ByteLane) -> [int8x8_t; 8] {
    let place = lane.0.as_ptr();
    // SAFETY: a byte lane is 64 readable bytes, eight vectors of eight.
    unsafe { std::array::from_fn(|eighth| vld1_s8(place.add(8 * eighth))) }
}
