//! Mixed load for a long time, jobs in an embedded store among it: memory, descriptors and threads as they go, and every
//! call that failed.

mod calls;
mod failures;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use calls::one_of_each;
use failures::Failures;
use tabiya_server::Config;

use crate::{
    Options,
    figures::{Figure, Table, Unit},
    rig::{Rig, closed_loop, config},
};

/// Callers at once.
const CALLERS: usize = 8;

/// How many lines the run gives, and how often the process is looked at.
const LINES: u32 = 40;
const LOOK: Duration = Duration::from_secs(1);

/// Slopes are told for so long.
const TEN_MINUTES: f64 = 600.0;

/// The process at one time.
#[derive(Clone, Copy)]
struct Look {
    seconds: f64,
    memory: f64,
    descriptors: f64,
    threads: f64,
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let folder = tempfile::tempdir().expect("a folder");
    let rig = Rig::start(Config {
        jobs_dir: Some(folder.path().to_owned()),
        ..config()
    })
    .await;
    let channel = rig.channel().await;
    let time = Duration::from_secs_f64(options.soak_seconds);
    let failures = Arc::<Failures>::default();
    let load = {
        let failures = failures.clone();
        tokio::spawn(closed_loop(CALLERS, time, move |caller| {
            one_of_each(channel.clone(), caller, failures.clone())
        }))
    };
    let begun = Instant::now();
    let mut looks = Vec::new();
    let mut tick = tokio::time::interval(LOOK);
    let mut next_line = Duration::ZERO;
    while !load.is_finished() {
        tick.tick().await;
        let page = rig.page().await;
        let look = Look {
            seconds: begun.elapsed().as_secs_f64(),
            memory: page.sum("process_resident_memory_bytes", &[]),
            descriptors: page.sum("process_open_fds", &[]),
            threads: page.sum("process_threads", &[]),
        };
        looks.push(look);
        if begun.elapsed() >= next_line {
            next_line += time / LINES;
            eprintln!(
                "  {:7.1} s: {:7.1} MiB, {} descriptors, {} threads, {} calls",
                look.seconds,
                look.memory / f64::from(1 << 20),
                look.descriptors,
                look.threads,
                page.sum("tabiya_requests_total", &[])
            );
        }
    }
    let rounds = load.await.expect("the load").len() as f64;
    // The first quarter fills caches and pools.
    let settled = &looks[looks.len() / 4..];
    let grown = |value: fn(&Look) -> f64| {
        let points = settled.iter().map(|look| (look.seconds, value(look)));
        vec![slope(points) * TEN_MINUTES]
    };
    let spread = |value: fn(&Look) -> f64| {
        let most = settled.iter().map(value).fold(f64::MIN, f64::max);
        vec![most - settled.iter().map(value).fold(f64::MAX, f64::min)]
    };
    failures.show(table, rounds);
    let memory = Figure::new(
        "soak: memory in ten minutes",
        Unit::MiB,
        grown(|look| look.memory),
    );
    table.add(memory.at_most(f64::from(1 << 20)));
    for (what, value) in [
        ("descriptors", (|look| look.descriptors) as fn(&Look) -> f64),
        ("threads", |look| look.threads),
    ] {
        let slope = Figure::new(format!("soak: {what} in ten minutes"), Unit::Tenths, grown(value));
        table.add(slope.at_most(1.0));
        table.add(Figure::new(
            format!("soak: {what}, most less least"),
            Unit::Count,
            spread(value),
        ));
    }
    rig.end().await;
}

/// The slope of the straight line that fits best.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count() as f64;
    let mean_x = points.clone().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.clone().map(|(_, y)| y).sum::<f64>() / count;
    let (above, below) = points.fold((0.0, 0.0), |(above, below), (x, y)| {
        (above + (x - mean_x) * (y - mean_y), below + (x - mean_x).powi(2))
    });
    if below == 0.0 { 0.0 } else { above / below }
}
