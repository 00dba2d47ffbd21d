//! `export`: from the float network to the evaluator's integer file, with the loss that this costs.

use std::{fs, path::PathBuf, sync::Arc, thread};

use clap::Args;
use tabiya_evaluator::{
    Network, evaluate_reference,
    network::{Architecture, KingBuckets, NetworkParts, OutputBuckets, Scale},
};

use crate::{
    chunk,
    error::Error,
    record::Record,
    report::say,
    train::{
        checkpoint::{self, Header},
        features::{BUCKETS, Features},
        model::Model,
        pass,
    },
};

/// First-layer weights are multiples of 1/255: a neuron's full activation is 255.
const INPUT_UNIT: f32 = 255.0;
/// A full activation in front of the output: 255 squared, shifted right by 8.
const ACTIVATION_UNIT: f32 = 255.0 * 255.0 / 256.0;
/// Output weights are multiples of this part. 2 x 1024 of them at 1.98 times 254 still fit 32 bits.
const OUTPUT_UNIT: f32 = 512.0;
const SCALE_SHIFT: u8 = 24;

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
    match header.width {
        64 => export::<64>(args, &header, &body),
        128 => export::<128>(args, &header, &body),
        256 => export::<256>(args, &header, &body),
        384 => export::<384>(args, &header, &body),
        512 => export::<512>(args, &header, &body),
        1024 => export::<1024>(args, &header, &body),
        width => Err(Error::content(
            &args.input,
            format!("width {width} is none of those built in"),
        )),
    }
}

