//! A hidden layer of `N` neurons and a linear output over it, for each bucket.
//!
//! With `a = clamp(x, 0, 1)²` of both sides, `h[i] = clamp(hidden_bias[i] + Σ a · hidden_weight[i], 0, 1)` and the
//! logit is `bias + Σ h · weight`: the evaluator's hidden layer without its rounding.

use std::array;

use wide::f32x16;

use super::{Head, Layers, Sides, square_slope, start_equal};
use crate::{rng::Rng, train::features::BUCKETS};

/// Hidden weights stay within this: 8 bits reach it at the finest step that `export` tries first.
pub(crate) const HIDDEN_CLIP: f32 = 0.985;
/// Hidden biases are 32 bits wide in the file; beyond this a neuron has long ceased to follow its inputs.
const HIDDEN_BIAS_CLIP: f32 = 32.0;
/// Output weights stay within this, so that they fit 16 bits.
const OUTPUT_CLIP: f32 = 31.0;

/// Rows of one bucket that are worked on together, so that each weight that is fetched serves all of them.
const TILE: usize = 8;
/// First-layer values at a time: those of a tile, and the weights that they meet, stay in the first cache.
const SPAN: usize = 128;
/// Numbers in a vector register.
const LANES: usize = 16;

/// A hidden layer and the output over it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hidden<const H: usize, const N: usize> {
    /// `[bucket · N + neuron]`: weights of the side to move, of the other side.
    pub(crate) hidden: Vec<Sides<H>>,
    /// `[bucket][neuron]`.
    pub(crate) hidden_bias: Vec<[f32; N]>,
    /// `[bucket][neuron]`.
    pub(crate) weights: Vec<[f32; N]>,
    /// One bias a bucket.
    pub(crate) bias: Vec<f32>,
}

impl<const H: usize, const N: usize> Head<H> for Hidden<H, N> {
    const HIDDEN: usize = N;
    const COUNT: usize = (2 * H * N + 2 * N + 1) * BUCKETS;
    const CLIPS: &'static [f32] = &[HIDDEN_CLIP, HIDDEN_BIAS_CLIP, OUTPUT_CLIP, OUTPUT_CLIP];

    fn zero() -> Self {
        Self {
            hidden: vec![[[0.0; H]; 2]; BUCKETS * N],
            hidden_bias: vec![[0.0; N]; BUCKETS],
            weights: vec![[0.0; N]; BUCKETS],
            bias: vec![0.0; BUCKETS],
        }
    }

    fn random(rng: &mut Rng) -> Self {
        let mut head = Self::zero();
        let reach = (1.0f32 / (2.0 * H as f32)).sqrt();
        for weight in head.hidden.as_flattened_mut().as_flattened_mut() {
            *weight = rng.around_zero(reach);
        }
        for weight in &mut head.weights[0] {
            *weight = rng.around_zero(1.0);
        }
        start_equal(&mut head.hidden, N);
        start_equal(&mut head.weights, 1);
        // In the middle of the clip every neuron follows its inputs.
        head.hidden_bias.as_flattened_mut().fill(0.5);
        head
    }

    fn groups(&self) -> Vec<&[f32]> {
        vec![
            self.hidden.as_flattened().as_flattened(),
            self.hidden_bias.as_flattened(),
            self.weights.as_flattened(),
            &self.bias,
        ]
    }

    fn groups_mut(&mut self) -> Vec<&mut [f32]> {
        vec![
            self.hidden.as_flattened_mut().as_flattened_mut(),
            self.hidden_bias.as_flattened_mut(),
            self.weights.as_flattened_mut(),
            &mut self.bias,
        ]
    }

    fn layers(&self) -> Layers<'_> {
        Layers::Hidden {
            hidden_weights: self.hidden.as_flattened().as_flattened(),
            hidden_bias: self.hidden_bias.as_flattened(),
            weights: self.weights.as_flattened(),
            bias: &self.bias,
        }
    }

    #[inline]
    fn value(&self, sides: &Sides<H>, bucket: usize) -> f32 {
        let squares = [sides.map(|side| side.map(|x| x * x))];
        let sums = self.sums(&squares, bucket);
        self.logit(&sums, 0, bucket)
    }

    #[inline]
    fn learn(
        &self,
        rows: &mut [Sides<H>],
        bucket: usize,
        mut slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut Self,
    ) {
        let (tiles, rest) = rows.as_chunks_mut::<TILE>();
        let mut squares = [[[0.0; H]; 2]; TILE];
        let mut row = 0;
        for tile in tiles {
            let slope = |at, logit| slope(row + at, logit);
            self.learn_tile(tile, &mut squares, bucket, slope, gradient);
            row += TILE;
        }
        for tile in rest.as_chunks_mut::<1>().0 {
            let squares = array::from_mut(&mut squares[0]);
            self.learn_tile(tile, squares, bucket, |_, logit| slope(row, logit), gradient);
            row += 1;
        }
    }
}

