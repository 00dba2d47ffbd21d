//! Where results go: standard output, or a file that a broken run can be continued in.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use sha2::{Digest, Sha256};

use super::{
    identity::RunIdentity,
    journal::{Begun, Checkpoint, Journal, digest_head, journal_path},
};
use crate::failure::Failure;

/// Shortest time between two checkpoints: at most this much work is done again after a crash.
const CHECKPOINT_INTERVAL: Duration = Duration::from_millis(500);

/// An output being written.
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output.
    Stdout,
    /// A file and the progress file beside it.
    File(Box<FileOutput>),
}

/// A file being written, with its checkpoints.
#[derive(Debug)]
pub(crate) struct FileOutput {
    path: PathBuf,
    file: File,
    journal: Journal,
    hasher: Sha256,
    bytes: u64,
    last_checkpoint: Instant,
    /// What the last checkpoint said.
    noted: Reached,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Positions whose results are written, or that failed.
    pub(crate) positions: u64,
    /// How many of them failed.
    pub(crate) failed: u64,
    /// Games that could not be read; known at the end only, as every run reads the input from its beginning.
    pub(crate) skipped: u64,
}

/// An output and how much of it an earlier run wrote.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The output, at the place to go on from.
    pub(crate) output: Output,
    /// What the earlier run reached.
    pub(crate) reached: Reached,
    /// Whether nothing is left to do.
    pub(crate) complete: bool,
    /// Positions of an unfinished run that were thrown away, because the run was not to be continued.
    pub(crate) replaced: u64,
}

impl Output {
    /// Opens a file for a run: anew, or where an earlier run with the same identity stopped.
    ///
    /// # Errors
    /// If files cannot be written, or the earlier run was a different one.
    pub(crate) fn open(path: &Path, identity: &RunIdentity, resume: bool) -> Result<Opened, Failure> {
        let at = |path: &Path| {
            let name = path.display().to_string();
            move |source| Failure::Unopened { name, source }
        };
        let journal_at = journal_path(path);
        let begun = Begun::read(path);
        if !resume {
            let unfinished = begun
                .ok()
                .flatten()
                .map(|begun| begun.checkpoint)
                .filter(|at| !at.done);
            let file = open_alone(path).map_err(at(path))?;
            cut(&file, 0).map_err(at(path))?;
            let journal = Journal::create(&journal_at, identity).map_err(at(&journal_at))?;
            return Ok(Opened {
                output: Self::file(path, file, journal, Sha256::new(), 0),
                reached: Reached::default(),
                complete: false,
                replaced: unfinished.map_or(0, |at| at.positions),
            });
        }

        let begun = begun.map_err(|error| Failure::input(&journal_at.display().to_string(), error))?;
        let Some(begun) = begun else {
            if path.metadata().is_ok_and(|data| data.len() > 0) {
                return Err(Failure::Usage(format!(
                    "{}: no progress file {} tells what wrote it; remove it, or start over without --resume",
                    path.display(),
                    journal_at.display()
                )));
            }
            return Self::open(path, identity, false);
        };
        let differences = begun.identity.differences(identity);
        if !differences.is_empty() {
            return Err(Failure::Usage(format!(
                "{}: cannot continue another run: {}; give the same input and settings, or start over without --resume",
                path.display(),
                differences.join(", ")
            )));
        }
        let mut file = open_alone(path).map_err(at(path))?;
        if !begun.checkpoint.done {
            cut(&file, begun.checkpoint.bytes).map_err(at(path))?;
        }
        file.seek(SeekFrom::End(0)).map_err(at(path))?;
        let journal = Journal::reopen(&journal_at, &begun).map_err(at(&journal_at))?;
        let Checkpoint {
            positions,
            failed,
            skipped,
            bytes,
            done,
            ..
        } = begun.checkpoint;
        Ok(Opened {
            output: Self::file(path, file, journal, begun.hasher, bytes),
            reached: Reached {
                positions,
                failed,
                skipped,
            },
            complete: done,
            replaced: 0,
        })
    }

    fn file(path: &Path, file: File, journal: Journal, hasher: Sha256, bytes: u64) -> Self {
        let path = path.to_owned();
        Self::File(Box::new(FileOutput {
            path,
            file,
            journal,
            hasher,
            bytes,
            last_checkpoint: Instant::now(),
            noted: Reached::default(),
        }))
    }

    /// Writes results.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn write(&mut self, text: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout
                    .write_all(text)
                    .and_then(|()| stdout.flush())
                    .map_err(Failure::stdout)
            }
            Self::File(file) => file.write(text).map_err(|source| file.failure(source)),
        }
    }

    /// Notes that everything up to here is written, unless nothing is new or something was noted a moment ago.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn checkpoint(&mut self, reached: Reached) -> Result<(), Failure> {
        match self {
            Self::File(file) if file.is_checkpoint_due(reached) => file
                .checkpoint(reached, false)
                .map_err(|source| file.failure(source)),
            _ => Ok(()),
        }
    }

    /// Ends the output: complete, or to be continued.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn close(self, reached: Reached, done: bool) -> Result<(), Failure> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(mut file) => file
                .checkpoint(reached, done)
                .map_err(|source| file.failure(source)),
        }
    }
}

