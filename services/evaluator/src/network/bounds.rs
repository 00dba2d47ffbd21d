//! The proof that no sum of a network can overflow.
//!
//! A board has at most one piece on a square and at most 34 pieces (32, and one a side that analysis tolerates). So a first-layer neuron reaches at most
//! its bias plus the 34 largest of 64 numbers: for each square the largest positive weight among the twelve
//! pieces that may stand there (and likewise below zero). If that fits 16 bits, every finished sum does, and
//! wrapping additions in any order, also of two sums packed in one 32-bit word, give it exactly.
//!
//! Later sums are bounded by the sum of all magnitudes, which also bounds every partial sum in every lane.

use super::architecture::{Architecture, FEATURES_PER_BUCKET};
use super::{NetworkError, NetworkParts};

const MAX_PIECES: usize = tabiya_eval_shaders::layout::MAX_PIECES as usize;
const SQUARES: usize = 64;
/// The largest activation in front of a linear output: `255² >> 8`.
const MAX_LINEAR_ACTIVATION: i64 = 254;
/// The largest activation in front of a hidden layer: `255² >> 9`.
const MAX_HIDDEN_INPUT: i64 = 127;
/// The largest output of the hidden layer.
const MAX_HIDDEN_OUTPUT: i64 = 255;

/// Proves that no sum overflows. The parts' sizes must have been checked.
pub(super) fn prove(parts: &NetworkParts) -> Result<(), NetworkError> {
    prove_features(parts)?;
    let shape = &parts.architecture;
    if shape.hidden.is_some() {
        prove_hidden(parts, shape)?;
        prove_outputs(parts, shape, MAX_HIDDEN_OUTPUT)
    } else {
        prove_outputs(parts, shape, MAX_LINEAR_ACTIVATION)
    }
}

fn prove_features(parts: &NetworkParts) -> Result<(), NetworkError> {
    let width = parts.architecture.width;
    for (king_bucket, rows) in parts
        .feature_weights
        .chunks_exact(FEATURES_PER_BUCKET * width)
        .enumerate()
    {
        let mut highest = vec![0_i16; SQUARES * width];
        let mut lowest = vec![0_i16; SQUARES * width];
        for (feature, row) in rows.chunks_exact(width).enumerate() {
            let start = feature % SQUARES * width;
            for (best, &weight) in highest[start..][..width].iter_mut().zip(row) {
                *best = weight.max(*best);
            }
            for (best, &weight) in lowest[start..][..width].iter_mut().zip(row) {
                *best = weight.min(*best);
            }
        }
        for (neuron, &bias) in parts.feature_bias.iter().enumerate() {
            let column = |extremes: &[i16]| -> [i64; SQUARES] {
                std::array::from_fn(|square| i64::from(extremes[square * width + neuron]).abs())
            };
            let above = i64::from(bias) + sum_of_largest(column(&highest));
            let below = i64::from(bias) - sum_of_largest(column(&lowest));
            for reach in [above, below] {
                if i16::try_from(reach).is_err() {
                    return Err(NetworkError::FeatureOverflow {
                        king_bucket,
                        neuron,
                        reach,
                    });
                }
            }
        }
    }
    Ok(())
}

/// The sum of the [`MAX_PIECES`] largest values.
fn sum_of_largest(mut values: [i64; SQUARES]) -> i64 {
    let (_, middle, larger) = values.select_nth_unstable(SQUARES - MAX_PIECES);
    *middle + larger.iter().sum::<i64>()
}

fn prove_hidden(parts: &NetworkParts, shape: &Architecture) -> Result<(), NetworkError> {
    let neurons = shape.hidden_width();
    let rows = parts.hidden_weights.chunks_exact(2 * shape.width);
    for (index, (row, &bias)) in rows.zip(&parts.hidden_bias).enumerate() {
        let magnitudes: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
        let reach = i64::from(bias).abs() + MAX_HIDDEN_INPUT * magnitudes;
        if reach > i64::from(i32::MAX) {
            let (output_bucket, neuron) = (index / neurons, index % neurons);
            return Err(NetworkError::HiddenOverflow {
                output_bucket,
                neuron,
                reach,
            });
        }
    }
    Ok(())
}

fn prove_outputs(parts: &NetworkParts, shape: &Architecture, max_input: i64) -> Result<(), NetworkError> {
    let rows = parts.output_weights.chunks_exact(shape.output_inputs());
    for (output_bucket, (row, &bias)) in rows.zip(&parts.output_bias).enumerate() {
        let magnitudes: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
        let reach = i64::from(bias).abs() + max_input * magnitudes;
        if reach > i64::from(i32::MAX) {
            return Err(NetworkError::OutputOverflow { output_bucket, reach });
        }
    }
    Ok(())
}
