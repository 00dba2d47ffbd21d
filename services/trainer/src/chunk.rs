//! Chunk files: a header and up to some hundred thousand records, written whole or not at all.

use std::{
    fs::{self, File},
    io::{BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use crate::{error::Error, record::Record};

const MAGIC: &[u8; 8] = b"tbychk01";

/// Path of chunk `index` in `folder`.
pub(crate) fn path(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index:05}.chunk"))
}

/// The chunk files of a folder in order of their names.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        if path.extension().is_some_and(|e| e == "chunk") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Writes a chunk beside its place and moves it there, so that a file that exists is complete.
pub(crate) fn write(path: &Path, records: &[Record]) -> Result<(), Error> {
    let part = path.with_extension("part");
    let mut out = BufWriter::new(File::create(&part).map_err(Error::file(&part))?);
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(Error::file(&part));
    put(MAGIC)?;
    put(&(records.len() as u64).to_le_bytes())?;
    for record in records {
        put(&record.to_bytes())?;
    }
    out.into_inner()
        .map_err(|e| e.into_error())
        .and_then(|f| f.sync_all())
        .map_err(Error::file(&part))?;
    fs::rename(&part, path).map_err(Error::file(path))
}

/// Reads a chunk and checks every record.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>, Error> {
    let mut input = BufReader::new(File::open(path).map_err(Error::file(path))?);
    let mut header = [0u8; 16];
    input.read_exact(&mut header).map_err(Error::file(path))?;
    let (magic, count) = header.split_at(8);
    if magic != MAGIC {
        return Err(Error::content(path, "not a chunk of training records"));
    }
    let count = u64::from_le_bytes(count.try_into().unwrap_or_default());
    let mut body = Vec::new();
    input.read_to_end(&mut body).map_err(Error::file(path))?;
    let (records, rest) = body.as_chunks::<{ Record::SIZE }>();
    if records.len() as u64 != count || !rest.is_empty() {
        let reason = format!(
            "header says {count} records, file holds {} bytes of them",
            body.len()
        );
        return Err(Error::content(path, reason));
    }
    records
        .iter()
        .enumerate()
        .map(|(index, bytes)| {
            Record::from_bytes(bytes)
                .ok_or_else(|| Error::content(path, format!("record {index} is no position")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_from_fen;

    #[test]
    fn round_trip_and_truncation() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = path(folder.path(), 3);
        let records = [record_from_fen("8/8/4k3/8/8/4K3/4P3/8 w - -"); 5];
        write(&path, &records).expect("written");
        assert_eq!(read(&path).expect("read"), records);
        assert_eq!(list(folder.path()).expect("listed"), std::slice::from_ref(&path));

        let bytes = fs::read(&path).expect("bytes");
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("cut");
        assert!(matches!(read(&path), Err(Error::Content { .. })));
    }
}
