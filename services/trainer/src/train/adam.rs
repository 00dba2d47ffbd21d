//! AdamW over the parameter groups, spread over threads.

use std::thread;

use crate::train::{head::Head, model::Model};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// First and second moments, and the number of steps taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adam<const H: usize, T> {
    pub(crate) mean: Model<H, T>,
    pub(crate) square: Model<H, T>,
    pub(crate) steps: u64,
}

impl<const H: usize, T: Head<H>> Adam<H, T> {
    /// No steps taken.
    pub(crate) fn new() -> Self {
        Self {
            mean: Model::zero(),
            square: Model::zero(),
            steps: 0,
        }
    }

    /// One step against the sum of `gradients`, times `factor` (one over the batch size); the gradients are zeroed.
    pub(crate) fn step(
        &mut self,
        model: &mut Model<H, T>,
        gradients: &mut [Model<H, T>],
        factor: f32,
        rate: f32,
        decay: f32,
    ) {
        self.steps += 1;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let step = Step {
            factor,
            rate: rate / (1.0 - BETA1.powi(steps)),
            correction: 1.0 / (1.0 - BETA2.powi(steps)),
            shrink: 1.0 - rate * decay,
        };
        let parts = gradients.len();
        let mut sources: Vec<_> = gradients.iter_mut().map(|g| g.groups_mut().into_iter()).collect();
        thread::scope(|scope| {
            let groups = model.groups_mut().into_iter();
            let moments = self.mean.groups_mut().into_iter().zip(self.square.groups_mut());
            for ((weights, (mean, square)), clip) in groups.zip(moments).zip(Model::<H, T>::clips()) {
                let sources: Vec<&mut [f32]> = sources.iter_mut().filter_map(Iterator::next).collect();
                let length = weights.len().div_ceil(parts);
                let mut sources: Vec<_> = sources.into_iter().map(|s| s.chunks_mut(length)).collect();
                let slices = weights
                    .chunks_mut(length)
                    .zip(mean.chunks_mut(length))
                    .zip(square.chunks_mut(length));
                for ((weights, mean), square) in slices {
                    let gradients: Vec<&mut [f32]> = sources.iter_mut().filter_map(Iterator::next).collect();
                    // Only the input rows are worth a thread.
                    if weights.len() > 4096 {
                        scope.spawn(move || step.apply(weights, mean, square, gradients, clip));
                    } else {
                        step.apply(weights, mean, square, gradients, clip);
                    }
                }
            }
        });
    }
}

/// The constants of one step.
#[derive(Clone, Copy)]
struct Step {
    factor: f32,
    rate: f32,
    correction: f32,
    shrink: f32,
}

impl Step {
    fn apply(
        self,
        weights: &mut [f32],
        mean: &mut [f32],
        square: &mut [f32],
        gradients: Vec<&mut [f32]>,
        clip: f32,
    ) {
        let mut gradients = gradients.into_iter();
        let Some(total) = gradients.next() else { return };
        for other in gradients {
            for (t, o) in total.iter_mut().zip(other) {
                *t += *o;
                *o = 0.0;
            }
        }
        for (((w, m), s), g) in weights.iter_mut().zip(mean).zip(square).zip(total) {
            let slope = *g * self.factor;
            *g = 0.0;
            *m = BETA1 * *m + (1.0 - BETA1) * slope;
            *s = BETA2 * *s + (1.0 - BETA2) * slope * slope;
            let change = self.rate * *m / ((*s * self.correction).sqrt() + EPSILON);
            *w = (*w * self.shrink - change).clamp(-clip, clip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::head::Hidden;

    type Net = Model<64, Hidden<64, 16>>;

    #[test]
    fn first_step_moves_by_the_rate_against_the_slope() {
        let mut model = Net::random(1);
        let before = model.clone();
        let mut gradients = vec![Net::zero(), Net::zero()];
        gradients[0].input[3][5] = 4.0;
        gradients[1].input[3][5] = 4.0;
        gradients[0].head.hidden[20][1][7] = 3.0;
        gradients[1].head.bias[2] = -1.0;
        let mut adam = Adam::new();
        adam.step(&mut model, &mut gradients, 0.5, 0.01, 0.0);
        assert!((before.input[3][5] - model.input[3][5] - 0.01).abs() < 1e-6);
        assert!((before.head.hidden[20][1][7] - model.head.hidden[20][1][7] - 0.01).abs() < 1e-6);
        assert!((model.head.bias[2] - before.head.bias[2] - 0.01).abs() < 1e-6);
        assert_eq!(model.input[4], before.input[4]);
        assert_eq!(gradients, [Net::zero(), Net::zero()], "gradients are used up");
        assert_eq!(adam.steps, 1);
    }

    /// What export can write: 16 bits in the first layer, 8 in the hidden one, 16 behind it.
    #[test]
    fn each_group_stays_within_its_clip() {
        let mut model = Net::random(1);
        let mut gradients = vec![Net::zero()];
        let mut adam = Adam::new();
        for _ in 0..400 {
            gradients[0].input[0].fill(-1.0);
            gradients[0].head.hidden[0][0].fill(1.0);
            gradients[0].head.weights[0].fill(1.0);
            adam.step(&mut model, &mut gradients, 1.0, 0.1, 0.0);
        }
        assert_eq!(model.input[0], [1.98; 64]);
        assert_eq!(model.head.hidden[0][0], [-0.985; 64]);
        assert_eq!(model.head.weights[0], [-31.0; 16]);
    }
}
