//! The progress file beside an output, which says how far the output can be trusted after a crash.
//!
//! `OUT.progress` is a text file that only grows. Its first line is the [`RunIdentity`]; every further line is a
//! [`Checkpoint`]: so many bytes of the output, with this digest, hold the results of so many positions. The output
//! is written first and the checkpoint after it. A continued run goes back to the last checkpoint that the output
//! still bears out, cuts the output there and works on from that position, so that a line torn by a crash is cut
//! off and nothing is lost or doubled.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::identity::{Hashing, RunIdentity, hexadecimal};

/// How far an output has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Positions whose results are in the output, or that failed.
    pub(crate) positions: u64,
    /// How many of them failed.
    pub(crate) failed: u64,
    /// Games that could not be read; known only when the output is complete.
    #[serde(default)]
    pub(crate) skipped: u64,
    /// Length of the output in bytes.
    pub(crate) bytes: u64,
    /// Head of the SHA-256 of these bytes.
    pub(crate) digest: String,
    /// Whether the output is complete.
    #[serde(default)]
    pub(crate) done: bool,
}

/// The progress file, open for growing.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
}

/// What a progress file and its output say about a run that was begun earlier.
#[derive(Debug)]
pub(crate) struct Begun {
    /// Who wrote it.
    pub(crate) identity: RunIdentity,
    /// The last checkpoint that the output bears out.
    pub(crate) checkpoint: Checkpoint,
    /// The digest at that point, to go on from.
    pub(crate) hasher: Sha256,
    /// Length of the progress file up to and with that checkpoint.
    journal_bytes: u64,
}

/// Why a run cannot be continued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JournalError {
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The first line is no run identity.
    #[error("not a progress file of this version")]
    Foreign,
    /// No checkpoint fits the output.
    #[error("the output was changed by something else since; start over without --resume")]
    OutputChanged,
}

/// Path of the progress file that belongs to an output.
pub(crate) fn journal_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".progress");
    PathBuf::from(name)
}

/// Head of a digest, as checkpoints carry it.
pub(crate) fn digest_head(hasher: &Sha256) -> String {
    hexadecimal(hasher.clone().finalize().get(..8).unwrap_or_default())
}

impl Journal {
    /// Begins a progress file, in place of an older one.
    pub(crate) fn create(path: &Path, identity: &RunIdentity) -> io::Result<Self> {
        let mut journal = Self {
            file: File::create(path)?,
        };
        journal.append(identity)?;
        Ok(journal)
    }

    /// Opens the progress file of a run that was begun, and forgets what came after its last good checkpoint.
    pub(crate) fn reopen(path: &Path, begun: &Begun) -> io::Result<Self> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(begun.journal_bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file })
    }

    /// Adds a checkpoint. The output it speaks of has to be written already.
    pub(crate) fn checkpoint(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        self.append(checkpoint)
    }

    fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

