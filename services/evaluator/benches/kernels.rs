//! Evaluations per second for each kernel: from scratch, and along a line of play.
//!
//! `cargo bench -p tabiya-evaluator --no-default-features --bench kernels`
#![allow(missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use common::{four_mirrored_buckets, random_boards, random_network, shape};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use tabiya_evaluator::network::{Architecture, HiddenLayer};
use tabiya_evaluator::{
    AnyKernel, Backend, CpuBatch, CpuEvaluator, Evaluator, Kernel, KernelVisitor, Network, PackedPosition,
    dispatch, evaluate_reference, pack,
};
use tabiya_rules::{Board, Move, MoveList};

/// Positions in a round; enough that their rows do not all stay in the first cache.
const POSITIONS: usize = 2_000;

fn architectures() -> Vec<Architecture> {
    let hidden = Some(HiddenLayer { width: 16, shift: 10 });
    vec![
        shape(256),
        shape(512),
        shape(1024),
        Architecture { hidden, ..shape(512) },
        Architecture {
            hidden,
            king_buckets: four_mirrored_buckets(),
            ..shape(512)
        },
    ]
}

struct Scratch<'a, 'b> {
    group: &'a mut BenchmarkGroup<'b, WallTime>,
    network: &'a Arc<Network>,
    positions: &'a [PackedPosition],
}

impl KernelVisitor for Scratch<'_, '_> {
    type Output = ();
    fn visit<K: Kernel>(self, kernel: K) {
        let mut backend = CpuBatch::new(kernel, Arc::clone(self.network));
        let mut values = vec![0; self.positions.len()];
        self.group.bench_function(kernel.name(), |bencher| {
            bencher.iter(|| backend.evaluate_raw(black_box(self.positions), &mut values));
        });
    }
}

/// Every move of every position, evaluated as a search's leaves are: push, evaluate, pop.
struct Line<'a, 'b> {
    group: &'a mut BenchmarkGroup<'b, WallTime>,
    network: &'a Arc<Network>,
    families: &'a [(Board, Vec<(Move, Board)>)],
}

impl KernelVisitor for Line<'_, '_> {
    type Output = ();
    fn visit<K: Kernel>(self, kernel: K) {
        let mut evaluator = CpuEvaluator::new(kernel, Arc::clone(self.network));
        self.group.bench_function(kernel.name(), |bencher| {
            bencher.iter(|| {
                let mut sum = 0_i32;
                for (parent, children) in self.families {
                    evaluator.refresh(parent);
                    for (mv, child) in children {
                        evaluator.push(parent, *mv, child);
                        sum = sum.wrapping_add(evaluator.evaluate(child));
                        evaluator.pop();
                    }
                }
                sum
            });
        });
    }
}

fn from_scratch(criterion: &mut Criterion) {
    let positions: Vec<_> = random_boards(POSITIONS, 120, 1).iter().map(pack).collect();
    for architecture in architectures() {
        let network = random_network(architecture, 1);
        let mut group = criterion.benchmark_group(format!("scratch/{}", network.architecture()));
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function("reference", |bencher| {
            bencher.iter(|| {
                let value = |position| evaluate_reference(&network, position);
                black_box(&positions)
                    .iter()
                    .map(value)
                    .fold(0_i32, i32::wrapping_add)
            });
        });
        for kernel in AnyKernel::all() {
            dispatch(
                kernel,
                Scratch {
                    group: &mut group,
                    network: &network,
                    positions: &positions,
                },
            );
        }
        group.finish();
    }
}

fn along_a_line(criterion: &mut Criterion) {
    let families: Vec<_> = random_boards(POSITIONS / 20, 120, 2)
        .into_iter()
        .map(|board| {
            let mut moves = MoveList::new();
            board.legal_moves(&mut moves);
            (
                board,
                moves.iter().map(|&mv| (mv, board.after(mv))).collect::<Vec<_>>(),
            )
        })
        .collect();
    let children: usize = families.iter().map(|(_, children)| children.len()).sum();
    for architecture in architectures() {
        let network = random_network(architecture, 1);
        let mut group = criterion.benchmark_group(format!("line/{}", network.architecture()));
        group.throughput(Throughput::Elements(children as u64));
        for kernel in AnyKernel::all() {
            dispatch(
                kernel,
                Line {
                    group: &mut group,
                    network: &network,
                    families: &families,
                },
            );
        }
        group.finish();
    }
}

fn packing(criterion: &mut Criterion) {
    let boards = random_boards(POSITIONS, 120, 3);
    let mut group = criterion.benchmark_group("pack");
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("board to record", |bencher| {
        bencher.iter(|| {
            for board in &boards {
                black_box(pack(black_box(board)));
            }
        });
    });
    group.finish();
}

criterion_group! {
    name = kernels;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_000));
    targets = from_scratch, along_a_line, packing
}
criterion_main!(kernels);
