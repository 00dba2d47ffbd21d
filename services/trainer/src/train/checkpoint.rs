//! A float network on disk: one line of JSON, then the parameters, then Adam's moments.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    train::{adam::Adam, features::INPUTS, head::Head, model::Model},
};

/// What the first line says; enough to export the network and to go on with its training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Always `tabiya-float-1`.
    pub(crate) format: String,
    /// Neurons a side.
    pub(crate) width: usize,
    /// Neurons of the hidden layer, 0 without one; missing where there is none, as in files of the first
    /// versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) hidden: usize,
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

fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// The value of [`Header::format`].
pub(crate) const FORMAT: &str = "tabiya-float-1";

/// Writes a checkpoint beside its place and moves it there.
pub(crate) fn write<const H: usize, T: Head<H>>(
    path: &Path,
    header: &Header,
    model: &Model<H, T>,
    adam: &Adam<H, T>,
) -> Result<(), Error> {
    let part = path.with_extension("part");
    let text = serde_json::to_string(header).map_err(|e| Error::content(path, e.to_string()))?;
    let mut out = BufWriter::new(File::create(&part).map_err(Error::file(&part))?);
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(Error::file(&part));
    put(text.as_bytes())?;
    put(b"\n")?;
    for part in [model, &adam.mean, &adam.square] {
        let behind = part.groups().into_iter().skip(1).flatten().copied();
        for value in part.inputs().chain(behind) {
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
pub(crate) fn read_body<const H: usize, T: Head<H>>(
    path: &Path,
    header: &Header,
    body: &[u8],
) -> Result<(Model<H, T>, Adam<H, T>), Error> {
    let (floats, rest) = body.as_chunks::<4>();
    let shape = (header.width, header.hidden);
    if shape != (H, T::HIDDEN) || floats.len() != 3 * Model::<H, T>::COUNT || !rest.is_empty() {
        let reason = format!(
            "width {} and hidden layer {} do not go with {} bytes of parameters",
            header.width,
            header.hidden,
            body.len()
        );
        return Err(Error::content(path, reason));
    }
    let mut floats = floats.iter().map(|b| f32::from_le_bytes(*b));
    let mut next = || {
        let mut model = Model::<H, T>::zero();
        for at in 0..INPUTS * H {
            *model.input_mut(at) = floats.next().unwrap_or(0.0);
        }
        for value in model.groups_mut().into_iter().skip(1).flatten() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{
        features::BUCKETS,
        head::{Hidden, Linear},
    };

    fn header(hidden: usize) -> Header {
        Header {
            format: FORMAT.into(),
            width: 128,
            hidden,
            mirrored: true,
            scale: 130.0,
            result_weight: 0.0,
            seed: 1,
            epochs: 4,
            epochs_done: 1,
            steps: 7,
            positions: 9,
            data_sha256: String::new(),
            schedule: None,
            validation_loss: 0.5,
        }
    }

    /// A file of the first versions: no word of a hidden layer; input rows, biases, head rows, head biases; three times.
    #[test]
    fn files_of_the_first_versions_are_read() {
        type Net = Model<128, Linear<128>>;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("net");
        let text = r#"{"format":"tabiya-float-1","width":128,"mirrored":true,"scale":130.0,"result_weight":0.0,"seed":1,"epochs":4,"epochs_done":1,"steps":7,"positions":9,"data_sha256":"","validation_loss":0.5}"#;
        let mut bytes = format!("{text}\n").into_bytes();
        let count = (INPUTS + 1 + 2 * BUCKETS) * 128 + BUCKETS;
        bytes.extend((0..3 * count).flat_map(|at| (at as f32).to_le_bytes()));
        fs::write(&path, &bytes).expect("written");

        let (found, body) = read_header(&path).expect("a header");
        assert_eq!(found, header(0));
        let (model, adam) = read_body::<128, Linear<128>>(&path, &found, &body).expect("parameters");
        assert_eq!(Net::COUNT, count);
        assert_eq!(model.block(1)[5][6], (5 * 128 + 70) as f32);
        assert_eq!(model.bias[0][3], (INPUTS * 128 + 3) as f32);
        assert_eq!(model.head.weights[2][9], ((INPUTS + 1 + 2) * 128 + 9) as f32);
        assert_eq!(model.head.bias[7], (count - 1) as f32);
        assert_eq!(adam.mean.block(0)[0][0], count as f32);
        assert_eq!(adam.square.head.bias[7], (3 * count - 1) as f32);
        assert_eq!(adam.steps, 7);

        // Without a hidden layer nothing about the files has changed.
        let again = folder.path().join("again");
        write(&again, &found, &model, &adam).expect("written");
        let (_, same) = read_header(&again).expect("a header");
        assert_eq!(same, body);
        assert!(!String::from_utf8_lossy(&fs::read(&again).expect("bytes")[..200]).contains("hidden"));
    }

    #[test]
    fn a_hidden_layer_goes_through_a_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("net");
        let mut adam = Adam::new();
        adam.steps = 7;
        adam.mean = Model::<128, Hidden<128, 16>>::random(2);
        adam.square = Model::random(3);
        let model = Model::random(1);
        write(&path, &header(16), &model, &adam).expect("written");
        let (found, body) = read_header(&path).expect("a header");
        assert_eq!(found, header(16));
        assert_eq!(
            read_body(&path, &found, &body).expect("parameters"),
            (model, adam)
        );

        for wrong in [header(0), header(32)] {
            assert!(read_body::<128, Hidden<128, 16>>(&path, &wrong, &body).is_err());
        }
        assert!(read_body::<128, Hidden<128, 16>>(&path, &found, &body[4..]).is_err());
        assert!(read_body::<128, Hidden<128, 32>>(&path, &found, &body).is_err());
        assert!(read_body::<128, Linear<128>>(&path, &found, &body).is_err());
    }
}
