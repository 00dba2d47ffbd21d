use std::time::Duration;

use crate::{Fault, Job};

/// When a used-up quota is worth another try.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How much one caller may ask of the place where jobs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Jobs of his that run at once.
    pub running_jobs: usize,
    /// Items of one job.
    pub items_a_job: u32,
    /// Bytes of one job's items: positions, moves, names.
    pub bytes_a_job: u64,
    /// Bytes of the manifests of all his running jobs, as they are stored.
    pub bytes: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            running_jobs: 1000,
            items_a_job: 1_000_000,
            bytes_a_job: 1 << 30,
            bytes: 4 << 30,
        }
    }
}

impl Quotas {
    /// Lets a job in beside those that run. Only those of its owner count.
    ///
    /// # Errors
    /// [`Fault::Full`] if there is no room for it among them.
    pub fn admit<'j>(&self, running: impl IntoIterator<Item = &'j Job>, new: &Job) -> Result<(), Fault> {
        let own = running.into_iter().filter(|job| job.owner == new.owner);
        let (count, bytes) = own.fold((0, 0_u64), |(count, bytes), job| {
            (count + 1, bytes.saturating_add(job.bytes))
        });
        let reason = if count >= self.running_jobs {
            format!("{count} jobs of this caller are running, as many as may at once")
        } else if bytes.saturating_add(new.bytes) > self.bytes {
            format!(
                "this caller's running jobs take {bytes} bytes and this one {}, more than {} together",
                new.bytes, self.bytes
            )
        } else {
            return Ok(());
        };
        Err(Fault::Full {
            reason,
            retry_after: PATIENCE,
        })
    }
}
