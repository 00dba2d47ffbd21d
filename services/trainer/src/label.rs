//! `label`: static values of a teacher network for generated positions.

use std::{collections::HashSet, fs, hash::BuildHasherDefault, path::PathBuf, thread, time::Instant};

use clap::Args;

use crate::{chunk, error::Error, key::KeyHasher, teacher::Teacher};

/// Label generated positions with a teacher network's static values and drop duplicates.
///
/// Example: tabiya-trainer label --input generated --output labelled --teacher teacher.nnue
#[derive(Args, Clone, Debug)]
pub(crate) struct LabelArgs {
    /// Folder of generated chunks
    #[arg(long)]
    input: PathBuf,
    /// Folder for labelled chunks, one for each input; those already there are kept
    #[arg(long)]
    output: PathBuf,
    /// Network file as `export_net` of the teacher's engine writes it
    #[arg(long)]
    teacher: PathBuf,
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
    let teacher = Teacher::from_file(&args.teacher)?;
    eprintln!("teacher sha256 {}", teacher.sha256);
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
        let share = rows.len().div_ceil(args.threads).max(1);
        thread::scope(|scope| {
            for part in rows.chunks_mut(share) {
                scope.spawn(|| part.iter_mut().for_each(|row| row.set_label(teacher.label(row))));
            }
        });
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
