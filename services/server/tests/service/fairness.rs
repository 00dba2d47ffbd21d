//! Callers with much to do leave room for others.

use crate::common;

use tabiya_api::v1::{self, search_service_client::SearchServiceClient};
use tabiya_server::{Config, Server};
use tokio_stream::wrappers::ReceiverStream;

/// So many that the first stream lasts for longer than a busy machine needs to begin another one.
const ITEMS: usize = 500;

fn item() -> v1::BatchAnalyzeRequest {
    let time = Some(prost_types::Duration {
        seconds: 0,
        nanos: 20_000_000,
    });
    v1::BatchAnalyzeRequest {
        limits: Some(v1::Limits {
            time,
            ..Default::default()
        }),
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_with_many_items_lets_others_in_between() {
    let config = Config {
        bulk_threads: 1,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut client = SearchServiceClient::new(common::channel(server.addr()).await);
    let (sender, items) = tokio::sync::mpsc::channel(ITEMS);
    for _ in 0..ITEMS {
        sender.send(item()).await.unwrap();
    }
    let items = ReceiverStream::new(items);
    let mut many = client.batch_analyze(items).await.unwrap().into_inner();
    for _ in 0..3 {
        assert!(many.message().await.unwrap().is_some());
    }

    // All of the first stream's items are with the server by now.
    let mut one = client
        .batch_analyze(tokio_stream::iter([item()]))
        .await
        .unwrap()
        .into_inner();
    let mut passed = 3;
    loop {
        tokio::select! {
            biased;
            answer = one.message() => {
                assert!(answer.unwrap().is_some());
                break;
            }
            answer = many.message() => {
                assert!(answer.unwrap().is_some(), "all others came first");
                passed += 1;
            }
        }
    }
    println!("{passed} answers of the first stream came before");
    assert!(passed < ITEMS / 2, "{passed}");
}
