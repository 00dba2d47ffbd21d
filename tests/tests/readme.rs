//! The commands of the README work as written.
//!
//! A `sh` block behind a line `<!-- tested -->` is run by bash from the root of the repository, with the program on
//! the path.

use std::{env, fs, path::PathBuf, process::Command};

use tabiya_tests::{repository, tabiya};

/// Tested blocks with the line on which each begins.
fn tested_blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line.trim() != "<!-- tested -->" {
            continue;
        }
        let opening = lines.next().map(|(_, line)| line.trim());
        assert_eq!(
            opening,
            Some("```sh"),
            "README.md:{}: no sh block behind the mark",
            number + 2
        );
        let block: Vec<_> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| line.trim() != "```")
            .collect();
        blocks.push((number + 2, block.join("\n")));
    }
    blocks
}

#[test]
fn marked_blocks_run_as_written() {
    let text = fs::read_to_string(repository().join("README.md")).expect("a README");
    let blocks = tested_blocks(&text);
    assert!(!blocks.is_empty(), "README.md marks no block as tested");
    // The first block builds a release, which takes minutes where none is there yet, and writes below `target`.
    fs::create_dir_all(repository().join("target")).expect("a folder for output");
    let folder = tabiya()
        .parent()
        .map(PathBuf::from)
        .expect("a folder of the program");
    let old = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&old))).expect("a path");
    for (line, block) in blocks {
        let output = Command::new("timeout")
            .args(["1800", "bash", "-euo", "pipefail", "-c", &block])
            .current_dir(repository())
            .env("PATH", &path)
            .output()
            .expect("bash runs");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(
            output.status.success(),
            "README.md:{line}: {}\n{block}\n{}\n{}",
            output.status,
            said[0],
            said[1]
        );
    }
}

#[test]
fn marks_are_found() {
    let text = "a\n<!-- tested -->\n```sh\necho 1\necho 2\n```\n```sh\nnot this\n```\n";
    assert_eq!(tested_blocks(text), [(3, "echo 1\necho 2".to_owned())]);
}
