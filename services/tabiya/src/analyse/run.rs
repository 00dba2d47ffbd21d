//! From the command line to a finished output.

use std::path::{Path, PathBuf};

use tabiya_server::config::folders;
use tokio::sync::mpsc;

use super::{
    Analyse,
    ask::Ask,
    identity::{InputIdentity, RunIdentity},
    journal::journal_path,
    output::{Opened, Output, Reached},
    pump::Pump,
    sink::Sink,
    writer::Writer,
};
use crate::{
    choice::BulkMode,
    failure::{Failure, Outcome},
    input::{Feed, Inputs, STDIN, is_read_once},
    progress::Progress,
    same_file::same_file,
    session::require_backend,
};

/// Layout of outputs and progress files; to be raised when either changes.
const LAYOUT: u32 = 2;
/// Fewest positions in flight along games: the server takes up to 256 of a game before it searches any.
const ALONG_GAME_WINDOW: usize = 512;
/// Games read ahead.
const GAMES_AHEAD: usize = 4;

/// What the answers come from.
struct MadeBy {
    engine: String,
    network: String,
    tables: String,
}

pub(super) fn run(args: Analyse) -> Result<Outcome, Failure> {
    let output_path = args.output.clone().filter(|path| path.as_os_str() != STDIN);
    check(&args, output_path.as_deref())?;
    let inputs = Inputs::new(args.files.clone(), args.chess960);
    inputs.check_readable()?;

    let syzygy = args.syzygy_path.as_deref().map(folders).unwrap_or_default();
    let session = args.engine.open_for_searches(syzygy)?;
    let info = session.engine_info()?;
    require_backend(args.engine.backend, &info)?;
    let made_by = MadeBy {
        network: args.engine.network_hash(&info)?,
        engine: info.version,
        tables: info.endgame_tables.map(|tables| tables.hash).unwrap_or_default(),
    };
    let ask = args.search.ask(args.engine.backend, args.engine.network_name());

    let opened = match &output_path {
        None => Opened {
            output: Output::Stdout,
            reached: Reached::default(),
            complete: false,
            replaced: 0,
        },
        Some(path) => {
            let identity = identity(&args, &ask, made_by)?;
            Output::open(path, &identity, args.resume)?
        }
    };
    if opened.complete {
        if !args.quiet {
            eprintln!("already complete: {} positions", opened.reached.positions);
        }
        return Ok(Outcome::of_failures(
            opened.reached.failed + opened.reached.skipped,
        ));
    }
    if opened.replaced > 0 {
        eprintln!(
            "replacing an unfinished run of {} positions (--resume would have continued it)",
            opened.replaced
        );
    }
    if opened.reached.positions > 0 && !args.quiet {
        eprintln!("continuing after {} positions", opened.reached.positions);
    }

    let progress = Progress::start(args.quiet);
    if !args.quiet {
        inputs.count_in_background(&progress);
    }
    let writer = Writer::new(args.format, args.files.len() > 1, args.search.multipv);
    let sink = Sink::new(writer, opened.output, progress.clone(), opened.reached);
    let pump = Pump {
        ask,
        window: window(&args),
        skip: opened.reached.positions,
        sink,
    };

    let (sender, games) = mpsc::channel(GAMES_AHEAD);
    let reader = std::thread::spawn({
        let progress = progress.clone();
        move || {
            let mut skipped = 0_u64;
            inputs.read(&mut |feed| match feed {
                Feed::Game(game) => sender.blocking_send(*game).is_ok(),
                Feed::Broken(reason) => {
                    skipped += 1;
                    progress.note(&reason);
                    !sender.is_closed()
                }
            })?;
            Ok::<u64, Failure>(skipped)
        }
    });
    let (sink, result) = session.run(pump.run(session.client(), games));
    // After an early end the reader finds its channel closed, or is waiting for standard input: then it is left alone.
    let read = match &result {
        Ok(()) => reader
            .join()
            .unwrap_or_else(|_| Err(Failure::BrokenOff("the reader failed".to_owned()))),
        Err(_) => Ok(0),
    };
    let complete = result.is_ok() && read.is_ok();
    let skipped = read.as_ref().copied().unwrap_or(0);
    let reached = sink.close(complete, skipped);
    match (result, read) {
        (Ok(()), Ok(skipped)) => {
            let failed = reached?.failed;
            if failed + skipped > 0 {
                eprintln!("{failed} positions failed, {skipped} games left out");
            }
            Ok(Outcome::of_failures(failed + skipped))
        }
        (Err(Failure::Interrupted(_)), _) => {
            let note = match output_path {
                Some(_) => format!(
                    " after {} positions; --resume goes on from there",
                    reached?.positions
                ),
                None => String::new(),
            };
            Err(Failure::Interrupted(note))
        }
        (Err(failure), _) | (_, Err(failure)) => Err(failure),
    }
}

