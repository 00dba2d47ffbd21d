//! Several networks in one server: each answers as it does in a server of its own.

use crate::common;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use common::page::Page;
use tabiya_api::v1::{
    self, AnalyzeResponse, BatchAnalyzeRequest, BulkMode, JobState, batch_analyze_response,
    batch_evaluate_response, job_service_client::JobServiceClient,
    search_service_client::SearchServiceClient, stream_results_response,
};
use tabiya_evaluator::{
    Network, NetworkSource,
    network::{HiddenLayer, NetworkParts},
};
use tabiya_server::{Config, RunningServer, Server};
use tempfile::TempDir;
use tokio_stream::StreamExt;
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(180);

const GAME: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6";

/// A network 1,024 wide with a hidden layer, of numbers that always come out the same.
fn wide() -> Network {
    let standard = Network::default_network();
    let mut shape = standard.architecture().clone();
    shape.width = 1024;
    shape.hidden = Some(HiddenLayer { width: 16, shift: 9 });
    let mut parts = NetworkParts::zeroed("wide-1", shape, standard.scale()).unwrap();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut within = |limit: i64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as i64 % (2 * limit + 1) - limit
    };
    for weight in parts.feature_weights.iter_mut().chain(&mut parts.feature_bias) {
        *weight = within(60) as i16;
    }
    for weight in &mut parts.hidden_weights {
        *weight = within(100) as i8;
    }
    for weight in &mut parts.output_weights {
        *weight = within(300) as i16;
    }
    Network::from_parts(parts).unwrap()
}

/// A folder with the network in it.
fn folder() -> (TempDir, NetworkSource) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.nnue");
    std::fs::write(&path, wide().to_bytes()).unwrap();
    (folder, NetworkSource::File(path))
}

struct Running {
    server: RunningServer,
    search: SearchServiceClient<Channel>,
    jobs: JobServiceClient<Channel>,
}

async fn start(networks: &[&NetworkSource], jobs: &Path) -> Running {
    let server = Server::start(Config {
        network: networks.iter().copied().cloned().collect(),
        jobs_dir: Some(jobs.to_owned()),
        bulk_threads: 2,
        ..common::config()
    })
    .unwrap();
    let channel = common::channel(server.addr()).await;
    Running {
        search: SearchServiceClient::new(channel.clone()),
        jobs: JobServiceClient::new(channel),
        server,
    }
}

fn nodes(nodes: u64) -> Option<v1::Limits> {
    Some(v1::Limits {
        nodes,
        ..Default::default()
    })
}

/// The positions of a game from the first on.
fn positions() -> Vec<v1::Position> {
    let moves: Vec<String> = GAME.split(' ').map(str::to_owned).collect();
    (0..=moves.len())
        .map(|ply| v1::Position {
            moves: moves[..ply].to_vec(),
            ..Default::default()
        })
        .collect()
}

/// What does not depend on the clock: move, lines, depth, nodes, whether it would come again, the network's name.
type Essence = (String, Vec<v1::Line>, u32, u64, bool, String);

fn essence(answer: &AnalyzeResponse) -> Essence {
    let stats = answer.stats.as_ref().unwrap();
    (
        answer.best_move.clone(),
        answer.lines.clone(),
        answer.depth,
        stats.nodes,
        stats.deterministic,
        stats.network.clone(),
    )
}

/// Everything that a server answers by a network; `job` names the job.
#[derive(Debug, PartialEq)]
struct Answers {
    values: Vec<v1::Evaluation>,
    best_move: (String, Vec<v1::Line>, u64),
    iterations: Vec<Essence>,
    alone: Vec<Essence>,
    along: Vec<Essence>,
    of_job: Vec<Essence>,
}

