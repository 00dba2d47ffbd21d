use std::{io, path::PathBuf};

/// Why folders of tables cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A folder cannot be listed.
    #[error("folder of endgame tables {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// None of the folders holds a table.
    #[error("no endgame table (*.rtbw) in {}", .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))]
    Empty(Vec<PathBuf>),
    /// A table cannot be read, or is damaged.
    #[error(transparent)]
    Table(#[from] ProbeError),
}

/// Why a position has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProbeError {
    /// Tables know no castling.
    #[error("tables hold no positions with castling rights")]
    Castling,
    /// More men than any table here has.
    #[error("{men} men are more than the {most} of the greatest table")]
    TooManyMen {
        /// Men on the board.
        men: usize,
        /// Men of the greatest table.
        most: usize,
    },
    /// A table that would be needed is not in the folders.
    #[error("the table {0} is not there")]
    Missing(String),
    /// A file cannot be read, or does not hold what a table must.
    #[error("the table {} is damaged: {reason}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