fn export<const H: usize>(args: &ExportArgs, header: &Header, body: &[u8]) -> Result<(), Error> {
    let (model, _) = checkpoint::read_body::<H>(&args.input, header, body)?;
    let rows = held_out_rows(args)?;
    let (adjust, measure) = rows.split_at(rows.len() / 2);

    let mut parts = quantise(&model, header, &args.name)?;
    let network = build(args, parts.clone())?;
    correct_bias(&mut parts, &compare(&model, header, &network, adjust));
    let network = build(args, parts)?;
    fs::write(&args.output, network.to_bytes()).map_err(Error::file(&args.output))?;

    // What was written is read back: the loader's proof is the one that counts.
    let bytes = fs::read(&args.output).map_err(Error::file(&args.output))?;
    let network = Network::from_bytes(&bytes).map_err(|e| Error::content(&args.output, e.to_string()))?;
    say(&format!(
        "{}: {} bytes, digest {}",
        args.output.display(),
        bytes.len(),
        network.digest()
    ));
    print_losses(&compare(&model, header, &network, measure));
    Ok(())
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

fn quantise<const H: usize>(model: &Model<H>, header: &Header, name: &str) -> Result<NetworkParts, Error> {
    let short = |value: &f32| (value * INPUT_UNIT).round() as i16;
    let output_unit = ACTIVATION_UNIT * OUTPUT_UNIT;
    let numerator = header.scale / output_unit * (1u64 << SCALE_SHIFT) as f32;
    Ok(NetworkParts {
        name: name.into(),
        architecture: Architecture {
            king_buckets: KingBuckets {
                map: [0; 64],
                mirror: header.mirrored,
            },
            width: H,
            output_buckets: OutputBuckets::Eight,
            hidden: None,
        },
        scale: Scale {
            numerator: numerator.round() as i32,
            shift: SCALE_SHIFT,
        },
        feature_bias: model.bias.as_flattened().iter().map(short).collect(),
        feature_weights: model.input.as_flattened().iter().map(short).collect(),
        hidden_weights: Vec::new(),
        hidden_bias: Vec::new(),
        output_weights: model
            .head
            .as_flattened()
            .iter()
            .map(|w| (w * OUTPUT_UNIT).round() as i16)
            .collect(),
        output_bias: model
            .head_bias
            .as_flattened()
            .iter()
            .map(|b| (b * output_unit).round() as i32)
            .collect(),
    })
}

/// One position by both networks.
struct Compared {
    bucket: usize,
    /// Output of the integer network.
    output: i32,
    /// What the float network says in the same unit.
    exact: f64,
    /// Centipawns: float, integer, label.
    float: f64,
    integer: f64,
    label: f64,
}

fn compare<const H: usize>(
    model: &Model<H>,
    header: &Header,
    network: &Network,
    rows: &[Record],
) -> Vec<Compared> {
    let one = |row: &Record| {
        let logit = pass::value(model, row, header.mirrored);
        let output = evaluate_reference(network, &row.packed()?);
        Some(Compared {
            bucket: Features::new(row, header.mirrored).bucket(),
            output,
            exact: f64::from(logit) * f64::from(ACTIVATION_UNIT * OUTPUT_UNIT),
            float: f64::from(logit * header.scale),
            integer: f64::from(network.to_centipawns(output)),
            label: f64::from(row.label()?),
        })
    };
    let share = rows.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(share)
            .map(|part| scope.spawn(|| part.iter().filter_map(one).collect::<Vec<_>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The shift behind the square rounds down, which makes activations smaller by half a unit on average; the
/// output biases take the mean of that back.
fn correct_bias(parts: &mut NetworkParts, compared: &[Compared]) {
    for (bucket, bias) in parts.output_bias.iter_mut().enumerate().take(BUCKETS) {
        let (mut sum, mut count) = (0.0, 0u32);
        for row in compared.iter().filter(|row| row.bucket == bucket) {
            sum += row.exact - f64::from(row.output);
            count += 1;
        }
        // A bucket with few rows says more about their noise than about the rounding.
        if count >= 200 {
            *bias += (sum / f64::from(count)).round() as i32;
        }
    }
}

fn print_losses(rows: &[Compared]) {
    let count = rows.len() as f64;
    let mean = |f: &dyn Fn(&Compared) -> f64| rows.iter().map(f).sum::<f64>() / count;
    let worst = rows
        .iter()
        .map(|r| (r.float - r.integer).abs())
        .fold(0.0, f64::max);
    say(&format!(
        "quantisation over {} rows: mean |difference| {:.2} cp, mean difference {:+.2} cp, largest {worst:.1} cp",
        rows.len(),
        mean(&|r| (r.float - r.integer).abs()),
        mean(&|r| r.integer - r.float),
    ));
    let near: Vec<_> = rows.iter().filter(|r| r.label.abs() <= 400.0).collect();
    let error = near.iter().map(|r| (r.integer - r.label).abs()).sum::<f64>() / near.len().max(1) as f64;
    let (mx, my) = (mean(&|r| r.integer), mean(&|r| r.label));
    let covariance = mean(&|r| (r.integer - mx) * (r.label - my));
    let spread = (mean(&|r| (r.integer - mx).powi(2)) * mean(&|r| (r.label - my).powi(2))).sqrt();
    say(&format!(
        "against the labels: correlation {:.4}; mean |error| {error:.1} cp where |label| <= 400 ({} rows)",
        covariance / spread.max(f64::MIN_POSITIVE),
        near.len()
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_from_fen;

    fn header(mirrored: bool) -> Header {
        Header {
            format: checkpoint::FORMAT.into(),
            width: 64,
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

    /// Trainer and evaluator agree on features, perspective, buckets and scale: the values differ by rounding only.
    #[test]
    fn integer_values_follow_the_float_network() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "2r3k1/5pp1/p3p2p/1p1n4/3P4/P4N1P/1P3PP1/2R3K1 w - - 0 26",
            "8/2k5/8/8/3Q4/8/4K3/8 b - - 0 60",
            "8/5k2/8/8/8/1K6/4P3/8 w - - 0 60",
        ];
        for mirrored in [false, true] {
            let mut model = Model::<64>::random(11);
            // Heads that differ, so that a wrong bucket shows.
            for (index, row) in model.head.iter_mut().enumerate() {
                row.iter_mut().for_each(|w| *w *= 1.0 + index as f32 / 4.0);
            }
            let header = header(mirrored);
            let parts = quantise(&model, &header, "test").expect("parts");
            let network = Network::from_parts(parts).expect("no overflow");
            let mut rows: Vec<_> = fens.into_iter().map(record_from_fen).collect();
            rows.iter_mut().for_each(|row| row.set_label(0));
            let compared = compare(&model, &header, &network, &rows);
            assert_eq!(compared.len(), fens.len());
            let spread = compared.iter().map(|r| r.float.abs()).fold(0.0, f64::max);
            assert!(
                spread > 20.0,
                "values must differ from zero to show anything, {spread}"
            );
            for row in compared {
                assert!(
                    (row.float - row.integer).abs() < 3.0,
                    "{} against {}",
                    row.float,
                    row.integer
                );
            }
        }
    }
}
