//! The commands of the README work as written.
//!
//! A `sh` block behind a line `<!-- tested -->` is run by bash from the root of the repository, with the program on
//! the path. Where a `text` block behind a line `<!-- printed -->` follows, it is what the commands print.

use std::{env, fs, path::PathBuf, process::Command};

use tabiya_tests::{repository, tabiya};

/// A block of commands.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// The line on which it begins.
    line: usize,
    commands: String,
    /// What they print, where the README shows it.
    printed: Option<String>,
}

/// The lines of a block behind a mark that was found on line `number`, from 0.
fn behind<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>, number: usize, language: &str) -> String {
    let opening = lines.next().map(|(_, line)| line.trim());
    assert_eq!(
        opening,
        Some(format!("```{language}").as_str()),
        "README.md:{}: no {language} block behind the mark",
        number + 2
    );
    let inside = lines
        .map(|(_, line)| line)
        .take_while(|line| line.trim() != "```");
    inside.collect::<Vec<_>>().join("\n")
}

fn tested_blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        match line.trim() {
            "<!-- tested -->" => blocks.push(Block {
                line: number + 2,
                commands: behind(&mut lines, number, "sh"),
                printed: None,
            }),
            "<!-- printed -->" => {
                let printed = behind(&mut lines, number, "text");
                let block = blocks.last_mut().filter(|block| block.printed.is_none());
                let block = block.unwrap_or_else(|| panic!("README.md:{}: printed by nothing", number + 1));
                block.printed = Some(printed);
            }
            _ => {}
        }
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
    for block in blocks {
        let Block {
            line,
            commands,
            printed,
        } = block;
        let output = Command::new("timeout")
            .args(["1800", "bash", "-euo", "pipefail", "-c", &commands])
            .current_dir(repository())
            .env("PATH", &path)
            .output()
            .expect("bash runs");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(
            output.status.success(),
            "README.md:{line}: {}\n{commands}\n{}\n{}",
            output.status,
            said[0],
            said[1]
        );
        if let Some(printed) = printed {
            assert_eq!(
                said[0].trim_end(),
                printed.trim_end(),
                "README.md:{line} shows something else than\n{commands}"
            );
        }
    }
}

#[test]
fn marks_are_found() {
    let text = "a\n<!-- tested -->\n```sh\necho 1\necho 2\n```\n```sh\nnot this\n```\n<!-- printed -->\n```text\n1\n2\n```\n";
    let block = Block {
        line: 3,
        commands: "echo 1\necho 2".to_owned(),
        printed: Some("1\n2".to_owned()),
    };
    assert_eq!(tested_blocks(text), [block]);
}
