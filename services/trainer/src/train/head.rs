//! What stands behind the first layer: one linear output, or a hidden layer before it, eight times.

mod hidden;
mod linear;

pub(crate) use hidden::Hidden;
pub(crate) use linear::Linear;

use crate::rng::Rng;

/// First-layer values `clamp(x, 0, 1)` of a position: of the side to move, of the other side. Heads square them.
pub(crate) type Sides<const H: usize> = [[f32; H]; 2];

/// The layers behind the first one, for each output bucket.
pub(crate) trait Head<const H: usize>: Clone + std::fmt::Debug + PartialEq + Send + Sync {
    /// Neurons of the hidden layer, 0 without one.
    const HIDDEN: usize;
    /// Parameters in all.
    const COUNT: usize;
    /// How large the parameters of each group may become.
    const CLIPS: &'static [f32];

    /// All zero.
    fn zero() -> Self;

    /// Small random weights.
    fn random(rng: &mut Rng) -> Self;

    /// The parameter groups, flat, in file order.
    fn groups(&self) -> Vec<&[f32]>;

    /// The parameter groups, flat, in file order.
    fn groups_mut(&mut self) -> Vec<&mut [f32]>;

    /// The same parameters by their meaning.
    fn layers(&self) -> Layers<'_>;

    /// The logit of the expected score.
    fn value(&self, sides: &Sides<H>, bucket: usize) -> f32;

    /// Values and slopes of `rows`, which all belong to `bucket`. `slope` is told a row's index and its logit and
    /// gives the loss's derivative by the logit. Adds the gradient of the parameters to `gradient` and leaves in
    /// `rows` the derivatives by the first layer's sums.
    fn learn(
        &self,
        rows: &mut [Sides<H>],
        bucket: usize,
        slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut Self,
    );
}

/// A head's parameters as flat lists.
pub(crate) enum Layers<'a> {
    /// Activations straight into the output.
    Linear {
        /// `[bucket][2 · width]`.
        weights: &'a [f32],
        /// `[bucket]`.
        bias: &'a [f32],
    },
    /// One hidden layer between.
    Hidden {
        /// `[bucket][neuron][2 · width]`.
        hidden_weights: &'a [f32],
        /// `[bucket][neuron]`.
        hidden_bias: &'a [f32],
        /// `[bucket][neuron]`.
        weights: &'a [f32],
        /// `[bucket]`.
        bias: &'a [f32],
    },
}

/// The derivative of `clamp(x, 0, 1)²` from the clamped value: flat outside the clip.
#[inline]
fn square_slope(clipped: f32) -> f32 {
    if clipped < 1.0 { 2.0 * clipped } else { 0.0 }
}

/// Copies the first bucket's rows to the others, so that a rare bucket profits from what the first batches teach the
/// common ones.
fn start_equal<R: Copy>(rows: &mut [R], rows_per_bucket: usize) {
    let (first, others) = rows.split_at_mut(rows_per_bucket);
    others
        .chunks_exact_mut(rows_per_bucket)
        .for_each(|bucket| bucket.copy_from_slice(first));
}
