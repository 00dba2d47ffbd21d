//! Files, standard input, and what is compressed in them.

use std::{
    fs::File,
    io::{self, BufReader, Cursor, Read},
    path::{Path, PathBuf},
};

use tabiya_rules::pgn::decompress;

use crate::failure::Failure;

/// The file name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Bytes looked at to tell text from anything else.
const HEAD_BYTES: u64 = 4096;

/// Opens a file, or standard input, and decompresses it if its first bytes say so.
///
/// # Errors
/// If it cannot be opened, its first bytes cannot be read, it is not compressed although its name says so, or it
/// holds no text.
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
    let mut text = decompress(raw).map_err(failure)?;
    let refuse = |reason: &str| Failure::input(&path.display().to_string(), reason);
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    if text.is_plain() && ending.is_some_and(|ending| ending == "gz" || ending == "zst") {
        return Err(refuse("is not compressed, although its name says so"));
    }
    let mut head = Vec::new();
    text.by_ref()
        .take(HEAD_BYTES)
        .read_to_end(&mut head)
        .map_err(failure)?;
    if head.contains(&0) {
        return Err(refuse(
            "holds NUL bytes: it is binary, or UTF-16, which is not read",
        ));
    }
    Ok(Box::new(Cursor::new(head).chain(text)))
}

/// Whether what is read there is gone afterwards: standard input, a pipe, anything but a file.
pub(crate) fn is_read_once(path: &Path) -> bool {
    path.as_os_str() == STDIN || path.metadata().is_ok_and(|data| !data.is_file())
}

/// Opens every file once, so that a wrong name is found before work begins. A pipe is only looked at: opening and
/// closing it would end it for its writer.
///
/// # Errors
/// The first file that cannot be opened.
pub(crate) fn check_readable(files: &[PathBuf]) -> Result<(), Failure> {
    for path in files.iter().filter(|path| path.as_os_str() != STDIN) {
        let failure = |reason: &dyn std::fmt::Display| Failure::input(&path.display().to_string(), reason);
        let data = path.metadata().map_err(|error| failure(&error))?;
        if data.is_dir() {
            return Err(failure(&"is a folder"));
        }
        if data.is_file() {
            File::open(path).map_err(|error| failure(&error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use super::*;

    #[test]
    fn what_is_no_text_is_refused() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        for (name, bytes, reason) in [
            ("plain.pgn.gz", b"1. e4 *\n".as_slice(), "not compressed"),
            ("empty.GZ", b"", "not compressed"),
            ("plain.epd.zst", b"8/8", "not compressed"),
            ("damaged.gz", b"\x1f\x8b\x08rest", ""),
            ("binary.pgn", b"1. e4 \0 *", "NUL bytes"),
            ("wide.pgn", b"\xff\xfe1\0.\0", "NUL bytes"),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, bytes)?;
            let Err(failure) = open(&path) else {
                panic!("{name} is read");
            };
            assert!(failure.to_string().contains(reason), "{name}: {failure}");
            assert!(matches!(failure, Failure::Input { .. }), "{name}");
        }
        let path = folder.path().join("a.pgn");
        fs::write(&path, "1. e4 *\n")?;
        let mut text = String::new();
        open(&path)?.read_to_string(&mut text)?;
        assert_eq!(text, "1. e4 *\n");
        Ok(())
    }
}
