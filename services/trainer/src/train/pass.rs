//! Forward and backward pass over a slice of positions on one thread.

use crate::{
    record::{Outcome, Record},
    train::{
        features::Features,
        head::{Head, Sides},
        model::{BLOCK, Model},
    },
};

/// What the loss compares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Centipawns for one unit of logit.
    pub(crate) scale: f32,
    /// Weight of the game's result, 0 to 1; the rest is the label's.
    pub(crate) result_weight: f32,
    /// Whether inputs are mirrored by the king's file.
    pub(crate) mirrored: bool,
}

impl Target {
    /// The expected score for the side to move, 0 to 1.
    #[inline]
    fn expected(&self, record: &Record) -> f32 {
        let label = sigmoid(f32::from(record.label().unwrap_or(0)) / self.scale);
        let white = match record.outcome() {
            Outcome::Unknown => return label,
            Outcome::Black => 0.0,
            Outcome::Draw => 0.5,
            Outcome::White => 1.0,
        };
        let result = if record.black_to_move() {
            1.0 - white
        } else {
            white
        };
        label + self.result_weight * (result - label)
    }
}

/// The logistic function.
#[inline]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Rows that go through the layers together: so many that the weights which a block needs are fetched once for
/// them all, so few that their first-layer values stay in a shared cache.
const CHUNK: usize = 256;

/// First-layer values of both sides, clipped to 0 to 1.
#[inline]
fn first_layer<const H: usize, T: Head<H>>(model: &Model<H, T>, rows: &[Features], out: &mut [Sides<H>]) {
    for block in 0..Model::<H, T>::BLOCKS {
        let weights = model.block(block);
        let bias = &model.bias[0].as_chunks::<BLOCK>().0[block];
        for (features, sides) in rows.iter().zip(&mut *out) {
            for (which, side) in sides.iter_mut().enumerate() {
                let mut sum = *bias;
                for &feature in features.perspective(which) {
                    for (s, w) in sum.iter_mut().zip(&weights[usize::from(feature)]) {
                        *s += w;
                    }
                }
                side.as_chunks_mut::<BLOCK>().0[block] = sum.map(|s| s.clamp(0.0, 1.0));
            }
        }
    }
}

/// Adds the gradient of the first layer, given the derivatives by its sums.
#[inline]
fn first_layer_backward<const H: usize, T: Head<H>>(
    rows: &[Features],
    slopes: &[Sides<H>],
    gradient: &mut Model<H, T>,
) {
    for block in 0..Model::<H, T>::BLOCKS {
        let bias = &mut gradient.bias[0].as_chunks_mut::<BLOCK>().0[block];
        for side in slopes.iter().flatten() {
            for (g, s) in bias.iter_mut().zip(&side.as_chunks::<BLOCK>().0[block]) {
                *g += s;
            }
        }
        let weights = gradient.block_mut(block);
        for (features, sides) in rows.iter().zip(slopes) {
            for (which, side) in sides.iter().enumerate() {
                let slope = side.as_chunks::<BLOCK>().0[block];
                for &feature in features.perspective(which) {
                    for (g, s) in weights[usize::from(feature)].iter_mut().zip(&slope) {
                        *g += s;
                    }
                }
            }
        }
    }
}

/// Calls `each` with every record, its inputs and its first-layer values.
pub(crate) fn first_layers<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    records: &[Record],
    mirrored: bool,
    mut each: impl FnMut(&Record, &Features, &Sides<H>),
) {
    let mut sides = vec![[[0.0; H]; 2]; CHUNK.min(records.len())];
    for records in records.chunks(CHUNK) {
        let features: Vec<_> = records.iter().map(|r| Features::new(r, mirrored)).collect();
        first_layer(model, &features, &mut sides);
        for ((record, features), sides) in records.iter().zip(&features).zip(&sides) {
            each(record, features, sides);
        }
    }
}

/// Calls `each` with every record and its value from the side to move, as a logit.
pub(crate) fn values<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    records: &[Record],
    mirrored: bool,
    mut each: impl FnMut(&Record, f32),
) {
    first_layers(model, records, mirrored, |record, features, sides| {
        each(record, model.head.value(sides, features.bucket()));
    });
}

