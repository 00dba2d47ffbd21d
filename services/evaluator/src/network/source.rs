//! Where a network comes from.

use std::{
    convert::Infallible,
    ffi::OsString,
    fmt,
    fs::File,
    io::{self, Read as _},
    path::PathBuf,
    str::FromStr,
    sync::Arc,
};

use super::{Network, NetworkError, architecture::MAX_FILE_BYTES};

/// A network in the program, or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkSource {
    /// The one in the program that is called so.
    Embedded(&'static str),
    /// A network file.
    File(PathBuf),
}

/// Why there is no network where one was to be.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is no network, or none that may be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl NetworkSource {
    /// Reads and checks the network.
    ///
    /// # Errors
    /// [`SourceError`]; the source itself is the caller's to name.
    pub fn load(&self) -> Result<Arc<Network>, SourceError> {
        match self {
            Self::Embedded(name) => {
                Network::embedded(name).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into())
            }
            Self::File(path) => {
                let mut bytes = Vec::new();
                // What is longer is no network, however long it is.
                let most = MAX_FILE_BYTES as u64 + 1;
                File::open(path)?.take(most).read_to_end(&mut bytes)?;
                Ok(Arc::new(Network::from_bytes(&bytes)?))
            }
        }
    }

    /// The name in the program; `None` for a file.
    pub fn embedded_name(&self) -> Option<&'static str> {
        match self {
            Self::Embedded(name) => Some(name),
            Self::File(_) => None,
        }
    }

    /// Bytes that the network takes in memory at most: its file's, as those of a hidden layer stand there twice.
    pub fn memory_bytes(&self) -> usize {
        2 * self.file_bytes()
    }

    /// Bytes of the network's file. One that is not there yet may have as many as there can be.
    pub fn file_bytes(&self) -> usize {
        let found = match self {
            Self::Embedded(name) => Network::embedded_bytes(name),
            Self::File(path) => std::fs::metadata(path)
                .ok()
                .and_then(|found| usize::try_from(found.len()).ok()),
        };
        found.map_or(MAX_FILE_BYTES, |bytes| bytes.min(MAX_FILE_BYTES))
    }
}

impl Default for NetworkSource {
    fn default() -> Self {
        let first = Network::embedded_names().next();
        Self::Embedded(first.unwrap_or_default())
    }
}

impl From<OsString> for NetworkSource {
    /// A name of a network in the program is this network; `./standard` is a file of that name.
    fn from(text: OsString) -> Self {
        match Network::embedded_names().find(|name| *name == text) {
            Some(name) => Self::Embedded(name),
            None => Self::File(text.into()),
        }
    }
}

impl FromStr for NetworkSource {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(OsString::from(text).into())
    }
}

impl fmt::Display for NetworkSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
        }
    }
}
