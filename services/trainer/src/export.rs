//! `export`: from the float network to the evaluator's integer file, with the loss that this costs.

use std::{fs, path::PathBuf, sync::Arc};

use clap::Args;
use tabiya_evaluator::{Network, network::NetworkParts};

use self::compare::{Compared, compare, mean_loss, print_losses};
use crate::{
    chunk,
    error::Error,
    record::Record,
    report::say,
    train::{
        checkpoint::{self, Header},
        head::Head,
        model::Model,
        shape::{ShapeVisitor, dispatch},
    },
};

mod compare;
mod correct;
mod quantise;

/// The shifts behind a hidden layer that are tried. A larger one makes the 8-bit weights' steps finer and the
/// largest weight that they hold smaller: 1.98 with the first, 0.25 with the last.
const SHIFTS: std::ops::RangeInclusive<u8> = 5..=8;

/// Quantise a trained network, prove that it cannot overflow, and measure what quantising costs.
///
/// Example: tabiya-trainer export --input net.float --data labelled --output standard.nnue --name standard-1
#[derive(Args, Clone, Debug)]
pub(crate) struct ExportArgs {
    /// Checkpoint of `train`
    #[arg(long)]
    input: PathBuf,
    /// Network file to write
    #[arg(long)]
    output: PathBuf,
    /// Name in the file
    #[arg(long, default_value = "standard")]
    name: String,
    /// Folder of labelled chunks; the last rows are those that training held out
    #[arg(long)]
    data: PathBuf,
    /// Rows to measure on, half of them to correct the rounding of the activation
    #[arg(long, default_value_t = 100_000)]
    rows: usize,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ExportArgs) -> Result<(), Error> {
    let (header, body) = checkpoint::read_header(&args.input)?;
    let (width, hidden) = (header.width, header.hidden);
    let export = Export { args, header, body };
    dispatch(width, hidden, export).unwrap_or_else(|| {
        let reason = format!("width {width} with hidden layer {hidden} is none of those built in");
        Err(Error::content(&args.input, reason))
    })
}

struct Export<'a> {
    args: &'a ExportArgs,
    header: Header,
    body: Vec<u8>,
}

impl ShapeVisitor for Export<'_> {
    type Output = Result<(), Error>;

    fn visit<const H: usize, T: Head<H>>(self) -> Self::Output {
        let Self { args, header, body } = self;
        let (model, _) = checkpoint::read_body::<H, T>(&args.input, &header, &body)?;
        drop(body);
        let rows = held_out_rows(args)?;
        let (adjust, measure) = rows.split_at(rows.len() / 2);
        let network = integer_network(args, &model, &header, adjust)?;
        fs::write(&args.output, network.to_bytes()).map_err(Error::file(&args.output))?;

        // What was written is read back: the loader's proof is the one that counts.
        let bytes = fs::read(&args.output).map_err(Error::file(&args.output))?;
        let network = Network::from_bytes(&bytes).map_err(|e| Error::content(&args.output, e.to_string()))?;
        say(&format!(
            "{}: {}, {} bytes, digest {}",
            args.output.display(),
            network.architecture(),
            bytes.len(),
            network.digest()
        ));
        print_losses(&compare(&model, &header, &network, measure));
        Ok(())
    }
}

/// The integer network that follows `model` best on the rows `adjust`.
fn integer_network<const H: usize, T: Head<H>>(
    args: &ExportArgs,
    model: &Model<H, T>,
    header: &Header,
    adjust: &[Record],
) -> Result<Arc<Network>, Error> {
    if T::HIDDEN == 0 {
        return Ok(corrected(args, model, header, adjust, 0)?.0);
    }
    let mut best: Option<(Arc<Network>, f64)> = None;
    for shift in SHIFTS {
        let (network, compared) = corrected(args, model, header, adjust, shift)?;
        let loss = mean_loss(&compared);
        say(&format!("shift {shift}: mean |difference| {loss:.2} cp"));
        if best.as_ref().is_none_or(|(_, least)| loss < *least) {
            best = Some((network, loss));
        }
    }
    best.map(|(network, _)| network)
        .ok_or_else(|| Error::content(&args.input, "no shift fits"))
}