impl<const H: usize, const N: usize> Hidden<H, N> {
    /// Hidden sums before their clip, `[neuron][row]`, from the squared first-layer values.
    #[inline]
    fn sums<const P: usize>(&self, squares: &[Sides<H>; P], bucket: usize) -> [[f32; P]; N] {
        let mut lanes = [[f32x16::ZERO; P]; N];
        let weights = &self.hidden[bucket * N..][..N];
        for from in (0..2 * H).step_by(SPAN) {
            let squares = squares.each_ref().map(|row| span(row, from));
            for (row, lanes) in weights.iter().zip(&mut lanes) {
                let mut sums = *lanes;
                for (at, weights) in span(row, from).iter().enumerate() {
                    let weights = f32x16::new(*weights);
                    for (sum, squares) in sums.iter_mut().zip(&squares) {
                        *sum = f32x16::new(squares[at]).mul_add(weights, *sum);
                    }
                }
                *lanes = sums;
            }
        }
        let mut sums = [[0.0; P]; N];
        for ((sums, lanes), bias) in sums.iter_mut().zip(&lanes).zip(&self.hidden_bias[bucket]) {
            for (sum, lanes) in sums.iter_mut().zip(lanes) {
                *sum = lanes.reduce_add() + bias;
            }
        }
        sums
    }

    /// The output for one row of hidden sums.
    #[inline]
    fn logit<const P: usize>(&self, sums: &[[f32; P]; N], row: usize, bucket: usize) -> f32 {
        let products = sums.iter().zip(&self.weights[bucket]);
        self.bias[bucket] + products.map(|(sum, w)| sum[row].clamp(0.0, 1.0) * w).sum::<f32>()
    }

    /// [`Head::learn`] for as many rows as a tile has.
    #[inline]
    fn learn_tile<const P: usize>(
        &self,
        rows: &mut [Sides<H>; P],
        squares: &mut [Sides<H>; P],
        bucket: usize,
        mut slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut Self,
    ) {
        for (square, x) in squares.iter_mut().zip(&*rows) {
            for (square, x) in square.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
                *square = x * x;
            }
        }
        let sums = self.sums(squares, bucket);
        // Derivatives by the hidden sums.
        let mut slopes = [[0.0f32; P]; N];
        for row in 0..P {
            let slope = slope(row, self.logit(&sums, row, bucket));
            gradient.bias[bucket] += slope;
            for neuron in 0..N {
                let sum = sums[neuron][row];
                gradient.weights[bucket][neuron] += slope * sum.clamp(0.0, 1.0);
                if sum > 0.0 && sum < 1.0 {
                    slopes[neuron][row] = slope * self.weights[bucket][neuron];
                    gradient.hidden_bias[bucket][neuron] += slopes[neuron][row];
                }
            }
        }
        let weights = &self.hidden[bucket * N..][..N];
        let gradients = &mut gradient.hidden[bucket * N..][..N];
        for from in (0..2 * H).step_by(SPAN) {
            let squares = squares.each_ref().map(|row| span(row, from));
            for (gradient, slopes) in gradients.iter_mut().zip(&slopes) {
                add_products(span_mut(gradient, from), &squares, slopes);
            }
            let weights: [_; N] = array::from_fn(|neuron| span(&weights[neuron], from));
            let mut rows = rows.each_mut().map(|row| span_mut(row, from));
            for at in 0..SPAN / LANES {
                let mut sums = [f32x16::ZERO; P];
                for (weights, slopes) in weights.iter().zip(&slopes) {
                    let weights = f32x16::new(weights[at]);
                    for (sum, slope) in sums.iter_mut().zip(slopes) {
                        *sum = weights.mul_add(f32x16::splat(*slope), *sum);
                    }
                }
                for (row, sum) in rows.iter_mut().zip(&sums) {
                    for (x, sum) in row[at].iter_mut().zip(sum.to_array()) {
                        *x = sum * square_slope(*x);
                    }
                }
            }
        }
    }
}

/// Adds to one neuron's gradient the activations of a tile, each times its slope.
#[inline]
fn add_products<const P: usize>(
    gradient: &mut [[f32; LANES]],
    squares: &[&[[f32; LANES]]; P],
    slopes: &[f32; P],
) {
    // Clipped in all rows.
    if slopes.iter().all(|&slope| slope == 0.0) {
        return;
    }
    let slopes = slopes.map(f32x16::splat);
    for (at, gradient) in gradient.iter_mut().enumerate() {
        let mut sum = f32x16::new(*gradient);
        for (squares, slope) in squares.iter().zip(slopes) {
            sum = f32x16::new(squares[at]).mul_add(slope, sum);
        }
        *gradient = sum.to_array();
    }
}

/// A row's vectors from a place on.
#[inline]
fn span<const H: usize>(row: &Sides<H>, from: usize) -> &[[f32; LANES]] {
    row.as_flattened()[from..][..SPAN].as_chunks().0
}

/// A row's vectors from a place on.
#[inline]
fn span_mut<const H: usize>(row: &mut Sides<H>, from: usize) -> &mut [[f32; LANES]] {
    row.as_flattened_mut()[from..][..SPAN].as_chunks_mut().0
}
