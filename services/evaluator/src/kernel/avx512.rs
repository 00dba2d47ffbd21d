//! 512-bit vectors for x86-64.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Kernel, hidden, joined};
use crate::lane::{ByteLane, Lane};
use crate::network::{Head, HiddenHead, LinearHead, Network};

/// Proof that this processor has AVX-512 F and BW, and whether it has VNNI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512 {
    vnni: bool,
}

impl Avx512 {
    /// `Some` on processors with AVX-512 F and BW; uses VNNI where it is there.
    pub fn detect() -> Option<Self> {
        let vnni = is_x86_feature_detected!("avx512vnni");
        Self::detect_without_vnni().map(|_| Self { vnni })
    }

    /// As [`Avx512::detect`], but never uses VNNI.
    pub fn detect_without_vnni() -> Option<Self> {
        let base = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        base.then_some(Self { vnni: false })
    }

    /// Whether the hidden layer uses VNNI.
    pub fn has_vnni(self) -> bool {
        self.vnni
    }
}

impl Kernel for Avx512 {
    fn name(self) -> &'static str {
        if self.vnni { "avx512-vnni" } else { "avx512" }
    }

    #[inline]
    fn update(self, network: &Network, from: &[Lane], added: &[u32], removed: &[u32], to: &mut [Lane]) {
        // SAFETY: `self` exists, so detection found AVX-512 F and BW.
        unsafe { update(network, from, added, removed, to) }
    }

    #[inline]
    fn forward(self, network: &Network, own: &[Lane], their: &[Lane], output_bucket: usize) -> i32 {
        let lanes = network.row_lanes();
        let (own, their) = (&own[..lanes], &their[..lanes]);
        match network.head() {
            // SAFETY: `self` exists, so detection found AVX-512 F and BW.
            Head::Linear(head) => unsafe { linear(head, own, their, output_bucket) },
            // SAFETY: the same, and `vnni` is true only if detection found VNNI.
            Head::Hidden(head) if self.vnni => unsafe { vnni::hidden_layer(head, own, their, output_bucket) },
            // SAFETY: `self` exists, so detection found AVX-512 F and BW.
            Head::Hidden(head) => unsafe { maddubs::hidden_layer(head, own, their, output_bucket) },
        }
    }
}

