//! The network: its shape, its weights, its file.
//!
//! Everything is an integer. For the side to move ("own") and its opponent ("their") the first layer sums
//! one row of weights for each piece on the board into `width` 16-bit values ([`features`] says which row).
//! Each value `x` is activated as `clamp(x, 0, 255)² >> 8`, 0 to 254, or `>> 9`, 0 to 127, in front of a
//! hidden layer. The output bucket `b` is 0, or `(pieces - 1) / 4` with eight buckets. Then, with
//! `a = own activations ++ their activations`:
//!
//! - without a hidden layer, `output = bias[b] + Σ a[j] · weight[b][j]`;
//! - with one, `h[i] = clamp((hidden_bias[b][i] + Σ a[j] · hidden_weight[b][i][j]) >> shift, 0, 255)` and
//!   `output = bias[b] + Σ h[i] · weight[b][i]`.
//!
//! Shifts are arithmetic. [`Scale`] turns the output into centipawns. No sum can overflow, in whatever order
//! it is made: loading proves that for every network (`bounds.rs` has the argument) before it may be used.

pub mod architecture;
mod bounds;
mod digest;
mod embedded;
mod error;
pub mod features;
mod format;
mod parts;
mod scale;
mod source;

pub use architecture::{Architecture, HiddenLayer, KingBuckets, OutputBuckets};
pub use digest::Digest;
pub use error::NetworkError;
pub use parts::NetworkParts;
pub use scale::{MAX_CENTIPAWNS, Scale};
pub use source::{NetworkSource, SourceError};

use crate::lane::{ByteLane, Lane, lane_values, lanes_from_values};

/// A network that passed every check and is ready for the kernels.
#[derive(Clone, Debug)]
pub struct Network {
    name: String,
    digest: Digest,
    architecture: Architecture,
    scale: Scale,
    feature_bias: Vec<Lane>,
    feature_weights: Vec<Lane>,
    head: Head,
}

/// The layers behind the first one.
#[derive(Clone, Debug)]
pub enum Head {
    /// Activations straight into the output.
    Linear(LinearHead),
    /// One hidden layer between.
    Hidden(HiddenHead),
}

/// Output weights over the first layer.
#[derive(Clone, Debug)]
pub struct LinearHead {
    /// For each output bucket a row of `2 · width` weights: own, then their.
    pub weights: Vec<Lane>,
    /// One for each output bucket.
    pub bias: Vec<i32>,
}

/// A hidden layer and the output weights over it.
#[derive(Clone, Debug)]
pub struct HiddenHead {
    /// Neurons and shift.
    pub layer: HiddenLayer,
    /// `[output bucket][hidden neuron][2 · width]`, as in the file.
    pub hidden_weights: Vec<i8>,
    /// The same weights as `[output bucket][2 · width / 4][hidden neuron][4]`: four inputs of all neurons stand
    /// together, so that a kernel can broadcast four activations and skip them when all are zero.
    pub grouped_weights: Vec<ByteLane>,
    /// `[output bucket][hidden neuron]`.
    pub hidden_bias: Vec<i32>,
    /// `[output bucket][hidden neuron]`.
    pub weights: Vec<i16>,
    /// One for each output bucket.
    pub bias: Vec<i32>,
}

impl Network {
    /// Checks the parts, proves that no sum overflows and makes a network of them.
    ///
    /// # Errors
    /// Any [`NetworkError`] that concerns shape, size or overflow.
    pub fn from_parts(parts: NetworkParts) -> Result<Self, NetworkError> {
        parts.check_sizes()?;
        let digest = Digest::of(&format::body(&parts));
        Self::build(parts, digest)
    }

