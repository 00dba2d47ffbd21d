//! Labelled positions in memory, split into training and validation rows.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::{chunk, error::Error, generate::self_play::share, record::Record, rng::Rng};

/// All rows of the given folders.
pub(crate) struct Dataset {
    /// Rows to learn from, in file order.
    pub(crate) training: Vec<Record>,
    /// Rows that are only measured.
    pub(crate) validation: Vec<Record>,
    /// SHA-256 over all rows in file order, in hex.
    pub(crate) sha256: String,
}

impl Dataset {
    /// Reads every chunk of `folders`. The last `validation` rows of the first folder are held out: chunks hold
    /// whole games, so that at most one game has rows on both sides. With a `level` above 0 training rows labelled
    /// beyond it are thinned out; which ones depends on the row alone.
    pub(crate) fn load(folders: &[PathBuf], validation: usize, level: i32) -> Result<Self, Error> {
        let mut data = Self {
            training: Vec::new(),
            validation: Vec::new(),
            sha256: String::new(),
        };
        let mut digest = Sha256::new();
        for folder in folders {
            let mut paths = chunk::list(folder)?;
            if data.validation.is_empty() {
                paths.reverse();
            }
            for path in paths {
                let mut rows = chunk::read(&path)?;
                rows.iter().for_each(|row| digest.update(row.to_bytes()));
                if rows.iter().any(|row| row.label().is_none()) {
                    return Err(Error::content(
                        path,
                        "holds rows without a label; run `label` first",
                    ));
                }
                let wanted = validation - data.validation.len();
                let held = rows.split_off(rows.len().saturating_sub(wanted));
                data.validation.extend(held);
                data.training
                    .extend(rows.into_iter().filter(|row| level <= 0 || is_kept(row, level)));
            }
        }
        if data.training.is_empty() || data.validation.is_empty() {
            let reason = format!("{} rows are too few to train and validate", data.training.len());
            return Err(Error::Flag {
                flag: "--data",
                reason,
            });
        }
        data.sha256 = digest.finalize().iter().map(|b| format!("{b:02x}")).collect();
        Ok(data)
    }

    /// The order in which pass `epoch` visits the training rows.
    pub(crate) fn order(&self, seed: u64, epoch: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.training.len() as u32).collect();
        Rng::new(seed, 0x5_0000_0000 | u64::from(epoch)).shuffle(&mut order);
        order
    }
}

fn is_kept(row: &Record, level: i32) -> bool {
    Rng::new(row.key(), 0x7417).unit() < share(row.label().unwrap_or(0).into(), level)
}

/// How much neighbours in `order` are alike: the correlation of the labels of adjacent rows, both turned to White.
/// Rows of one game follow each other in the files, so unshuffled data is near 1 and shuffled data near 0.
pub(crate) fn neighbour_correlation(rows: &[Record], order: &[u32]) -> f64 {
    let white = |index: u32| {
        let row = &rows[index as usize];
        let label = f64::from(row.label().unwrap_or(0)).clamp(-1000.0, 1000.0);
        if row.black_to_move() { -label } else { label }
    };
    let values: Vec<f64> = order.iter().take(1_000_000).map(|&index| white(index)).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let covariance: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    let variance: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    covariance / variance.max(f64::MIN_POSITIVE)
}
