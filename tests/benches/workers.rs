//! How much faster two worker processes with a search thread each are than one, beside what the machine itself gives: how
//! much faster two searches without broker and server are than one.
//!
//! `cargo build --release -p tabiya && TABIYA_BIN=target/release/tabiya cargo bench -p tabiya-tests --bench workers`, on
//! a machine with at least three cores or an idle one with two. It starts its own broker and prints, for one and for two
//! workers, the median time from submission to the last result.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use tabiya_client::v1::{self, JobItem, JobState, Limits, Position, job_service_client::JobServiceClient};
use tabiya_tests::{Broker, Serving, Working, tabiya};

/// Runs of each kind; the median counts.
const RUNS: usize = 5;

/// Positions of a job, and nodes for each: 50 chunks, so that the end of a job, when one worker may wait for the other,
/// matters little.
const ITEMS: usize = 800;
const NODES: u64 = 20_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut medians = Vec::new();
    for workers in [1, 2] {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let Some(time) = run(workers).await else {
                return;
            };
            times.push(time);
        }
        times.sort();
        println!("{workers} worker(s): {times:.2?}");
        medians.push(times[RUNS / 2]);
    }
    let ratio = medians[0].as_secs_f64() / medians[1].as_secs_f64();
    println!("two workers are {ratio:.2} times as fast as one (asked for: 1.6)");
    let mut alone = Vec::new();
    let mut together = Vec::new();
    for _ in 0..RUNS {
        alone.push(searches(1));
        together.push(searches(2));
    }
    let median = |rates: &mut Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[RUNS / 2]
    };
    let ratio = median(&mut together) / median(&mut alone);
    println!("two searches alone are {ratio:.2} times as fast as one");
}

/// Nodes a second of so many processes that search at once, together.
fn searches(processes: usize) -> f64 {
    let running: Vec<_> = (0..processes)
        .map(|_| {
            let mut command = Command::new(tabiya());
            command.arg("bench").stdin(Stdio::null()).stdout(Stdio::piped());
            command.stderr(Stdio::null()).spawn().expect("the program")
        })
        .collect();
    let rates = running.into_iter().map(|process| {
        let output = process.wait_with_output().expect("an end");
        let text = String::from_utf8(output.stdout).expect("text");
        let line = text.lines().find_map(|line| line.strip_prefix("nps: "));
        line.and_then(|rate| rate.trim().parse::<f64>().ok())
            .expect("a rate")
    });
    rates.sum()
}

/// The time that one job takes.
async fn run(workers: usize) -> Option<Duration> {
    let broker = Broker::start("benchmark of workers")?;
    let server = Serving::start(&["--nats", &broker.url()]);
    let workers: Vec<_> = (0..workers)
        .map(|_| Working::start(&broker.url(), &["--threads", "1", "--slots", "2"]))
        .collect();
    let mut jobs = JobServiceClient::connect(server.endpoint())
        .await
        .expect("a server");
    let begun = Instant::now();
    jobs.submit_job(request()).await.expect("a job");
    loop {
        let request = v1::GetJobRequest {
            job_id: "bench".to_owned(),
        };
        let job = jobs
            .get_job(request)
            .await
            .expect("a job")
            .into_inner()
            .job
            .expect("a job");
        if job.state() == JobState::Completed {
            drop(workers);
            return Some(begun.elapsed());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Positions in which each side has moved a pawn.
fn request() -> v1::SubmitJobRequest {
    let item = |index: usize| {
        let file = |number: usize| char::from(b'a' + (number % 8) as u8);
        let (white, black) = (file(index), file(index / 8));
        JobItem {
            item_id: index.to_string(),
            position: Some(Position {
                moves: vec![format!("{white}2{white}4"), format!("{black}7{black}6")],
                ..Position::default()
            }),
            ..JobItem::default()
        }
    };
    v1::SubmitJobRequest {
        job_id: "bench".to_owned(),
        items: (0..ITEMS).map(item).collect(),
        limits: Some(Limits {
            nodes: NODES,
            ..Limits::default()
        }),
        ..v1::SubmitJobRequest::default()
    }
}
