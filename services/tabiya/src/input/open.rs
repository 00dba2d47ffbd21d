//! Files, standard input, and what is compressed in them.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use tabiya_rules::pgn::decompress;

use crate::failure::Failure;

/// The file name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Opens a file, or standard input, and decompresses it if its first bytes say so.
///
/// # Errors
/// If it cannot be opened or its first bytes cannot be read.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>, Failure> {
    let failure = |error: io::Error| Failure::input(&path.display().to_string(), error);
    let raw: Box<dyn Read + Send> = if path.as_os_str() == STDIN {
        Box::new(io::stdin())
    } else {
        Box::new(BufReader::with_capacity(
            1 << 16,
            File::open(path).map_err(failure)?,
        ))
    };
    Ok(Box::new(decompress(raw).map_err(failure)?))
}
