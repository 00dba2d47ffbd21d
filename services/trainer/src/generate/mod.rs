//! `generate`: quiet positions from fast self-play.

use std::{
    collections::HashSet,
    fs,
    hash::BuildHasherDefault,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use clap::Args;
use tabiya_evaluator::{AnyKernel, CpuEvaluator, Evaluator, Kernel, KernelVisitor, Network, dispatch};

use crate::{
    chunk, error::Error, generate::piece_squares::PieceSquares, key::KeyHasher, record::Record, rng::Rng,
};

pub(crate) mod piece_squares;
pub(crate) mod quiesce;
pub(crate) mod self_play;

/// Most that a flag in centipawns may ask for.
const MAX_CENTIPAWNS: i32 = 100_000;

/// Generate quiet positions by fast self-play.
///
/// Example: tabiya-trainer generate --output generated --chunks 120 --seed 1
#[derive(Args, Clone, Debug)]
pub(crate) struct GenerateArgs {
    /// Folder for the chunks; those already there are kept, so that a broken run goes on
    #[arg(long)]
    output: PathBuf,
    /// Number of chunks
    #[arg(long, default_value_t = 120)]
    chunks: usize,
    /// Positions in a chunk, at least; it ends with a whole game
    #[arg(long, default_value_t = 100_000)]
    chunk_size: usize,
    /// Seed; a chunk depends on the seed, its number and the flags below, not on the threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Lowest share of random moves in a game, after 6 to 10 random plies
    #[arg(long, default_value_t = 0.04)]
    random_low: f32,
    /// Highest share of random moves in a game
    #[arg(long, default_value_t = 0.15)]
    random_high: f32,
    /// Random children tried at each ply beside the game's own position
    #[arg(long, default_value_t = 1)]
    children: usize,
    /// Network file that evaluates the games; without it material and squares do
    #[arg(long)]
    network: Option<PathBuf>,
    /// Noise on a move's value, centipawns
    #[arg(long, default_value_t = 12)]
    noise: u32,
    /// Positions beyond this value are thinned out, the more the further; centipawns
    #[arg(long, default_value_t = 200)]
    level: i32,
    /// A position is quiet if captures change its value by less than this, centipawns
    #[arg(long, default_value_t = 60)]
    quiet_margin: i32,
}

#[cfg(test)]
impl GenerateArgs {
    /// The defaults.
    fn for_test() -> Self {
        Self {
            output: PathBuf::new(),
            chunks: 1,
            chunk_size: 1000,
            seed: 1,
            threads: 1,
            random_low: 0.04,
            random_high: 0.15,
            children: 1,
            network: None,
            noise: 12,
            level: 200,
            quiet_margin: 60,
        }
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &GenerateArgs) -> Result<(), Error> {
    if args.threads == 0 || args.threads > 256 {
        return Err(Error::Flag {
            flag: "--threads",
            reason: "must be 1 to 256".into(),
        });
    }
    if !(0.0..=1.0).contains(&args.random_low) || !(args.random_low..=1.0).contains(&args.random_high) {
        return Err(Error::Flag {
            flag: "--random-high",
            reason: "shares must rise within 0 to 1".into(),
        });
    }
    if args.chunk_size == 0 || args.quiet_margin <= 0 || args.level <= 0 || args.noise > 1000 {
        let reason = "chunk size, level and quiet margin must be positive, noise at most 1000".into();
        return Err(Error::Flag {
            flag: "--chunk-size",
            reason,
        });
    }
    // Beyond every value, and small enough to be added to one.
    if args.quiet_margin > MAX_CENTIPAWNS || args.level > MAX_CENTIPAWNS {
        return Err(Error::Flag {
            flag: "--quiet-margin",
            reason: format!("and --level must be at most {MAX_CENTIPAWNS} centipawns"),
        });
    }
    fs::create_dir_all(&args.output).map_err(Error::file(&args.output))?;
    let Some(path) = &args.network else {
        return generate(args, || PieceSquares);
    };
    let bytes = fs::read(path).map_err(Error::file(path))?;
    let network = Network::from_bytes(&bytes).map_err(|e| Error::content(path, e.to_string()))?;
    dispatch(
        AnyKernel::best(),
        ByNetwork {
            args,
            network: Arc::new(network),
        },
    )
}

/// Self-play by a network, compiled for each kernel.
struct ByNetwork<'a> {
    args: &'a GenerateArgs,
    network: Arc<Network>,
}

impl KernelVisitor for ByNetwork<'_> {
    type Output = Result<(), Error>;

    fn visit<K: Kernel>(self, kernel: K) -> Self::Output {
        generate(self.args, || CpuEvaluator::new(kernel, Arc::clone(&self.network)))
    }
}

fn generate<E: Evaluator>(args: &GenerateArgs, evaluator: impl Fn() -> E + Sync) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let (done, rows) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let started = Instant::now();
    let worker = || -> Result<(), Error> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= args.chunks {
                return Ok(());
            }
            let path = chunk::path(&args.output, index);
            if !path.exists() {
                let chunk = generate_chunk(args, &mut evaluator(), index as u64);
                chunk::write(&path, &chunk)?;
                rows.fetch_add(chunk.len(), Ordering::Relaxed);
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let rows = rows.load(Ordering::Relaxed);
            let speed = rows as f64 / started.elapsed().as_secs_f64();
            eprint!(
                "\r{done}/{} chunks, {rows} new positions, {speed:.0}/s  ",
                args.chunks
            );
        }
    };
    let result = thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    eprintln!();
    result
}

fn generate_chunk<E: Evaluator>(args: &GenerateArgs, evaluator: &mut E, index: u64) -> Vec<Record> {
    let mut rng = Rng::new(args.seed, 0x6e_0000_0000 | index);
    let mut seen = HashSet::<u64, BuildHasherDefault<KeyHasher>>::default();
    let mut chunk = Vec::with_capacity(args.chunk_size + 512);
    let mut game = Vec::new();
    while chunk.len() < args.chunk_size {
        game.clear();
        self_play::play(&mut rng, evaluator, args, &mut game);
        chunk.extend(game.iter().filter(|row| seen.insert(row.key())));
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_beyond_reason_are_refused_and_the_largest_works() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let with = |quiet_margin, level| GenerateArgs {
            output: folder.path().to_owned(),
            chunk_size: 50,
            quiet_margin,
            level,
            ..GenerateArgs::for_test()
        };
        for args in [with(i32::MAX, 200), with(60, i32::MAX)] {
            assert!(matches!(run(&args), Err(Error::Flag { .. })));
        }
        run(&with(MAX_CENTIPAWNS, MAX_CENTIPAWNS)).expect("generated");
        assert!(chunk::read(&chunk::path(folder.path(), 0)).expect("rows").len() >= 50);
    }
}
