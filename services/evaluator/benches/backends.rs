//! Positions a second of each backend by batch size: the calibration's table, and both kernel layouts.
//!
//! `cargo bench -p tabiya-evaluator --bench backends`
//!
//! Software adapters are measured too, for want of better; their figures say nothing about a GPU.
#![allow(missing_docs)]

#[cfg(feature = "gpu")]
#[path = "../tests/common/mod.rs"]
mod common;

#[cfg(not(feature = "gpu"))]
fn main() {
    eprintln!("SKIPPED: built without gpu support");
}

#[cfg(feature = "gpu")]
fn main() {
    gpu::main();
}

#[cfg(feature = "gpu")]
mod gpu {
    use std::{
        sync::Arc,
        time::{Duration, Instant},
    };

    use tabiya_eval_shaders::KernelLayout;
    use tabiya_evaluator::{
        BatchEvaluator, BatchOptions, PackedPosition,
        gpu::{GpuDevice, GpuOptions},
        network::{Architecture, HiddenLayer},
        pack,
    };

    use super::common::{random_boards, random_network, shape};

    const SIZES: [usize; 5] = [64, 256, 1024, 4096, 16_384];
    const LAYOUTS: [KernelLayout; 2] = [
        KernelLayout::WorkgroupPerPosition,
        KernelLayout::ThreadPerPosition,
    ];
    /// Time for one figure.
    const TIME: Duration = Duration::from_millis(500);

    fn architectures() -> Vec<Architecture> {
        let hidden = Some(HiddenLayer { width: 16, shift: 10 });
        vec![
            shape(256),
            shape(512),
            shape(1024),
            Architecture { hidden, ..shape(512) },
            Architecture {
                hidden,
                ..shape(1024)
            },
        ]
    }

    pub(crate) fn main() {
        let boards = random_boards(16_384, 120, 5);
        let positions: Vec<PackedPosition> = boards.iter().map(pack).collect();
        let pieces: u32 = positions.iter().map(PackedPosition::piece_count).sum();
        println!(
            "{} positions, {:.1} pieces on average",
            positions.len(),
            f64::from(pieces) / 16_384.0
        );
        for architecture in architectures() {
            let network = random_network(architecture, 1);
            println!("\n== {}", network.architecture());
            let gpu = GpuOptions {
                allow_software: true,
                ..GpuOptions::default()
            };
            let options = BatchOptions {
                gpu: gpu.clone(),
                ..BatchOptions::default()
            };
            match BatchEvaluator::start(&network, &options) {
                Ok(evaluator) => println!("{}", evaluator.calibrate(TIME * 20)),
                Err(error) => println!("{error}"),
            }
            for layout in LAYOUTS {
                match GpuDevice::open(
                    &network,
                    &GpuOptions {
                        layout: Some(layout),
                        ..gpu.clone()
                    },
                ) {
                    Ok(device) => measure(&device, layout, &positions),
                    Err(error) => println!("{layout:?}: {error}"),
                }
            }
        }
    }

    /// Median time of a batch alone, and the rate with three batches in flight.
    fn measure(device: &GpuDevice, layout: KernelLayout, positions: &[PackedPosition]) {
        println!("{layout:?} on {}", device.info().device);
        for size in SIZES {
            let batch: Arc<[PackedPosition]> = positions[..size].into();
            let run = || device.evaluate_raw(&batch).expect("a healthy device");
            run();
            let start = Instant::now();
            let mut times = vec![];
            while start.elapsed() < TIME {
                let begun = Instant::now();
                run();
                times.push(begun.elapsed());
            }
            times.sort_unstable();
            let median = times[times.len() / 2];
            let start = Instant::now();
            let batches: u32 = std::thread::scope(|scope| {
                let loops = || {
                    let mut batches = 0;
                    while start.elapsed() < TIME {
                        run();
                        batches += 1;
                    }
                    batches
                };
                let threads: Vec<_> = (0..3).map(|_| scope.spawn(loops)).collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().expect("a healthy device"))
                    .sum()
            });
            let rate = f64::from(batches) * size as f64 / start.elapsed().as_secs_f64();
            println!(
                "{size:>7}: {median:>10.1?} alone, {:>10.0} positions/s with three in flight",
                rate
            );
        }
    }
}
