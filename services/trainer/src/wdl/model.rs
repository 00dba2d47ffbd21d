//! The model: two logistic curves whose middle and width depend on the material.

use std::fmt;

/// Scores beyond this are not fitted, centipawns.
pub(crate) const MAX_SCORE: i32 = 1_000;
/// Material beyond these is taken as these, in points.
pub(crate) const MATERIAL: std::ops::RangeInclusive<u32> = 10..=78;
/// Points that count as one in the polynomials.
const UNIT: f64 = 58.0;
/// Numbers of each polynomial.
pub(crate) const TERMS: usize = 3;
/// The narrowest curve, centipawns: what is divided by must not be 0.
const NARROWEST: f64 = 5.0;

/// Win = 1 / (1 + exp((middle - score) / width)), loss the same with the score's sign turned; the rest is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Model {
    /// Polynomials in material / 58: the score at which half of the games are won, and the width, in centipawns.
    pub(crate) middle: [f64; TERMS],
    pub(crate) width: [f64; TERMS],
}

/// Middle and width at some material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    pub(crate) middle: f64,
    pub(crate) width: f64,
}

impl Model {
    pub(crate) fn curve(&self, material: u32) -> Curve {
        let powers = powers(material);
        let value = |terms: &[f64; TERMS]| {
            terms
                .iter()
                .zip(powers)
                .map(|(term, power)| term * power)
                .sum::<f64>()
        };
        Curve {
            middle: value(&self.middle).max(0.0),
            width: value(&self.width).max(NARROWEST),
        }
    }
}

/// 1, x, x² for the material.
pub(crate) fn powers(material: u32) -> [f64; TERMS] {
    let material = material.clamp(*MATERIAL.start(), *MATERIAL.end());
    let x = f64::from(material) / UNIT;
    [1.0, x, x * x]
}

impl Curve {
    /// Chances of a win and of a loss.
    pub(crate) fn win_and_loss(&self, score: f64) -> (f64, f64) {
        let chance = |score: f64| 1.0 / (1.0 + ((self.middle - score) / self.width).exp());
        (chance(score), chance(-score))
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.middle;
        writeln!(f, "middle: [{a:.2}, {b:.2}, {c:.2}]")?;
        let [a, b, c] = self.width;
        write!(f, "width: [{a:.2}, {b:.2}, {c:.2}]")
    }
}
