//! A float network on disk: one line of JSON, then the parameters, then Adam's moments.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    train::{adam::Adam, model::Model},
};

/// What the first line says; enough to export the network and to go on with its training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Always `tabiya-float-1`.
    pub(crate) format: String,
    /// Neurons a side.
    pub(crate) width: usize,
    /// Whether inputs are mirrored by the king's file.
    pub(crate) mirrored: bool,
    /// Centipawns for one unit of logit.
    pub(crate) scale: f32,
    /// Weight of game results in the target.
    pub(crate) result_weight: f32,
    /// Seed of the first weights and of the shuffles.
    pub(crate) seed: u64,
    /// Passes over the data in the whole schedule.
    pub(crate) epochs: u32,
    /// Passes done.
    pub(crate) epochs_done: u32,
    /// Optimiser steps done.
    pub(crate) steps: u64,
    /// Positions trained on.
    pub(crate) positions: u64,
    /// [`Dataset::sha256`](crate::train::dataset::Dataset::sha256).
    pub(crate) data_sha256: String,
    /// How the steps are made; missing in files of the first versions.
    #[serde(default)]
    pub(crate) schedule: Option<Schedule>,
    /// Mean squared error of the expected score on the validation positions after the last pass.
    pub(crate) validation_loss: f64,
}

/// What a step depends on beside data and model. A run that goes on with another is no longer one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// Positions in one step.
    pub(crate) batch: usize,
    /// First learning rate.
    pub(crate) rate: f32,
    /// Last learning rate.
    pub(crate) final_rate: f32,
    /// Weight decay.
    pub(crate) decay: f32,
    /// Worker threads: sums depend on how they are cut.
    pub(crate) threads: usize,
}

impl Header {
    /// Whether a run that would begin with `new` may go on from here.
    pub(crate) fn is_continued_by(&self, new: &Self) -> bool {
        let here = Self {
            epochs_done: new.epochs_done,
            steps: new.steps,
            validation_loss: 0.0,
            schedule: self.schedule.or(new.schedule),
            ..self.clone()
        };
        here == Self {
            validation_loss: 0.0,
            ..new.clone()
        }
    }
}

/// The value of [`Header::format`].
pub(crate) const FORMAT: &str = "tabiya-float-1";

/// Writes a checkpoint beside its place and moves it there.
pub(crate) fn write<const H: usize>(
    path: &Path,
    header: &Header,
    model: &Model<H>,
    adam: &Adam<H>,
) -> Result<(), Error> {
    let part = path.with_extension("part");
    let text = serde_json::to_string(header).map_err(|e| Error::content(path, e.to_string()))?;
    let mut out = BufWriter::new(File::create(&part).map_err(Error::file(&part))?);
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(Error::file(&part));
    put(text.as_bytes())?;
    put(b"\n")?;
    for part in [model, &adam.mean, &adam.square] {
        for value in part.groups().into_iter().flatten() {
            put(&value.to_le_bytes())?;
        }
    }
    out.into_inner()
        .map_err(|e| e.into_error())
        .and_then(|f| f.sync_all())
        .map_err(Error::file(&part))?;
    fs::rename(&part, path).map_err(Error::file(path))
}

/// Reads the first line, and returns it with the bytes after it.
pub(crate) fn read_header(path: &Path) -> Result<(Header, Vec<u8>), Error> {
    let mut bytes = fs::read(path).map_err(Error::file(path))?;
    let end = bytes
        .iter()
        .take(1 << 16)
        .position(|&b| b == b'\n')
        .ok_or_else(|| Error::content(path, "no header line, so not a float network"))?;
    let body = bytes.split_off(end + 1);
    let header: Header =
        serde_json::from_slice(&bytes[..end]).map_err(|e| Error::content(path, format!("header: {e}")))?;
    if header.format != FORMAT {
        return Err(Error::content(
            path,
            format!("format {:.64} is unknown", header.format),
        ));
    }
    Ok((header, body))
}

/// Reads the parameters and moments that follow a header.
pub(crate) fn read_body<const H: usize>(
    path: &Path,
    header: &Header,
    body: &[u8],
) -> Result<(Model<H>, Adam<H>), Error> {
    let (floats, rest) = body.as_chunks::<4>();
    if header.width != H || floats.len() != 3 * Model::<H>::COUNT || !rest.is_empty() {
        let reason = format!(
            "width {} does not go with {} bytes of parameters",
            header.width,
            body.len()
        );
        return Err(Error::content(path, reason));
    }
    let mut floats = floats.iter().map(|b| f32::from_le_bytes(*b));
    let mut next = || {
        let mut model = Model::<H>::zero();
        for value in model.groups_mut().into_iter().flatten() {
            *value = floats.next().unwrap_or(0.0);
        }
        model
    };
    let (model, mean, square) = (next(), next(), next());
    if model.groups().into_iter().flatten().any(|w| !w.is_finite()) {
        return Err(Error::content(path, "a parameter is not a finite number"));
    }
    Ok((
        model,
        Adam {
            mean,
            square,
            steps: header.steps,
        },
    ))
}
