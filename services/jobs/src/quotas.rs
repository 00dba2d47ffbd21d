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
