use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What memory is counted in: 2^32 of them are as much as anybody has.
const UNIT: usize = 1024;

/// Memory for jobs that are being submitted, all together. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Submissions {
    units: Arc<Semaphore>,
    limit: usize,
}

/// What one job holds of it, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    of: Submissions,
    held: Option<OwnedSemaphorePermit>,
}

impl Submissions {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            units: Arc::new(Semaphore::new(units(limit) as usize)),
            limit,
        }
    }

    /// Bytes that may be taken.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that are taken, in whole KiB.
    pub(crate) fn taken(&self) -> usize {
        (units(self.limit) as usize - self.units.available_permits()) * UNIT
    }

    /// The share of a job, empty at first.
    pub(crate) fn share(&self) -> Share {
        Share {
            of: self.clone(),
            held: None,
        }
    }
}

impl Share {
    /// Has the job hold so many bytes in all, never fewer than it does; false if others take the memory for that.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = units(bytes).saturating_sub(held as u32);
        let Ok(more) = self.of.units.clone().try_acquire_many_owned(more) else {
            return false;
        };
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        true
    }
}

/// So many bytes in [`UNIT`]s.
fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX >> 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_share_the_memory_and_give_it_back() {
        let memory = Submissions::new(100 * UNIT);
        let (mut one, mut two) = (memory.share(), memory.share());
        assert!(one.grow_to(60 * UNIT) && two.grow_to(39 * UNIT + 1));
        assert_eq!((memory.taken(), memory.limit()), (100 * UNIT, 100 * UNIT));
        // What is refused changes nothing, and what is less takes nothing back.
        assert!(!two.grow_to(41 * UNIT) && one.grow_to(UNIT));
        assert_eq!(memory.taken(), 100 * UNIT);
        drop(one);
        assert_eq!(memory.taken(), 40 * UNIT);
        assert!(two.grow_to(100 * UNIT));
        drop(two);
        assert_eq!(memory.taken(), 0);
    }
}
