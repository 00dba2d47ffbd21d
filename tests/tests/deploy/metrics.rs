//! Alerts, dashboard, autoscaling and runbook speak of metrics that exist, with labels that they have.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde_json::Value;
use tabiya_server::metrics::names::{ALL, Kind, Metric};
use tabiya_tests::repository;

use crate::rendered::{documents, list, text};

/// Labels that Prometheus adds when it scrapes.
const ADDED: &[&str] = &["namespace", "pod", "job", "instance", "le"];

fn read(path: &str) -> String {
    fs::read_to_string(repository().join("deploy").join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The alerts, with their group's other fields left out.
fn alerts() -> Vec<Value> {
    let rules = documents(&read("components/monitoring/alerts.yaml"));
    let groups = list(&rules[0]["spec"]["groups"]);
    groups.flat_map(|group| list(&group["rules"])).cloned().collect()
}

/// Every name that a metric's series have.
fn series() -> BTreeMap<String, &'static Metric> {
    let names = |metric: &'static Metric| {
        let endings: &[&str] = match metric.kind {
            Kind::Histogram => &["_bucket", "_sum", "_count"],
            Kind::Counter | Kind::Gauge => &[""],
        };
        endings
            .iter()
            .map(move |ending| (format!("{}{ending}", metric.name), metric))
    };
    ALL.iter().flat_map(names).collect()
}

/// Words of an expression, with what they are followed by.
fn words(expression: &str) -> Vec<(&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut rest = expression;
    let mut found = Vec::new();
    while let Some(start) = rest.find(is_part) {
        let after = &rest[start..];
        let end = after.find(|letter| !is_part(letter)).unwrap_or(after.len());
        found.push((&after[..end], &after[end..]));
        rest = &after[end..];
    }
    found
}

fn is_metric(word: &str) -> bool {
    word.starts_with("tabiya_") || word.starts_with("process_")
}

/// The expression with every quoted text emptied.
fn unquoted(expression: &str) -> String {
    expression.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

fn check(expression: &str, place: &str) -> usize {
    let series = series();
    let bare = unquoted(expression);
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut count = 0;
    for (word, after) in words(&bare) {
        if !is_metric(word) {
            continue;
        }
        let metric = series
            .get(word)
            .unwrap_or_else(|| panic!("{place}: there is no metric {word}"));
        used.extend(metric.labels);
        count += 1;
        // The labels of its own braces.
        if let Some(inside) = after.strip_prefix('{') {
            let inside = &inside[..inside.find('}').expect("a closing brace")];
            for matcher in inside.split(',') {
                let label = matcher.trim().split(['=', '!']).next().unwrap_or_default();
                assert!(
                    metric.labels.contains(&label) || ADDED.contains(&label),
                    "{place}: {word} has no label {label}"
                );
            }
        }
    }
    for (start, _) in bare.match_indices("by (") {
        let inside = &bare[start + 4..];
        for label in inside[..inside.find(')').expect("a closing bracket")].split(',') {
            let label = label.trim();
            assert!(
                used.contains(label) || ADDED.contains(&label),
                "{place}: nothing has a label {label}"
            );
        }
    }
    count
}

#[test]
fn alerts_speak_of_metrics_that_exist() {
    let alerts = alerts();
    for alert in &alerts {
        let place = text(&alert["alert"]);
        let count = check(text(&alert["expr"]), place);
        // Whether a target answers is Prometheus' own knowledge.
        assert!(count > 0 || place == "TabiyaDown", "{place}");
        // Labels that the sentence shows.
        let summary = text(&alert["annotations"]["summary"]);
        for (_, rest) in summary
            .match_indices("$labels.")
            .map(|(at, found)| (at, &summary[at + found.len()..]))
        {
            let label = rest.split(' ').next().unwrap_or_default();
            let known = ALL.iter().any(|metric| metric.labels.contains(&label)) || ADDED.contains(&label);
            assert!(known, "{place}: {label}");
        }
    }
    assert!(alerts.len() >= 15);
}

#[test]
fn every_alert_has_tests_and_a_part_of_the_runbook() {
    let tests = documents(&read("components/monitoring/alerts.test.yaml"));
    let runbook = read("runbook.md");
    let mut parts: BTreeSet<_> = runbook
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    for alert in alerts() {
        let name = text(&alert["alert"]);
        assert!(parts.remove(name), "runbook.md has no part {name}");
        let anchor = format!("deploy/runbook.md#{}", name.to_lowercase());
        assert_eq!(alert["annotations"]["runbook"], anchor);
        let expected = list(&tests[0]["tests"])
            .flat_map(|test| list(&test["alert_rule_test"]))
            .filter(|test| test["alertname"] == name)
            .map(|test| list(&test["exp_alerts"]).count());
        let counts: BTreeSet<_> = expected.map(|count| count > 0).collect();
        assert_eq!(
            counts.len(),
            2,
            "{name}: a test in which it fires, and one in which it does not"
        );
    }
    assert_eq!(parts, BTreeSet::new(), "parts of the runbook about no alert");
}

#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let board: Value = serde_json::from_str(&read("components/monitoring/tabiya.json")).expect("JSON");
    let mut count = 0;
    for panel in list(&board["panels"]) {
        for target in list(&panel["targets"]) {
            count += check(text(&target["expr"]), text(&panel["title"]));
        }
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn prose_speaks_of_metrics_that_exist() {
    let names: BTreeSet<_> = ALL.iter().map(|metric| metric.name).collect();
    for file in ["runbook.md", "capacity.md", "overlays/gpu/scaled-object.yaml"] {
        for (word, _) in words(&read(file)) {
            assert!(
                !is_metric(word) || names.contains(word),
                "{file}: there is no metric {word}"
            );
        }
    }
}
