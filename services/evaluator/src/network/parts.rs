//! A network as plain numbers, as a trainer makes them.

use super::{Architecture, NetworkError, Scale};

/// A network as plain numbers, in the order of the file; [`super::Network::from_parts`] checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkParts {
    /// At most 48 bytes, no zero byte.
    pub name: String,
    /// The shape.
    pub architecture: Architecture,
    /// Output to centipawns.
    pub scale: Scale,
    /// `[width]`.
    pub feature_bias: Vec<i16>,
    /// `[feature][width]`.
    pub feature_weights: Vec<i16>,
    /// `[output bucket][hidden neuron][2 · width]`; empty without a hidden layer.
    pub hidden_weights: Vec<i8>,
    /// `[output bucket][hidden neuron]`; empty without a hidden layer.
    pub hidden_bias: Vec<i32>,
    /// `[output bucket][2 · width]`, or `[output bucket][hidden neuron]`.
    pub output_weights: Vec<i16>,
    /// `[output bucket]`.
    pub output_bias: Vec<i32>,
}

impl NetworkParts {
    /// Longest name in bytes.
    pub const MAX_NAME: usize = 48;

    /// A network of this shape with every number zero, for a trainer or test to fill.
    ///
    /// # Errors
    /// What [`Architecture::check`] finds.
    pub fn zeroed(name: &str, architecture: Architecture, scale: Scale) -> Result<Self, NetworkError> {
        architecture.check()?;
        let sizes = Sizes::of(&architecture);
        Ok(Self {
            name: name.to_owned(),
            scale,
            feature_bias: vec![0; sizes.feature_bias],
            feature_weights: vec![0; sizes.feature_weights],
            hidden_weights: vec![0; sizes.hidden_weights],
            hidden_bias: vec![0; sizes.hidden_bias],
            output_weights: vec![0; sizes.output_weights],
            output_bias: vec![0; sizes.output_bias],
            architecture,
        })
    }

    /// Checks name, shape, scale and the length of every list.
    pub(super) fn check_sizes(&self) -> Result<(), NetworkError> {
        self.architecture.check()?;
        if self.name.len() > Self::MAX_NAME || self.name.contains('\0') {
            return Err(NetworkError::Name);
        }
        if !self.scale.is_valid() {
            let Scale { numerator, shift } = self.scale;
            return Err(NetworkError::Scale { numerator, shift });
        }
        let sizes = Sizes::of(&self.architecture);
        for (what, found, expected) in [
            ("first-layer biases", self.feature_bias.len(), sizes.feature_bias),
            (
                "first-layer weights",
                self.feature_weights.len(),
                sizes.feature_weights,
            ),
            ("hidden weights", self.hidden_weights.len(), sizes.hidden_weights),
            ("hidden biases", self.hidden_bias.len(), sizes.hidden_bias),
            ("output weights", self.output_weights.len(), sizes.output_weights),
            ("output biases", self.output_bias.len(), sizes.output_bias),
        ] {
            if found != expected {
                return Err(NetworkError::Weights {
                    what,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }
}

/// The length of each list for a shape that was checked.
pub(super) struct Sizes {
    pub(super) feature_bias: usize,
    pub(super) feature_weights: usize,
    pub(super) hidden_weights: usize,
    pub(super) hidden_bias: usize,
    pub(super) output_weights: usize,
    pub(super) output_bias: usize,
}

impl Sizes {
    pub(super) fn of(architecture: &Architecture) -> Self {
        let buckets = architecture.output_buckets.count();
        let hidden = buckets * architecture.hidden_width();
        Self {
            feature_bias: architecture.width,
            feature_weights: architecture.feature_count() * architecture.width,
            hidden_weights: hidden * 2 * architecture.width,
            hidden_bias: hidden,
            output_weights: buckets * architecture.output_inputs(),
            output_bias: buckets,
        }
    }

    /// Bytes of all lists in a file.
    pub(super) fn bytes(&self) -> usize {
        2 * (self.feature_bias + self.feature_weights + self.output_weights)
            + self.hidden_weights
            + 4 * (self.hidden_bias + self.output_bias)
    }
}
