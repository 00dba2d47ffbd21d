use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::ProbeError;

/// Files up to this size are kept in memory while there is room; of others a probe reads what it needs, and the system's
/// cache helps.
const KEPT: u64 = 4 << 20;

/// Bytes of files that a [`Tablebase`](crate::Tablebase) keeps in memory at most, of all tables together.
pub const MAX_KEPT_BYTES: u64 = 256 << 20;

/// Bytes of files that may still be kept.
#[derive(Debug)]
pub(crate) struct Room(u64);

impl Default for Room {
    fn default() -> Self {
        Self(MAX_KEPT_BYTES)
    }
}

impl Room {
    fn take(&mut self, length: u64) -> bool {
        let fits = length <= KEPT.min(self.0);
        if fits {
            self.0 -= length;
        }
        fits
    }
}

/// The bytes of a table's file, every access checked.
#[derive(Debug)]
pub(crate) struct Bytes {
    path: PathBuf,
    length: u64,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Memory(Vec<u8>),
    File(File),
}

impl Bytes {
    pub(crate) fn open(path: &Path, room: &mut Room) -> Result<Self, ProbeError> {
        let mut read = || {
            let mut file = File::open(path)?;
            let length = file.metadata()?.len();
            if !room.take(length) {
                return Ok((length, Source::File(file)));
            }
            let mut bytes = vec![0; length as usize];
            file.read_exact(&mut bytes)?;
            Ok((length, Source::Memory(bytes)))
        };
        let (length, source) = read().map_err(|error: io::Error| damaged(path, error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            length,
            source,
        })
    }

    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// An error about this file.
    pub(crate) fn damaged(&self, reason: impl Into<String>) -> ProbeError {
        damaged(&self.path, reason.into())
    }

    /// Exactly so many bytes from an offset.
    pub(crate) fn read(&self, at: u64, length: usize) -> Result<Cow<'_, [u8]>, ProbeError> {
        let end = at.checked_add(length as u64).filter(|end| *end <= self.length);
        let Some(end) = end else {
            return Err(self.damaged(format!(
                "it ends at byte {}, {length} bytes are needed at {at}",
                self.length
            )));
        };
        match &self.source {
            Source::Memory(bytes) => Ok(Cow::Borrowed(&bytes[at as usize..end as usize])),
            Source::File(file) => {
                let mut bytes = vec![0; length];
                read_at(file, &mut bytes, at).map_err(|error| self.damaged(error.to_string()))?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    pub(crate) fn byte(&self, at: u64) -> Result<u8, ProbeError> {
        Ok(self.read(at, 1)?[0])
    }

    pub(crate) fn u16(&self, at: u64) -> Result<u16, ProbeError> {
        let bytes = self.read(at, 2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn u32(&self, at: u64) -> Result<u32, ProbeError> {
        let bytes = self.read(at, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

fn damaged(path: &Path, reason: String) -> ProbeError {
    ProbeError::Damaged {
        file: path.to_owned(),
        reason,
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;

    while !bytes.is_empty() {
        match file.seek_read(bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file without room in memory says the same as one that is kept.
    #[test]
    fn what_has_no_room_is_read_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("KQvK.rtbw");
        std::fs::write(&path, [1, 2, 3, 4, 5]).unwrap();
        let mut room = Room(7);
        let kept = Bytes::open(&path, &mut room).unwrap();
        let read = Bytes::open(&path, &mut room).unwrap();
        assert!(matches!(kept.source, Source::Memory(_)));
        assert!(matches!(read.source, Source::File(_)));
        for bytes in [kept, read] {
            assert_eq!(bytes.length(), 5);
            assert_eq!(bytes.u32(1), Ok(0x0504_0302));
            assert!(bytes.u32(2).is_err());
        }
    }
}
