//! The arrows of the architecture page, checked against what cargo knows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use tabiya_tests::repository;

/// Which crates of ours each crate may use.
const ALLOWED: [(&str, &[&str]); 13] = [
    ("tabiya-rules", &[]),
    ("tabiya-eval-shaders", &[]),
    ("tabiya-tablebase", &["tabiya-rules"]),
    ("tabiya-arbiter", &["tabiya-rules"]),
    ("tabiya-evaluator", &["tabiya-rules", "tabiya-eval-shaders"]),
    (
        "tabiya-search",
        &["tabiya-rules", "tabiya-evaluator", "tabiya-tablebase"],
    ),
    ("tabiya-api", &["tabiya-rules", "tabiya-arbiter", "tabiya-search"]),
    ("tabiya-jobs", &["tabiya-api", "tabiya-rules"]),
    (
        "tabiya-server",
        &[
            "tabiya-api",
            "tabiya-jobs",
            "tabiya-rules",
            "tabiya-arbiter",
            "tabiya-evaluator",
            "tabiya-search",
        ],
    ),
    ("tabiya-client", &["tabiya-api"]),
    (
        "tabiya",
        &[
            "tabiya-jobs",
            "tabiya-server",
            "tabiya-client",
            "tabiya-rules",
            "tabiya-evaluator",
            "tabiya-search",
        ],
    ),
    (
        "tabiya-trainer",
        &[
            "tabiya-rules",
            "tabiya-eval-shaders",
            "tabiya-evaluator",
            "tabiya-search",
        ],
    ),
    ("tabiya-tests", &["tabiya-client", "tabiya-server"]),
];

/// What must not be reached by any path, with the features that the crate has by itself.
const FORBIDDEN: [(&str, &[&str]); 9] = [
    ("tabiya-rules", &["tokio", "tonic", "wgpu", "prost"]),
    ("tabiya-tablebase", &["tokio", "tonic", "wgpu", "prost", "libc"]),
    ("tabiya-arbiter", &["tokio", "tonic", "wgpu", "prost"]),
    ("tabiya-eval-shaders", &["wgpu", "tokio", "tonic"]),
    ("tabiya-evaluator", &["tokio", "tonic", "prost"]),
    ("tabiya-search", &["tokio", "tonic", "wgpu", "prost"]),
    (
        "tabiya-client",
        &[
            "tabiya-rules",
            "tabiya-search",
            "tabiya-evaluator",
            "tabiya-server",
            "wgpu",
        ],
    ),
    ("tabiya-jobs", &["tabiya-server", "tabiya-client", "wgpu"]),
    ("tabiya-trainer", &["tokio", "tonic", "tabiya-server"]),
];

fn cargo(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO"))
        .current_dir(repository())
        .args(args)
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn packages() -> Vec<serde_json::Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--locked"]);
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Crates of ours with the crates that they name, development dependencies left out.
fn named() -> BTreeMap<String, BTreeSet<String>> {
    let ours = |package: &serde_json::Value| package["source"].is_null();
    let name = |value: &serde_json::Value| value["name"].as_str().expect("a name").to_owned();
    packages()
        .iter()
        .filter(|package| ours(package))
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let real = dependencies
                .iter()
                .filter(|dependency| dependency["kind"] != "dev");
            (name(package), real.map(name).collect())
        })
        .collect()
}

#[test]
fn crates_use_only_what_they_may() {
    let named = named();
    let known: BTreeMap<_, _> = ALLOWED.into_iter().collect();
    for (package, dependencies) in &named {
        let allowed = known
            .get(package.as_str())
            .unwrap_or_else(|| panic!("{package} is not in the plan"));
        for dependency in dependencies
            .iter()
            .filter(|dependency| named.contains_key(*dependency))
        {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{package} may not use {dependency}"
            );
        }
    }
    assert_eq!(named.len(), ALLOWED.len(), "a crate of the plan is missing");
}

#[test]
fn only_the_evaluator_names_wgpu() {
    for (package, dependencies) in named() {
        assert!(
            package == "tabiya-evaluator" || !dependencies.contains("wgpu"),
            "{package} names wgpu"
        );
    }
    let mut found = Vec::new();
    rust_files(&repository().join("services"), &mut |path, text| {
        let inside = path.components().any(|part| part.as_os_str() == "gpu") || path.ends_with("gpu.rs");
        if text.contains("wgpu::") && !inside {
            found.push(path.display().to_string());
        }
    });
    assert!(found.is_empty(), "wgpu outside evaluator/src/gpu: {found:?}");
}

#[test]
fn only_jobs_name_nats() {
    for (package, dependencies) in named() {
        assert!(
            package == "tabiya-jobs" || !dependencies.contains("async-nats"),
            "{package} names async-nats"
        );
    }
}

fn rust_files(folder: &Path, look: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path, &fs::read_to_string(&path).expect("UTF-8"));
        }
    }
}

#[test]
fn lower_crates_do_not_reach_what_they_must_not() {
    for (package, forbidden) in FORBIDDEN {
        let tree = cargo(&[
            "tree",
            "--locked",
            "-p",
            package,
            "-e",
            "normal",
            "--prefix",
            "none",
            "--no-dedupe",
        ]);
        let tree = String::from_utf8_lossy(&tree).into_owned();
        let reached: BTreeSet<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(reached.contains(package), "{package}: {tree}");
        for name in forbidden {
            assert!(!reached.contains(name), "{package} reaches {name}");
        }
    }
}

#[test]
fn nothing_in_the_lock_file_binds_to_copyleft() {
    let mut seen = 0;
    for package in packages() {
        let (name, licence) = (&package["name"], package["license"].as_str());
        let licence = licence.unwrap_or_else(|| panic!("{name} names no licence"));
        assert!(is_free(licence), "{name}: {licence}");
        seen += 1;
    }
    assert!(seen > 100, "the whole lock file is read");
    assert!(is_free("MIT OR GPL-3.0") && !is_free("MIT AND GPL-3.0") && !is_free("GPL-3.0-or-later"));
    assert!(is_free("(MIT OR LGPL-2.1) AND Unicode-3.0") && is_free("MIT/Apache-2.0"));
}

/// Whether a licence expression leaves a choice without copyleft. `AND` binds more closely than `OR`.
fn is_free(expression: &str) -> bool {
    let expression = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<_> = expression.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest) && rest.is_empty()
}

fn either(words: &mut &[&str]) -> bool {
    let mut free = both(words);
    while let Some(("OR", rest)) = words.split_first().map(|(word, rest)| (*word, rest)) {
        *words = rest;
        free |= both(words);
    }
    free
}

fn both(words: &mut &[&str]) -> bool {
    let mut free = one(words);
    while let Some(("AND", rest)) = words.split_first().map(|(word, rest)| (*word, rest)) {
        *words = rest;
        free &= one(words);
    }
    free
}

fn one(words: &mut &[&str]) -> bool {
    let Some((word, rest)) = words.split_first() else {
        return false;
    };
    *words = rest;
    if *word == "(" {
        let free = either(words);
        *words = words.strip_prefix(&[")"]).unwrap_or(words);
        return free;
    }
    if let ["WITH", _, rest @ ..] = words {
        *words = rest;
    }
    !word.contains("GPL") && !word.starts_with("SSPL") && !word.starts_with("BUSL")
}
