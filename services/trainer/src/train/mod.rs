//! `train`: fits the float network to labelled positions on the CPU.

use std::{path::PathBuf, thread, time::Instant};

use clap::Args;

use crate::{
    error::Error,
    parallel::join,
    record::Record,
    train::{
        adam::Adam,
        checkpoint::{Header, Schedule},
        dataset::Dataset,
        head::Head,
        model::Model,
        pass::Target,
        shape::ShapeVisitor,
    },
};

mod adam;
pub(crate) mod checkpoint;
pub(crate) mod dataset;
pub(crate) mod features;
pub(crate) mod head;
pub(crate) mod model;
pub(crate) mod pass;
pub(crate) mod shape;

/// Fit the float network to labelled positions.
///
/// Example: tabiya-trainer train --data labelled --output net.float --epochs 12
#[derive(Args, Clone, Debug)]
pub(crate) struct TrainArgs {
    /// Folders of labelled chunks; may be given more than once
    #[arg(long, required = true)]
    data: Vec<PathBuf>,
    /// Checkpoint, written after every pass; `export` reads it
    #[arg(long)]
    output: PathBuf,
    /// Go on from the output file if it exists
    #[arg(long)]
    resume: bool,
    /// Neurons a side: 64, 128, 256, 384, 512 or 1024
    #[arg(long, default_value_t = 256)]
    width: usize,
    /// Neurons of a hidden layer for each output bucket: 16 or 32; 0 for none
    #[arg(long, default_value_t = 0)]
    hidden: usize,
    /// Reflect the files for a side whose king stands on the e to h files
    #[arg(long)]
    mirrored: bool,
    /// Passes over the data
    #[arg(long, default_value_t = 12)]
    epochs: u32,
    /// End this run after so many passes; `--resume` goes on later
    #[arg(long)]
    stop_after: Option<u32>,
    /// Positions in one optimiser step
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// First learning rate
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// Last learning rate; a cosine leads there
    #[arg(long, default_value_t = 0.000_01)]
    final_rate: f32,
    /// Weight decay of AdamW
    #[arg(long, default_value_t = 0.01)]
    decay: f32,
    /// Centipawns for one unit of logit
    #[arg(long, default_value_t = 130.0)]
    scale: f32,
    /// Weight of the game's result in the target, 0 to 1
    #[arg(long, default_value_t = 0.0)]
    result_weight: f32,
    /// Rows held out to measure the loss
    #[arg(long, default_value_t = 200_000)]
    validation: usize,
    /// Learn also from other folders' rows whose positions are held out, as the first networks did
    #[arg(long)]
    keep_held_out: bool,
    /// Thin out rows labelled beyond this, the more the further, as `generate` does; 0 keeps all
    #[arg(long, default_value_t = 0)]
    level: i32,
    /// Worker threads; a run repeats bit by bit only with the same number
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seed of the first weights and the shuffles
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl TrainArgs {
    fn check(&self) -> Result<(), Error> {
        let flag = |flag, reason: &str| {
            Err(Error::Flag {
                flag,
                reason: reason.into(),
            })
        };
        if self.batch == 0 || self.batch > 1 << 20 {
            return flag("--batch", "must be 1 to 1048576");
        }
        if self.threads == 0 || self.threads > 256 {
            return flag("--threads", "must be 1 to 256");
        }
        if !(1.0..=10_000.0).contains(&self.scale) {
            return flag("--scale", "must be 1 to 10000 centipawns");
        }
        if !(0.0..=1.0).contains(&self.result_weight) {
            return flag("--result-weight", "must be 0 to 1");
        }
        if self.validation == 0 {
            return flag("--validation", "must be at least 1");
        }
        Ok(())
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            batch: self.batch,
            rate: self.rate,
            final_rate: self.final_rate,
            decay: self.decay,
            threads: self.threads,
        }
    }

