//! Labelled positions in memory, split into training and validation rows.

use std::{collections::HashSet, hash::BuildHasherDefault, path::PathBuf};

use sha2::{Digest, Sha256};

use crate::{chunk, error::Error, generate::self_play::share, key::KeyHasher, record::Record, rng::Rng};

/// All rows of the given folders.
pub(crate) struct Dataset {
    /// Rows to learn from, in the order in which they were read.
    pub(crate) training: Vec<Record>,
    /// Rows that are only measured.
    pub(crate) validation: Vec<Record>,
    /// Rows of training whose positions are held out elsewhere, and which were therefore left out.
    pub(crate) left_out: usize,
    /// SHA-256 over all rows in the order in which they are read, in hex: held out, thinned and left out ones too.
    /// The chunks of the first folder are read last to first, those of the others first to last.
    pub(crate) sha256: String,
}

impl Dataset {
    /// Reads every chunk of `folders`. The last `validation` rows of the first folder are held out: chunks hold
    /// whole games, so that at most one game has rows on both sides. With a `level` above 0 training rows labelled
    /// beyond it are thinned out; which ones depends on the row alone. A position that is held out is not learnt
    /// from in another folder either, unless `keep_held_out`.
    pub(crate) fn load(
        folders: &[PathBuf],
        validation: usize,
        level: i32,
        keep_held_out: bool,
    ) -> Result<Self, Error> {
        let mut data = Self {
            training: Vec::new(),
            validation: Vec::new(),
            left_out: 0,
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
        if !keep_held_out {
            let held: HashSet<u64, BuildHasherDefault<KeyHasher>> =
                data.validation.iter().map(Record::key).collect();
            let before = data.training.len();
            data.training.retain(|row| !held.contains(&row.key()));
            data.left_out = before - data.training.len();
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

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, Game, MoveList};

    use super::*;
    use crate::generate::self_play::pack;

    /// Labelled rows of one random game.
    fn rows(seed: u64) -> Vec<Record> {
        let (mut rng, mut game) = (Rng::new(seed, 3), Game::new(Board::startpos()));
        let mut rows = Vec::new();
        for ply in 0..40 {
            let mut moves = MoveList::new();
            game.board().legal_moves(&mut moves);
            game.play(moves[rng.below(moves.len())]);
            let mut row = pack(game.board());
            row.set_label(ply);
            rows.push(row);
        }
        rows
    }

    #[test]
    fn what_is_held_out_is_not_learnt_from_another_folder() {
        let folders = [(), ()].map(|()| tempfile::tempdir().expect("a temporary folder"));
        let [first, second] = [rows(1), rows(2)];
        chunk::write(&chunk::path(folders[0].path(), 0), &first[..20]).expect("written");
        chunk::write(&chunk::path(folders[0].path(), 1), &first[20..]).expect("written");
        // The other folder has met two of the positions too, under other labels.
        let mut other = second.clone();
        for (at, row) in [(3, first[35]), (9, first[39])] {
            other[at] = row;
            other[at].set_label(-7);
        }
        chunk::write(&chunk::path(folders[1].path(), 0), &other).expect("written");
        let paths = folders.each_ref().map(|folder| folder.path().to_owned());
        let apart = Dataset::load(&paths, 10, 0, false).expect("loaded");
        assert_eq!(apart.validation, first[30..]);
        assert_eq!((apart.left_out, apart.training.len()), (2, 30 + 38));
        let held: HashSet<u64> = apart.validation.iter().map(Record::key).collect();
        assert!(apart.training.iter().all(|row| !held.contains(&row.key())));
        let whole = Dataset::load(&paths, 10, 0, true).expect("loaded");
        assert_eq!((whole.left_out, whole.training.len()), (0, 30 + 40));

        // The digest is over the rows as read: the first folder's chunks from the last to the first.
        let mut digest = Sha256::new();
        for row in first[20..].iter().chain(&first[..20]).chain(&other) {
            digest.update(row.to_bytes());
        }
        let text: String = digest.finalize().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!([apart.sha256, whole.sha256], [text.clone(), text]);
    }
}
