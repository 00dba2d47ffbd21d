use std::fmt;

/// What a job's answers come from. Two engines with the same pins give the same answers, so all answers of a job come
/// from engines with the pins that were in force when it was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pins {
    /// Version of the engine.
    pub engine: String,
    /// SHA-256 of the network's file, in lower-case hexadecimal.
    pub network: String,
}

impl fmt::Display for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let network = self.network.get(..12).unwrap_or(&self.network);
        write!(f, "engine {} with network {network}", self.engine)
    }
}
