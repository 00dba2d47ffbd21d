//! `tabiya jobs`: bulk work that outlives the processes that do it.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Map, Value};
use tabiya_tests::{Run, Serving, fixture, rows, run};

fn serve(folder: &Path) -> Serving {
    Serving::start(&[
        "--no-gpu",
        "--threads",
        "2",
        "--jobs-dir",
        folder.to_str().unwrap(),
    ])
}

fn jobs(args: &[&str], server: &Serving) -> Run {
    run(["jobs"]
        .iter()
        .chain(args)
        .chain(&["--endpoint", &server.endpoint()]))
}

fn submit(server: &Serving, nodes: &str) -> Map<String, Value> {
    let file = fixture("classics.pgn");
    let args = [
        "submit",
        file.to_str().unwrap(),
        "--nodes",
        nodes,
        "--id",
        "classics",
    ];
    one(&jobs(&args, server).expect_code(0))
}

fn one(run: &Run) -> Map<String, Value> {
    let mut rows = rows(&run.stdout);
    assert_eq!(rows.len(), 1, "{}", run.stdout);
    rows.remove(0)
}

fn number(row: &Map<String, Value>, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("{key} in {row:?}"))
}

/// Results by the item's name, without what differs between runs: where in the order they came.
fn by_name(rows: &[Map<String, Value>]) -> BTreeMap<String, Map<String, Value>> {
    let mut found = BTreeMap::new();
    for row in rows {
        let mut row = row.clone();
        row.remove("cursor");
        let name = row["item_id"].as_str().unwrap().to_owned();
        assert_eq!(found.insert(name.clone(), row), None, "{name} came twice");
    }
    found
}

/// Waits until so many items have a result.
fn wait_for(server: &Serving, results: u64) {
    let begun = Instant::now();
    loop {
        let status = one(&jobs(&["status", "classics"], server).expect_code(0));
        if number(&status, "results") >= results {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "{status:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_job_survives_kills_and_is_what_it_would_have_been() {
    const NODES: &str = "20000";
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    let mut items = 0;
    for round in 1..=3 {
        let mut server = serve(folder.path());
        let job = submit(&server, NODES);
        items = number(&job, "items");
        // A reader goes on where it was, whatever became of the server.
        let after = seen.last().map_or(String::new(), |row: &Map<String, Value>| {
            row["cursor"].as_str().unwrap().to_owned()
        });
        wait_for(&server, items * round / 5);
        let read = jobs(&["results", "classics", "--after", &after], &server).expect_code(0);
        seen.extend(rows(&read.stdout));
        server.signal("KILL");
        server.wait(Duration::from_secs(120));
    }
    assert!(seen.len() as u64 >= items * 3 / 5, "{} of {items}", seen.len());

    let server = serve(folder.path());
    let after = seen.last().unwrap()["cursor"].as_str().unwrap().to_owned();
    let rest = jobs(&["results", "classics", "--follow", "--after", &after], &server).expect_code(0);
    seen.extend(rows(&rest.stdout));
    let disturbed = by_name(&seen);
    assert_eq!(disturbed.len() as u64, items);
    let all = jobs(&["results", "classics"], &server).expect_code(0);
    assert_eq!(by_name(&rows(&all.stdout)), disturbed);
    let status = one(&jobs(&["status", "classics"], &server).expect_code(0));
    assert_eq!(
        (&status["state"], number(&status, "errors")),
        (&Value::from("completed"), 0)
    );

    let quiet = tempfile::tempdir().unwrap();
    let server = serve(quiet.path());
    assert_eq!(submit(&server, NODES)["digest"], status["digest"]);
    let calm = jobs(&["results", "classics", "--follow"], &server).expect_code(0);
    assert_eq!(by_name(&rows(&calm.stdout)), disturbed);
}

#[test]
fn a_job_in_a_folder_needs_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let place = ["--jobs-dir", folder.path().to_str().unwrap()];
    let file = fixture("suite.epd");
    let submitted = run([
        "jobs",
        "submit",
        file.to_str().unwrap(),
        "--nodes",
        "500",
        "--id",
        "suite",
    ]
    .iter()
    .chain(&place))
    // One of its lines is no position: it is named, and the rest is submitted.
    .expect_code(1);
    let items = number(&one(&submitted), "items");
    let read = run(["jobs", "results", "suite", "--follow"].iter().chain(&place)).expect_code(0);
    let results = rows(&read.stdout);
    assert_eq!(results.len() as u64, items);
    for row in &results {
        assert!(
            row["best_move"].is_string() && row["score"].is_object(),
            "{row:?}"
        );
    }
    let listed = run(["jobs", "list"].iter().chain(&place)).expect_code(0);
    assert_eq!(one(&listed)["state"], "completed");
    let cancelled = run(["jobs", "cancel", "suite"].iter().chain(&place)).expect_code(0);
    assert_eq!(
        one(&cancelled)["state"],
        "completed",
        "what has ended is not cancelled"
    );
}

#[test]
fn what_cannot_be_done_is_said_with_the_right_code() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path());
    let refused = jobs(&["status", "nobody"], &server).expect_code(2);
    assert!(
        refused.stderr.contains("there is no job `nobody`"),
        "{}",
        refused.stderr
    );
    let refused = run(["jobs", "list"]).expect_code(2);
    assert!(refused.stderr.contains("--endpoint"), "{}", refused.stderr);
    // The folder is the server's.
    let place = folder.path().to_str().unwrap();
    let refused = run(["jobs", "list", "--jobs-dir", place]).expect_code(2);
    assert!(
        refused.stderr.contains("in use by another process"),
        "{}",
        refused.stderr
    );
    let refused = run([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "127.0.0.1:0",
        "--jobs-dir",
        place,
    ]);
    let refused = refused.expect_code(2);
    assert!(refused.stderr.contains(place), "{}", refused.stderr);

    let file = fixture("classics.pgn");
    let wrong = ["submit", file.to_str().unwrap(), "--id", "a/b"];
    let refused = jobs(&wrong, &server).expect_code(2);
    assert!(refused.stderr.contains("job_id"), "{}", refused.stderr);
    let broken = folder.path().join("broken.pgn");
    std::fs::write(&broken, "1. e4 *\n\n1. e4 Ke3 *\n").unwrap();
    let part = jobs(&["submit", broken.to_str().unwrap(), "--id", "part"], &server).expect_code(1);
    assert!(part.stderr.contains("game 2"), "{}", part.stderr);
    assert_eq!(number(&one(&part), "items"), 2);

    let off = Serving::start(&["--no-gpu"]);
    let refused = jobs(&["list"], &off).expect_code(2);
    assert!(refused.stderr.contains("--jobs-dir"), "{}", refused.stderr);
}
