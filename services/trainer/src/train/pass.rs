//! Forward and backward pass over a slice of positions on one thread.

use crate::{
    record::{Outcome, Record},
    train::{features::Features, model::Model},
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

/// Neurons summed at a time: few enough that the sums stay in vector registers.
const BLOCK: usize = 64;

/// First-layer sums before the activation, for one perspective.
#[inline]
fn sums<const H: usize>(model: &Model<H>, features: &[u16], out: &mut [f32; H]) {
    let (blocks, _) = out.as_chunks_mut::<BLOCK>();
    for (index, block) in blocks.iter_mut().enumerate() {
        let at = index * BLOCK;
        let mut sum = [0.0f32; BLOCK];
        sum.copy_from_slice(&model.bias[0][at..at + BLOCK]);
        for &feature in features {
            let row = &model.input[usize::from(feature)][at..at + BLOCK];
            for (s, w) in sum.iter_mut().zip(row) {
                *s += w;
            }
        }
        *block = sum;
    }
}

/// The head's value for the two perspectives' sums: the logit of the expected score.
#[inline]
fn head<const H: usize>(model: &Model<H>, sums: &[[f32; H]; 2], bucket: usize) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0f32; LANES];
    for (side, weights) in sums.iter().zip(&model.head[2 * bucket..2 * bucket + 2]) {
        for (s, w) in side
            .as_chunks::<LANES>()
            .0
            .iter()
            .zip(weights.as_chunks::<LANES>().0)
        {
            for lane in 0..LANES {
                let clipped = s[lane].clamp(0.0, 1.0);
                lanes[lane] += clipped * clipped * w[lane];
            }
        }
    }
    lanes.iter().sum::<f32>() + model.head_bias[bucket][0]
}

/// The value of a position from the side to move, as a logit.
pub(crate) fn value<const H: usize>(model: &Model<H>, record: &Record, mirrored: bool) -> f32 {
    let features = Features::new(record, mirrored);
    let mut side = [[0.0; H]; 2];
    for (which, out) in side.iter_mut().enumerate() {
        sums(model, features.perspective(which), out);
    }
    head(model, &side, features.bucket())
}

/// Adds the gradients of the squared error of the expected score over `records` to `gradient`; returns the error's sum.
pub(crate) fn backward<const H: usize>(
    model: &Model<H>,
    records: &[Record],
    target: Target,
    gradient: &mut Model<H>,
) -> f64 {
    let mut loss = 0.0f64;
    let mut side = [[0.0f32; H]; 2];
    for record in records {
        let features = Features::new(record, target.mirrored);
        for (which, out) in side.iter_mut().enumerate() {
            sums(model, features.perspective(which), out);
        }
        let bucket = features.bucket();
        let score = sigmoid(head(model, &side, bucket));
        let error = score - target.expected(record);
        loss += f64::from(error * error);

        let slope = 2.0 * error * score * (1.0 - score);
        gradient.head_bias[bucket][0] += slope;
        for (which, sums) in side.iter_mut().enumerate() {
            let weights = &model.head[2 * bucket + which];
            let weights_slope = &mut gradient.head[2 * bucket + which];
            for ((s, w), g) in sums.iter_mut().zip(weights).zip(weights_slope) {
                let clipped = s.clamp(0.0, 1.0);
                *g += slope * clipped * clipped;
                // The activation is flat outside the clip.
                let inside = if *s > 0.0 && *s < 1.0 { 1.0 } else { 0.0 };
                *s = slope * w * 2.0 * clipped * inside;
            }
            for (g, s) in gradient.bias[0].iter_mut().zip(&*sums) {
                *g += s;
            }
            for &feature in features.perspective(which) {
                for (g, s) in gradient.input[usize::from(feature)].iter_mut().zip(&*sums) {
                    *g += s;
                }
            }
        }
    }
    loss
}

/// The sum of squared errors of the expected score over `records`.
pub(crate) fn loss<const H: usize>(model: &Model<H>, records: &[Record], target: Target) -> f64 {
    let error = |record: &Record| sigmoid(value(model, record, target.mirrored)) - target.expected(record);
    records
        .iter()
        .map(|record| f64::from(error(record)).powi(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_from_fen;

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
    #[test]
    fn gradient_is_the_slope_of_the_loss() {
        let records = labelled();
        let mut model = Model::<64>::random(5);
        let mut gradient = Model::zero();
        let sum = backward(&model, &records, TARGET, &mut gradient);
        assert!((sum - loss(&model, &records, TARGET)).abs() < 1e-6);

        let step = 1e-2f32;
        let mut checked = 0;
        for group in 0..4 {
            let slopes = gradient.groups()[group].to_vec();
            let strongest = slopes.iter().fold(0.0f32, |m, s| m.max(s.abs()));
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
        }
        assert!(checked > 50, "only {checked} parameters checked");
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
