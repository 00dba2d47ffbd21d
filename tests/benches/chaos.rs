//! One job after the other for as long as asked, while the broker, the server, three workers and the network fail at random.
//!
//! `cargo build --release -p tabiya && TABIYA_BIN=target/release/tabiya cargo bench -p tabiya-tests --bench chaos -- --seconds 600`.
//! It starts its own broker, and ends with exit code 1 if an item is lost, answered twice, or answered otherwise than
//! without trouble.

#[path = "../tests/jobs_nats/site.rs"]
#[allow(dead_code)]
mod site;

use std::{
    collections::{BTreeMap, HashMap},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use site::{ITEMS, LEASE, PATIENCE, Site, essence, front, request, undisturbed};
use tabiya_client::v1::{AnalyzeResponse, JobState, stream_results_response::Outcome};
use tabiya_tests::{Proxy, Working};

/// Workers. The last one reaches the broker through the network that is cut.
const WORKERS: usize = 3;

/// Has bulk work done while everything fails at random.
#[derive(Parser, Debug)]
struct Options {
    /// Seconds until no new job begins
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Seed of what fails; when it fails depends on the machine too
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Passed by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

/// What may fail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Fault {
    /// SIGKILL of a worker; another one starts at once.
    WorkerKilled,
    /// A worker stands still, often for longer than its leases.
    WorkerFrozen,
    /// Nothing passes between one worker and the broker.
    NetworkCut,
    /// The connections between one worker and the broker end.
    NetworkSevered,
    /// SIGKILL of the broker.
    BrokerKilled,
    /// SIGKILL of the server that callers ask.
    ServerKilled,
}

/// The site with all that may fail in it, and when what has failed is mended.
struct Chaos {
    site: Site,
    proxy: Proxy,
    workers: Vec<Working>,
    thaws: [Option<Instant>; WORKERS],
    heals: Option<Instant>,
    broker_comes: Option<Instant>,
    next: Instant,
    random: u64,
    faults: BTreeMap<Fault, usize>,
}

impl Chaos {
    fn new(site: Site, seed: u64) -> Self {
        let proxy = Proxy::to(&site.broker.address());
        let mut chaos = Self {
            site,
            proxy,
            workers: Vec::new(),
            thaws: [None; WORKERS],
            heals: None,
            broker_comes: None,
            next: Instant::now(),
            random: seed,
            faults: BTreeMap::new(),
        };
        chaos.workers = (0..WORKERS).map(|at| chaos.worker(at)).collect();
        chaos
    }

    fn worker(&self, at: usize) -> Working {
        if at + 1 == WORKERS {
            self.site.worker(&format!("nats://{}", self.proxy.address()))
        } else {
            self.site.worker(&self.site.broker.url())
        }
    }

    /// A number below `end`, by SplitMix64.
    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// A time from now, up to so many milliseconds away.
    fn within(&mut self, millis: u64) -> Instant {
        Instant::now() + Duration::from_millis(self.below(millis))
    }

    /// Mends what is due, everything if `all`.
    fn mend(&mut self, all: bool) {
        let is_due = |at: &mut Option<Instant>| at.take_if(|at| all || *at <= Instant::now()).is_some();
        if is_due(&mut self.broker_comes) {
            self.site.broker.restart();
        }
        if is_due(&mut self.heals) {
            self.proxy.heal();
        }
        for (worker, thaw) in self.workers.iter().zip(&mut self.thaws) {
            if is_due(thaw) {
                worker.signal("CONT");
            }
        }
    }

    /// Lets something fail if it is time. What needs the broker to begin again is left alone while it is away.
    fn trouble(&mut self) {
        if Instant::now() < self.next {
            return;
        }
        self.next = self.within(6000);
        let at = self.below(WORKERS as u64) as usize;
        let twice_the_lease = 2 * LEASE.as_millis() as u64;
        let broker_is_here = self.broker_comes.is_none();
        let fault = match self.below(12) {
            0..5 if broker_is_here && (at + 1 < WORKERS || self.heals.is_none()) => {
                self.workers[at].kill();
                self.thaws[at] = None;
                self.workers[at] = self.worker(at);
                Fault::WorkerKilled
            }
            5..7 if self.thaws[at].is_none() => {
                self.workers[at].signal("STOP");
                self.thaws[at] = Some(self.within(twice_the_lease));
                Fault::WorkerFrozen
            }
            7..9 if self.heals.is_none() => {
                self.proxy.cut();
                self.heals = Some(self.within(twice_the_lease));
                Fault::NetworkCut
            }
            9 => {
                self.proxy.sever();
                Fault::NetworkSevered
            }
            10 if broker_is_here => {
                self.site.broker.kill();
                self.broker_comes = Some(self.within(3000));
                Fault::BrokerKilled
            }
            11 if broker_is_here => {
                // The old one has to leave its port first.
                self.site.server.signal("KILL");
                self.site.server.wait(PATIENCE);
                self.site.server = front(&self.site.server.address.clone(), &self.site.broker, &[]);
                Fault::ServerKilled
            }
            _ => return,
        };
        *self.faults.entry(fault).or_default() += 1;
    }

    /// Has one job done; what is wrong with its results.
    async fn job(&mut self, name: &str, expected: &BTreeMap<String, AnalyzeResponse>) -> Vec<String> {
        let begun = Instant::now();
        // What fails while a job is submitted is up to the caller to repeat, which `submit` does.
        if let Err(status) = self.site.submit(request(name, 0, ITEMS)).await {
            return vec![format!("{name}: not taken: {status}")];
        }
        let end = loop {
            self.mend(false);
            self.trouble();
            if let Some(job) = self.site.job(name).await
                && job.state() != JobState::Running
            {
                break job;
            }
            if begun.elapsed() > PATIENCE {
                return vec![format!("{name}: no end in {PATIENCE:?}")];
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        self.mend(true);
        let mut wrong = Vec::new();
        if end.state() != JobState::Completed || (end.results, end.errors) != (end.items, 0) {
            wrong.push(format!("{name}: {end:?}"));
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for row in self.site.results(name).await {
            *seen.entry(row.item_id.clone()).or_default() += 1;
            let same = match (&row.outcome, expected.get(&row.item_id)) {
                (Some(Outcome::Response(response)), Some(expected)) => essence(response) == essence(expected),
                _ => false,
            };
            if !same {
                wrong.push(format!("{name}: another answer: {row:?}"));
            }
        }
        let lost = expected.keys().filter(|id| !seen.contains_key(*id)).count();
        let twice = seen.values().filter(|&&count| count > 1).count();
        if (lost, twice) != (0, 0) {
            wrong.push(format!("{name}: {lost} items lost, {twice} answered twice"));
        }
        eprintln!("{name}: {:.1?}, faults so far {:?}", begun.elapsed(), self.faults);
        wrong
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let options = Options::parse();
    let Some(site) = Site::start("chaos").await else {
        return ExitCode::FAILURE;
    };
    let expected = undisturbed(&site.server, ITEMS).await;
    let mut chaos = Chaos::new(site, options.seed);
    let begun = Instant::now();
    let (mut jobs, mut wrong) = (0, Vec::new());
    while begun.elapsed() < Duration::from_secs(options.seconds) {
        jobs += 1;
        wrong.extend(chaos.job(&format!("chaos-{jobs}"), &expected).await);
    }
    let time = begun.elapsed();
    chaos.site.until_empty().await;
    println!(
        "{jobs} jobs of {ITEMS} items in {time:.0?}, {:.0} items/s",
        (jobs * ITEMS) as f64 / time.as_secs_f64()
    );
    for (fault, count) in &chaos.faults {
        println!("{fault:?}: {count}");
    }
    wrong.iter().for_each(|what| println!("WRONG {what}"));
    if wrong.is_empty() {
        println!("every item has one result, as without trouble; the queue is empty");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
