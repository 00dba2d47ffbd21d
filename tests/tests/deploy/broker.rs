//! The broker's memory and disk against what the page on capacity says that results take.

use std::{fs, time::Duration};

use tabiya_tests::repository;

use crate::{
    container::{program, quantity, servers, settings},
    rendered::{list, of_kind, rendered, text},
};

/// A row of the page's table about the broker.
struct Row {
    positions_a_day: f64,
    keep: Duration,
    /// The longest that a job takes.
    job: Duration,
    results: f64,
    memory: f64,
    limit: f64,
    disk: f64,
}

fn page() -> String {
    fs::read_to_string(repository().join("deploy/capacity.md")).expect("the page")
}

/// The number before a phrase of the page.
fn before(page: &str, phrase: &str) -> f64 {
    let (head, _) = page.split_once(phrase).unwrap_or_else(|| panic!("no {phrase:?}"));
    let word = head.rsplit([' ', '*', '\n']).find(|word| !word.is_empty());
    word.expect("a number")
        .replace(',', "")
        .parse()
        .expect("a number")
}

fn rows(page: &str) -> Vec<Row> {
    let (_, table) = page.split_once("## The broker").expect("a part about the broker");
    let lines = table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("000,000 |"));
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [positions, keep, job, results, memory, limit, disk] = cells[..] else {
        panic!("{line}");
    };
    let number = |cell: &str| cell.replace(',', "").parse().expect("a number");
    let hours = |cell: &str| {
        let hours: u64 = cell.strip_suffix(" h").expect("hours").parse().expect("a number");
        Duration::from_secs(3600 * hours)
    };
    let bytes = |cell: &str| {
        let (number, unit) = cell.split_once(' ').expect("a number and a unit");
        let number: f64 = number.parse().expect("a number");
        number
            * match unit {
                "GB" => 1e9,
                "GiB" => f64::powi(2.0, 30),
                _ => panic!("{unit}"),
            }
    };
    Row {
        positions_a_day: number(positions),
        keep: hours(keep),
        job: hours(job),
        results: number(results),
        memory: bytes(memory),
        limit: bytes(limit),
        disk: bytes(disk),
    }
}

#[test]
fn the_brokers_rows_follow_from_what_was_measured() {
    let page = page();
    let each = (
        before(&page, " bytes of memory a result"),
        before(&page, " bytes of disk a position"),
    );
    let rows = rows(&page);
    let plans: Vec<_> = rows.iter().map(|row| row.positions_a_day).collect();
    assert_eq!(plans, [1e6, 1e7, 1e8]);
    for row in rows {
        let stay = (row.keep + row.job).as_secs_f64() / Duration::from_secs(86_400).as_secs_f64();
        // Rounded up, by a tenth at most.
        let is_near = |told: f64, exact: f64| told >= exact && told <= exact * 1.1;
        assert!(
            is_near(row.results, row.positions_a_day * stay),
            "{}",
            row.results
        );
        assert!(is_near(row.memory, row.results * each.0), "{}", row.memory);
        assert!(is_near(row.disk, row.results * each.1), "{}", row.disk);
        // A collector of garbage needs room; and a day may be busier than another.
        assert!(row.limit >= 1.25 * row.memory, "{}", row.limit);
    }
}

#[test]
fn the_manifests_broker_is_that_of_the_first_row() {
    let Some(rendered) = rendered("the size of the broker") else {
        return;
    };
    let first = rows(&page()).remove(0);
    let mut seen = 0;
    for (name, server) in servers(rendered) {
        let objects = &rendered[name];
        let Some(broker) = of_kind(objects, "StatefulSet").next() else {
            continue;
        };
        seen += 1;
        let config = settings(program(server), name).load().expect("settings").config;
        assert_eq!(config.jobs_keep, first.keep, "{name}");
        let container = list(&broker["spec"]["template"]["spec"]["containers"])
            .next()
            .expect("a container");
        assert_eq!(
            quantity(&container["resources"]["limits"]["memory"]),
            first.limit,
            "{name}"
        );
        // Go's collector has to know the limit, or it lets garbage grow to as much as there is in use.
        let collector = list(&container["env"]).find(|variable| variable["name"] == "GOMEMLIMIT");
        let collector = text(&collector.expect("a limit for the collector")["value"]);
        let collector = quantity(&collector.trim_end_matches('B').into());
        assert!(
            collector > first.memory && collector <= 0.95 * first.limit,
            "{name}: {collector}"
        );
        // The store refuses before the volume is full, and has room for the plan and for all running jobs' manifests.
        let claim = list(&broker["spec"]["volumeClaimTemplates"])
            .next()
            .expect("a volume");
        let volume = quantity(&claim["spec"]["resources"]["requests"]["storage"]);
        let configuration = of_kind(objects, "ConfigMap").find_map(|map| map["data"]["nats.conf"].as_str());
        let lines = configuration.expect("a configuration").lines();
        let store = lines.filter_map(|line| line.trim().strip_prefix("max_file_store: ")?.strip_suffix("GB"));
        let store: Vec<f64> = store
            .map(|gigabytes| gigabytes.parse().expect("a number"))
            .collect();
        // Its GB are 2³⁰ bytes.
        let store = store[0] * f64::powi(2.0, 30);
        assert!(store <= 0.95 * volume, "{name}: {store} of {volume}");
        assert!(store >= first.disk + config.jobs_bytes as f64, "{name}: {store}");
    }
    assert!(seen >= 5, "{seen}");
}