async fn answers(running: &Running, network: &str, job: &str) -> Answers {
    let mut search = running.search.clone();
    let request = v1::EvaluateRequest {
        positions: positions(),
        network: network.into(),
        ..Default::default()
    };
    let evaluated = search.evaluate(request).await.unwrap().into_inner();
    let request = v1::BestMoveRequest {
        position: positions().pop(),
        limits: nodes(3_000),
        multipv: 2,
        network: network.into(),
        ..Default::default()
    };
    let best = search.best_move(request.clone()).await.unwrap().into_inner();
    let request = v1::AnalyzeRequest {
        position: request.position,
        limits: request.limits,
        network: request.network,
        ..Default::default()
    };
    let iterations = search.analyze(request).await.unwrap().into_inner();
    let iterations: Vec<_> = iterations.map(|answer| essence(&answer.unwrap())).collect().await;
    Answers {
        values: evaluated.evaluations,
        best_move: (best.best_move, best.lines, best.stats.unwrap().nodes),
        iterations,
        alone: in_bulk(running, &items(network, BulkMode::Independent))
            .await
            .unwrap(),
        along: in_bulk(running, &items(network, BulkMode::AlongGame))
            .await
            .unwrap(),
        of_job: of_job(running, network, job).await,
    }
}

fn items(network: &str, bulk_mode: BulkMode) -> Vec<BatchAnalyzeRequest> {
    let positions = positions().into_iter().enumerate();
    positions
        .map(|(ply, position)| BatchAnalyzeRequest {
            id: ply.to_string(),
            position: Some(position),
            limits: nodes(1_500),
            network: network.into(),
            bulk_mode: bulk_mode.into(),
            game: "g".into(),
            ..Default::default()
        })
        .collect()
}

/// The answers in the order of the items.
async fn in_bulk(running: &Running, items: &[BatchAnalyzeRequest]) -> Result<Vec<Essence>, v1::ItemError> {
    let mut search = running.search.clone();
    let stream = search.batch_analyze(tokio_stream::iter(items.to_vec())).await;
    let found: Vec<_> = stream.unwrap().into_inner().map(Result::unwrap).collect().await;
    let mut answers = vec![None; items.len()];
    for answer in found {
        match answer.outcome.unwrap() {
            batch_analyze_response::Outcome::Response(response) => {
                answers[answer.index as usize] = Some(essence(&response));
            }
            batch_analyze_response::Outcome::Error(error) => return Err(error),
        }
    }
    Ok(answers.into_iter().map(Option::unwrap).collect())
}

fn job_request(network: &str, job: &str, limits: Option<v1::Limits>) -> v1::SubmitJobRequest {
    let items = positions().into_iter().map(|position| v1::JobItem {
        position: Some(position),
        ..Default::default()
    });
    v1::SubmitJobRequest {
        job_id: job.into(),
        items: items.collect(),
        limits,
        network: network.into(),
        ..Default::default()
    }
}

async fn submit(running: &Running, request: v1::SubmitJobRequest) -> Result<v1::Job, Status> {
    let answer = running.jobs.clone().submit_job(request).await?;
    Ok(answer.into_inner().job.unwrap())
}

async fn state(running: &Running, job: &str) -> v1::Job {
    let request = v1::GetJobRequest { job_id: job.into() };
    let answer = running.jobs.clone().get_job(request).await.unwrap();
    answer.into_inner().job.unwrap()
}

