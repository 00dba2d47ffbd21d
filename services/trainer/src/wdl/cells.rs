//! Positions counted by score and material, as fitting goes over them often.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    model::{MATERIAL, Model},
    observed::{End, Observed},
};

/// Scores that are counted together, centipawns.
const STEP: i32 = 4;
/// The least chance that a result is given: a result that was ruled out costs much, not everything.
const LEAST: f64 = 1e-6;

/// How often each result came of each score and material.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    counts: BTreeMap<(u32, i32), [f64; 3]>,
}

/// Positions of about the same score and material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) material: u32,
    /// Centipawns.
    pub(crate) score: f64,
    pub(crate) losses: f64,
    pub(crate) draws: f64,
    pub(crate) wins: f64,
}

impl Cell {
    /// Positions counted.
    pub(crate) fn count(&self) -> f64 {
        self.losses + self.draws + self.wins
    }
}

impl Cells {
    pub(crate) fn add(&mut self, observed: &Observed) {
        let material = observed.material.clamp(*MATERIAL.start(), *MATERIAL.end());
        // Rounded the same way on both sides of 0.
        let step = (observed.score.abs() + STEP / 2) / STEP * observed.score.signum();
        let index = match observed.end {
            End::Loss => 0,
            End::Draw => 1,
            End::Win => 2,
        };
        self.counts.entry((material, step)).or_default()[index] += 1.0;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        self.counts
            .iter()
            .map(|(&(material, step), &[losses, draws, wins])| Cell {
                material,
                score: f64::from(step * STEP),
                losses,
                draws,
                wins,
            })
    }

    /// Positions counted.
    pub(crate) fn positions(&self) -> u64 {
        self.iter().map(|cell| cell.count()).sum::<f64>() as u64
    }

    /// Mean negative logarithm of the chance that the model gave to what happened.
    pub(crate) fn loss(&self, model: &Model) -> f64 {
        let sum: f64 = self
            .iter()
            .map(|cell| {
                let (win, loss) = model.curve(cell.material).win_and_loss(cell.score);
                let draw = 1.0 - win - loss;
                [(cell.wins, win), (cell.losses, loss), (cell.draws, draw)]
                    .map(|(count, chance)| -count * chance.max(LEAST).ln())
                    .iter()
                    .sum::<f64>()
            })
            .sum();
        sum / self.positions().max(1) as f64
    }

    /// A line for each tenth of the expected score: positions, what was expected and what happened.
    pub(crate) fn table(&self, model: &Model) -> String {
        let mut rows = [[0.0; 5]; 10];
        for cell in self.iter() {
            let (win, loss) = model.curve(cell.material).win_and_loss(cell.score);
            let expected = f64::midpoint(1.0 + win, -loss);
            let row = &mut rows[((expected * 10.0) as usize).min(9)];
            let count = cell.count();
            row[0] += count;
            row[1] += count * win;
            row[2] += count * (1.0 - win - loss);
            row[3] += cell.wins;
            row[4] += cell.draws;
        }
        let mut text =
            String::from("expected score | positions | win expected, seen | draw expected, seen\n");
        for (tenth, [count, win, draw, wins, draws]) in rows.into_iter().enumerate() {
            let share = |sum: f64| if count > 0.0 { 100.0 * sum / count } else { 0.0 };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:.1} to {:.1} | {count} | {:.1} %, {:.1} % | {:.1} %, {:.1} %",
                tenth as f64 / 10.0,
                (tenth + 1) as f64 / 10.0,
                share(win),
                share(wins),
                share(draw),
                share(draws)
            );
        }
        text
    }
}
