//! What each backend does on this machine, and what follows from it.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tabiya_eval_shaders::PackedPosition;

use super::{Device, sample::random_games};
use crate::backend::{Backend, BackendError, BackendKind};

/// Batch sizes that are measured.
pub const CALIBRATION_SIZES: [usize; 5] = [1, 64, 256, 1024, 4096];

/// How much faster the device must be to be worth it: below this, jitter would decide.
const MARGIN: f64 = 1.1;

/// Measurements at one batch size. Rates are positions a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationRow {
    /// Positions in a batch.
    pub batch: usize,
    /// One CPU thread.
    pub cpu_thread: f64,
    /// All threads of the CPU lane, measured together.
    pub cpu_all: f64,
    /// The device with one batch at a time.
    pub device_single: Option<f64>,
    /// The device with as many batches in flight as its lane has threads.
    pub device_all: Option<f64>,
}

/// What each backend does on this machine with this network.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationTable {
    /// The CPU backend's name.
    pub cpu: String,
    /// Threads of the CPU lane.
    pub cpu_threads: usize,
    /// The device's name, or why there is none.
    pub device: Result<String, String>,
    /// One row for each of [`CALIBRATION_SIZES`] that was measured.
    pub rows: Vec<CalibrationRow>,
    /// Requests of at least this many positions are worth the device; `None` if none are.
    pub device_from: Option<usize>,
    /// Why.
    pub reason: String,
}

/// Makes another backend for one more thread.
pub(super) type CpuMaker<'a> = &'a (dyn Fn() -> Box<dyn Backend + Send> + Sync);

/// Measures for about `budget`, spread evenly. Whatever else runs meanwhile slows it down. Gives back too what the
/// device failed with, if it did: it is broken then.
pub(super) fn measure(
    make_cpu: CpuMaker<'_>,
    cpu_threads: usize,
    device: Result<Arc<dyn Device>, String>,
    device_threads: usize,
    budget: Duration,
) -> (CalibrationTable, Option<BackendError>) {
    let failure = Mutex::new(None);
    let share = budget / (CALIBRATION_SIZES.len() as u32 * 4);
    let positions = random_games(4096, 11);
    let rows = CALIBRATION_SIZES
        .into_iter()
        .map(|batch| {
            let positions = &positions[..batch];
            let cpu = |threads| rate(threads, share, positions, &|| on_cpu(make_cpu));
            let on = |threads| {
                let device = device
                    .as_ref()
                    .ok()
                    .filter(|device| batch <= device.max_batch())?;
                let rate = rate(threads, share, positions, &|| on_device(device, &failure));
                (rate > 0.0).then_some(rate)
            };
            CalibrationRow {
                batch,
                cpu_thread: cpu(1),
                cpu_all: if cpu_threads > 1 { cpu(cpu_threads) } else { 0.0 },
                device_single: on(1),
                device_all: on(device_threads),
            }
        })
        .map(|row| CalibrationRow {
            cpu_all: row.cpu_all.max(row.cpu_thread),
            ..row
        })
        .collect();
    let kind = device.as_ref().ok().map(|device| device.info().kind);
    let mut table = CalibrationTable {
        cpu: make_cpu().info().name.clone(),
        cpu_threads,
        device: device.map(|device| device.info().device.clone()),
        rows,
        device_from: None,
        reason: String::new(),
    };
    (table.device_from, table.reason) = decide(&table, kind);
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let (Ok(device), Some(error)) = (&table.device, &failure) {
        table.device_from = None;
        table.reason = format!("cpu: {device} failed while it was measured, {error}");
    }
    (table, failure)
}

type Evaluate<'a> = Box<dyn FnMut(&Arc<[PackedPosition]>) -> bool + 'a>;

fn on_cpu(make_cpu: CpuMaker<'_>) -> Evaluate<'static> {
    let mut cpu = make_cpu();
    let mut values = vec![];
    Box::new(move |positions| {
        values.resize(positions.len(), 0);
        cpu.evaluate_raw(positions, &mut values).is_ok()
    })
}

fn on_device<'a>(device: &'a Arc<dyn Device>, failure: &'a Mutex<Option<BackendError>>) -> Evaluate<'a> {
    Box::new(|positions| {
        let outcome = device.evaluate_raw(positions);
        outcome
            .map_err(|error| {
                failure
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
            })
            .is_ok()
    })
}

/// Positions a second of `threads` threads that each evaluate `positions` again and again; 0 after an error.
fn rate<'a>(
    threads: usize,
    time: Duration,
    positions: &[PackedPosition],
    make: &(dyn Fn() -> Evaluate<'a> + Sync),
) -> f64 {
    let positions: Arc<[PackedPosition]> = positions.into();
    let one = || {
        let mut evaluate = make();
        // Unmeasured: caches, page faults, a device that sleeps.
        if !evaluate(&positions) {
            return 0.0;
        }
        let start = Instant::now();
        let mut batches = 0_u32;
        while batches == 0 || start.elapsed() < time {
            if !evaluate(&positions) {
                return 0.0;
            }
            batches += 1;
        }
        f64::from(batches) * positions.len() as f64 / start.elapsed().as_secs_f64()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(0.0))
            .sum()
    })
}

