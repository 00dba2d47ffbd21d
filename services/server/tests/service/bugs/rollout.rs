//! grpc/grpc-rust#2185: after a server has said that it goes away, the next call on the connection fails.
//!
//! Servers are replaced one after another behind one address, under a steady stream of calls.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tabiya_client::{Client, RetryPolicy, v1};
use tabiya_server::RunningServer;
use tokio::net::{TcpListener, TcpStream};

use crate::common::{self, page::Page};

/// Calls a second.
const RATE: u32 = 200;

const SERVERS: usize = 4;

/// How long each serves.
const SHIFT: Duration = Duration::from_millis(1500);

/// Sends each new connection to the server that is up.
struct Balancer {
    addr: SocketAddr,
    target: Arc<Mutex<SocketAddr>>,
}

impl Balancer {
    async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let target = Arc::new(Mutex::new(target));
        let up = target.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let up = *up.lock().unwrap();
                tokio::spawn(async move {
                    if let Ok(mut far) = TcpStream::connect(up).await {
                        let _ = near.set_nodelay(true);
                        let _ = far.set_nodelay(true);
                        // Ends with either side.
                        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                    }
                });
            }
        });
        Self { addr, target }
    }
}

async fn served(server: &RunningServer) -> f64 {
    let method = ("method", "tabiya.v1.RulesService/LegalMoves");
    Page::fetch(server.admin_addr())
        .await
        .sum("tabiya_requests_total", &[method])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_caller_sees_a_rolling_restart() {
    let mut server = common::start();
    common::until_ready(&common::channel(server.addr()).await).await;
    let balancer = Balancer::start(server.addr()).await;
    // A busy machine may take its time.
    let patient = RetryPolicy {
        attempts: 12,
        ..RetryPolicy::default()
    };
    let client = Client::connect(&format!("http://{}", balancer.addr))
        .await
        .unwrap()
        .with_retries(patient);
    let calls = tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_secs(1) / RATE);
        let count = (SHIFT * SERVERS as u32).as_secs() as u32 * RATE;
        let mut calls = Vec::new();
        for _ in 0..count {
            tick.tick().await;
            let client = client.clone();
            calls.push(tokio::spawn(async move {
                client.legal_moves(v1::LegalMovesRequest::default()).await
            }));
        }
        let mut answered = 0_u32;
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap().moves.len(), 20);
            answered += 1;
        }
        answered
    });
    let mut asked = 0.0;
    for _ in 1..SERVERS {
        tokio::time::sleep(SHIFT).await;
        let next = common::start();
        common::until_ready(&common::channel(next.addr()).await).await;
        *balancer.target.lock().unwrap() = next.addr();
        let old = std::mem::replace(&mut server, next);
        // Counted before its end; what comes in afterwards is missing here, and little.
        asked += served(&old).await;
        common::shutdown(old).await;
    }
    let answered = calls.await.unwrap();
    asked += served(&server).await;
    println!("{answered} calls answered, {asked} asked");
    assert!(asked <= f64::from(answered) * 1.1, "{asked} for {answered}");
}
