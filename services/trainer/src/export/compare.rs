//! The same positions by the float network and by the integer one.

use tabiya_evaluator::{Network, evaluate_reference};

use super::quantise::output_unit;
use crate::{
    parallel,
    record::Record,
    report::say,
    train::{checkpoint::Header, features::Features, head::Head, model::Model, pass},
};

/// One position by both networks.
pub(super) struct Compared {
    pub(super) bucket: usize,
    /// Output of the integer network.
    pub(super) output: i32,
    /// What the float network says in the same unit.
    pub(super) exact: f64,
    /// Centipawns: float, integer, label.
    pub(super) float: f64,
    pub(super) integer: f64,
    pub(super) label: f64,
}

/// Evaluates every labelled row by both.
pub(super) fn compare<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    header: &Header,
    network: &Network,
    rows: &[Record],
) -> Vec<Compared> {
    let unit = f64::from(output_unit(T::HIDDEN));
    let part = |rows: &[Record]| {
        let mut compared = Vec::with_capacity(rows.len());
        pass::values(model, rows, header.mirrored, |row, logit| {
            let (Some(position), Some(label)) = (row.packed(), row.label()) else {
                return;
            };
            let output = evaluate_reference(network, &position);
            compared.push(Compared {
                bucket: Features::new(row, header.mirrored).bucket(),
                output,
                exact: f64::from(logit) * unit,
                float: f64::from(logit * header.scale),
                integer: f64::from(network.to_centipawns(output)),
                label: f64::from(label),
            });
        });
        compared
    };
    parallel::map_chunks(rows, part).into_iter().flatten().collect()
}

/// Mean difference without sign, in centipawns.
pub(super) fn mean_loss(rows: &[Compared]) -> f64 {
    rows.iter().map(|r| (r.float - r.integer).abs()).sum::<f64>() / rows.len() as f64
}

/// Says on stdout what quantising cost, and how near the labels the result is.
pub(super) fn print_losses(rows: &[Compared]) {
    let count = rows.len() as f64;
    let mean = |f: &dyn Fn(&Compared) -> f64| rows.iter().map(f).sum::<f64>() / count;
    let worst = rows
        .iter()
        .map(|r| (r.float - r.integer).abs())
        .fold(0.0, f64::max);
    say(&format!(
        "quantisation over {} rows: mean |difference| {:.2} cp, mean difference {:+.2} cp, largest {worst:.1} cp",
        rows.len(),
        mean_loss(rows),
        mean(&|r| r.integer - r.float),
    ));
    let near: Vec<_> = rows.iter().filter(|r| r.label.abs() <= 400.0).collect();
    let error = near.iter().map(|r| (r.integer - r.label).abs()).sum::<f64>() / near.len().max(1) as f64;
    let (mx, my) = (mean(&|r| r.integer), mean(&|r| r.label));
    let covariance = mean(&|r| (r.integer - mx) * (r.label - my));
    let spread = (mean(&|r| (r.integer - mx).powi(2)) * mean(&|r| (r.label - my).powi(2))).sqrt();
    say(&format!(
        "against the labels: correlation {:.4}; mean |error| {error:.1} cp where |label| <= 400 ({} rows)",
        covariance / spread.max(f64::MIN_POSITIVE),
        near.len()
    ));
}