impl Begun {
    /// Reads the progress file of an output; `None` if there is none, or none with a whole first line.
    ///
    /// # Errors
    /// If it cannot be read, is no progress file, or no checkpoint fits the output.
    pub(crate) fn read(output: &Path) -> Result<Option<Self>, JournalError> {
        let journal = match File::open(journal_path(output)) {
            Ok(file) => BufReader::new(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut lines = WholeLines {
            reader: journal,
            end: 0,
        };
        let Some(first) = lines.next_line()? else {
            return Ok(None);
        };
        let identity: RunIdentity = serde_json::from_slice(&first).map_err(|_| JournalError::Foreign)?;
        let mut begun = Self {
            identity,
            checkpoint: Checkpoint::default(),
            hasher: Sha256::new(),
            journal_bytes: lines.end,
        };

        let output = match File::open(output) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let has_output = output
            .as_ref()
            .is_some_and(|file| file.metadata().is_ok_and(|data| data.len() > 0));
        let mut output = output.map(BufReader::new);
        let mut reached = Hashing::default();
        let mut seen = 0_u32;
        while let Some(line) = lines.next_line()? {
            let Ok(checkpoint) = serde_json::from_slice::<Checkpoint>(&line) else {
                break;
            };
            seen += 1;
            let Some(output) = &mut output else { break };
            let Some(ahead) = checkpoint.bytes.checked_sub(reached.bytes) else {
                break;
            };
            let copied = io::copy(&mut output.take(ahead), &mut reached)?;
            if copied < ahead || digest_head(&reached.hasher) != checkpoint.digest {
                break;
            }
            begun.hasher = reached.hasher.clone();
            begun.checkpoint = checkpoint;
            begun.journal_bytes = lines.end;
        }
        if begun.checkpoint == Checkpoint::default() && seen > 0 && has_output && reached.bytes > 0 {
            // The first checkpoint already disagrees: whatever lies there is not what this run wrote.
            return Err(JournalError::OutputChanged);
        }
        Ok(Some(begun))
    }
}

/// Lines that end in a line feed; a torn last line is left out.
struct WholeLines<R> {
    reader: R,
    /// Bytes up to the end of the last line given.
    end: u64,
}

impl<R: BufRead> WholeLines<R> {
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.end += read as u64;
        Ok(Some(line))
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use super::{super::identity::tests::identity, *};

    type Result = std::result::Result<(), Box<dyn Error>>;

    fn checkpoint(positions: u64, text: &str) -> Checkpoint {
        let digest = digest_head(&Sha256::new_with_prefix(text));
        Checkpoint {
            positions,
            bytes: text.len() as u64,
            digest,
            ..Checkpoint::default()
        }
    }

    /// An output "one\ntwo\n" with a checkpoint after each line, then changed by `damage`.
    fn after(
        damage: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> std::result::Result<Checkpoint, JournalError> {
        let folder = tempfile::tempdir()?;
        let output = folder.path().join("out");
        let mut journal = Journal::create(&journal_path(&output), &identity())?;
        fs::write(&output, "one\ntwo\n")?;
        journal.checkpoint(&checkpoint(1, "one\n"))?;
        journal.checkpoint(&checkpoint(2, "one\ntwo\n"))?;
        damage(&output, &journal_path(&output))?;
        let begun = Begun::read(&output)?.expect("a progress file");
        assert_eq!(begun.identity, identity());
        assert_eq!(begun.checkpoint.digest.is_empty(), begun.checkpoint.bytes == 0);
        Ok(begun.checkpoint)
    }

    #[test]
    fn the_last_checkpoint_holds() -> Result {
        assert_eq!(after(|_, _| Ok(()))?.positions, 2);
        assert_eq!(
            after(|output, _| fs::write(output, "one\ntwo\nthr"))?.positions,
            2
        );
        Ok(())
    }

    #[test]
    fn a_torn_output_goes_back() -> Result {
        assert_eq!(after(|output, _| fs::write(output, "one\ntw"))?.positions, 1);
        assert_eq!(after(|output, _| fs::write(output, ""))?.positions, 0);
        assert_eq!(after(|output, _| fs::remove_file(output))?.positions, 0);
        Ok(())
    }

    #[test]
    fn a_torn_progress_file_goes_back() -> Result {
        let tear = |path: &Path| {
            let text = fs::read(path)?;
            fs::write(path, &text[..text.len() - 3])
        };
        assert_eq!(after(|_, journal| tear(journal))?.positions, 1);
        Ok(())
    }

    #[test]
    fn a_changed_output_is_refused() {
        let result = after(|output, _| fs::write(output, "1ne\ntwo\n"));
        assert!(matches!(result, Err(JournalError::OutputChanged)), "{result:?}");
    }

    #[test]
    fn an_output_changed_late_goes_back_to_where_it_was_right() -> Result {
        assert_eq!(after(|output, _| fs::write(output, "one\ntwX\n"))?.positions, 1);
        Ok(())
    }

    #[test]
    fn foreign_files_are_refused() -> Result {
        let folder = tempfile::tempdir()?;
        let output = folder.path().join("out");
        assert!(Begun::read(&output)?.is_none());
        fs::write(journal_path(&output), "{}\n")?;
        assert!(matches!(Begun::read(&output), Err(JournalError::Foreign)));
        fs::write(journal_path(&output), "{\"lay")?;
        assert!(
            Begun::read(&output)?.is_none(),
            "torn before its first line was whole"
        );
        Ok(())
    }

    #[test]
    fn going_on_forgets_what_was_not_borne_out() -> Result {
        let folder = tempfile::tempdir()?;
        let output = folder.path().join("out");
        let path = journal_path(&output);
        let mut journal = Journal::create(&path, &identity())?;
        journal.checkpoint(&checkpoint(1, "one\n"))?;
        journal.checkpoint(&checkpoint(2, "one\ntwo\n"))?;
        fs::write(&output, "one\nt")?;
        let begun = Begun::read(&output)?.expect("a progress file");
        let mut journal = Journal::reopen(&path, &begun)?;
        journal.checkpoint(&checkpoint(3, "one\nt22\n"))?;
        fs::write(&output, "one\nt22\n")?;
        assert_eq!(
            Begun::read(&output)?.map(|begun| begun.checkpoint.positions),
            Some(3)
        );
        assert_eq!(fs::read_to_string(&path)?.lines().count(), 3);
        Ok(())
    }
}
