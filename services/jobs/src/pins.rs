use std::fmt;

use sha2::{Digest, Sha256};

/// What a job's answers come from. Two engines with the same pins give the same answers, so all answers of a job come
/// from engines with the pins that were in force when it was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pins {
    /// Version of the engine.
    pub engine: String,
    /// SHA-256 of the network's file, in lower-case hexadecimal.
    pub network: String,
    /// Hash of the endgame tables; empty without.
    pub tables: String,
}

impl Pins {
    /// SHA-256 of all of it.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut text = format!("{}\n{}", self.engine, self.network);
        if !self.tables.is_empty() {
            // Without tables it is what it was before there were any.
            text = format!("{text}\n{}", self.tables);
        }
        Sha256::digest(text).into()
    }
}

impl fmt::Display for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
        write!(f, "engine {} with network {}", self.engine, short(&self.network))?;
        if !self.tables.is_empty() {
            write!(f, " and endgame tables {}", short(&self.tables))?;
        }
        Ok(())
    }
}