fn window(args: &Analyse) -> usize {
    let asked = usize::from(args.concurrency);
    match args.search.bulk_mode {
        BulkMode::Independent => asked,
        BulkMode::AlongGame => asked.max(ALONG_GAME_WINDOW),
    }
}

/// Refuses arguments that do not go together.
fn check(args: &Analyse, output: Option<&Path>) -> Result<(), Failure> {
    let reads_stdin = args.files.iter().filter(|file| file.as_os_str() == STDIN).count();
    if reads_stdin > 1 {
        return Err(Failure::Usage("standard input can be read only once".to_owned()));
    }
    if args.resume && output.is_none() {
        return Err(Failure::Usage(
            "--resume needs a file to write: -o OUT".to_owned(),
        ));
    }
    if args.resume && reads_stdin > 0 {
        return Err(Failure::Usage(
            "--resume cannot tell whether standard input is the same".to_owned(),
        ));
    }
    if let Some(pipe) = args.files.iter().find(|file| args.resume && is_read_once(file)) {
        return Err(Failure::Usage(format!(
            "{}: --resume cannot tell whether a pipe brings the same",
            pipe.display()
        )));
    }
    let written: Vec<PathBuf> = output
        .map(|output| vec![output.to_owned(), journal_path(output)])
        .unwrap_or_default();
    let is_written = |file: &&PathBuf| written.iter().any(|path| same_file(file, path));
    match args.files.iter().find(is_written) {
        Some(file) => Err(Failure::Usage(format!(
            "{}: cannot be both read and written",
            file.display()
        ))),
        None => Ok(()),
    }
}

fn identity(args: &Analyse, ask: &Ask, made_by: MadeBy) -> Result<RunIdentity, Failure> {
    let named = args.files.len() > 1;
    let input = |path: &PathBuf| {
        let name = path.display().to_string();
        if is_read_once(path) {
            // Never continued, so nothing has to be known about it.
            return Ok(InputIdentity {
                name,
                bytes: 0,
                sha256: String::new(),
            });
        }
        let known_as = if named { name.as_str() } else { "" };
        InputIdentity::of_file(path, known_as).map_err(|error| Failure::input(&name, error))
    };
    Ok(RunIdentity {
        layout: LAYOUT,
        inputs: args.files.iter().map(input).collect::<Result<_, _>>()?,
        format: args.format.name().to_owned(),
        chess960: args.chess960,
        nodes: ask.nodes,
        depth: ask.depth,
        movetime: ask.movetime,
        multipv: ask.multipv,
        bulk_mode: ask.bulk_mode.name().to_owned(),
        engine: made_by.engine,
        network: made_by.network,
        tables: made_by.tables,
    })
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use clap::Parser;

    use super::{super::tests::Line, *};

    fn check_files(input: &Path, output: &Path) -> Result<Result<(), Failure>, clap::Error> {
        let words = [Path::new("analyse"), input, Path::new("-o"), output];
        let args = Line::try_parse_from(words)?.analyse;
        Ok(check(&args, args.output.as_deref()))
    }

    #[test]
    fn nothing_is_both_read_and_written() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        for name in ["in", "other", "out.progress"] {
            fs::write(path(name), "x")?;
        }
        fs::hard_link(path("in"), path("hard"))?;
        fs::hard_link(path("in"), path("new.progress"))?;
        let mut refused = vec![("in", "in"), ("out.progress", "out")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("in"), path("soft"))?;
            refused.extend([
                ("in", "hard"),
                ("hard", "in"),
                ("in", "soft"),
                ("soft", "hard"),
                ("in", "new"),
            ]);
        }
        for (input, output) in refused {
            let answer = check_files(&path(input), &path(output))?;
            let Err(Failure::Usage(reason)) = answer else {
                panic!("{input} {output}: {answer:?}");
            };
            assert!(reason.ends_with("cannot be both read and written"), "{reason}");
        }
        for (input, output) in [("in", "other"), ("in", "out"), ("other", "new")] {
            assert!(
                check_files(&path(input), &path(output))?.is_ok(),
                "{input} {output}"
            );
        }
        Ok(())
    }
}
