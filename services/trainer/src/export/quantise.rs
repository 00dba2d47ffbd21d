//! From float parameters to the evaluator's integers, by rounding.

use tabiya_evaluator::network::{Architecture, HiddenLayer, KingBuckets, NetworkParts, OutputBuckets, Scale};

use crate::train::{
    checkpoint::Header,
    head::{Head, Layers},
    model::Model,
};

/// First-layer weights are multiples of 1/255: a neuron's full activation is 255.
pub(super) const INPUT_UNIT: f32 = 255.0;
/// A full activation in front of a linear output: 255 squared, shifted right by 8.
const LINEAR_ACTIVATION: f32 = 255.0 * 255.0 / 256.0;
/// Weights of a linear output are multiples of this part. 2 x 1024 of them at 1.98 times 254 still fit 32 bits.
const LINEAR_UNIT: f32 = 512.0;
/// A full activation in front of a hidden layer: 255 squared, shifted right by 9.
const HIDDEN_ACTIVATION: f32 = 255.0 * 255.0 / 512.0;
/// A full hidden neuron.
const HIDDEN_OUTPUT: f32 = 255.0;
/// Output weights behind a hidden layer are multiples of this part: 31 of them fit 16 bits.
const OUTPUT_UNIT: f32 = 1024.0;
const SCALE_SHIFT: u8 = 24;

/// The integer output for a logit of 1.
pub(super) fn output_unit(hidden: usize) -> f32 {
    if hidden == 0 {
        LINEAR_ACTIVATION * LINEAR_UNIT
    } else {
        HIDDEN_OUTPUT * OUTPUT_UNIT
    }
}

/// The hidden layer's integer sum for a float sum of 1, which is a full neuron: 255 after the shift.
pub(super) fn hidden_sum_unit(shift: u8) -> f32 {
    HIDDEN_OUTPUT * f32::from(1u16 << shift)
}

/// The integer network nearest to `model`. `shift` is that behind a hidden layer: a full activation times a hidden
/// weight of 1 must give 255 after it, so it says how fine the weights' steps are. Weights that 8 bits cannot hold
/// at that step are cut to what they can.
pub(super) fn quantise<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    header: &Header,
    name: &str,
    shift: u8,
) -> NetworkParts {
    let unit = output_unit(T::HIDDEN);
    let mut parts = NetworkParts {
        name: name.into(),
        architecture: Architecture {
            king_buckets: KingBuckets {
                map: [0; 64],
                mirror: header.mirrored,
            },
            width: H,
            output_buckets: OutputBuckets::Eight,
            hidden: (T::HIDDEN > 0).then_some(HiddenLayer {
                width: T::HIDDEN,
                shift,
            }),
        },
        scale: Scale {
            numerator: (header.scale / unit * (1u64 << SCALE_SHIFT) as f32).round() as i32,
            shift: SCALE_SHIFT,
        },
        feature_bias: shorts(model.bias[0], INPUT_UNIT),
        feature_weights: shorts(model.inputs(), INPUT_UNIT),
        hidden_weights: Vec::new(),
        hidden_bias: Vec::new(),
        output_weights: Vec::new(),
        output_bias: Vec::new(),
    };
    match model.head.layers() {
        Layers::Linear { weights, bias } => {
            parts.output_weights = shorts(weights.iter().copied(), LINEAR_UNIT);
            parts.output_bias = longs(bias, unit);
        }
        Layers::Hidden {
            hidden_weights,
            hidden_bias,
            weights,
            bias,
        } => {
            let sum_unit = hidden_sum_unit(shift);
            let step = sum_unit / HIDDEN_ACTIVATION;
            let byte = |weight: &f32| (weight * step).round().clamp(-127.0, 127.0) as i8;
            parts.hidden_weights = hidden_weights.iter().map(byte).collect();
            // Half a step more, so that the shift rounds to the nearest.
            let half = (1 << shift) >> 1;
            parts.hidden_bias = longs(hidden_bias, sum_unit)
                .iter()
                .map(|bias| bias + half)
                .collect();
            parts.output_weights = shorts(weights.iter().copied(), OUTPUT_UNIT);
            parts.output_bias = longs(bias, unit);
        }
    }
    parts
}

fn shorts(values: impl IntoIterator<Item = f32>, unit: f32) -> Vec<i16> {
    values
        .into_iter()
        .map(|value| (value * unit).round() as i16)
        .collect()
}

fn longs(values: &[f32], unit: f32) -> Vec<i32> {
    values.iter().map(|value| (value * unit).round() as i32).collect()
}
