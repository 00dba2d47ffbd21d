//! Why a network is refused.

use super::Digest;

/// Why a network is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file does not begin with the magic bytes.
    #[error("network file does not begin with TABIYANN")]
    Magic,
    /// A format version that this program does not read.
    #[error("network format version {0} is unknown, expected 1")]
    Version(u32),
    /// The file is shorter or longer than its header says.
    #[error("network {what} is {found} bytes long, expected {expected}")]
    Length {
        /// Which piece of the file.
        what: &'static str,
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// The body is not what was written.
    #[error("network body has SHA-256 {found}, the header says {expected}")]
    Digest {
        /// Of the body read.
        found: Digest,
        /// In the header.
        expected: Digest,
    },
    /// A header field with a value that this program does not know.
    #[error("network header field {field} has unknown value {value}")]
    Field {
        /// Its name in the format table.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// The name is too long for the file, holds a zero byte, or is not UTF-8.
    #[error("network name is not UTF-8 of at most 48 bytes without zero bytes")]
    Name,
    /// A first-layer width out of range.
    #[error("network width {0} is not a multiple of 32 from 64 to 2048")]
    Width(usize),
    /// A hidden layer out of range.
    #[error("network hidden layer has width {width} and shift {shift}, expected 16 or 32 and 0 to 16")]
    HiddenLayer {
        /// Neurons.
        width: usize,
        /// Right shift.
        shift: u8,
    },
    /// A king-bucket map that makes no sense.
    #[error("network king-bucket map is wrong: {reason}")]
    KingBuckets {
        /// What is wrong.
        reason: &'static str,
    },
    /// A scale out of range.
    #[error("network scale {numerator} / 2^{shift} is out of range")]
    Scale {
        /// Numerator.
        numerator: i32,
        /// Shift.
        shift: u8,
    },
    /// A list of weights whose length does not fit the shape.
    #[error("network has {found} {what}, expected {expected}")]
    Weights {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the shape demands.
        expected: usize,
    },
    /// A first-layer sum might leave 16 bits.
    #[error(
        "network first-layer neuron {neuron} of king bucket {king_bucket} can reach {reach}, beyond 16 bits"
    )]
    FeatureOverflow {
        /// King bucket.
        king_bucket: usize,
        /// Neuron, 0 to width - 1.
        neuron: usize,
        /// The extreme value of the sum.
        reach: i64,
    },
    /// A hidden sum might leave 32 bits.
    #[error(
        "network hidden neuron {neuron} of output bucket {output_bucket} can reach {reach}, beyond 32 bits"
    )]
    HiddenOverflow {
        /// Output bucket.
        output_bucket: usize,
        /// Neuron, 0 to hidden width - 1.
        neuron: usize,
        /// Sum of all magnitudes.
        reach: i64,
    },
    /// An output sum might leave 32 bits.
    #[error("network output {output_bucket} can reach {reach}, beyond 32 bits")]
    OutputOverflow {
        /// Output bucket.
        output_bucket: usize,
        /// Sum of all magnitudes.
        reach: i64,
    },
}
