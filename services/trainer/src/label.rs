//! `label`: values for generated positions, by a teacher network, an engine or our own search.

use std::{collections::HashSet, fs, hash::BuildHasherDefault, path::PathBuf, thread, time::Instant};

use clap::Args;

use crate::{chunk, error::Error, key::KeyHasher, record::Record};
use source::{Source, SourceArgs};

mod by_engine;
mod by_search;
mod source;

/// Labels beyond this say nothing more, nor do mates; centipawns.
pub(crate) const LABEL_LIMIT: i16 = 10_000;

/// A value as a label.
pub(crate) fn bounded(centipawns: i32) -> i16 {
    let limit = i32::from(LABEL_LIMIT);
    centipawns.clamp(-limit, limit) as i16
}

/// Label generated positions and drop duplicates: with a teacher network's static values, or with the values of searches, by a UCI
/// engine or our own.
///
/// Example: tabiya-trainer label --input generated --output labelled --teacher teacher.nnue
///
/// Example: tabiya-trainer label --input generated --output labelled --engine stockfish --engine-option Hash=1 --nodes 5000
#[derive(Args, Clone, Debug)]
pub(crate) struct LabelArgs {
    /// Folder of generated chunks
    #[arg(long)]
    input: PathBuf,
    /// Folder for labelled chunks, one for each input; those already there are kept
    #[arg(long)]
    output: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    /// Worker threads; they do not change the result
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Runs the subcommand.
pub(crate) fn run(args: &LabelArgs) -> Result<(), Error> {
    if args.threads == 0 || args.threads > 256 {
        return Err(Error::Flag {
            flag: "--threads",
            reason: "must be 1 to 256".into(),
        });
    }
    let source = Source::open(&args.source)?;
    fs::create_dir_all(&args.output).map_err(Error::file(&args.output))?;
    let inputs = chunk::list(&args.input)?;
    let mut seen = HashSet::<u64, BuildHasherDefault<KeyHasher>>::default();
    let (mut labelled, mut dropped) = (0usize, 0usize);
    let started = Instant::now();
    for (index, input) in inputs.iter().enumerate() {
        let output = args.output.join(input.file_name().unwrap_or_default());
        if output.exists() {
            seen.extend(chunk::read(&output)?.iter().map(|row| row.key()));
            continue;
        }
        let mut rows = chunk::read(input)?;
        let before = rows.len();
        rows.retain(|row| seen.insert(row.key()));
        dropped += before - rows.len();
        label_chunk(&source, &mut rows, args.threads)?;
        labelled += rows.len();
        chunk::write(&output, &rows)?;
        eprint!(
            "\r{}/{} chunks, {labelled} labelled, {dropped} duplicates dropped, {:.0} labels/s  ",
            index + 1,
            inputs.len(),
            labelled as f64 / started.elapsed().as_secs_f64()
        );
    }
    eprintln!("\n{} positions in all", seen.len());
    Ok(())
}

/// Labels a chunk's rows on several threads.
fn label_chunk(source: &Source, rows: &mut [Record], threads: usize) -> Result<(), Error> {
    let share = rows.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = rows
            .chunks_mut(share)
            .map(|part| scope.spawn(|| source.label(part)))
            .collect();
        parts.into_iter().try_for_each(|part| {
            part.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}
