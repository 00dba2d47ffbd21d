//! Who works at what: the state machine behind a queue, without clocks and without I/O.
//!
//! A task waits, or one worker holds it under a lease that runs out. Each job's tasks never overlap. Jobs take turns, so
//! that a long one does not stand before a short one.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    time::Duration,
};

use crate::{Depth, JobId, LeaseLost, Past, Pins, Span, Task};

#[cfg(test)]
mod tests;

/// Names one lease for ever: a later lease on the same task has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(u64);

/// The tasks of all jobs. Times are spans since any fixed moment, and must not fall.
#[derive(Debug)]
pub struct Ledger {
    /// How long a lease holds without being renewed.
    period: Duration,
    jobs: HashMap<JobId, JobTasks>,
    /// Jobs in the order of their turns.
    turns: VecDeque<JobId>,
    leases: HashMap<LeaseId, (JobId, u32)>,
    next_lease: u64,
}

#[derive(Debug)]
struct JobTasks {
    pins: Pins,
    /// By the place of their first item.
    tasks: BTreeMap<u32, Entry>,
    /// Tasks that wait: when each may be taken, and its first place.
    waiting: BTreeSet<(Duration, u32)>,
    /// Tasks under a lease: when it runs out, and the first place.
    leased: BTreeSet<(Duration, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    count: u32,
    past: Past,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Waiting,
    Leased { lease: LeaseId, until: Duration },
}

impl Ledger {
    /// An empty ledger whose leases hold for `period` without being renewed.
    pub fn new(period: Duration) -> Self {
        Self {
            period,
            jobs: HashMap::new(),
            turns: VecDeque::new(),
            leases: HashMap::new(),
            next_lease: 0,
        }
    }

    /// How long a lease holds without being renewed.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// Puts in those of the spans that lie across no task that is there, to be taken from `from` on. Each comes with its
    /// past.
    pub fn ensure(&mut self, job_id: &JobId, pins: &Pins, spans: &[(Span, Past)], from: Duration) {
        if spans.is_empty() {
            return;
        }
        let turns = &mut self.turns;
        let job = self.jobs.entry(job_id.clone()).or_insert_with(|| {
            turns.push_back(job_id.clone());
            JobTasks {
                pins: pins.clone(),
                tasks: BTreeMap::new(),
                waiting: BTreeSet::new(),
                leased: BTreeSet::new(),
            }
        });
        for &(span, past) in spans {
            job.add(span, past, from);
        }
    }

    /// Takes a task of a job with any of these pins, if one may be taken now.
    pub fn lease(&mut self, now: Duration, pins: &[Pins]) -> Option<(LeaseId, Task)> {
        self.expire(now);
        for turn in 0..self.turns.len() {
            let Some(job_id) = self.turns.get(turn).cloned() else {
                break;
            };
            let Some(job) = self.jobs.get_mut(&job_id) else {
                continue;
            };
            let Some(&(from, first)) = job.waiting.first() else {
                continue;
            };
            if from > now || !pins.contains(&job.pins) {
                continue;
            }
            let lease = LeaseId(self.next_lease);
            let until = now + self.period;
            let Some(entry) = job.tasks.get_mut(&first) else {
                continue;
            };
            self.next_lease += 1;
            entry.state = State::Leased { lease, until };
            let task = Task {
                job_id: job_id.clone(),
                span: Span {
                    first,
                    count: entry.count,
                },
                past: entry.past,
            };
            job.waiting.remove(&(from, first));
            job.leased.insert((until, first));
            self.leases.insert(lease, (job_id, first));
            if let Some(served) = self.turns.remove(turn) {
                self.turns.push_back(served);
            }
            return Some((lease, task));
        }
        None
    }

    /// Holds on to a task.
    ///
    /// # Errors
    /// [`LeaseLost`] if the lease ran out, or the task was taken off.
    pub fn renew(&mut self, now: Duration, lease: LeaseId) -> Result<(), LeaseLost> {
        self.expire(now);
        let until = now + self.period;
        let (job, first) = self.held(lease)?;
        let entry = job.tasks.get_mut(&first).ok_or(LeaseLost)?;
        if let State::Leased { until: before, .. } = entry.state {
            job.leased.remove(&(before, first));
        }
        entry.state = State::Leased { lease, until };
        job.leased.insert((until, first));
        Ok(())
    }

    /// The task is done.
    ///
    /// # Errors
    /// [`LeaseLost`] if the lease ran out before, or the task was taken off; somebody else's hold on it is not touched.
    pub fn done(&mut self, now: Duration, lease: LeaseId) -> Result<Task, LeaseLost> {
        self.end(now, lease)
    }

