use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use redb::{
    Builder, Database, DatabaseError, Durability, ReadTransaction, ReadableDatabase, ReadableTable,
    WriteTransaction,
};

use super::{
    tables::{BLOCKS, JOBS, LAYOUT, META, NUMBERS, PLACES, PROGRESS, ROWS, RUNNING, TASKS},
    transaction::Trouble,
};
use crate::Fault;

/// The database's name in its folder.
const NAME: &str = "jobs.redb";

/// Memory for the database's pages, in bytes.
const CACHE: usize = 16 << 20;

/// Why the jobs of a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("jobs folder {folder}: {reason}")]
pub struct OpenError {
    /// The folder.
    pub folder: String,
    /// What is wrong.
    pub reason: String,
}

type Open = Box<dyn Fn() -> Result<Database, DatabaseError> + Send + Sync>;

/// The database, opened again after trouble with the disk.
pub(super) struct File {
    open: Open,
    /// `None` after trouble, until somebody needs it.
    database: Mutex<Option<Arc<Database>>>,
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").finish_non_exhaustive()
    }
}

impl File {
    /// Opens or makes the database of a folder.
    pub(super) fn open(folder: &Path) -> Result<Self, OpenError> {
        let error = |reason: String| OpenError {
            folder: folder.display().to_string(),
            reason,
        };
        std::fs::create_dir_all(folder).map_err(|source| error(source.to_string()))?;
        let path = folder.join(NAME);
        let opened = catch_unwind(AssertUnwindSafe(|| Self::with(opener(path))));
        match opened {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(trouble)) => Err(error(explain(trouble))),
            Err(_) => Err(error(format!("{NAME} is damaged beyond reading"))),
        }
    }

    /// Opens the database that `open` gives, and makes its tables.
    pub(super) fn with(open: Open) -> Result<Self, Trouble> {
        let database = open()?;
        prepare(&database)?;
        Ok(Self {
            open,
            database: Mutex::new(Some(Arc::new(database))),
        })
    }

    /// Reads.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, Trouble>,
    ) -> Result<T, Fault> {
        self.attempt(|database| work(&database.begin_read()?))
    }

    /// Writes, and commits to disk unless `work` fails.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, Trouble>,
    ) -> Result<T, Fault> {
        self.attempt(|database| {
            let mut transaction = database.begin_write()?;
            transaction.set_durability(Durability::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    fn attempt<T>(&self, work: impl FnOnce(&Database) -> Result<T, Trouble>) -> Result<T, Fault> {
        let database = self.database()?;
        let done = work(&database);
        if let Err(trouble) = &done
            && trouble.needs_reopening()
        {
            tracing::error!(?trouble, "the jobs' database is opened again");
            let mut current = self.database.lock().unwrap_or_else(PoisonError::into_inner);
            if current
                .as_ref()
                .is_some_and(|current| Arc::ptr_eq(current, &database))
            {
                *current = None;
            }
        }
        done.map_err(Trouble::into_fault)
    }

    fn database(&self) -> Result<Arc<Database>, Fault> {
        let mut current = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = current.as_ref() {
            return Ok(database.clone());
        }
        // Refused while another thread still holds what was closed; the next call tries again.
        let database = (self.open)().map_err(|error| Trouble::from(error).into_fault())?;
        let database = Arc::new(database);
        *current = Some(database.clone());
        Ok(database)
    }
}

fn opener(path: PathBuf) -> Open {
    Box::new(move || {
        Builder::new()
            .set_cache_size(CACHE)
            // Damage is found here, where it can be told, rather than in the middle of a read.
            .set_check_integrity_on_open(true)
            .create(&path)
    })
}

/// Makes the tables, or checks that they are ours.
fn prepare(database: &Database) -> Result<(), Trouble> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        let layout = meta.get("layout")?.map(|layout| layout.value());
        match layout {
            Some(LAYOUT) => {}
            Some(other) => {
                let reason = format!("written by another version: layout {other}, not {LAYOUT}");
                return Err(Fault::Damaged(reason).into());
            }
            None => {
                meta.insert("layout", LAYOUT)?;
            }
        }
        transaction.open_table(NUMBERS)?;
        transaction.open_table(JOBS)?;
        transaction.open_table(PROGRESS)?;
        transaction.open_table(RUNNING)?;
        transaction.open_table(BLOCKS)?;
        transaction.open_table(ROWS)?;
        transaction.open_table(PLACES)?;
        transaction.open_table(TASKS)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Trouble at the start, for the one who has to mend it.
fn explain(trouble: Trouble) -> String {
    if let Trouble::Database(error) = &trouble {
        match &**error {
            redb::Error::DatabaseAlreadyOpen => return "in use by another process".to_owned(),
            redb::Error::Io(source) => return format!("{NAME}: {source}"),
            _ => {}
        }
    }
    format!("{NAME}: {}", trouble.into_fault())
}
