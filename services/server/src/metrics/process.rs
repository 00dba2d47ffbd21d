//! The process as the system sees it. Only Linux tells.

/// Figures of the process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) cpu_seconds: f64,
    pub(super) resident_bytes: u64,
    pub(super) virtual_bytes: u64,
    pub(super) threads: u64,
    pub(super) open_fds: u64,
    /// `None` without a limit.
    pub(super) max_fds: Option<u64>,
    pub(super) started_seconds: f64,
}

/// The figures of this process now; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn process() -> Option<Process> {
    use procfs::process::{LimitValue, Process as Proc};

    let this = Proc::myself().ok()?;
    let stat = this.stat().ok()?;
    let ticks = procfs::ticks_per_second() as f64;
    let max_fds = match this.limits().ok()?.max_open_files.soft_limit {
        LimitValue::Value(most) => Some(most),
        LimitValue::Unlimited => None,
    };
    Some(Process {
        cpu_seconds: (stat.utime + stat.stime) as f64 / ticks,
        resident_bytes: stat.rss * procfs::page_size(),
        virtual_bytes: stat.vsize,
        threads: stat.num_threads as u64,
        open_fds: this.fd_count().ok()? as u64,
        max_fds,
        started_seconds: procfs::boot_time_secs().ok()? as f64 + stat.starttime as f64 / ticks,
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn process() -> Option<Process> {
    None
}
