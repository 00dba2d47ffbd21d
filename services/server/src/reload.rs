//! Files that are read again when they change, without a restart.
//!
//! Contents are compared, not times and not events: mounted secrets are swapped by links that watchers miss.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc, PoisonError, RwLock,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use sha2::{Digest, Sha256};

use crate::{
    ServerError,
    metrics::{Metrics, Watched},
};

/// The greatest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Makes a value of the files' contents, or says what is wrong without quoting them: they hold secrets.
type Make<T> = Box<dyn Fn(&[Vec<u8>]) -> Result<T, String> + Send>;

/// The value that the files last were good for. Clones see the same.
pub(crate) struct Current<T>(Arc<RwLock<Arc<T>>>);

/// Files and what is made of them.
pub(crate) struct FromFiles<T> {
    what: Watched,
    /// What it is called in log lines.
    title: &'static str,
    paths: Vec<PathBuf>,
    make: Make<T>,
    seen: [u8; 32],
    current: Current<T>,
}

/// Something that can be looked at again.
pub(crate) trait Reload: Send {
    /// Looks whether the files have changed; if so, says whether the change was taken up.
    fn look(&mut self) -> Option<bool>;

    /// What is looked at.
    fn what(&self) -> Watched;
}

/// The thread that looks at files. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Reloader {
    /// Dropped to end the thread.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl<T> Current<T> {
    /// A value that never changes.
    pub(crate) fn fixed(value: T) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(value))))
    }

    pub(crate) fn get(&self) -> Arc<T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}

impl<T> Clone for Current<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// By hand: what is made of secret files is not shown.
impl<T> fmt::Debug for Current<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl<T> FromFiles<T> {
    /// Reads the files for the first time.
    ///
    /// # Errors
    /// [`ServerError::File`] if one cannot be read, or nothing can be made of them.
    pub(crate) fn open(
        what: Watched,
        title: &'static str,
        paths: Vec<PathBuf>,
        make: Make<T>,
    ) -> Result<Self, ServerError> {
        let contents = read(&paths);
        let seen = digest(&contents);
        let value = contents.and_then(|contents| make(&contents));
        let value = value.map_err(|reason| ServerError::File { what: title, reason })?;
        Ok(Self {
            what,
            title,
            paths,
            make,
            seen,
            current: Current::fixed(value),
        })
    }

    /// The value, now and later.
    pub(crate) fn current(&self) -> Current<T> {
        self.current.clone()
    }
}

impl<T: Send + Sync> Reload for FromFiles<T> {
    fn what(&self) -> Watched {
        self.what
    }

    fn look(&mut self) -> Option<bool> {
        let contents = read(&self.paths);
        let seen = digest(&contents);
        if std::mem::replace(&mut self.seen, seen) == seen {
            return None;
        }
        match contents.and_then(|contents| (self.make)(&contents)) {
            Ok(value) => {
                self.current.set(value);
                tracing::info!(what = self.title, "read again");
                Some(true)
            }
            Err(reason) => {
                tracing::error!(
                    what = self.title,
                    reason,
                    "cannot be used; what was read before stays in use"
                );
                Some(false)
            }
        }
    }
}

impl Reloader {
    /// Looks at the files again and again.
    pub(crate) fn start(
        mut files: Vec<Box<dyn Reload>>,
        every: Duration,
        metrics: Arc<Metrics>,
    ) -> Result<Self, ServerError> {
        if files.is_empty() {
            return Ok(Self {
                stop: None,
                thread: None,
            });
        }
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::Builder::new()
            .name("tabiya-files".into())
            .spawn(move || {
                while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                    for file in &mut files {
                        if let Some(is_taken) = file.look() {
                            metrics.reloads.count(file.what(), is_taken);
                        }
                    }
                }
            })
            .map_err(|source| ServerError::Thread {
                what: "the reader of files",
                source,
            })?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Reloader {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, String> {
    let one = |path: &PathBuf| {
        let named = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = std::fs::File::open(path).map_err(named)?;
        let mut bytes = Vec::new();
        let mut bounded = std::io::Read::take(file, MAX_FILE_BYTES + 1);
        std::io::Read::read_to_end(&mut bounded, &mut bytes).map_err(named)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("{}: more than {MAX_FILE_BYTES} bytes", path.display()));
        }
        Ok(bytes)
    };
    paths.iter().map(one).collect()
}

fn digest(contents: &Result<Vec<Vec<u8>>, String>) -> [u8; 32] {
    let mut hash = Sha256::new();
    match contents {
        Ok(files) => {
            for bytes in files {
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            }
        }
        Err(reason) => hash.update(reason),
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_file_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("number");
        let make = |contents: &[Vec<u8>]| {
            let text = String::from_utf8(contents[0].clone()).map_err(|_| "no text")?;
            text.trim().parse::<u32>().map_err(|_| "no number".to_owned())
        };
        let open = || FromFiles::open(Watched::Tokens, "number", vec![path.clone()], Box::new(make));
        assert!(open().is_err());
        std::fs::write(&path, "1").unwrap();
        let mut file = open().unwrap();
        let current = file.current();
        assert_eq!(*current.get(), 1);
        for (content, value) in [
            (Some("2"), 2),
            (Some("two"), 2),
            (None, 2),
            (Some("3"), 3),
            (Some("3"), 3),
        ] {
            match content {
                Some(content) => std::fs::write(&path, content).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            file.look();
            assert_eq!(*current.get(), value, "{content:?}");
        }
    }

    #[test]
    fn the_thread_looks_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, "a").unwrap();
        let make = |contents: &[Vec<u8>]| Ok(contents[0].clone());
        let file = FromFiles::open(Watched::Tokens, "bytes", vec![path.clone()], Box::new(make)).unwrap();
        let current = file.current();
        let metrics = Arc::new(Metrics::new());
        let reloader =
            Reloader::start(vec![Box::new(file)], Duration::from_millis(5), metrics.clone()).unwrap();
        std::fs::write(&path, "b").unwrap();
        let begun = std::time::Instant::now();
        while *current.get() != b"b" {
            assert!(begun.elapsed() < Duration::from_secs(60), "never read again");
            thread::sleep(Duration::from_millis(5));
        }
        drop(reloader);
    }
}
