//! One linear output for each bucket.

use super::{Head, Layers, Sides, square_slope, start_equal};
use crate::{rng::Rng, train::features::BUCKETS};

/// Weights stay within this, so that they fit 16 bits with room to spare.
const CLIP: f32 = 1.98;

/// `bias[b] + Σ a · weight[b]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear<const H: usize> {
    /// Two rows a bucket: side to move, other side.
    pub(crate) weights: Vec<[f32; H]>,
    /// One bias a bucket.
    pub(crate) bias: Vec<f32>,
}

impl<const H: usize> Head<H> for Linear<H> {
    const HIDDEN: usize = 0;
    const COUNT: usize = (2 * H + 1) * BUCKETS;
    const CLIPS: &'static [f32] = &[CLIP; 2];

    fn zero() -> Self {
        Self {
            weights: vec![[0.0; H]; 2 * BUCKETS],
            bias: vec![0.0; BUCKETS],
        }
    }

    fn random(rng: &mut Rng) -> Self {
        let mut head = Self::zero();
        let reach = (1.0f32 / (2.0 * H as f32)).sqrt();
        for weight in head.weights.as_flattened_mut() {
            *weight = rng.around_zero(reach);
        }
        start_equal(&mut head.weights, 2);
        head
    }

    fn groups(&self) -> Vec<&[f32]> {
        vec![self.weights.as_flattened(), &self.bias]
    }

    fn groups_mut(&mut self) -> Vec<&mut [f32]> {
        vec![self.weights.as_flattened_mut(), &mut self.bias]
    }

    fn layers(&self) -> Layers<'_> {
        Layers::Linear {
            weights: self.weights.as_flattened(),
            bias: &self.bias,
        }
    }

    #[inline]
    fn value(&self, sides: &Sides<H>, bucket: usize) -> f32 {
        const LANES: usize = 16;
        let mut lanes = [0.0f32; LANES];
        for (side, weights) in sides.iter().zip(&self.weights[2 * bucket..][..2]) {
            let weights = weights.as_chunks::<LANES>().0;
            for (x, w) in side.as_chunks::<LANES>().0.iter().zip(weights) {
                for lane in 0..LANES {
                    lanes[lane] += x[lane] * x[lane] * w[lane];
                }
            }
        }
        lanes.iter().sum::<f32>() + self.bias[bucket]
    }

    #[inline]
    fn learn(
        &self,
        rows: &mut [Sides<H>],
        bucket: usize,
        mut slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut Self,
    ) {
        for (index, sides) in rows.iter_mut().enumerate() {
            let slope = slope(index, self.value(sides, bucket));
            gradient.bias[bucket] += slope;
            for (which, side) in sides.iter_mut().enumerate() {
                let weights = &self.weights[2 * bucket + which];
                let gradient = &mut gradient.weights[2 * bucket + which];
                for ((x, w), g) in side.iter_mut().zip(weights).zip(gradient) {
                    *g += slope * *x * *x;
                    *x = slope * w * square_slope(*x);
                }
            }
        }
    }
}
