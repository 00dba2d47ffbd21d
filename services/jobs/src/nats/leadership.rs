//! Which of several processes does what only one need do: the one that holds a key of the bucket of jobs.
//!
//! The key is only as good as its clock, so two may lead for a moment. What leaders do does no harm if two do it.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::{bucket::Bucket, names};
use crate::Fault;

/// One process's claim to a key.
#[derive(Debug)]
pub(super) struct Leadership {
    jobs: Bucket,
    key: &'static str,
    /// What is in the key while we hold it: unlike anybody else's.
    mark: Bytes,
    /// How often it is held anew.
    rounds: Duration,
    /// What the key held when it was seen last, and since when.
    seen: Option<(u64, Instant)>,
    /// The revision under which we hold it.
    held: Option<u64>,
}

impl Leadership {
    pub(super) fn new(jobs: &Bucket, key: &'static str, name: &str, rounds: Duration) -> Self {
        Self {
            jobs: jobs.clone(),
            key,
            mark: format!("{name} {:016x}", names::random()).into(),
            rounds,
            seen: None,
            held: None,
        }
    }

    /// Whether this process leads, for another round. To be asked once a round.
    ///
    /// # Errors
    /// If the broker cannot be reached; who led before may still do.
    pub(super) async fn hold(&mut self) -> Result<bool, Fault> {
        if let Some(revision) = self.held {
            self.held = self.jobs.update(self.key, self.mark.clone(), revision).await?;
            if self.held.is_some() {
                return Ok(true);
            }
        }
        let entry = self.jobs.get(self.key).await?;
        let revision = entry.as_ref().map_or(0, |entry| entry.revision);
        if entry.is_some_and(|entry| entry.value == self.mark) {
            // Written by us, although nobody said so.
            self.held = Some(revision);
            return Ok(true);
        }
        let now = Instant::now();
        match self.seen {
            // Held by one that is alive.
            Some((before, _)) if before != revision => self.seen = Some((revision, now)),
            Some((_, since)) if now.duration_since(since) > self.rounds * 3 => {
                self.held = self.jobs.update(self.key, self.mark.clone(), revision).await?;
            }
            Some(_) => {}
            None if revision == 0 => {
                self.held = self.jobs.update(self.key, self.mark.clone(), 0).await?;
            }
            None => self.seen = Some((revision, now)),
        }
        Ok(self.held.is_some())
    }
}
