//! Shifts round down and weights are rounded; what that takes away on average is given back to the biases.

use tabiya_evaluator::network::NetworkParts;

use super::{
    compare::Compared,
    quantise::{INPUT_UNIT, hidden_sum_unit},
};
use crate::{
    parallel,
    record::Record,
    train::{
        features::{BUCKETS, Features},
        head::{Head, Layers, Sides},
        model::Model,
        pass,
    },
};

/// A bias that fewer rows speak for stays: they say more about their noise than about the rounding.
const FEWEST_ROWS: u32 = 200;

/// A mean in the making.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Adds the mean to `bias`, if enough rows speak for it.
    fn correct(self, bias: &mut i32) {
        if self.count >= FEWEST_ROWS {
            *bias = bias.saturating_add((self.sum / f64::from(self.count)).round() as i32);
        }
    }
}

/// Corrects the output biases by what the whole network loses.
pub(super) fn output_bias(parts: &mut NetworkParts, rows: &[Compared]) {
    let mut means = [Mean::default(); BUCKETS];
    for row in rows {
        means[row.bucket].add(row.exact - f64::from(row.output));
    }
    for (bias, mean) in parts.output_bias.iter_mut().zip(means) {
        mean.correct(bias);
    }
}

/// Corrects the hidden biases by what each neuron's sum loses on rows where the neuron follows its inputs.
pub(super) fn hidden_bias<const H: usize, T: Head<H>>(
    parts: &mut NetworkParts,
    model: &Model<H, T>,
    mirrored: bool,
    rows: &[Record],
) {
    let (
        Some(layer),
        Layers::Hidden {
            hidden_weights,
            hidden_bias,
            ..
        },
    ) = (parts.architecture.hidden, model.head.layers())
    else {
        return;
    };
    let unit = f64::from(hidden_sum_unit(layer.shift));
    let half = f64::from((1 << layer.shift) >> 1);
    let given = &*parts;
    let lost = |rows: &[Record]| {
        let mut means = vec![Mean::default(); BUCKETS * T::HIDDEN];
        pass::first_layers(model, rows, mirrored, |_, features, sides| {
            let activations = integer_activations(given, features);
            let first = features.bucket() * T::HIDDEN;
            for (index, mean) in means.iter_mut().enumerate().skip(first).take(T::HIDDEN) {
                let weights = &hidden_weights[index * 2 * H..][..2 * H];
                let float = hidden_bias[index] + dot_squares(sides, weights);
                if !(0.0..=1.0).contains(&float) {
                    continue;
                }
                let weights = &given.hidden_weights[index * 2 * H..][..2 * H];
                let products = weights.iter().zip(&activations).map(|(&w, &a)| i32::from(w) * a);
                let integer = given.hidden_bias[index] + products.sum::<i32>();
                mean.add(f64::from(float) * unit + half - f64::from(integer));
            }
        });
        means
    };
    let mut sums = vec![Mean::default(); BUCKETS * T::HIDDEN];
    for means in parallel::map_chunks(rows, lost) {
        for (sum, mean) in sums.iter_mut().zip(means) {
            sum.sum += mean.sum;
            sum.count += mean.count;
        }
    }
    for (bias, mean) in parts.hidden_bias.iter_mut().zip(sums) {
        mean.correct(bias);
    }
}

/// What stands in front of the integer hidden layer: `clamp(x, 0, 255)² >> 9` of both sides.
fn integer_activations(parts: &NetworkParts, features: &Features) -> Vec<i32> {
    let width = parts.architecture.width;
    let mut activations = Vec::with_capacity(2 * width);
    for which in 0..2 {
        let mut sums: Vec<i32> = parts.feature_bias.iter().map(|&bias| bias.into()).collect();
        for &feature in features.perspective(which) {
            let weights = &parts.feature_weights[usize::from(feature) * width..][..width];
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum += i32::from(weight);
            }
        }
        let full = INPUT_UNIT as i32;
        activations.extend(sums.iter().map(|sum| sum.clamp(&0, &full).pow(2) >> 9));
    }
    activations
}

fn dot_squares<const H: usize>(sides: &Sides<H>, weights: &[f32]) -> f32 {
    let products = sides.as_flattened().iter().zip(weights).map(|(x, w)| x * x * w);
    products.sum()
}
