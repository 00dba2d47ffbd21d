//! The first work of a server: opening an evaluator for each network, a batch that proves it, and the calibration.

use std::{sync::Arc, thread, time::Duration};

use tabiya_evaluator::{
    Network, PackedPosition,
    batch::{BackendChoice, BatchEvaluator, BatchOptions, LaneKind},
    evaluate_reference, pack,
};
use tabiya_rules::{Board, MoveList};

use super::Engine;
use crate::{Config, GpuPolicy, ServerError, compute::Class};

/// Plies from the start of which every position is in the proof's batch.
const PROOF_PLIES: usize = 2;

/// Opens the evaluators and proves them on a thread of its own.
pub(super) fn start(engine: &Engine, config: &Config) -> Result<(), ServerError> {
    let engine = engine.clone();
    let options = options(config);
    let calibration = config.calibration;
    #[cfg(test)]
    let mut network = tests::replacement();
    #[cfg(not(test))]
    let network = |own: &Arc<Network>| own.clone();
    thread::Builder::new()
        .name("tabiya-warm-up".into())
        .spawn(move || {
            // The evaluators' threads are started from here and inherit it: they must not outrank what moves bytes.
            Class::Interactive.enter();
            let opened: Vec<_> = engine
                .networks
                .iter()
                .map(|served| {
                    let evaluator = open(&network(&served.network), &options, calibration)?;
                    prove(&evaluator, &served.network).map(|()| evaluator)
                })
                .collect();
            // Nobody had work here while the last one was still measured.
            let mut is_right = true;
            for (served, evaluator) in engine.networks.iter().zip(opened) {
                match &evaluator {
                    Ok(evaluator) => {
                        let status = evaluator.status();
                        tracing::info!(
                            network = served.name(),
                            cpu = status.cpu.name,
                            auto = status.auto_reason,
                            "evaluator is ready"
                        );
                    }
                    Err(reason) => {
                        is_right = false;
                        tracing::error!(
                            network = served.name(),
                            reason,
                            "no evaluations that are right: the server stays unready"
                        );
                    }
                }
                served.batches.open(evaluator);
            }
            if is_right {
                engine.proof.give();
            }
        })
        .map(drop)
        .map_err(|source| ServerError::Thread {
            what: "the warm-up",
            source,
        })
}

/// Opens an evaluator and measures it.
fn open(
    network: &Arc<Network>,
    options: &BatchOptions,
    calibration: Duration,
) -> Result<Arc<BatchEvaluator>, String> {
    let evaluator = BatchEvaluator::start(network, options).map_err(|error| error.to_string())?;
    if !calibration.is_zero() {
        evaluator.calibrate(calibration);
    }
    Ok(Arc::new(evaluator))
}

fn options(config: &Config) -> BatchOptions {
    #[allow(unused_mut)]
    let mut options = BatchOptions {
        backend: match config.gpu {
            GpuPolicy::Off => BackendChoice::Cpu,
            GpuPolicy::Hardware | GpuPolicy::AllowSoftware => BackendChoice::Auto,
        },
        queue_positions: config.evaluate_queue,
        cpu_threads: config.evaluate_threads,
        ..BatchOptions::default()
    };
    #[cfg(feature = "gpu")]
    {
        options.gpu.allow_software = config.gpu == GpuPolicy::AllowSoftware;
    }
    options
}

/// Compares a real batch on each backend with the reference.
fn prove(evaluator: &BatchEvaluator, network: &Network) -> Result<(), String> {
    let mut positions = vec![];
    collect(&Board::startpos(), PROOF_PLIES, &mut positions);
    let scale = network.scale();
    let expected: Vec<i32> = positions
        .iter()
        .map(|position| scale.to_centipawns(evaluate_reference(network, position)))
        .collect();
    let mut lanes = vec![LaneKind::Cpu];
    if evaluator.status().device_health.reason().is_none() {
        lanes.push(LaneKind::Device);
    }
    for lane in lanes {
        let mut values = vec![0; positions.len()];
        evaluator
            .evaluate_blocking_in(lane, &positions, &mut values)
            .map_err(|error| error.to_string())?;
        if values != expected {
            return Err(format!("backend {} differs from the reference", lane.name()));
        }
    }
    Ok(())
}

