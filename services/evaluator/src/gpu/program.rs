//! A network as its kernel sees it: WGSL and buffers.

use tabiya_eval_shaders::{
    HiddenShape, KernelLayout, KernelShape, ShapeError, kernel_source,
    upload::{self, KING_TABLE_ENTRIES, MIRROR_BIT},
};

use crate::{
    lane::lane_values,
    network::{Architecture, Head, KingBuckets, Network, architecture::FEATURES_PER_BUCKET},
};

/// Bytes and text to set a kernel up.
pub(super) struct Program {
    pub(super) source: String,
    pub(super) first_layer: Vec<u8>,
    pub(super) head: Vec<u8>,
    pub(super) king_table: Vec<u8>,
}

impl Program {
    pub(super) fn new(network: &Network, layout: KernelLayout) -> Result<Self, ShapeError> {
        let shape = kernel_shape(network.architecture());
        let source = kernel_source(&shape, layout)?;
        let weights: Vec<i16> = lane_values(network.feature_weights()).collect();
        let bias: Vec<i16> = lane_values(network.feature_bias()).collect();
        let head = match network.head() {
            Head::Linear(head) => {
                let weights: Vec<i16> = lane_values(&head.weights).collect();
                upload::linear_head_bytes(&shape, &weights, &head.bias)
            }
            Head::Hidden(head) => upload::hidden_head_bytes(
                &shape,
                &upload::HiddenHead {
                    weights: &head.hidden_weights,
                    biases: &head.hidden_bias,
                    output_weights: &head.weights,
                    output_biases: &head.bias,
                },
            ),
        };
        Ok(Self {
            source,
            first_layer: upload::first_layer_bytes(&shape, &weights, &bias),
            head,
            king_table: upload::king_table_bytes(&king_table(&network.architecture().king_buckets)),
        })
    }
}

/// The shape that the kernels need to know.
pub(super) fn kernel_shape(architecture: &Architecture) -> KernelShape {
    KernelShape {
        l1: architecture.width as u32,
        feature_rows: architecture.feature_count() as u32,
        output_buckets: architecture.output_buckets.count() as u32,
        activation_max: 255,
        activation_shift: if architecture.hidden.is_some() { 9 } else { 8 },
        hidden: architecture.hidden.map(|hidden| HiddenShape {
            width: hidden.width as u32,
            shift: hidden.shift.into(),
            max: 255,
        }),
    }
}

/// The rule of [`crate::network::features`] as a table over the king's square as its owner sees it.
fn king_table(buckets: &KingBuckets) -> [u32; KING_TABLE_ENTRIES] {
    std::array::from_fn(|square| {
        let mirrored = buckets.mirror && square & 7 >= 4;
        let seen = if mirrored { square ^ 7 } else { square };
        let first_row = u32::from(buckets.map[seen]) * FEATURES_PER_BUCKET as u32;
        first_row | if mirrored { MIRROR_BIT } else { 0 }
    })
}