/// Adds the gradients of the squared error of the expected score over `records` to `gradient`; returns the error's
/// sum. Neighbours with the same number of pieces are worked on together.
pub(crate) fn backward<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    records: &[Record],
    target: Target,
    gradient: &mut Model<H, T>,
) -> f64 {
    let mut loss = 0.0f64;
    let mut sides = vec![[[0.0; H]; 2]; CHUNK.min(records.len())];
    for records in records.chunks(CHUNK) {
        let features: Vec<_> = records
            .iter()
            .map(|r| Features::new(r, target.mirrored))
            .collect();
        let sides = &mut sides[..records.len()];
        first_layer(model, &features, sides);
        let mut done = 0;
        for alike in features.chunk_by(|a, b| a.bucket() == b.bucket()) {
            let slope = |row: usize, logit: f32| {
                let score = sigmoid(logit);
                let error = score - target.expected(&records[done + row]);
                loss += f64::from(error * error);
                2.0 * error * score * (1.0 - score)
            };
            let rows = &mut sides[done..done + alike.len()];
            model
                .head
                .learn(rows, alike[0].bucket(), slope, &mut gradient.head);
            done += alike.len();
        }
        first_layer_backward(&features, sides, gradient);
    }
    loss
}

/// The sum of squared errors of the expected score over `records`.
pub(crate) fn loss<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    records: &[Record],
    target: Target,
) -> f64 {
    let mut sum = 0.0;
    values(model, records, target.mirrored, |record, logit| {
        sum += f64::from(sigmoid(logit) - target.expected(record)).powi(2);
    });
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        record::tests::record_from_fen,
        train::head::{Hidden, Linear},
    };

    const TARGET: Target = Target {
        scale: 200.0,
        result_weight: 0.3,
        mirrored: true,
    };

    fn labelled() -> Vec<Record> {
        let fens = [
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
                40,
                Outcome::White,
            ),
            (
                "2r3k1/5pp1/p3p2p/1p1n4/3P4/P4N1P/1P3PP1/2R3K1 b - -",
                -20,
                Outcome::Unknown,
            ),
            ("8/5pk1/6p1/8/3K4/6P1/5P2/8 b - -", 5, Outcome::Draw),
        ];
        fens.into_iter()
            .map(|(fen, label, outcome)| {
                let mut record = record_from_fen(fen);
                record.set_label(label);
                record.set_outcome(outcome);
                record
            })
            .collect()
    }

    /// The written-out derivative is the slope that the loss really has, in every parameter group.
    fn gradient_is_the_slope<T: Head<64>>(step: f32) {
        // Nine rows of each kind: a whole tile and a rest.
        let records: Vec<_> = labelled().into_iter().flat_map(|row| [row; 9]).collect();
        let mut model = Model::<64, T>::random(5);
        let mut gradient = Model::zero();
        let sum = backward(&model, &records, TARGET, &mut gradient);
        assert!((sum - loss(&model, &records, TARGET)).abs() < 1e-5);

        let groups = gradient.groups().len();
        for group in 0..groups {
            let slopes = gradient.groups()[group].to_vec();
            let strongest = slopes.iter().fold(0.0f32, |m, s| m.max(s.abs()));
            let mut checked = 0;
            for (index, &slope) in slopes.iter().enumerate() {
                if slope.abs() < strongest * 0.5 {
                    continue;
                }
                let at = model.groups()[group][index];
                model.groups_mut()[group][index] = at + step;
                let above = loss(&model, &records, TARGET);
                model.groups_mut()[group][index] = at - step;
                let below = loss(&model, &records, TARGET);
                model.groups_mut()[group][index] = at;
                let measured = ((above - below) / f64::from(2.0 * step)) as f32;
                assert!(
                    (measured - slope).abs() < 0.05 * strongest,
                    "group {group} parameter {index}: {measured} against {slope}"
                );
                checked += 1;
            }
            assert!(checked > 0, "no parameter of group {group} checked");
        }
    }

    #[test]
    fn gradient_of_a_linear_head_is_the_slope_of_the_loss() {
        gradient_is_the_slope::<Linear<64>>(1e-2);
    }

    #[test]
    fn gradient_of_a_hidden_layer_is_the_slope_of_the_loss() {
        gradient_is_the_slope::<Hidden<64, 16>>(1e-2);
        gradient_is_the_slope::<Hidden<64, 32>>(1e-2);
    }

    #[test]
    fn result_counts_from_the_side_to_move() {
        let mut record = record_from_fen("8/5pk1/6p1/8/3K4/6P1/5P2/8 b - -");
        record.set_label(0);
        record.set_outcome(Outcome::Black);
        assert!((TARGET.expected(&record) - 0.65).abs() < 1e-6);
        record.set_outcome(Outcome::White);
        assert!((TARGET.expected(&record) - 0.35).abs() < 1e-6);
    }
}