/// Lanes whose sums are kept in registers: eight of the 32 vector registers.
const TILE: usize = 8;

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load(lane: &Lane) -> __m512i {
    // SAFETY: a lane is 64 readable bytes, aligned to 64.
    unsafe { _mm512_load_si512(lane.0.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn store(lane: &mut Lane, value: __m512i) {
    // SAFETY: a lane is 64 writable bytes, aligned to 64.
    unsafe { _mm512_store_si512(lane.0.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f,avx512bw")]
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

#[target_feature(enable = "avx512f,avx512bw")]
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
    let mut sums = [_mm512_setzero_si512(); T];
    for index in 0..T {
        sums[index] = load(&from[index]);
    }
    for &row in added {
        let weights = &network.feature_weights()[row as usize * lanes + start..][..T];
        for index in 0..T {
            sums[index] = _mm512_add_epi16(sums[index], load(&weights[index]));
        }
    }
    for &row in removed {
        let weights = &network.feature_weights()[row as usize * lanes + start..][..T];
        for index in 0..T {
            sums[index] = _mm512_sub_epi16(sums[index], load(&weights[index]));
        }
    }
    let to = &mut to[start..][..T];
    for index in 0..T {
        store(&mut to[index], sums[index]);
    }
}

/// `clamp(x, 0, 255)² >> SHIFT` for each 16-bit value; the square fits 16 unsigned bits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn activate<const SHIFT: u32>(x: __m512i) -> __m512i {
    let clipped = _mm512_min_epi16(
        _mm512_max_epi16(x, _mm512_setzero_si512()),
        _mm512_set1_epi16(255),
    );
    _mm512_srli_epi16::<SHIFT>(_mm512_mullo_epi16(clipped, clipped))
}

#[target_feature(enable = "avx512f,avx512bw")]
fn linear(head: &LinearHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
    let weights = &head.weights[bucket * 2 * own.len()..][..2 * own.len()];
    let (own_weights, their_weights) = weights.split_at(own.len());
    let mut sums = [_mm512_setzero_si512(); 2];
    for (sum, lanes, weights) in [(0, own, own_weights), (1, their, their_weights)] {
        for (lane, weights) in lanes.iter().zip(weights) {
            let products = _mm512_madd_epi16(activate::<8>(load(lane)), load(weights));
            sums[sum] = _mm512_add_epi32(sums[sum], products);
        }
    }
    head.bias[bucket] + _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}

/// The activations of two lanes in front of a hidden layer, as unsigned bytes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn activate_bytes(first: &Lane, second: &Lane) -> __m512i {
    let low = _mm512_cvtepi16_epi8(activate::<9>(load(first)));
    let high = _mm512_cvtepi16_epi8(activate::<9>(load(second)));
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load_bytes(lane: &ByteLane) -> __m512i {
    // SAFETY: a byte lane is 64 readable bytes, aligned to 64.
    unsafe { _mm512_load_si512(lane.0.as_ptr().cast()) }
}

/// The hidden layer around one way to add four products: `$add(sum, inputs, weights)`.
macro_rules! hidden_layer {
    ($features:literal, $add:expr) => {
        #[target_feature(enable = $features)]
        pub(super) fn hidden_layer(head: &HiddenHead, own: &[Lane], their: &[Lane], bucket: usize) -> i32 {
            if head.layer.width == 16 {
                sized_hidden_layer::<1>(head, own, their, bucket)
            } else {
                sized_hidden_layer::<2>(head, own, their, bucket)
            }
        }

        /// `G` is the number of byte lanes in a group: 1 for 16 neurons, 2 for 32.
        #[target_feature(enable = $features)]
        #[inline]
        fn sized_hidden_layer<const G: usize>(
            head: &HiddenHead,
            own: &[Lane],
            their: &[Lane],
            bucket: usize,
        ) -> i32 {
            let neurons = 16 * G;
            let weights = &head.grouped_weights[bucket * 16 * own.len() * G..][..16 * own.len() * G];
            // Two sums by turns, as each addition waits for the one before.
            let mut even = [_mm512_setzero_si512(); G];
            let mut odd = [_mm512_setzero_si512(); G];
            for pair in 0..own.len() {
                let (first, second) = (
                    joined(own, their, 2 * pair),
                    joined(own, their, 2 * pair + 1),
                );
                let activations = activate_bytes(first, second);
                let mut groups = _mm512_test_epi32_mask(activations, activations);
                let mut inputs = [0_i32; 16];
                // SAFETY: the array is 64 writable bytes, and this store needs no alignment.
                unsafe { _mm512_storeu_si512(inputs.as_mut_ptr().cast(), activations) };
                let weights = &weights[pair * 16 * G..][..16 * G];
                while groups != 0 {
                    let group = groups.trailing_zeros() as usize;
                    groups &= groups - 1;
                    let input = _mm512_set1_epi32(inputs[group & 15]);
                    for index in 0..G {
                        even[index] = $add(
                            even[index],
                            input,
                            load_bytes(&weights[(group & 15) * G + index]),
                        );
                    }
                    std::mem::swap(&mut even, &mut odd);
                }
            }
            let mut totals = [0_i32; hidden::MAX_NEURONS];
            for (index, totals) in totals
                .as_chunks_mut::<16>()
                .0
                .iter_mut()
                .take(G)
                .enumerate()
            {
                let sum = _mm512_add_epi32(even[index], odd[index]);
                // SAFETY: the array is 64 writable bytes, and this store needs no alignment.
                unsafe { _mm512_storeu_si512(totals.as_mut_ptr().cast(), sum) };
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
    };
}

mod vnni {
    use super::*;

    hidden_layer!("avx512f,avx512bw,avx512vnni", |sum, input, weights| {
        _mm512_dpbusd_epi32(sum, input, weights)
    });
}

mod maddubs {
    use super::*;

    // Activations are at most 127, so that no pair leaves 16 bits: 2 · 127 · 128 = 32,512.
    hidden_layer!("avx512f,avx512bw", |sum, input, weights| {
        let pairs = _mm512_maddubs_epi16(input, weights);
        _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
    });
}
