//! The float network: 768 inputs to `H` neurons a side, squared clipped activation, eight linear heads.

use crate::{
    rng::Rng,
    train::features::{BUCKETS, INPUTS},
};

/// Weights of the network; also the shape of their gradients and of Adam's moments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model<const H: usize> {
    /// One row of `H` weights an input.
    pub(crate) input: Vec<[f32; H]>,
    /// One bias a neuron, as a vector of one row.
    pub(crate) bias: Vec<[f32; H]>,
    /// Two rows a head: side to move, other side. A head's value is the logit of the expected score.
    pub(crate) head: Vec<[f32; H]>,
    /// One bias a head.
    pub(crate) head_bias: Vec<[f32; 1]>,
}

impl<const H: usize> Model<H> {
    /// Parameters in all.
    pub(crate) const COUNT: usize = (INPUTS + 1 + 2 * BUCKETS) * H + BUCKETS;

    /// All zero.
    pub(crate) fn zero() -> Self {
        Self {
            input: vec![[0.0; H]; INPUTS],
            bias: vec![[0.0; H]; 1],
            head: vec![[0.0; H]; 2 * BUCKETS],
            head_bias: vec![[0.0; 1]; BUCKETS],
        }
    }

    /// Small random weights, the same for the same seed.
    pub(crate) fn random(seed: u64) -> Self {
        let mut model = Self::zero();
        let mut rng = Rng::new(seed, 0x1417);
        // About 25 inputs are on at a time; the bias puts the neurons into the active range of the clip.
        let mut fill = |values: &mut [f32], reach: f32| {
            values
                .iter_mut()
                .for_each(|v| *v = (rng.unit() * 2.0 - 1.0) * reach);
        };
        fill(model.input.as_flattened_mut(), (1.0f32 / 32.0).sqrt());
        fill(model.head.as_flattened_mut(), (1.0f32 / (2.0 * H as f32)).sqrt());
        model.bias.as_flattened_mut().fill(0.1);
        // Heads start equal, so that a rare bucket profits from what the first batches teach the common ones.
        let (first, others) = model.head.split_at_mut(2);
        others
            .chunks_exact_mut(2)
            .for_each(|head| head.copy_from_slice(first));
        model
    }

    /// The four parameter groups, flat, in file order.
    pub(crate) fn groups(&self) -> [&[f32]; 4] {
        [
            self.input.as_flattened(),
            self.bias.as_flattened(),
            self.head.as_flattened(),
            self.head_bias.as_flattened(),
        ]
    }

    /// The four parameter groups, flat, in file order.
    pub(crate) fn groups_mut(&mut self) -> [&mut [f32]; 4] {
        [
            self.input.as_flattened_mut(),
            self.bias.as_flattened_mut(),
            self.head.as_flattened_mut(),
            self.head_bias.as_flattened_mut(),
        ]
    }
}
