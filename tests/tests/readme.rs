//! The commands and programs of the pages work as written.
//!
//! A block behind a line `<!-- tested -->` is run: `sh` by bash from the root of the repository, with the program on the
//! path; `python` by Python; `rust` as the example of the client that has the same text. `<!-- tested with PROGRAM -->`
//! needs that program too. Where a `text` block behind a line `<!-- printed -->` follows, it is what the block prints.
//! Blocks that name the default address get one where a server listens.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use tabiya_tests::{Serving, missing, python, repository, tabiya};

/// Pages with blocks to run.
const PAGES: [&str; 2] = ["README.md", "services/clients/python/README.md"];

/// The address that the pages' server has.
const ADDRESS: &str = "127.0.0.1:50051";

/// The example in Rust.
const EXAMPLE: &str = "services/client/examples/quickstart.rs";

/// Something to run.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// The page, and the line on which it begins.
    place: String,
    language: String,
    /// A program that it needs beside ours.
    needs: Option<String>,
    text: String,
    /// What it prints, where the README shows it.
    printed: Option<String>,
}

/// Language and lines of a block behind a mark that was found on line `number`, from 0.
fn behind<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>, place: &str) -> (String, String) {
    let opening = lines.next().and_then(|(_, line)| line.trim().strip_prefix("```"));
    let language = opening.unwrap_or_else(|| panic!("{place}: no block behind the mark"));
    let inside = lines
        .map(|(_, line)| line)
        .take_while(|line| line.trim() != "```");
    (language.to_owned(), inside.collect::<Vec<_>>().join("\n"))
}

/// What the mark says is needed, if the line is a mark.
fn tested(line: &str) -> Option<Option<String>> {
    let inside = line.strip_prefix("<!-- tested")?.strip_suffix("-->")?.trim();
    Some(inside.strip_prefix("with ").map(str::to_owned))
}

fn tested_blocks(page: &str, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let (line, place) = (line.trim(), format!("{page}:{}", number + 2));
        if let Some(needs) = tested(line) {
            let (language, text) = behind(&mut lines, &place);
            let printed = None;
            blocks.push(Block {
                place,
                language,
                needs,
                text,
                printed,
            });
        } else if line == "<!-- printed -->" {
            let (language, printed) = behind(&mut lines, &place);
            assert_eq!(language, "text", "{place}");
            let block = blocks.last_mut().filter(|block| block.printed.is_none());
            let block = block.unwrap_or_else(|| panic!("{place}: printed by nothing"));
            block.printed = Some(printed);
        }
    }
    blocks
}

/// A command that runs the block; `None`, with loud words, where something that it needs is missing.
/// `server` is the one that the examples talk to.
fn command(block: &Block, folder: &Path, server: &Serving) -> Option<Command> {
    let place = &block.place;
    let skipped = format!("the {} block at {place}", block.language);
    if let Some(program) = &block.needs
        && Command::new(program).arg("--version").output().is_err()
    {
        let variable = format!("TABIYA_REQUIRE_{}", program.to_uppercase());
        missing(program, &variable, &skipped);
        return None;
    }
    let text = block
        .text
        .replace(&format!("http://{ADDRESS}"), &server.endpoint());
    let file = |text: &str| {
        let path = folder.join("block");
        fs::write(&path, text).expect("a file");
        path
    };
    let mut command = match block.language.as_str() {
        "sh" => {
            let mut command = Command::new("timeout");
            command
                .args(["1800", "bash", "-euo", "pipefail"])
                .arg(file(&text));
            command
        }
        "python" => {
            python("chess", &skipped)?;
            let mut command = python("tabiya", &skipped)?;
            command.arg(file(&text.replace(ADDRESS, &server.address)));
            command
        }
        "rust" => {
            let example = fs::read_to_string(repository().join(EXAMPLE)).expect("the example");
            assert_eq!(block.text.trim(), example.trim(), "{place} and {EXAMPLE}");
            let mut command = Command::new(example_program());
            command.arg(&server.address);
            command
        }
        other => panic!("{place}: nobody runs {other}"),
    };
    command.current_dir(repository());
    Some(command)
}

/// The example as a program. A run of all tests has built it, as it has built what `TABIYA_BIN` names.
fn example_program() -> PathBuf {
    let test = env::current_exe().expect("a path of this test");
    let profile = test.ancestors().nth(2).expect("a profile folder above the test");
    if env::var_os("TABIYA_BIN").is_none() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(repository());
        cargo.args([
            "build",
            "--quiet",
            "--locked",
            "-p",
            "tabiya-client",
            "--example",
            "quickstart",
        ]);
        cargo
            .arg("--target-dir")
            .arg(profile.parent().expect("a target folder"));
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().expect("cargo runs").success());
    }
    profile.join("examples/quickstart")
}

#[test]
fn marked_blocks_run_as_written() {
    let blocks: Vec<_> = PAGES
        .into_iter()
        .flat_map(|page| {
            let text = fs::read_to_string(repository().join(page)).expect("a page");
            let blocks = tested_blocks(page, &text);
            assert!(!blocks.is_empty(), "{page} has nothing to run");
            blocks
        })
        .collect();
    for language in ["sh", "rust", "python"] {
        assert!(
            blocks.iter().any(|block| block.language == language),
            "no {language} block is tested"
        );
    }
    // The first block builds a release, which takes minutes where none is there yet, and writes below `target`.
    fs::create_dir_all(repository().join("target")).expect("a folder for output");
    let program = tabiya()
        .parent()
        .map(PathBuf::from)
        .expect("a folder of the program");
    let old = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([program].into_iter().chain(env::split_paths(&old))).expect("a path");
    let folder = tempfile::tempdir().expect("a folder");
    let server = Serving::start(&["--no-gpu"]);
    for block in &blocks {
        let Some(mut command) = command(block, folder.path(), &server) else {
            continue;
        };
        let output = command.env("PATH", &path).output().expect("it starts");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let Block {
            place, text, printed, ..
        } = block;
        assert!(
            output.status.success(),
            "{place}: {}\n{text}\n{}\n{}",
            output.status,
            said[0],
            said[1]
        );
        if let Some(printed) = printed {
            assert_eq!(
                said[0].trim_end(),
                printed.trim_end(),
                "{place} shows something else than\n{text}"
            );
        }
    }
}

#[test]
fn marks_are_found() {
    let text = "a\n<!-- tested -->\n```sh\necho 1\necho 2\n```\n```sh\nnot this\n```\n<!-- printed -->\n```text\n1\n2\n```\n\
                <!-- tested with buf -->\n```sh\nbuf\n```\n";
    let block = |line, needs: Option<&str>, text: &str, printed: Option<&str>| Block {
        place: format!("page:{line}"),
        language: "sh".to_owned(),
        needs: needs.map(str::to_owned),
        text: text.to_owned(),
        printed: printed.map(str::to_owned),
    };
    let expected = [
        block(3, None, "echo 1\necho 2", Some("1\n2")),
        block(16, Some("buf"), "buf", None),
    ];
    assert_eq!(tested_blocks("page", text), expected);
}