    fn target(&self) -> Target {
        Target {
            scale: self.scale,
            result_weight: self.result_weight,
            mirrored: self.mirrored,
        }
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &TrainArgs) -> Result<(), Error> {
    args.check()?;
    shape::dispatch(args.width, args.hidden, Fit(args)).unwrap_or_else(|| {
        // One of the two is built in with everything; the other is at fault.
        let (flag, value, known) = match args.hidden {
            0 | 16 | 32 => ("--width", args.width, "64, 128, 256, 384, 512 or 1024"),
            hidden => ("--hidden", hidden, "0, 16 or 32"),
        };
        let reason = format!("{value} is none of {known}");
        Err(Error::Flag { flag, reason })
    })
}

struct Fit<'a>(&'a TrainArgs);

impl ShapeVisitor for Fit<'_> {
    type Output = Result<(), Error>;

    fn visit<const H: usize, T: Head<H>>(self) -> Self::Output {
        fit::<H, T>(self.0)
    }
}

fn fit<const H: usize, T: Head<H>>(args: &TrainArgs) -> Result<(), Error> {
    let data = Dataset::load(&args.data, args.validation, args.level, args.keep_held_out)?;
    let mut header = Header {
        format: checkpoint::FORMAT.into(),
        width: H,
        hidden: T::HIDDEN,
        mirrored: args.mirrored,
        scale: args.scale,
        result_weight: args.result_weight,
        seed: args.seed,
        epochs: args.epochs,
        epochs_done: 0,
        steps: 0,
        positions: data.training.len() as u64,
        data_sha256: data.sha256.clone(),
        schedule: Some(args.schedule()),
        validation_loss: f64::NAN,
    };
    let (mut model, mut adam) = (Model::<H, T>::random(args.seed), Adam::new());
    if args.resume && args.output.exists() {
        let (found, body) = checkpoint::read_header(&args.output)?;
        if !found.is_continued_by(&header) {
            return Err(Error::content(
                &args.output,
                "is of a run with other flags or data",
            ));
        }
        header.epochs_done = found.epochs_done;
        header.steps = found.steps;
        header.validation_loss = found.validation_loss;
        (model, adam) = checkpoint::read_body(&args.output, &found, &body)?;
    }
    eprintln!(
        "{} training and {} validation rows, {} rows left out as held out elsewhere, sha256 {}, {} parameters",
        data.training.len(),
        data.validation.len(),
        data.left_out,
        data.sha256,
        Model::<H, T>::COUNT
    );

    let batches = data.training.len().div_ceil(args.batch) as u64;
    let all_steps = (batches * u64::from(args.epochs)).max(1);
    let mut gradients = vec![Model::<H, T>::zero(); args.threads];
    let last = args.stop_after.map_or(args.epochs, |passes| {
        args.epochs.min(header.epochs_done.saturating_add(passes))
    });
    for epoch in header.epochs_done..last {
        let order = data.order(args.seed, epoch);
        if epoch == 0 {
            let identity: Vec<u32> = (0..order.len() as u32).collect();
            eprintln!(
                "correlation of neighbouring labels: {:.3} in the files, {:.3} shuffled",
                dataset::neighbour_correlation(&data.training, &identity),
                dataset::neighbour_correlation(&data.training, &order)
            );
        }
        let started = Instant::now();
        let mut sum = 0.0;
        for (index, batch) in order.chunks(args.batch).enumerate() {
            let progress = adam.steps as f32 / all_steps as f32;
            let cosine = 0.5 * (1.0 + (std::f32::consts::PI * progress).cos());
            let rate = args.final_rate + (args.rate - args.final_rate) * cosine;
            sum += accumulate(&model, &data.training, batch, args.target(), &mut gradients);
            adam.step(
                &mut model,
                &mut gradients,
                1.0 / batch.len() as f32,
                rate,
                args.decay,
            );
            if (index + 1) % 100 == 0 {
                let seen = ((index + 1) * args.batch) as f64;
                let speed = seen / started.elapsed().as_secs_f64();
                eprint!(
                    "\rpass {}/{} batch {}/{batches} loss {:.6} rate {rate:.6} {speed:.0} positions/s  ",
                    epoch + 1,
                    args.epochs,
                    index + 1,
                    sum / seen
                );
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        header.validation_loss = validate(&model, &data.validation, args);
        header.epochs_done = epoch + 1;
        header.steps = adam.steps;
        checkpoint::write(&args.output, &header, &model, &adam)?;
        eprintln!(
            "\rpass {}/{}: training loss {:.6}, validation loss {:.6}, {seconds:.1} s, {:.0} positions/s      ",
            epoch + 1,
            args.epochs,
            sum / order.len() as f64,
            header.validation_loss,
            order.len() as f64 / seconds
        );
    }
    Ok(())
}

/// Adds the gradients over the rows of `batch`, one thread a gradient; returns the summed squared error.
fn accumulate<const H: usize, T: Head<H>>(
    model: &Model<H, T>,
    rows: &[Record],
    batch: &[u32],
    target: Target,
    gradients: &mut [Model<H, T>],
) -> f64 {
    let share = batch.len().div_ceil(gradients.len());
    thread::scope(|scope| {
        let workers: Vec<_> = batch
            .chunks(share)
            .zip(gradients)
            .map(|(part, gradient)| {
                scope.spawn(move || {
                    // Gathered first: the loads are independent, so their cache misses overlap.
                    let mut rows: Vec<Record> = part.iter().map(|&index| rows[index as usize]).collect();
                    if T::HIDDEN > 0 {
                        // A hidden layer's weights are many: rows that share them come one after the other.
                        rows.sort_by_key(Record::piece_count);
                    }
                    pass::backward(model, &rows, target, gradient)
                })
            })
            .collect();
        // In order of the threads, so that the sum is the same each time.
        workers.into_iter().map(join).sum()
    })
}

fn validate<const H: usize, T: Head<H>>(model: &Model<H, T>, rows: &[Record], args: &TrainArgs) -> f64 {
    let share = rows.len().div_ceil(args.threads);
    let sum: f64 = thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(share)
            .map(|part| scope.spawn(|| pass::loss(model, part, args.target())))
            .collect();
        workers.into_iter().map(join).sum()
    });
    sum / rows.len() as f64
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{fs, path::Path};

    use clap::Parser;
    use tabiya_evaluator::Evaluator;
    use tabiya_rules::{Board, Game, MoveList};

    use super::*;
    use crate::{
        Cli, Command, chunk,
        generate::{piece_squares::PieceSquares, self_play::pack},
        rng::Rng,
    };

    /// Rows of random games, labelled by material and squares.
    pub(crate) fn write_rows(folder: &Path, count: usize) {
        let mut rng = Rng::new(9, 9);
        let mut rows = Vec::new();
        while rows.len() < count {
            let mut game = Game::new(Board::startpos());
            for _ in 0..60 {
                let mut moves = MoveList::new();
                game.board().legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                game.play(moves[rng.below(moves.len())]);
                let mut row = pack(game.board());
                row.set_label(PieceSquares.evaluate(game.board()) as i16);
                rows.push(row);
            }
        }
        chunk::write(&chunk::path(folder, 0), &rows).expect("written");
    }

    /// The flags of a small run, `more` in place of its own.
    fn arguments(folder: &Path, output: &Path, more: &[&str]) -> TrainArgs {
        let (data, output) = (folder.display().to_string(), output.display().to_string());
        let mut words = vec![
            "tabiya-trainer",
            "train",
            "--mirrored",
            "--data",
            &data,
            "--output",
            &output,
        ];
        let small = [
            ("--width", "64"),
            ("--batch", "64"),
            ("--rate", "0.004"),
            ("--epochs", "4"),
            ("--validation", "1000"),
        ];
        for (flag, value) in small {
            if !more.contains(&flag) {
                words.extend([flag, value]);
            }
        }
        let Command::Train(args) = Cli::parse_from(words.iter().chain(more)).command else {
            unreachable!("the words ask for training")
        };
        args
    }

    pub(crate) fn train(folder: &Path, output: &Path, more: &[&str]) -> Header {
        run(&arguments(folder, output, more)).expect("trained");
        checkpoint::read_header(output).expect("a checkpoint").0
    }

    fn training_learns_and_a_broken_run_goes_on_to_the_same_network(hidden: usize, share: f64) {
        let text = hidden.to_string();
        let shape = ["--hidden", &text];
        let with = |more: &[&'static str]| [&shape[..], more].concat();
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_rows(folder.path(), 12_000);
        let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
        let end = train(folder.path(), &whole, &shape);

        let first = train(folder.path(), &broken, &with(&["--stop-after", "1"]));
        assert_eq!(first.epochs_done, 1);
        let resumed = train(folder.path(), &broken, &with(&["--resume", "--stop-after", "2"]));
        assert_eq!(resumed.epochs_done, 3);
        train(folder.path(), &broken, &with(&["--resume"]));
        assert_eq!(
            fs::read(&whole).expect("bytes"),
            fs::read(&broken).expect("bytes")
        );

        assert_eq!((end.epochs_done, end.width, end.hidden), (4, 64, hidden));
        assert!(end.mirrored);
        assert!(
            end.validation_loss < first.validation_loss,
            "later passes are better"
        );
        let rows = chunk::read(&chunk::path(folder.path(), 0)).expect("rows");
        let guess = |row: &Record| pass::sigmoid(f32::from(row.label().unwrap_or(0)) / 130.0) - 0.5;
        let unlearnt = rows.iter().map(|row| guess(row).powi(2)).sum::<f32>() / rows.len() as f32;
        let learnt = end.validation_loss / f64::from(unlearnt);
        assert!(
            learnt < share,
            "the loss is still {learnt} of that of a constant guess"
        );
    }

    #[test]
    fn a_linear_head_learns() {
        training_learns_and_a_broken_run_goes_on_to_the_same_network(0, 0.6);
    }

    /// With more parameters than rows it learns much by heart.
    #[test]
    fn a_hidden_layer_learns() {
        training_learns_and_a_broken_run_goes_on_to_the_same_network(16, 0.8);
    }

    #[test]
    fn shapes_that_are_not_built_in_are_refused() {
        let folder = Path::new("none");
        for (flag, value, reason) in [
            ("--width", "100", "100 is none of 64, 128, 256, 384, 512 or 1024"),
            ("--hidden", "8", "8 is none of 0, 16 or 32"),
        ] {
            let error = run(&arguments(folder, folder, &[flag, value])).expect_err("refused");
            assert_eq!(error.to_string(), format!("flag {flag}: {reason}"));
        }
    }

    #[test]
    fn a_file_without_a_schedule_is_gone_on_with() {
        let header = |schedule| Header {
            format: checkpoint::FORMAT.into(),
            width: 64,
            hidden: 0,
            mirrored: true,
            scale: 130.0,
            result_weight: 0.0,
            seed: 1,
            epochs: 4,
            epochs_done: 0,
            steps: 0,
            positions: 9,
            data_sha256: String::new(),
            schedule,
            validation_loss: f64::NAN,
        };
        let new = header(Some(arguments(Path::new("a"), Path::new("b"), &[]).schedule()));
        let mut old = serde_json::to_value(header(None)).expect("json");
        old.as_object_mut().expect("an object").remove("schedule");
        (old["epochs_done"], old["steps"], old["validation_loss"]) = (2.into(), 7.into(), 0.5.into());
        let old: Header = serde_json::from_value(old).expect("a header of the first version");
        assert!(old.is_continued_by(&new));
        assert!(!Header { seed: 2, ..old }.is_continued_by(&new));
    }

    #[test]
    fn other_flags_do_not_go_on_with_a_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_rows(folder.path(), 3000);
        let output = folder.path().join("net");
        train(folder.path(), &output, &["--stop-after", "1"]);
        for other in [
            ["--epochs", "5"],
            ["--scale", "140"],
            ["--seed", "2"],
            ["--validation", "900"],
            ["--batch", "128"],
            ["--hidden", "16"],
            ["--rate", "0.002"],
            ["--final-rate", "0.0001"],
            ["--decay", "0.1"],
            ["--threads", "3"],
        ] {
            let args = arguments(folder.path(), &output, &[&["--resume"][..], &other].concat());
            assert!(matches!(run(&args), Err(Error::Content { .. })), "{other:?}");
        }
        let on = train(
            folder.path(),
            &output,
            &["--resume", "--stop-after", "4294967295"],
        );
        assert_eq!(on.epochs_done, 4);
    }
}
