//! What the database holds. A job has a number, which no other job ever has; everything that belongs to it is found by
//! that.

use prost::Message;
use redb::{ReadableTable, TableDefinition};

use super::transaction::Trouble;
use crate::{Fault, Job, Progress};

/// The layout; to be raised when it changes.
pub(super) const LAYOUT: u64 = 1;

/// `layout`, and `next`, the number of the next job.
pub(super) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// The number of each job, by its name.
pub(super) const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
/// The [`Job`]s.
pub(super) const JOBS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("jobs");
/// Their [`Progress`].
pub(super) const PROGRESS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("progress");
/// The jobs that have not ended.
pub(super) const RUNNING: TableDefinition<'_, u64, ()> = TableDefinition::new("running");
/// Manifests: blocks by their number.
pub(super) const BLOCKS: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("blocks");
/// Results in the order in which they came, from 0.
pub(super) const ROWS: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("rows");
/// The places of the items that have a result.
pub(super) const PLACES: TableDefinition<'_, (u64, u32), ()> = TableDefinition::new("places");
/// Tasks that were begun or cut, by their first place: see [`Tried`].
pub(super) const TASKS: TableDefinition<'_, (u64, u32), (u32, u32, bool, u32)> =
    TableDefinition::new("tries");

/// What is kept of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tried {
    /// Number of items.
    pub(super) count: u32,
    /// Tries that failed with a word.
    pub(super) failures: u32,
    /// Whether a try has begun of whose end nothing is known.
    pub(super) open: bool,
    /// How often it was begun alone in a process that has ended since.
    pub(super) deaths: u32,
}

impl Tried {
    pub(super) fn read((count, failures, open, deaths): (u32, u32, bool, u32)) -> Self {
        Self {
            count,
            failures,
            open,
            deaths,
        }
    }

    pub(super) fn written(self) -> (u32, u32, bool, u32) {
        (self.count, self.failures, self.open, self.deaths)
    }
}

/// The number of a job.
pub(super) fn number(
    numbers: &impl ReadableTable<&'static str, u64>,
    name: &str,
) -> Result<Option<u64>, Trouble> {
    Ok(numbers.get(name)?.map(|number| number.value()))
}

/// The job of a number.
pub(super) fn job(
    jobs: &impl ReadableTable<u64, &'static [u8]>,
    number: u64,
) -> Result<Option<Job>, Trouble> {
    decode(jobs, number, "job")
}

/// How far the job of a number is.
pub(super) fn progress(
    table: &impl ReadableTable<u64, &'static [u8]>,
    number: u64,
) -> Result<Option<Progress>, Trouble> {
    decode(table, number, "progress")
}

fn decode<T: Message + Default>(
    table: &impl ReadableTable<u64, &'static [u8]>,
    number: u64,
    what: &str,
) -> Result<Option<T>, Trouble> {
    match table.get(number)? {
        None => Ok(None),
        Some(bytes) => T::decode(bytes.value())
            .map(Some)
            .map_err(|error| Fault::Damaged(format!("{what} {number}: {error}")).into()),
    }
}
