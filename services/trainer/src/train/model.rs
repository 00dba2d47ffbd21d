//! The float network: 768 inputs to `H` neurons a side, squared clipped activation, and a head behind them.

use crate::{
    rng::Rng,
    train::{features::INPUTS, head::Head},
};

/// Neurons whose weights stand together, and that are summed at a time: few enough that the sums stay in vector
/// registers and the weights of all inputs in a core's second cache, however wide the layer is.
pub(crate) const BLOCK: usize = 64;

/// Weights and biases of the first layer stay within this, so that no sum of 34 of them leaves 16 bits.
const CLIP: f32 = 1.98;

/// Weights of the network; also the shape of their gradients and of Adam's moments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model<const H: usize, T> {
    /// `[block of neurons][input]`: rows of [`Model::block`].
    pub(crate) input: Vec<[f32; BLOCK]>,
    /// One bias a neuron, as a vector of one row.
    pub(crate) bias: Vec<[f32; H]>,
    /// The layers behind.
    pub(crate) head: T,
}

impl<const H: usize, T: Head<H>> Model<H, T> {
    /// Parameters in all.
    pub(crate) const COUNT: usize = (INPUTS + 1) * H + T::COUNT;

    /// Blocks of neurons.
    pub(crate) const BLOCKS: usize = H / BLOCK;

    /// All zero.
    pub(crate) fn zero() -> Self {
        Self {
            input: vec![[0.0; BLOCK]; Self::BLOCKS * INPUTS],
            bias: vec![[0.0; H]; 1],
            head: T::zero(),
        }
    }

    /// Small random weights, the same for the same seed.
    pub(crate) fn random(seed: u64) -> Self {
        let mut model = Self::zero();
        let mut rng = Rng::new(seed, 0x1417);
        // About 25 inputs are on at a time; the bias puts the neurons into the active range of the clip.
        let reach = (1.0f32 / 32.0).sqrt();
        for at in 0..INPUTS * H {
            *model.input_mut(at) = rng.around_zero(reach);
        }
        model.head = T::random(&mut rng);
        model.bias.as_flattened_mut().fill(0.1);
        model
    }

    /// The weights from every input to the neurons of a block.
    #[inline]
    pub(crate) fn block(&self, block: usize) -> &[[f32; BLOCK]] {
        &self.input[block * INPUTS..][..INPUTS]
    }

    /// The weights from every input to the neurons of a block.
    #[inline]
    pub(crate) fn block_mut(&mut self, block: usize) -> &mut [[f32; BLOCK]] {
        &mut self.input[block * INPUTS..][..INPUTS]
    }

    /// First-layer weights in file order, `[input][neuron]`.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = f32> + '_ {
        (0..INPUTS * H).map(|at| self.input[Self::row(at)][at % BLOCK])
    }

    /// The first-layer weight at a place of the file order.
    pub(crate) fn input_mut(&mut self, at: usize) -> &mut f32 {
        &mut self.input[Self::row(at)][at % BLOCK]
    }

    /// The row that holds a place of the file order; `H` is a multiple of [`BLOCK`].
    fn row(at: usize) -> usize {
        at % H / BLOCK * INPUTS + at / H
    }

    /// The parameter groups, flat.
    pub(crate) fn groups(&self) -> Vec<&[f32]> {
        let mut groups = vec![self.input.as_flattened(), self.bias.as_flattened()];
        groups.extend(self.head.groups());
        groups
    }

    /// The parameter groups, flat.
    pub(crate) fn groups_mut(&mut self) -> Vec<&mut [f32]> {
        let mut groups = vec![self.input.as_flattened_mut(), self.bias.as_flattened_mut()];
        groups.extend(self.head.groups_mut());
        groups
    }

    /// How large the parameters of each group may become.
    pub(crate) fn clips() -> Vec<f32> {
        [&[CLIP, CLIP], T::CLIPS].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::head::Linear;

    #[test]
    fn file_order_is_input_by_input() {
        let mut model = Model::<128, Linear<128>>::zero();
        for at in 0..INPUTS * 128 {
            *model.input_mut(at) = at as f32;
        }
        assert!(model.inputs().eq((0..INPUTS * 128).map(|at| at as f32)));
        // Input 5, neuron 70: the second block's sixth neuron.
        assert_eq!(model.block(1)[5][6], (5 * 128 + 70) as f32);
    }
}
