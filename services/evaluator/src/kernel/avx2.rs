//! 256-bit vectors for x86-64.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Kernel, hidden, joined};
use crate::lane::{ByteLane, Lane};
use crate::network::{Head, HiddenHead, LinearHead, Network};

/// Proof that this processor has AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    /// `Some` on processors with AVX2.
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

impl Kernel for Avx2 {
    fn name(self) -> &'static str {
        "avx2"
    }

    #[inline]
    fn update(self, network: &Network, from: &[Lane], added: &[u32], removed: &[u32], to: &mut [Lane]) {
        // SAFETY: `self` exists, so `detect` found AVX2.
        unsafe { update(network, from, added, removed, to) }
    }

    #[inline]
    fn forward(self, network: &Network, own: &[Lane], their: &[Lane], output_bucket: usize) -> i32 {
        // SAFETY: `self` exists, so `detect` found AVX2.
        unsafe { forward(network, own, their, output_bucket) }
    }
}

/// Lanes whose sums are kept in registers: eight of the sixteen vector registers.
const TILE: usize = 4;

type Halves = [__m256i; 2];

#[target_feature(enable = "avx2")]
#[inline]
fn load(lane: &Lane) -> Halves {
    let (low, high) = lane.0.split_at(16);
    // SAFETY: each half is 32 readable bytes, and `Lane` is aligned to 64.
    unsafe {
        [
            _mm256_load_si256(low.as_ptr().cast()),
            _mm256_load_si256(high.as_ptr().cast()),
        ]
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(lane: &mut Lane, halves: Halves) {
    let (low, high) = lane.0.split_at_mut(16);
    // SAFETY: each half is 32 writable bytes, and `Lane` is aligned to 64.
    unsafe {
        _mm256_store_si256(low.as_mut_ptr().cast(), halves[0]);
        _mm256_store_si256(high.as_mut_ptr().cast(), halves[1]);
    }
}

#[target_feature(enable = "avx2")]
fn update(network: &Network, from: &[Lane], added: &[u32], removed: &[u32], to: &mut [Lane]) {
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

#[target_feature(enable = "avx2")]
#[inline]
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
    let mut sums = [[_mm256_setzero_si256(); 2]; T];
    for index in 0..T {
        sums[index] = load(&from[index]);
    }
    for &row in added {
        let weights = &network.feature_weights()[row as usize * lanes + start..][..T];
        for index in 0..T {
            let [low, high] = load(&weights[index]);
            sums[index] = [
                _mm256_add_epi16(sums[index][0], low),
                _mm256_add_epi16(sums[index][1], high),
            ];
        }
    }
    for &row in removed {
        let weights = &network.feature_weights()[row as usize * lanes + start..][..T];
        for index in 0..T {
            let [low, high] = load(&weights[index]);
            sums[index] = [
                _mm256_sub_epi16(sums[index][0], low),
                _mm256_sub_epi16(sums[index][1], high),
            ];
        }
    }
    let to = &mut to[start..][..T];
    for index in 0..T {
        store(&mut to[index], sums[index]);
    }
}

#[target_feature(enable = "avx2")]
fn forward(network: &Network, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let lanes = network.row_lanes();
    let (own, their) = (&own[..lanes], &their[..lanes]);
    match network.head() {
        Head::Linear(head) => linear(head, own, their, bucket),
        Head::Hidden(head) if head.layer.width == 16 => hidden_layer::<1>(head, own, their, bucket),
        Head::Hidden(head) => hidden_layer::<2>(head, own, their, bucket),
    }
}

/// `clamp(x, 0, 255)² >> SHIFT` for each 16-bit value; the square fits 16 unsigned bits.
#[target_feature(enable = "avx2")]
#[inline]
fn activate<const SHIFT: i32>(x: __m256i) -> __m256i {
    let clipped = _mm256_min_epi16(
        _mm256_max_epi16(x, _mm256_setzero_si256()),
        _mm256_set1_epi16(255),
    );
    _mm256_srli_epi16::<SHIFT>(_mm256_mullo_epi16(clipped, clipped))
}

#[target_feature(enable = "avx2")]
#[inline]
fn linear(head: &LinearHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let weights = &head.weights[bucket * 2 * own.len()..][..2 * own.len()];
    let (own_weights, their_weights) = weights.split_at(own.len());
    let mut sums = [_mm256_setzero_si256(); 2];
    for (lanes, weights) in [(own, own_weights), (their, their_weights)] {
        for (lane, weights) in lanes.iter().zip(weights) {
            let (x, weights) = (load(lane), load(weights));
            for half in 0..2 {
                let products = _mm256_madd_epi16(activate::<8>(x[half]), weights[half]);
                sums[half] = _mm256_add_epi32(sums[half], products);
            }
        }
    }
    head.bias[bucket] + sum_of_words(_mm256_add_epi32(sums[0], sums[1]))
}

#[target_feature(enable = "avx2")]
#[inline]
fn sum_of_words(v: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
    _mm_cvtsi128_si32(one)
}

/// The activations of a lane in front of a hidden layer, as unsigned bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn activate_bytes(lane: &Lane) -> __m256i {
    let [low, high] = load(lane);
    let packed = _mm256_packus_epi16(activate::<9>(low), activate::<9>(high));
    // Packing works within 128-bit halves; this puts the quarters back in order.
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}

/// `G` is the number of byte lanes in a group: 1 for 16 neurons, 2 for 32.
#[target_feature(enable = "avx2")]
#[inline]
fn hidden_layer<const G: usize>(head: &HiddenHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let neurons = 16 * G;
    let ones = _mm256_set1_epi16(1);
    let weights = &head.grouped_weights[bucket * 16 * own.len() * G..][..16 * own.len() * G];
    let mut sums = [[_mm256_setzero_si256(); 2]; G];
    for lane_index in 0..2 * own.len() {
        let activations = activate_bytes(joined(own, their, lane_index));
        let zero = _mm256_cmpeq_epi32(activations, _mm256_setzero_si256());
        let mut groups = !_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u32 & 0xff;
        let mut inputs = [0_i32; 8];
        // SAFETY: the array is 32 writable bytes, and this store needs no alignment.
        unsafe { _mm256_storeu_si256(inputs.as_mut_ptr().cast(), activations) };
        while groups != 0 {
            let group = groups.trailing_zeros() as usize;
            groups &= groups - 1;
            let input = _mm256_set1_epi32(inputs[group & 7]);
            let weights = &weights[(lane_index * 8 + group) * G..][..G];
            for (sums, weights) in sums.iter_mut().zip(weights) {
                for (sum, weights) in sums.iter_mut().zip(load_bytes(weights)) {
                    // Activations are at most 127, so that no pair leaves 16 bits: 2 · 127 · 128 = 32,512.
                    let pairs = _mm256_maddubs_epi16(input, weights);
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                }
            }
        }
    }
    let mut totals = [0_i32; hidden::MAX_NEURONS];
    for (totals, &sum) in totals.as_chunks_mut::<8>().0.iter_mut().zip(sums.as_flattened()) {
        // SAFETY: the array is 32 writable bytes, and this store needs no alignment.
        unsafe { _mm256_storeu_si256(totals.as_mut_ptr().cast(), sum) };
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

#[target_feature(enable = "avx2")]
#[inline]
fn load_bytes(lane: &ByteLane) -> Halves {
    let (low, high) = lane.0.split_at(32);
    // SAFETY: each half is 32 readable bytes, and `ByteLane` is aligned to 64.
    unsafe {
        [
            _mm256_load_si256(low.as_ptr().cast()),
            _mm256_load_si256(high.as_ptr().cast()),
        ]
    }
}