    /// Reads a network file; see [`Network::to_bytes`] for its layout.
    ///
    /// # Errors
    /// Any [`NetworkError`]: wrong magic, version, length, digest, shape, or a possible overflow.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (parts, digest) = format::parse(bytes)?;
        Self::build(parts, digest)
    }

    fn build(parts: NetworkParts, digest: Digest) -> Result<Self, NetworkError> {
        parts.check_sizes()?;
        bounds::prove(&parts)?;
        let NetworkParts {
            name,
            architecture,
            scale,
            feature_bias,
            feature_weights,
            ..
        } = parts;
        let head = match architecture.hidden {
            None => Head::Linear(LinearHead {
                weights: lanes_from_values(&parts.output_weights),
                bias: parts.output_bias,
            }),
            Some(layer) => Head::Hidden(HiddenHead {
                layer,
                grouped_weights: group_hidden_weights(
                    &parts.hidden_weights,
                    layer.width,
                    2 * architecture.width,
                ),
                hidden_weights: parts.hidden_weights,
                hidden_bias: parts.hidden_bias,
                weights: parts.output_weights,
                bias: parts.output_bias,
            }),
        };
        Ok(Self {
            name,
            digest,
            architecture,
            scale,
            feature_bias: lanes_from_values(&feature_bias),
            feature_weights: lanes_from_values(&feature_weights),
            head,
        })
    }

    /// The network as a file. All numbers are little-endian.
    ///
    /// | bytes | content |
    /// | --- | --- |
    /// | 8 | `TABIYANN` |
    /// | 4 | format version, 1 |
    /// | 4 | length of the body in bytes |
    /// | 32 | SHA-256 of the body |
    /// | 1 | body from here on: input kind, 0 = 768 piece-squares |
    /// | 1 | king buckets, 1 to 32 |
    /// | 1 | flags; bit 0: mirror by the king's file |
    /// | 1 | activation, 0 = clipped square |
    /// | 1 | output buckets, 1 or 8 |
    /// | 1 | shift behind the hidden layer, 0 to 16; 0 without one |
    /// | 2 | first-layer width, a multiple of 32 from 64 to 2048 |
    /// | 2 | hidden width, 0, 16 or 32 |
    /// | 1 | shift of the scale, 0 to 30 |
    /// | 1 | 0 |
    /// | 4 | numerator of the scale, above 0 |
    /// | 64 | king bucket for each square, a1 first |
    /// | 48 | name, UTF-8, padded with zero bytes |
    /// | 2 · width | first-layer biases, i16 |
    /// | 2 · width · 768 · king buckets | first-layer weights, i16 `[feature][neuron]` |
    /// | … | hidden weights, i8 `[output bucket][hidden neuron][2 · width]` |
    /// | … | hidden biases, i32 `[output bucket][hidden neuron]` |
    /// | … | output weights, i16 `[output bucket][2 · width or hidden neuron]` |
    /// | … | output biases, i32 `[output bucket]` |
    pub fn to_bytes(&self) -> Vec<u8> {
        format::file(&self.to_parts())
    }

    /// The plain numbers of this network.
    pub fn to_parts(&self) -> NetworkParts {
        let (hidden_weights, hidden_bias, output_weights, output_bias) = match &self.head {
            Head::Linear(head) => (
                vec![],
                vec![],
                lane_values(&head.weights).collect(),
                head.bias.clone(),
            ),
            Head::Hidden(head) => (
                head.hidden_weights.clone(),
                head.hidden_bias.clone(),
                head.weights.clone(),
                head.bias.clone(),
            ),
        };
        NetworkParts {
            name: self.name.clone(),
            architecture: self.architecture.clone(),
            scale: self.scale,
            feature_bias: lane_values(&self.feature_bias).collect(),
            feature_weights: lane_values(&self.feature_weights).collect(),
            hidden_weights,
            hidden_bias,
            output_weights,
            output_bias,
        }
    }

    /// The name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of the file's body: the identity of the network.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// How an output becomes centipawns.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The layers behind the first one.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// First-layer biases.
    pub fn feature_bias(&self) -> &[Lane] {
        &self.feature_bias
    }

    /// First-layer weights, `[feature][width / 32]`.
    pub fn feature_weights(&self) -> &[Lane] {
        &self.feature_weights
    }

    /// Lanes in a first-layer row, `width / 32`.
    pub fn row_lanes(&self) -> usize {
        self.feature_bias.len()
    }

    /// Centipawns for the side to move, from the integer that a kernel gave; see [`Scale::to_centipawns`].
    pub fn to_centipawns(&self, output: i32) -> i32 {
        self.scale.to_centipawns(output)
    }
}

/// Turns `[bucket][neuron][input]` into `[bucket][input / 4][neuron][4]`.
fn group_hidden_weights(weights: &[i8], neurons: usize, inputs: usize) -> Vec<ByteLane> {
    let mut grouped = Vec::with_capacity(weights.len());
    for bucket in weights.chunks_exact(neurons * inputs) {
        for group in 0..inputs / 4 {
            for neuron in bucket.chunks_exact(inputs) {
                grouped.extend_from_slice(&neuron[4 * group..][..4]);
            }
        }
    }
    let (lanes, _rest) = grouped.as_chunks::<64>();
    lanes.iter().map(|&lane| ByteLane(lane)).collect()
}