async fn of_job(running: &Running, network: &str, job: &str) -> Vec<Essence> {
    submit(running, job_request(network, job, nodes(1_500)))
        .await
        .unwrap();
    let request = v1::StreamResultsRequest {
        job_id: job.into(),
        follow: true,
        ..Default::default()
    };
    let results = running.jobs.clone().stream_results(request).await.unwrap();
    let mut results: Vec<_> = results.into_inner().map(Result::unwrap).collect::<Vec<_>>().await;
    results.sort_by_key(|result| result.index);
    let answer = |result: v1::StreamResultsResponse| match result.outcome.unwrap() {
        stream_results_response::Outcome::Response(response) => essence(&response),
        other => panic!("{other:?}"),
    };
    results.into_iter().map(answer).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_answers_as_it_does_alone() {
    let (folder, file) = folder();
    let standard = NetworkSource::default();
    let at = |name: &str| folder.path().join(name);
    let both = start(&[&standard, &file], &at("both")).await;
    let mut search = both.search.clone();
    let info = search.get_engine_info(v1::GetEngineInfoRequest {}).await;
    let networks = info.unwrap().into_inner().networks;
    let names: Vec<_> = networks.iter().map(|network| network.name.as_str()).collect();
    assert_eq!(names, [Network::default_network().name(), "wide-1"]);
    assert_eq!(networks[1].architecture, wide().architecture().to_string());
    assert_eq!(networks[1].hash, wide().digest().to_string());
    assert_eq!(networks[1].size, wide().to_bytes().len() as u64);
    assert_eq!(
        (
            networks[0].embedded_name.as_str(),
            networks[1].embedded_name.as_str()
        ),
        ("standard", "")
    );
    assert!(networks.iter().all(|network| network.backends.len() == 3));

    let mut of_each = Vec::new();
    for (source, asked) in [
        (&standard, ["", "standard", &networks[0].hash]),
        (&file, ["wide-1", "wide-1", &networks[1].hash]),
    ] {
        let own = format!("alone {source}").replace('/', "_");
        let alone = start(&[source], &at(&own)).await;
        let expected = answers(&alone, "", "a").await;
        common::shutdown(alone.server).await;
        for (index, network) in asked.into_iter().enumerate() {
            let job = format!("{}-{index}", of_each.len());
            assert_eq!(
                answers(&both, network, &job).await,
                expected,
                "{source}, {network}"
            );
        }
        of_each.push(expected);
    }
    let Answers {
        values,
        best_move,
        iterations,
        alone,
        along,
        of_job,
    } = &of_each[0];
    let wide = &of_each[1];
    // Both could not be the answers of one network.
    assert!(values != &wide.values && best_move != &wide.best_move && iterations != &wide.iterations);
    assert!(alone != &wide.alone && along != &wide.along && of_job != &wide.of_job);

    // Item by item, each by another network than the one before.
    for bulk_mode in [BulkMode::Independent, BulkMode::AlongGame] {
        let (one, two) = (items("standard", bulk_mode), items("wide-1", bulk_mode));
        let mixed: Vec<_> = one
            .into_iter()
            .zip(two)
            .flat_map(|(one, two)| [one, two])
            .collect();
        let found = in_bulk(&both, &mixed).await.unwrap();
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for pair in found.chunks(2) {
            one.push(pair[0].clone());
            two.push(pair[1].clone());
        }
        let expected = |of: &Answers| match bulk_mode {
            BulkMode::AlongGame => of.along.clone(),
            _ => of.alone.clone(),
        };
        assert_eq!(one, expected(&of_each[0]), "{bulk_mode:?}");
        assert_eq!(two, expected(&of_each[1]), "{bulk_mode:?}");
    }
    let pairs = positions()
        .into_iter()
        .flat_map(|position| ["wide-1", "", "nobody"].map(|network| (network, position.clone())));
    let requests = pairs.map(|(network, position)| v1::BatchEvaluateRequest {
        position: Some(position),
        network: network.into(),
        ..Default::default()
    });
    let requests: Vec<_> = requests.collect();
    let stream = search.batch_evaluate(tokio_stream::iter(requests)).await;
    let found: Vec<_> = stream.unwrap().into_inner().map(Result::unwrap).collect().await;
    for (ply, three) in found.chunks(3).enumerate() {
        for (of, answer) in [&of_each[1], &of_each[0]].into_iter().zip(three) {
            match answer.outcome.as_ref().unwrap() {
                batch_evaluate_response::Outcome::Response(response) => {
                    assert_eq!(response.evaluations, [of.values[ply]], "{answer:?}");
                }
                other => panic!("{other:?}"),
            }
        }
        match three[2].outcome.as_ref().unwrap() {
            batch_evaluate_response::Outcome::Error(error) => {
                assert_eq!(error.violations[0].field, "network");
            }
            other => panic!("{other:?}"),
        }
    }

    let page = Page::fetch(both.server.admin_addr()).await;
    for network in names {
        let of =
            |name: &str, more: &[(&str, &str)]| page.sum(name, &[&[("network", network)][..], more].concat());
        assert!(of("tabiya_eval_positions_total", &[("backend", "cpu")]) >= 9.0);
        assert_eq!(of("tabiya_network_info", &[("state", "ready")]), 1.0);
        assert_eq!(of("tabiya_backend_info", &[("state", "ready")]), 2.0);
    }
    common::shutdown(both.server).await;
}

#[tokio::test]
async fn a_network_that_is_not_there_is_refused_with_those_that_are() {
    let (folder, file) = folder();
    let running = start(&[&file, &NetworkSource::default()], folder.path()).await;
    let refused = |status: &Status| {
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        let details = status.get_details_bad_request().unwrap();
        let violation = &details.field_violations[0];
        assert_eq!(violation.field, "network");
        let names = format!("wide-1, {}", Network::default_network().name());
        assert!(violation.description.contains(&names), "{violation:?}");
    };
    let mut search = running.search.clone();
    let request = v1::BestMoveRequest {
        limits: nodes(1),
        network: "large".into(),
        ..Default::default()
    };
    refused(&search.best_move(request).await.unwrap_err());
    let request = v1::EvaluateRequest {
        network: "large".into(),
        ..Default::default()
    };
    refused(&search.evaluate(request).await.unwrap_err());
    let request = job_request("large", "a", nodes(1));
    refused(&submit(&running, request).await.unwrap_err());
    let error = in_bulk(&running, &items("large", BulkMode::Independent)).await;
    assert_eq!(error.unwrap_err().violations[0].field, "network");
    common::shutdown(running.server).await;
}

#[test]
fn two_that_cannot_be_told_apart_do_not_start() {
    let (_folder, file) = folder();
    let start = |network: Vec<NetworkSource>| {
        Server::start(Config {
            network,
            ..common::config()
        })
    };
    let told = start(vec![NetworkSource::default(), file.clone(), file.clone()])
        .unwrap_err()
        .to_string();
    assert_eq!(told, format!("network {file}: the same network as {file}"));
}

/// A job pins its network: a server without it leaves the job alone, whatever else it has.
#[tokio::test]
async fn a_job_waits_for_its_network() {
    let (folder, file) = folder();
    let standard = NetworkSource::default();
    let jobs = folder.path().join("jobs");
    let running = start(&[&standard, &file], &jobs).await;
    // Of so many nodes that none is answered before the server ends.
    let told = submit(&running, job_request("wide-1", "a", nodes(4_000_000_000))).await;
    assert_eq!(told.unwrap().network_hash, wide().digest().to_string());
    common::shutdown(running.server).await;

    let running = start(&[&standard], &jobs).await;
    let begun = Instant::now();
    let wanted = format!("with network {}; here is", &wide().digest().to_string()[..12]);
    while let told = state(&running, "a").await
        && !told.waiting_reason.contains(&wanted)
    {
        assert!(begun.elapsed() < PATIENCE, "{told:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(state(&running, "a").await.results, 0);
    // What it can do goes on beside it.
    let own = of_job(&running, "", "b").await;
    assert_eq!(own.len(), positions().len());
    common::shutdown(running.server).await;

    let running = start(&[&file, &standard], &jobs).await;
    let begun = Instant::now();
    while let told = state(&running, "a").await
        && !told.waiting_reason.is_empty()
    {
        assert!(begun.elapsed() < PATIENCE, "{told:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(state(&running, "a").await.state(), JobState::Running);
    common::shutdown(running.server).await;
}
