//! What can go wrong in the trainer.

use std::{io, path::PathBuf};

/// An error of any subcommand.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file could not be read, written or created.
    #[error("file {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file was read but is not what it should be.
    #[error("file {}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A flag has a value that makes no sense.
    #[error("flag {flag}: {reason}")]
    Flag {
        /// The flag, as typed.
        flag: &'static str,
        /// What is wrong with its value.
        reason: String,
    },
    /// A row is no position that can be searched.
    #[error("position {fen}: {reason}")]
    Position {
        /// The position.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A chess engine did not start, or did not speak UCI.
    #[error("engine {engine}: {reason}")]
    Engine {
        /// The command that was started.
        engine: String,
        /// What happened.
        reason: String,
    },
}

impl Error {
    /// Wraps an I/O error with its file, for `map_err`.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// A complaint about a file's content.
    pub(crate) fn content(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Content {
            path: path.into(),
            reason: reason.into(),
        }
    }
}
