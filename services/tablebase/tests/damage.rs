//! Damaged files: an error that names the file or a wrong value, never a panic, a hang or a wild read.

mod support;

use std::{fs, path::Path};

use support::{folder, numbers, positions_of};
use tabiya_rules::Board;
use tabiya_tablebase::{OpenError, ProbeError, Tablebase};

/// Asks everything of a folder's tables about positions of this material.
fn ask(folder: &Path, boards: &[Board]) -> Vec<ProbeError> {
    let tables = match Tablebase::open([folder]) {
        Ok(tables) => tables,
        Err(OpenError::Table(error)) => return vec![error],
        Err(error) => panic!("{error}"),
    };
    let mut errors = Vec::new();
    for board in boards {
        errors.extend(tables.wdl(board).err());
        errors.extend(tables.dtz(board).err());
    }
    errors
}

#[test]
fn no_damage_is_worse_than_an_error() {
    let Some(source) = folder() else { return };
    let mut numbers = numbers().map(|number| number as usize);
    let mut next = || numbers.next().unwrap();
    for name in ["KRvK", "KPvKP", "KBNvK", "KQvKR"] {
        let boards = positions_of(name, 10);
        for (extension, other) in [("rtbw", "rtbz"), ("rtbz", "rtbw")] {
            let good = fs::read(source.join(name).with_extension(extension)).unwrap();
            for round in 0..150 {
                let mut bytes = good.clone();
                match round % 3 {
                    0 => bytes.truncate(next() % bytes.len()),
                    // The header, where a byte does most.
                    1 => bytes[next() % 200] ^= next() as u8 | 1,
                    _ => bytes[next() % good.len()] ^= next() as u8 | 1,
                }
                let folder = tempfile::tempdir().unwrap();
                let path = |extension| folder.path().join(name).with_extension(extension);
                fs::copy(source.join(name).with_extension(other), path(other)).unwrap();
                fs::write(path(extension), &bytes).unwrap();
                let errors = ask(folder.path(), &boards);
                if bytes.len() < good.len() {
                    // The headers tell: such a table is not even opened.
                    let named = |error: &ProbeError| matches!(error, ProbeError::Damaged { file, .. } if *file == path(extension));
                    assert!(
                        errors.len() == 1 && named(&errors[0]),
                        "{name}.{extension}: {errors:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn folders_that_do_not_serve_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("readme.txt"), "no table").unwrap();
    fs::write(folder.path().join("KXvK.rtbw"), "no name").unwrap();
    let error = Tablebase::open([folder.path()]).unwrap_err();
    assert!(matches!(error, OpenError::Empty(_)), "{error}");
    let error = Tablebase::open([folder.path().join("none").as_path()]).unwrap_err();
    assert!(error.to_string().contains("none"), "{error}");
}
