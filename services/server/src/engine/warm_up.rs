//! The first work of a server: opening the evaluator, a batch that proves it, and the calibration.

use std::{sync::Arc, thread};

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

/// Opens the evaluator and proves it on a thread of its own.
pub(super) fn start(engine: &Engine, config: &Config) -> Result<(), ServerError> {
    let engine = engine.clone();
    let options = options(config);
    let calibration = config.calibration;
    #[cfg(test)]
    let network = tests::replacement();
    #[cfg(not(test))]
    let network = |own: &Arc<Network>| own.clone();
    thread::Builder::new()
        .name("tabiya-warm-up".into())
        .spawn(move || {
            // The evaluator's threads are started from here and inherit it: they must not outrank what moves bytes.
            Class::Interactive.enter();
            let evaluator = match BatchEvaluator::start(&network(&engine.network), &options) {
                Ok(evaluator) => Arc::new(evaluator),
                Err(error) => {
                    tracing::error!(%error, "no evaluator");
                    return engine.batches.open(Err(error.to_string()));
                }
            };
            // Measured before anybody can have work here.
            if !calibration.is_zero() {
                evaluator.calibrate(calibration);
            }
            match prove(&evaluator, &engine.network) {
                Ok(()) => {
                    let status = evaluator.status();
                    tracing::info!(
                        cpu = status.cpu.name,
                        auto = status.auto_reason,
                        "evaluator is ready"
                    );
                    engine.batches.open(Ok(evaluator));
                    engine.proof.give();
                }
                Err(reason) => {
                    tracing::error!(reason, "evaluations are wrong: the server stays unready");
                    engine.batches.open(Err(reason));
                }
            }
        })
        .map(drop)
        .map_err(|source| ServerError::Thread {
            what: "the warm-up",
            source,
        })
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
    use tabiya_evaluator::network::{Architecture, KingBuckets, NetworkParts, OutputBuckets};
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
    type Replacement = Box<dyn FnOnce(&Arc<Network>) -> Arc<Network> + Send>;

    thread_local! {
        /// For the next server that this thread starts.
        static REPLACEMENT: RefCell<Option<Replacement>> = RefCell::default();
    }

    pub(super) fn replacement() -> Replacement {
        REPLACEMENT.take().unwrap_or_else(|| Box::new(Arc::clone))
    }

    /// A server whose evaluator opens its network in this way.
    fn start(replacement: impl FnOnce(&Arc<Network>) -> Arc<Network> + Send + 'static) -> RunningServer {
        REPLACEMENT.set(Some(Box::new(replacement)));
        Server::start(Config {
            gpu: GpuPolicy::Off,
            calibration: std::time::Duration::ZERO,
            ..Config::in_process()
        })
        .unwrap()
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
        let server = start(|network| {
            let shape = Architecture {
                king_buckets: KingBuckets::NONE,
                width: 64,
                output_buckets: OutputBuckets::One,
                hidden: None,
            };
            // Everything is worth nothing to it.
            let parts = NetworkParts::zeroed("wrong", shape, network.scale()).unwrap();
            Arc::new(Network::from_parts(parts).unwrap())
        });
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
}
