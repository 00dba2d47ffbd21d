//! What makes two runs the same run: their results may be joined only if all of this agrees.

use std::{fs::File, io, path::Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::choice::BulkMode;

/// Everything that an output depends on. The backend is not part of it: all of them give the same answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunIdentity {
    /// Layout of the output and of the progress file.
    pub(crate) layout: u32,
    /// The files read, in order.
    pub(crate) inputs: Vec<InputIdentity>,
    /// Output format.
    pub(crate) format: String,
    /// Whether lists of positions are read as Chess960.
    pub(crate) chess960: bool,
    /// Node limit of a position.
    pub(crate) nodes: Option<u64>,
    /// Depth limit of a position, in plies.
    pub(crate) depth: Option<u32>,
    /// Time limit of a position, in milliseconds.
    pub(crate) movetime: Option<u64>,
    /// Lines a position.
    pub(crate) multipv: u32,
    /// Whether the positions of a game are searched together. Runs that do not say it were of the default.
    #[serde(default = "independent")]
    pub(crate) bulk_mode: String,
    /// Version of the server.
    pub(crate) engine: String,
    /// SHA-256 of the network.
    pub(crate) network: String,
    /// Hash of the endgame tables; empty without, as for runs that do not say it.
    #[serde(default)]
    pub(crate) tables: String,
}

fn independent() -> String {
    BulkMode::default().name().to_owned()
}

/// Which file was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputIdentity {
    /// The name that the output carries; empty if it carries none.
    pub(crate) name: String,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// SHA-256 of the file as it lies on disk, in hexadecimal.
    pub(crate) sha256: String,
}

impl InputIdentity {
    /// Reads a file once to learn its identity.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn of_file(path: &Path, name: &str) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hasher = Hashing::default();
        io::copy(&mut file, &mut hasher)?;
        Ok(Self {
            name: name.to_owned(),
            bytes: hasher.bytes,
            sha256: hexadecimal(&hasher.hasher.finalize()),
        })
    }
}

impl RunIdentity {
    /// What differs between a run that was begun and one that shall continue it, in words.
    pub(crate) fn differences(&self, now: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        let (then_fields, now_fields) = (fields(self), fields(now));
        for (name, then) in &then_fields {
            let Some(now) = now_fields.get(name).filter(|now| *now != then) else {
                continue;
            };
            differences.push(match name.as_str() {
                "inputs" => "the input files are not the same".to_owned(),
                "network" => "the network is not the same".to_owned(),
                "tables" => "the endgame tables are not the same".to_owned(),
                _ => format!("{name} was {}, is {}", plain(then), plain(now)),
            });
        }
        differences
    }
}

fn fields(identity: &RunIdentity) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(identity) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    }
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "not given".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Lower-case hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A digest that can be written to.
#[derive(Clone, Default)]
pub(crate) struct Hashing {
    /// The digest so far.
    pub(crate) hasher: Sha256,
    /// Bytes so far.
    pub(crate) bytes: u64,
}

impl io::Write for Hashing {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.hasher.update(buffer);
        self.bytes += buffer.len() as u64;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn identity() -> RunIdentity {
        RunIdentity {
            layout: 1,
            inputs: vec![InputIdentity {
                name: String::new(),
                bytes: 3,
                sha256: "00".to_owned(),
            }],
            format: "jsonl".to_owned(),
            chess960: false,
            nodes: Some(20_000),
            depth: None,
            movetime: None,
            multipv: 1,
            bulk_mode: independent(),
            engine: "0.1.0".to_owned(),
            network: "aa".to_owned(),
            tables: String::new(),
        }
    }

    #[test]
    fn differences_are_named() {
        let then = identity();
        assert!(then.differences(&identity()).is_empty());
        let now = RunIdentity {
            nodes: None,
            depth: Some(8),
            network: "bb".to_owned(),
            tables: "cc".to_owned(),
            ..identity()
        };
        let mut differences = then.differences(&now);
        differences.sort();
        assert_eq!(
            differences,
            [
                "depth was not given, is 8",
                "nodes was 20000, is not given",
                "the endgame tables are not the same",
                "the network is not the same"
            ]
        );
    }

    #[test]
    fn a_file_is_known_by_its_bytes() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, "abc")?;
        let identity = InputIdentity::of_file(&path, "a.pgn")?;
        assert_eq!(identity.bytes, 3);
        assert_eq!(
            identity.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        Ok(())
    }
}