/// From which request size on the device is worth it, and why.
fn decide(table: &CalibrationTable, kind: Option<BackendKind>) -> (Option<usize>, String) {
    let device = match &table.device {
        Ok(device) => device,
        Err(reason) => return (None, format!("cpu: no gpu, {reason}")),
    };
    if kind != Some(BackendKind::Gpu) {
        return (
            None,
            format!("cpu: {device} is a software adapter, which is never chosen by itself"),
        );
    }
    let wins = |row: &&CalibrationRow| row.device_all.is_some_and(|rate| rate >= MARGIN * row.cpu_all);
    // The device's lead grows with the batch: it is worth it above the last size where it does not lead.
    let winning = table.rows.iter().rev().take_while(wins).last();
    let best = |rates: &mut dyn Iterator<Item = f64>| rates.fold(0.0, f64::max);
    let cpu = best(&mut table.rows.iter().map(|row| row.cpu_all));
    let gpu = best(&mut table.rows.iter().filter_map(|row| row.device_all));
    let (cpu, gpu) = (Rate(cpu), Rate(gpu));
    match winning {
        Some(row) => (
            Some(row.batch),
            format!(
                "gpu from {} positions on: up to {gpu} against the cpu's {cpu}",
                row.batch
            ),
        ),
        None => (
            None,
            format!("cpu: {device} reaches {gpu} at best, the cpu {cpu}"),
        ),
    }
}

/// Positions a second, in three digits.
struct Rate(f64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            rate if rate >= 1e6 => f.pad(&format!("{:.2} M/s", rate / 1e6)),
            rate if rate >= 1e3 => f.pad(&format!("{:.1} k/s", rate / 1e3)),
            rate => f.pad(&format!("{rate:.0} /s")),
        }
    }
}

impl fmt::Display for CalibrationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cpu: {}, {} threads", self.cpu, self.cpu_threads)?;
        match &self.device {
            Ok(device) => writeln!(f, "gpu: {device}")?,
            Err(reason) => writeln!(f, "gpu: none, {reason}")?,
        }
        writeln!(
            f,
            "{:>6} {:>12} {:>12} {:>12} {:>12}",
            "batch", "cpu thread", "cpu all", "gpu single", "gpu all"
        )?;
        for row in &self.rows {
            let device = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| Rate(rate).to_string());
            writeln!(
                f,
                "{:>6} {:>12} {:>12} {:>12} {:>12}",
                row.batch,
                Rate(row.cpu_thread),
                Rate(row.cpu_all),
                device(row.device_single),
                device(row.device_all)
            )?;
        }
        write!(f, "auto: {}", self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(device: Result<String, String>, rows: &[(usize, f64, f64)]) -> CalibrationTable {
        let rows = rows.iter().map(|&(batch, cpu, gpu)| CalibrationRow {
            batch,
            cpu_thread: cpu,
            cpu_all: cpu,
            device_single: Some(gpu),
            device_all: Some(gpu),
        });
        CalibrationTable {
            cpu: "cpu-test".to_owned(),
            cpu_threads: 1,
            device,
            rows: rows.collect(),
            device_from: None,
            reason: String::new(),
        }
    }

    #[test]
    fn device_serves_from_where_it_leads_for_good() {
        let rows = [
            (1, 1e6, 1e4),
            (64, 2e6, 9e6),
            (256, 2e6, 2.1e6),
            (1024, 2e6, 8e6),
            (4096, 2e6, 3e7),
        ];
        let decided = decide(&table(Ok("card".to_owned()), &rows), Some(BackendKind::Gpu));
        assert_eq!(decided.0, Some(1024));
        assert_eq!(
            decided.1,
            "gpu from 1024 positions on: up to 30.00 M/s against the cpu's 2.00 M/s"
        );
    }

    #[test]
    fn cpu_serves_for_a_stated_reason() {
        let rows = [(1, 1e6, 1e4), (4096, 2e6, 2e6)];
        let slow = decide(&table(Ok("card".to_owned()), &rows), Some(BackendKind::Gpu));
        assert_eq!(
            slow,
            (
                None,
                "cpu: card reaches 2.00 M/s at best, the cpu 2.00 M/s".to_owned()
            )
        );
        let fast = [(4096, 1.0, 1e9)];
        let software = decide(
            &table(Ok("llvmpipe".to_owned()), &fast),
            Some(BackendKind::SoftwareGpu),
        );
        assert!(
            software.0.is_none() && software.1.contains("software adapter"),
            "{software:?}"
        );
        let absent = decide(&table(Err("no driver".to_owned()), &rows), None);
        assert_eq!(absent, (None, "cpu: no gpu, no driver".to_owned()));
    }

    #[test]
    fn table_prints_one_line_a_size() {
        let text = table(Ok("card".to_owned()), &[(64, 1_234_567.0, 999.0)]).to_string();
        assert!(
            text.contains("    64     1.23 M/s     1.23 M/s       999 /s       999 /s"),
            "{text}"
        );
    }
}
