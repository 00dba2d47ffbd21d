//! Searches with great tables share the memory there is. Alone in its process, as it measures that.
#![cfg(target_os = "linux")]

mod common;

use std::time::Duration;

use tabiya_api::v1::{self, search_service_client::SearchServiceClient};
use tabiya_server::{Config, Server};
use tonic::Request;

const MIB: usize = 1 << 20;

/// A field of this process's status, in MiB.
fn status(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn great_tables_wait_for_memory_and_every_call_is_answered() {
    let config = Config {
        search_memory: 70 * MIB,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let client = SearchServiceClient::new(channel);
    let before = status("VmRSS");
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let client = client.clone();
            let time = Some(prost_types::Duration {
                seconds: 60,
                nanos: 0,
            });
            // A table of 64 MiB goes with so long a time.
            let limits = Some(v1::Limits {
                time,
                ..Default::default()
            });
            tokio::spawn(async move {
                common::in_time(|| {
                    let mut request = Request::new(v1::BestMoveRequest {
                        limits,
                        ..Default::default()
                    });
                    request.set_timeout(Duration::from_secs(2));
                    let mut client = client.clone();
                    async move { client.best_move(request).await }
                })
                .await
            })
        })
        .collect();
    for call in calls {
        let answer = call.await.unwrap().into_inner();
        assert_eq!(answer.stopped_by(), v1::StoppedBy::Deadline);
        assert_eq!(answer.best_move.len(), 4);
    }
    let grown = status("VmHWM") - before;
    println!("grown by {grown} MiB");
    assert!(grown < 64 * 2, "{grown} MiB");
}
