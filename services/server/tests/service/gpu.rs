//! Searches and evaluations on a graphics processor, software ones included, are those of the CPU.
#![cfg(feature = "gpu")]

use crate::common;

use std::collections::BTreeMap;

use tabiya_api::v1::{
    self, Backend, batch_analyze_response::Outcome, search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, GpuPolicy, Server};

const MOVES: &[&str] = &[
    "d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4", "e2e3", "e8g8", "f1d3", "d7d5", "g1f3", "c7c5", "e1g1",
    "b8c6", "a2a3", "b4c3", "b2c3", "d5c4", "d3c4", "d8c7",
];

fn position(plies: usize) -> Option<v1::Position> {
    let moves = MOVES[..plies].iter().map(ToString::to_string).collect();
    Some(v1::Position {
        moves,
        ..Default::default()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_do_not_depend_on_the_backend() {
    let server = Server::start(Config {
        gpu: GpuPolicy::AllowSoftware,
        ..Config::in_process()
    })
    .unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let mut client = SearchServiceClient::new(channel);
    let info = client
        .get_engine_info(v1::GetEngineInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    let gpu = info
        .backends
        .iter()
        .find(|backend| backend.kind() == Backend::Gpu)
        .unwrap();
    if !gpu.available {
        eprintln!(
            "SKIPPED: no graphics processor, not even a software one: {}",
            gpu.why_not_chosen
        );
        return;
    }
    eprintln!(
        "gpu: {} ({}), {:.0} evaluations/s",
        gpu.name, gpu.driver, gpu.evaluations_per_second
    );

    let limits = Some(v1::Limits {
        nodes: 300,
        ..Default::default()
    });
    let mut answers: Vec<BTreeMap<u64, v1::AnalyzeResponse>> = vec![];
    for backend in [Backend::Cpu, Backend::Gpu] {
        let items: Vec<_> = (0..=MOVES.len())
            .map(|plies| v1::BatchAnalyzeRequest {
                position: position(plies),
                limits,
                backend: backend.into(),
                ..Default::default()
            })
            .collect();
        let total = items.len();
        let mut stream = client
            .batch_analyze(tokio_stream::iter(items))
            .await
            .unwrap()
            .into_inner();
        let mut of_backend = BTreeMap::new();
        while let Some(answer) = stream.message().await.unwrap() {
            match answer.outcome.unwrap() {
                Outcome::Response(response) => drop(of_backend.insert(answer.index, response)),
                Outcome::Error(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(of_backend.len(), total);
        answers.push(of_backend);
    }
    let (on_cpu, on_gpu) = (&answers[0], &answers[1]);
    let mut largest_mean = 0.0_f64;
    for (cpu, gpu) in on_cpu.values().zip(on_gpu.values()) {
        assert_eq!((&cpu.best_move, &cpu.lines), (&gpu.best_move, &gpu.lines));
        let (cpu, gpu) = (cpu.stats.as_ref().unwrap(), gpu.stats.as_ref().unwrap());
        assert_eq!((cpu.nodes, cpu.evaluations), (gpu.nodes, gpu.evaluations));
        assert_eq!((cpu.backend(), gpu.backend()), (Backend::Cpu, Backend::Gpu));
        assert_eq!(cpu.mean_batch_size, 1.0);
        largest_mean = largest_mean.max(gpu.mean_batch_size);
    }
    eprintln!("largest mean batch of a search: {largest_mean:.1}");
    assert!(
        largest_mean > 1.5,
        "searches did not share batches: {largest_mean}"
    );

    // Somebody who waits gets the same answer, leaf by leaf.
    let request = v1::BestMoveRequest {
        limits,
        backend: Backend::Gpu.into(),
        ..Default::default()
    };
    let alone = client.best_move(request).await.unwrap().into_inner();
    assert_eq!(alone.lines, on_cpu[&0].lines);
    assert_eq!(alone.stats.unwrap().backend(), Backend::Gpu);

    let positions: Vec<_> = (0..=MOVES.len()).filter_map(position).collect();
    let mut evaluate = async |backend: Backend| {
        let request = v1::EvaluateRequest {
            positions: positions.clone(),
            backend: backend.into(),
            ..Default::default()
        };
        client.evaluate(request).await.unwrap().into_inner()
    };
    let (cpu, gpu) = (evaluate(Backend::Cpu).await, evaluate(Backend::Gpu).await);
    assert_eq!(cpu.evaluations, gpu.evaluations);
    assert_eq!((cpu.backend(), gpu.backend()), (Backend::Cpu, Backend::Gpu));
}