/// Opens a file to write as it is, unless another run has it: two of them would write over one another.
fn open_alone(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other("another run is writing it")),
        // Not every file can be locked.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Takes off what stands behind `bytes`; a device or a pipe has nothing there.
fn cut(file: &File, bytes: u64) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(bytes)?;
    }
    Ok(())
}

impl FileOutput {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write_all(text)?;
        self.hasher.update(text);
        self.bytes += text.len() as u64;
        Ok(())
    }

    fn is_checkpoint_due(&self, reached: Reached) -> bool {
        self.noted != reached && self.last_checkpoint.elapsed() >= CHECKPOINT_INTERVAL
    }

    fn checkpoint(&mut self, reached: Reached, done: bool) -> io::Result<()> {
        let Reached {
            positions,
            failed,
            skipped,
        } = reached;
        let digest = digest_head(&self.hasher);
        let bytes = self.bytes;
        self.journal.checkpoint(&Checkpoint {
            positions,
            failed,
            skipped,
            bytes,
            digest,
            done,
        })?;
        self.last_checkpoint = Instant::now();
        self.noted = reached;
        Ok(())
    }

    fn failure(&self, source: io::Error) -> Failure {
        Failure::Output {
            name: self.path.display().to_string(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use super::{super::identity::tests::identity, *};

    type Result = std::result::Result<(), Box<dyn Error>>;

    fn at(positions: u64, failed: u64) -> Reached {
        Reached {
            positions,
            failed,
            skipped: 0,
        }
    }

    #[test]
    fn a_broken_run_goes_on_where_it_was() -> Result {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out.jsonl");
        let mut first = Output::open(&path, &identity(), true)?;
        assert_eq!(first.reached, Reached::default());
        first.output.write(b"one\n")?;
        first.output.close(at(1, 0), false)?;
        fs::OpenOptions::new()
            .append(true)
            .open(&path)?
            .write_all(b"tw")?;

        let mut second = Output::open(&path, &identity(), true)?;
        assert_eq!(second.reached, at(1, 0));
        assert!(!second.complete);
        second.output.write(b"two\n")?;
        second.output.close(at(2, 1), true)?;
        assert_eq!(fs::read_to_string(&path)?, "one\ntwo\n");

        // What somebody adds to a complete output is theirs.
        fs::OpenOptions::new()
            .append(true)
            .open(&path)?
            .write_all(b"three\n")?;
        let third = Output::open(&path, &identity(), true)?;
        assert_eq!((third.complete, third.reached), (true, at(2, 1)));
        assert_eq!(fs::read_to_string(&path)?, "one\ntwo\nthree\n");
        Ok(())
    }

    #[test]
    fn two_runs_do_not_write_one_file() -> Result {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out.jsonl");
        let mut first = Output::open(&path, &identity(), false)?;
        first.output.write(b"one\n")?;
        first.output.write(b"two\n")?;
        for resume in [false, true] {
            let refusal = Output::open(&path, &identity(), resume).map(|_| ()).unwrap_err();
            assert!(
                refusal.to_string().ends_with("another run is writing it"),
                "{refusal}"
            );
        }
        assert_eq!(fs::read_to_string(&path)?, "one\ntwo\n");
        first.output.close(at(2, 0), true)?;
        assert!(Output::open(&path, &identity(), true)?.complete);
        Ok(())
    }

    #[test]
    fn other_settings_and_unknown_outputs_are_refused() -> Result {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out.jsonl");
        Output::open(&path, &identity(), false)?
            .output
            .close(Reached::default(), false)?;
        let other = RunIdentity {
            multipv: 3,
            ..identity()
        };
        let refusal = Output::open(&path, &other, true)
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(refusal.contains("multipv was 1, is 3"), "{refusal}");

        let foreign = folder.path().join("foreign");
        fs::write(&foreign, "precious")?;
        assert!(Output::open(&foreign, &identity(), true).is_err());
        assert_eq!(fs::read_to_string(&foreign)?, "precious");
        Ok(())
    }

    #[test]
    fn starting_over_tells_what_it_replaced() -> Result {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out.jsonl");
        let mut first = Output::open(&path, &identity(), false)?;
        first.output.write(b"one\n")?;
        first.output.close(at(1, 0), false)?;
        let again = Output::open(&path, &identity(), false)?;
        assert_eq!(again.replaced, 1);
        assert_eq!(fs::read_to_string(&path)?, "");
        Ok(())
    }
}