fn collect(board: &Board, plies: usize, positions: &mut Vec<PackedPosition>) {
    positions.push(pack(board));
    if plies > 0 {
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        moves
            .iter()
            .for_each(|&mv| collect(&board.after(mv), plies - 1, positions));
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::RefCell,
        io::{Read as _, Write as _},
        net::{SocketAddr, TcpStream},
        sync::mpsc,
    };

    use tabiya_api::v1::{self, search_service_client::SearchServiceClient};
    use tabiya_evaluator::network::{Architecture, KingBuckets, NetworkParts, NetworkSource, OutputBuckets};
    use tonic::{
        Code,
        transport::{Channel, Endpoint},
    };
    use tonic_health::pb::{
        HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
    };

    use super::*;
    use crate::{RunningServer, Server};

    /// From a server's network to the one that its evaluator gets.
    type Replacement = Box<dyn FnMut(&Arc<Network>) -> Arc<Network> + Send>;

    thread_local! {
        /// For the next server that this thread starts.
        static REPLACEMENT: RefCell<Option<Replacement>> = RefCell::default();
    }

    pub(super) fn replacement() -> Replacement {
        REPLACEMENT.take().unwrap_or_else(|| Box::new(Arc::clone))
    }

    /// A server whose evaluators open their networks in this way.
    fn start(replacement: impl FnMut(&Arc<Network>) -> Arc<Network> + Send + 'static) -> RunningServer {
        start_with(vec![], replacement)
    }

    fn start_with(
        network: Vec<NetworkSource>,
        replacement: impl FnMut(&Arc<Network>) -> Arc<Network> + Send + 'static,
    ) -> RunningServer {
        REPLACEMENT.set(Some(Box::new(replacement)));
        Server::start(Config {
            network,
            gpu: GpuPolicy::Off,
            calibration: Duration::ZERO,
            ..Config::in_process()
        })
        .unwrap()
    }

    /// To it everything is worth nothing.
    fn wrong(like: &Network) -> Arc<Network> {
        let shape = Architecture {
            king_buckets: KingBuckets::NONE,
            width: 64,
            output_buckets: OutputBuckets::One,
            hidden: None,
        };
        let parts = NetworkParts::zeroed("wrong", shape, like.scale()).unwrap();
        Arc::new(Network::from_parts(parts).unwrap())
    }

    async fn health_client(address: SocketAddr) -> HealthClient<Channel> {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        HealthClient::new(endpoint.connect().await.unwrap())
    }

    async fn health(address: SocketAddr, name: &str) -> ServingStatus {
        let mut client = health_client(address).await;
        let service = name.to_owned();
        let answer = client.check(HealthCheckRequest { service }).await.unwrap();
        answer.into_inner().status()
    }

    fn page(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// It lives, and is not ready for anything.
    async fn is_unready(server: &RunningServer) {
        let services = ["Rules", "Arbiter", "Search", "Job"].map(|name| format!("tabiya.v1.{name}Service"));
        for address in [server.addr(), server.admin_addr()] {
            assert_eq!(health(address, "liveness").await, ServingStatus::Serving);
            for name in services.iter().map(String::as_str).chain(["readiness"]) {
                assert_eq!(health(address, name).await, ServingStatus::NotServing, "{name}");
            }
        }
        let admin = server.admin_addr();
        assert!(page(admin, "/livez").starts_with("HTTP/1.1 200"));
        assert!(page(admin, "/readyz").starts_with("HTTP/1.1 503"));
        let metrics = page(admin, "/metrics");
        assert!(
            metrics.contains("\ntabiya_state_info{state=\"starting\"} 1\n"),
            "{metrics}"
        );
    }

    #[tokio::test]
    async fn readiness_waits_for_the_first_batch() {
        let (go_on, waited) = mpsc::channel();
        let server = start(move |network| {
            waited.recv().unwrap();
            network.clone()
        });
        is_unready(&server).await;
        let mut client = health_client(server.admin_addr()).await;
        let service = "readiness".to_owned();
        let watch = client.watch(HealthCheckRequest { service }).await.unwrap();
        let mut watch = watch.into_inner();
        let mut next = async || watch.message().await.unwrap().unwrap().status();
        assert_eq!(next().await, ServingStatus::NotServing);
        go_on.send(()).unwrap();
        assert_eq!(next().await, ServingStatus::Serving);
        assert_eq!(health(server.addr(), "readiness").await, ServingStatus::Serving);
        assert!(page(server.admin_addr(), "/readyz").starts_with("HTTP/1.1 200"));
    }

    #[tokio::test]
    async fn a_server_whose_evaluations_are_wrong_is_never_ready() {
        let server = start(|network| wrong(network));
        // Evaluations wait for the first batch, and are told how it came out.
        let mut client = SearchServiceClient::connect(format!("http://{}", server.addr()))
            .await
            .unwrap();
        let request = v1::EvaluateRequest {
            positions: vec![v1::Position::default()],
            ..Default::default()
        };
        let status = client.evaluate(request).await.unwrap_err();
        assert_eq!(status.code(), Code::Internal, "{status:?}");
        assert!(
            status.message().contains("differs from the reference"),
            "{status:?}"
        );
        is_unready(&server).await;
    }

    #[tokio::test]
    async fn a_wrong_second_network_keeps_a_server_unready_and_is_named() {
        let mut parts = Network::default_network().to_parts();
        parts.name = "second".into();
        parts.scale.numerator *= 2;
        let second = Network::from_parts(parts).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("second.nnue");
        std::fs::write(&path, second.to_bytes()).unwrap();
        let sources = vec![NetworkSource::default(), NetworkSource::File(path)];
        let server = start_with(sources, |network| match network.name() {
            "second" => wrong(network),
            _ => network.clone(),
        });
        let mut client = SearchServiceClient::connect(format!("http://{}", server.addr()))
            .await
            .unwrap();
        let request = |network: &str| v1::EvaluateRequest {
            positions: vec![v1::Position::default()],
            network: network.into(),
            ..Default::default()
        };
        let status = client.evaluate(request("second")).await.unwrap_err();
        assert_eq!(status.code(), Code::Internal, "{status:?}");
        let told = "internal error: no evaluator for network second: backend cpu differs from the reference";
        assert_eq!(status.message(), told);
        client.evaluate(request("standard")).await.unwrap();
        is_unready(&server).await;
        let metrics = page(server.admin_addr(), "/metrics");
        for (place, state) in ["ready", "failed"].into_iter().enumerate() {
            let line = metrics
                .lines()
                .filter(|line| line.starts_with("tabiya_network_info{"))
                .nth(place)
                .unwrap();
            assert!(line.contains(&format!("state=\"{state}\"")), "{line}");
        }
        let info = client.get_engine_info(v1::GetEngineInfoRequest {}).await;
        assert_eq!(info.unwrap_err().message(), told);
    }
}
