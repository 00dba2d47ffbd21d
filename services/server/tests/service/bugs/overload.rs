//! huggingface/text-embeddings-inference#811, #470, #744, #726: a full queue ends the process, or a call waits in it for
//! ever.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};
use tabiya_api::v1::{
    self, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, RunningServer, Server};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Status, transport::Channel};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt;

use crate::common::{self, page::Page};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(120);

async fn started(config: Config) -> (RunningServer, Channel) {
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    (server, channel)
}

/// RESOURCE_EXHAUSTED with a time to come back.
fn is_refusal(status: &Status) {
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let pause = status
        .get_details_retry_info()
        .unwrap_or_else(|| panic!("no time to come back: {status:?}"))
        .retry_delay
        .unwrap();
    let bounds = Duration::from_millis(50)..=Duration::from_secs(10);
    assert!(bounds.contains(&pause), "{pause:?}");
}

fn evaluate(count: usize) -> v1::EvaluateRequest {
    v1::EvaluateRequest {
        positions: vec![v1::Position::default(); count],
        ..Default::default()
    }
}

fn best_move(nodes: u64) -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        limits: Some(v1::Limits {
            nodes,
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// Waits until nothing is in the server any more, by its own account.
async fn until_empty(server: &RunningServer) {
    let begun = Instant::now();
    loop {
        let page = Page::fetch(server.admin_addr()).await;
        let names = [
            "tabiya_admitted_positions",
            "tabiya_queue_positions",
            "tabiya_busy_threads",
            "tabiya_eval_queue_positions",
        ];
        let left: Vec<_> = names.iter().map(|name| page.sum(name, &[])).collect();
        let search = page.sum("tabiya_memory_bytes", &[("budget", "search")]);
        if left.iter().all(|&left| left == 0.0) && search == 0.0 {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "left: {left:?}, {search} bytes");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_for_five_positions_answers_everybody() {
    let config = Config {
        interactive_positions: 5,
        ..common::config()
    };
    let (server, channel) = started(config).await;
    // As much as there is room for comes in, and more never does.
    let mut client = SearchServiceClient::new(channel.clone());
    assert_eq!(
        client
            .evaluate(evaluate(5))
            .await
            .unwrap()
            .into_inner()
            .evaluations
            .len(),
        5
    );
    until_empty(&server).await;
    let status = client.evaluate(evaluate(6)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let violations = status.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "positions");

    // 25 callers with batches of five, several times each.
    let calls = stream::iter(0..250).map(|_| {
        let mut client = client.clone();
        async move { client.evaluate(evaluate(5)).await }
    });
    let outcomes: Vec<_> = calls.buffer_unordered(25).collect().await;
    assert_eq!(outcomes.len(), 250);
    let mut served = 0;
    for outcome in outcomes {
        match outcome {
            Ok(answer) => {
                assert_eq!(answer.into_inner().evaluations.len(), 5);
                served += 1;
            }
            Err(status) => is_refusal(&status),
        }
    }
    println!("{served} of 250 served");
    assert!(served > 0);
    assert_eq!(
        common::health(&channel, "readiness").await.unwrap(),
        ServingStatus::Serving
    );
    until_empty(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_by_the_hundred_are_answered_one_and_all() {
    let config = Config {
        interactive_positions: 5,
        ..common::config()
    };
    let (server, channel) = started(config).await;
    // No more than the usual limit of descriptors allows: both ends are in this process.
    let calls = stream::iter(0..200).map(|_| async {
        let channel = common::channel(server.addr()).await;
        let mut client = RulesServiceClient::new(channel.clone());
        let outcome = client.legal_moves(v1::LegalMovesRequest::default()).await;
        (channel, outcome)
    });
    let outcomes: Vec<_> = calls.buffer_unordered(200).collect().await;
    let open = Page::fetch(server.admin_addr())
        .await
        .sum("tabiya_open_connections", &[("port", "main")]);
    assert!(open >= 200.0, "{open}");
    let served = outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count();
    for (_, outcome) in &outcomes {
        outcome.as_ref().err().inspect(|status| is_refusal(status));
    }
    println!("{served} of 200 served");
    assert!(served > 0);
    assert_eq!(
        common::health(&channel, "readiness").await.unwrap(),
        ServingStatus::Serving
    );
    drop(outcomes);
    until_empty(&server).await;
}

/// Ten times as many callers as can be served, for a few seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_times_too_much_is_refused_and_leaves_nothing_behind() {
    const FOR: Duration = Duration::from_secs(3);
    let config = Config {
        interactive_threads: 2,
        interactive_queue: 2,
        interactive_positions: 16,
        ..common::config()
    };
    let (server, channel) = started(config).await;
    let over = Arc::new(AtomicBool::new(false));
    let admin = common::channel(server.admin_addr()).await;
    let alive = tokio::spawn({
        let over = over.clone();
        async move {
            let mut worst = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let status = common::health(&admin, "liveness").await.unwrap();
                assert_eq!(status, ServingStatus::Serving);
                worst = worst.max(begun.elapsed());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            worst
        }
    });
    let begun = Instant::now();
    let callers: Vec<_> = (0..40)
        .map(|_| {
            let mut client = SearchServiceClient::new(channel.clone());
            tokio::spawn(async move {
                let (mut served, mut refused) = (0, 0);
                while begun.elapsed() < FOR {
                    match client.best_move(best_move(5000)).await {
                        Ok(answer) => {
                            assert_eq!(answer.into_inner().best_move.len(), 4);
                            served += 1;
                        }
                        Err(status) => {
                            is_refusal(&status);
                            refused += 1;
                            // Not as long as it was told to.
                            tokio::time::sleep(Duration::from_millis(5)).await;
                        }
                    }
                }
                (served, refused)
            })
        })
        .collect();
    let (mut served, mut refused) = (0, 0);
    for caller in callers {
        let (more_served, more_refused) = tokio::time::timeout(PATIENCE, caller)
            .await
            .expect("an end")
            .unwrap();
        served += more_served;
        refused += more_refused;
    }
    over.store(true, Ordering::Relaxed);
    let worst = alive.await.unwrap();
    println!("{served} served, {refused} refused, liveness at worst after {worst:?}");
    assert!(served > 0 && refused > 0);
    assert!(worst < PATIENCE, "{worst:?}");
    until_empty(&server).await;
    let page = Page::fetch(server.admin_addr()).await;
    assert_eq!(page.sum("tabiya_shed_total", &[]), f64::from(refused));
    // Back to normal.
    SearchServiceClient::new(channel)
        .best_move(best_move(1000))
        .await
        .unwrap();
}

/// A connection of HTTP/2 by hand: the libraries do not send what comes too late to be read.
struct Wire(TcpStream);

impl Wire {
    async fn open(addr: SocketAddr) -> Self {
        let mut wire = Self(TcpStream::connect(addr).await.unwrap());
        wire.0.set_nodelay(true).unwrap();
        wire.0
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .await
            .unwrap();
        wire.send(SETTINGS, 0, 0, &[]).await;
        wire
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        self.0.write_all(&frame).await.expect("the connection stays");
    }

    /// Waits for the answer to a call. Whatever else comes is read, too.
    async fn until_answered(&mut self, call: u32) {
        loop {
            let mut head = [0; 9];
            self.0.read_exact(&mut head).await.expect("the connection stays");
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            let mut payload = vec![0; length as usize];
            self.0.read_exact(&mut payload).await.unwrap();
            let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
            assert_ne!(head[3], GOAWAY, "{}", String::from_utf8_lossy(&payload));
            if (head[3], stream) == (HEADERS, call) {
                return;
            }
        }
    }
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The header fields of a call, none of them from a table but the method and the scheme.
fn call(path: &str) -> Vec<u8> {
    let mut block = vec![0x83, 0x86];
    let fields = [
        (":path", path),
        (":authority", "x"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            block.push(text.len() as u8);
            block.extend(text.as_bytes());
        }
    }
    block
}

/// The library takes what comes for a call that was reset as an error of the peer's, and ends the connection after 1,024
/// of them: callers whose messages come a moment after their refusals would lose it for all that share it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_come_after_their_refusals_do_no_harm() {
    let config = Config {
        interactive_positions: 1,
        interactive_threads: 1,
        ..common::config()
    };
    let (server, channel) = started(config).await;
    let mut client = SearchServiceClient::new(channel);
    let endless = v1::BestMoveRequest {
        limits: Some(v1::Limits {
            depth: 99,
            ..Default::default()
        }),
        ..Default::default()
    };
    let holds = tokio::spawn(async move { client.best_move(endless).await });
    let interactive = [("class", "interactive")];
    Page::until(
        server.admin_addr(),
        "tabiya_admitted_positions",
        &interactive,
        1.0,
    )
    .await;
    let mut wire = Wire::open(server.addr()).await;
    let block = call("/tabiya.v1.RulesService/LegalMoves");
    for number in 0..1500 {
        let stream = 2 * number + 1;
        wire.send(HEADERS, END_HEADERS, stream, &block).await;
        wire.until_answered(stream).await;
        wire.send(DATA, END_STREAM, stream, &[0; 5]).await;
    }
    holds.abort();
}