    /// Gives the task back, to be taken from `pause` on, as it was or with one more failure. Who tells of a failure has
    /// survived the try, so that the task is no suspect any more.
    ///
    /// # Errors
    /// [`LeaseLost`] as for [`Ledger::done`].
    pub fn give_back(
        &mut self,
        now: Duration,
        lease: LeaseId,
        pause: Duration,
        failed: bool,
    ) -> Result<Task, LeaseLost> {
        self.expire(now);
        let pins = self.held(lease)?.0.pins.clone();
        let mut task = self.end(now, lease)?;
        if failed {
            task.past = Past {
                failures: task.tries(),
                suspect: false,
            };
        }
        self.ensure(&task.job_id, &pins, &[(task.span, task.past)], now + pause);
        Ok(task)
    }

    /// Replaces the task by smaller ones, which nobody has tried; parts of a suspect are suspects.
    ///
    /// # Errors
    /// [`LeaseLost`] as for [`Ledger::done`].
    pub fn split(&mut self, now: Duration, lease: LeaseId, parts: &[Span]) -> Result<Task, LeaseLost> {
        self.expire(now);
        let pins = self.held(lease)?.0.pins.clone();
        let task = self.end(now, lease)?;
        let past = Past {
            failures: 0,
            ..task.past
        };
        let parts: Vec<_> = parts.iter().map(|&part| (part, past)).collect();
        self.ensure(&task.job_id, &pins, &parts, now);
        Ok(task)
    }

    /// Takes all tasks of a job off. Leases on them are lost.
    pub fn forget(&mut self, job_id: &JobId) {
        self.jobs.remove(job_id);
        self.turns.retain(|turn| turn != job_id);
        self.leases.retain(|_, (of, _)| of != job_id);
    }

    /// When there may be more to take than now: the soonest end of a lease or of a pause after `now`.
    pub fn next_change(&self, now: Duration) -> Option<Duration> {
        let soonest = |job: &JobTasks| {
            let lease = job.leased.first().map(|&(until, _)| until);
            let pause = job.waiting.range((now, u32::MAX)..).next().map(|&(from, _)| from);
            lease.into_iter().chain(pause).min()
        };
        self.jobs.values().filter_map(soonest).min()
    }

    /// How much there is to do in all.
    pub fn depth(&self) -> Depth {
        let mut depth = Depth::default();
        for job in self.jobs.values() {
            depth.waiting += job.waiting.len() as u64;
            depth.leased += job.leased.len() as u64;
        }
        depth
    }

    /// How much there is to do for a job.
    pub fn depth_of(&self, job_id: &JobId) -> Depth {
        self.jobs.get(job_id).map_or(Depth::default(), |job| Depth {
            waiting: job.waiting.len() as u64,
            leased: job.leased.len() as u64,
        })
    }

    /// Hands tasks whose lease has run out to whoever asks next.
    fn expire(&mut self, now: Duration) {
        for job in self.jobs.values_mut() {
            while let Some(&(until, first)) = job.leased.first() {
                if until > now {
                    break;
                }
                job.leased.pop_first();
                if let Some(entry) = job.tasks.get_mut(&first) {
                    if let State::Leased { lease, .. } = entry.state {
                        self.leases.remove(&lease);
                    }
                    entry.state = State::Waiting;
                    job.waiting.insert((until, first));
                }
            }
        }
    }

    fn held(&mut self, lease: LeaseId) -> Result<(&mut JobTasks, u32), LeaseLost> {
        let (job_id, first) = self.leases.get(&lease).ok_or(LeaseLost)?;
        let job = self.jobs.get_mut(job_id).ok_or(LeaseLost)?;
        Ok((job, *first))
    }

    /// Takes a held task off.
    fn end(&mut self, now: Duration, lease: LeaseId) -> Result<Task, LeaseLost> {
        self.expire(now);
        let (job_id, first) = self.leases.get(&lease).ok_or(LeaseLost)?.clone();
        let job = self.jobs.get_mut(&job_id).ok_or(LeaseLost)?;
        let entry = job.tasks.remove(&first).ok_or(LeaseLost)?;
        if let State::Leased { until, .. } = entry.state {
            job.leased.remove(&(until, first));
        }
        self.leases.remove(&lease);
        let task = Task {
            job_id,
            span: Span {
                first,
                count: entry.count,
            },
            past: entry.past,
        };
        self.leave_if_empty(&task.job_id);
        Ok(task)
    }

    fn leave_if_empty(&mut self, job_id: &JobId) {
        if self.jobs.get(job_id).is_some_and(|job| job.tasks.is_empty()) {
            self.jobs.remove(job_id);
            self.turns.retain(|turn| turn != job_id);
        }
    }
}

impl JobTasks {
    /// Adds a task unless it lies across one that is there.
    fn add(&mut self, span: Span, past: Past, from: Duration) {
        let before = self.tasks.range(..span.end()).next_back();
        if before.is_some_and(|(&first, entry)| first.saturating_add(entry.count) > span.first) {
            return;
        }
        let entry = Entry {
            count: span.count,
            past,
            state: State::Waiting,
        };
        self.tasks.insert(span.first, entry);
        self.waiting.insert((from, span.first));
    }
}
