use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::{ProbeError, bytes::Bytes, material::Material, table::Kind};

/// Bytes of the checksum that ends every file: its maker computed it from all that stands before it.
pub(crate) const CHECKSUM: usize = 16;

/// What tells tables from others: SHA-256 of each file's name, size and checksum, in the order of the names. The files
/// themselves, which may be terabytes, are not read for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    pub(crate) fn add(&mut self, material: Material, kind: Kind, bytes: &Bytes) -> Result<(), ProbeError> {
        let at = bytes.length().saturating_sub(CHECKSUM as u64);
        let checksum = bytes.read(at, CHECKSUM)?;
        let head = format!("{material}.{} {}\n", kind.extension(), bytes.length());
        self.0.update(head);
        self.0.update(checksum);
        Ok(())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.clone().finalize() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}
