//! Maximum likelihood by gradient ascent with Adam's steps: six numbers, a smooth function.

use super::{
    cells::Cells,
    model::{Model, TERMS, powers},
};

const STEPS: i32 = 6_000;
/// First step's size in centipawns; it falls to 0.
const RATE: f64 = 2.0;
const DECAY: [f64; 2] = [0.9, 0.999];
/// The least chance of a draw that is divided by.
const LEAST: f64 = 1e-9;
/// Where the search begins: half of the games won a pawn ahead.
const START: Model = Model {
    middle: [100.0, 0.0, 0.0],
    width: [50.0, 0.0, 0.0],
};

/// The model that makes what happened most likely. The same cells give the same numbers.
pub(crate) fn fit(cells: &Cells) -> Model {
    let positions = cells.positions() as f64;
    let cells: Vec<_> = cells.iter().collect();
    let mut model = START;
    let (mut mean, mut square) = ([0.0; 2 * TERMS], [0.0; 2 * TERMS]);
    for step in 1..=STEPS {
        let mut gradient = [0.0; 2 * TERMS];
        for cell in &cells {
            let curve = model.curve(cell.material);
            let (win, loss) = curve.win_and_loss(cell.score);
            let draw = (1.0 - win - loss).max(LEAST);
            // The slopes of both chances by the middle; by the width they are these times the distance in widths.
            let by_middle = [win, loss].map(|chance| -chance * (1.0 - chance) / curve.width);
            let distance = [cell.score, -cell.score].map(|score| (score - curve.middle) / curve.width);
            let weights = [cell.wins / win.max(LEAST), cell.losses / loss.max(LEAST)];
            let slope = |slopes: [f64; 2]| {
                weights[0] * slopes[0] + weights[1] * slopes[1] - cell.draws / draw * (slopes[0] + slopes[1])
            };
            let middle = slope(by_middle);
            let width = slope([by_middle[0] * distance[0], by_middle[1] * distance[1]]);
            for (index, power) in powers(cell.material).into_iter().enumerate() {
                gradient[index] += middle * power / positions;
                gradient[TERMS + index] += width * power / positions;
            }
        }
        let rate = RATE * (1.0 - f64::from(step - 1) / f64::from(STEPS));
        let terms = model.middle.iter_mut().chain(&mut model.width);
        for (index, term) in terms.enumerate() {
            mean[index] += (1.0 - DECAY[0]) * (gradient[index] - mean[index]);
            square[index] += (1.0 - DECAY[1]) * (gradient[index] * gradient[index] - square[index]);
            let mean = mean[index] / (1.0 - DECAY[0].powi(step));
            let square: f64 = square[index] / (1.0 - DECAY[1].powi(step));
            *term += rate * mean / (square.sqrt() + 1e-12);
        }
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rng::Rng,
        wdl::observed::{End, Observed},
    };

    /// Games drawn from a known model give that model back.
    #[test]
    fn the_truth_is_found() {
        let truth = Model {
            middle: [60.0, 70.0, 0.0],
            width: [30.0, 40.0, 0.0],
        };
        let mut rng = Rng::new(1, 1);
        let mut cells = Cells::default();
        for _ in 0..400_000 {
            let material = 12 + rng.below(66) as u32;
            let score = rng.below(801) as i32 - 400;
            let (win, loss) = truth.curve(material).win_and_loss(f64::from(score));
            let chance = rng.below(1_000_000) as f64 / 1e6;
            let end = match chance {
                chance if chance < win => End::Win,
                chance if chance < win + loss => End::Loss,
                _ => End::Draw,
            };
            cells.add(&Observed { score, material, end });
        }
        let found = fit(&cells);
        for material in [15, 30, 50, 78] {
            let (truth, found) = (truth.curve(material), found.curve(material));
            assert!(
                (truth.middle - found.middle).abs() < 3.0,
                "{material}: {truth:?}, {found:?}"
            );
            assert!(
                (truth.width - found.width).abs() < 2.0,
                "{material}: {truth:?}, {found:?}"
            );
        }
        assert!(cells.loss(&found) <= cells.loss(&truth));
    }
}