/// The network rounded with this shift, its biases corrected, and how it does on the rows `adjust`.
fn corrected<const H: usize, T: Head<H>>(
    args: &ExportArgs,
    model: &Model<H, T>,
    header: &Header,
    adjust: &[Record],
    shift: u8,
) -> Result<(Arc<Network>, Vec<Compared>), Error> {
    let mut parts = quantise::quantise(model, header, &args.name, shift);
    correct::hidden_bias(&mut parts, model, header.mirrored, adjust);
    let network = build(args, parts.clone())?;
    correct::output_bias(&mut parts, &compare(model, header, &network, adjust));
    let network = build(args, parts)?;
    let compared = compare(model, header, &network, adjust);
    Ok((network, compared))
}

fn build(args: &ExportArgs, parts: NetworkParts) -> Result<Arc<Network>, Error> {
    let network = Network::from_parts(parts).map_err(|e| Error::content(&args.input, e.to_string()))?;
    Ok(Arc::new(network))
}

fn held_out_rows(args: &ExportArgs) -> Result<Vec<Record>, Error> {
    let mut rows = Vec::new();
    for path in chunk::list(&args.data)?.into_iter().rev() {
        let chunk = chunk::read(&path)?;
        let wanted = args.rows - rows.len();
        rows.extend_from_slice(&chunk[chunk.len().saturating_sub(wanted)..]);
        if rows.len() >= args.rows {
            break;
        }
    }
    if rows.len() < 1000 {
        let reason = format!("{} rows are too few to measure on", rows.len());
        return Err(Error::content(&args.data, reason));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{
        record::tests::record_from_fen,
        train::{
            head::{Hidden, Linear},
            tests::{train, write_rows},
        },
    };

    fn header(mirrored: bool, hidden: usize) -> Header {
        Header {
            format: checkpoint::FORMAT.into(),
            width: 64,
            hidden,
            mirrored,
            scale: 130.0,
            result_weight: 0.0,
            seed: 1,
            epochs: 1,
            epochs_done: 1,
            steps: 1,
            positions: 1,
            data_sha256: String::new(),
            schedule: None,
            validation_loss: 0.0,
        }
    }

    /// Positions of games, from the start to bare kings and one piece.
    const FENS: [&str; 12] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "2r3k1/5pp1/p3p2p/1p1n4/3P4/P4N1P/1P3PP1/2R3K1 w - - 0 26",
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 0 9",
        "3r2k1/pb3p1p/1p2p1p1/2q5/4N3/1P4P1/PQ3P1P/3R2K1 w - - 0 24",
        "8/pp3pk1/2p3p1/3n3p/7P/2N3P1/PP3P1K/8 b - - 0 32",
        "4r1k1/1R3ppp/8/3p4/3P4/4P3/5PPP/6K1 b - - 0 30",
        "8/5pk1/6p1/8/3K4/6P1/5P2/8 b - - 0 50",
        "8/8/2kb4/8/3NK3/8/4P3/8 w - - 0 55",
        "8/2k5/8/8/3Q4/8/4K3/8 b - - 0 60",
        "8/5k2/8/8/8/1K6/4P3/8 w - - 0 60",
    ];

    /// Rounds `model` and compares it on [`FENS`]: the values differ by rounding only. That makes activations smaller
    /// by half a part in 127 on average, which nothing corrects here, so that large values lose more.
    fn follows<T: Head<64>>(model: &Model<64, T>, header: &Header, shift: u8) {
        let parts = quantise::quantise(model, header, "test", shift);
        let network = Network::from_parts(parts).expect("no overflow");
        let mut rows: Vec<_> = FENS.into_iter().map(record_from_fen).collect();
        rows.iter_mut().for_each(|row| row.set_label(0));
        let compared = compare(model, header, &network, &rows);
        assert_eq!(compared.len(), FENS.len());
        let spread = compared.iter().map(|r| r.float.abs()).fold(0.0, f64::max);
        assert!(
            spread > 20.0,
            "values must differ from zero to show anything, {spread}"
        );
        for (row, fen) in compared.iter().zip(FENS) {
            let difference = (row.float - row.integer).abs();
            let bound = 5.0 + row.float.abs() / 50.0;
            assert!(difference < bound, "{fen}: {} against {}", row.float, row.integer);
        }
    }

    /// Trainer and evaluator agree on features, perspective, buckets and scale.
    #[test]
    fn integer_values_follow_a_linear_head() {
        for mirrored in [false, true] {
            let mut model = Model::<64, Linear<64>>::random(11);
            // Heads that differ, so that a wrong bucket shows.
            for (index, row) in model.head.weights.iter_mut().enumerate() {
                row.iter_mut().for_each(|w| *w *= 1.0 + index as f32 / 4.0);
            }
            follows(&model, &header(mirrored, 0), 0);
        }
    }

    #[test]
    fn integer_values_follow_a_hidden_layer() {
        fn check<const N: usize>() {
            // Random weights are at most 0.09, so that the finest steps hold them.
            for (mirrored, shift) in [(false, 7), (true, 7), (true, 8)] {
                let mut model = Model::<64, Hidden<64, N>>::random(11);
                for (index, row) in model.head.weights.iter_mut().enumerate() {
                    row.iter_mut().for_each(|w| *w *= 1.0 + index as f32 / 16.0);
                }
                // Neurons below, within and above the clip.
                for (index, bias) in model.head.hidden_bias.as_flattened_mut().iter_mut().enumerate() {
                    *bias += [-0.6, 0.0, 0.6][index % 3];
                }
                follows(&model, &header(mirrored, N), shift);
            }
        }
        check::<16>();
        check::<32>();
    }

    /// From a run of `train` to the file: over positions of games the mean difference is below 3 cp and nowhere above
    /// 25 cp, whichever head; what is left is no lean to one side.
    #[test]
    fn exported_networks_follow_trained_ones() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_rows(folder.path(), 12_000);
        for hidden in ["0", "16", "32"] {
            let float = folder.path().join(format!("float-{hidden}"));
            let output = folder.path().join(format!("integer-{hidden}"));
            let (header, body) = {
                train(folder.path(), &float, &["--hidden", hidden]);
                checkpoint::read_header(&float).expect("a checkpoint")
            };
            run(&ExportArgs {
                input: float.clone(),
                output: output.clone(),
                name: "test".into(),
                data: folder.path().into(),
                rows: 12_000,
            })
            .expect("exported");
            let network = Network::from_bytes(&fs::read(&output).expect("bytes")).expect("a network");
            assert_eq!(network.architecture().hidden_width(), header.hidden);
            let rows = chunk::read(&chunk::path(folder.path(), 0)).expect("rows");
            let compared = dispatch(
                64,
                header.hidden,
                Compare(&float, &header, &body, &network, &rows),
            )
            .expect("a shape built in");
            assert_eq!(compared.len(), rows.len());
            let mean = mean_loss(&compared);
            let worst = compared
                .iter()
                .map(|r| (r.float - r.integer).abs())
                .fold(0.0, f64::max);
            let lean = compared.iter().map(|r| r.integer - r.float).sum::<f64>() / compared.len() as f64;
            let spread = compared.iter().map(|r| r.float.abs()).sum::<f64>() / compared.len() as f64;
            assert!(
                spread > 20.0,
                "hidden {hidden}: values are {spread} cp on average"
            );
            assert!(mean < 3.0, "hidden {hidden}: mean |difference| {mean} cp");
            assert!(worst < 25.0, "hidden {hidden}: largest difference {worst} cp");
            assert!(lean.abs() < 0.5, "hidden {hidden}: mean difference {lean} cp");
        }
    }

    struct Compare<'a>(&'a Path, &'a Header, &'a [u8], &'a Network, &'a [Record]);

    impl ShapeVisitor for Compare<'_> {
        type Output = Vec<Compared>;

        fn visit<const H: usize, T: Head<H>>(self) -> Self::Output {
            let Self(path, header, body, network, rows) = self;
            let (model, _) = checkpoint::read_body::<H, T>(path, header, body).expect("parameters");
            compare(&model, header, network, rows)
        }
    }
}
