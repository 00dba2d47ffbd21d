//! As many connections as a server has places for, and one more (huggingface/text-embeddings-inference#811).

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use tabiya_client::v1::{LegalMovesRequest, rules_service_client::RulesServiceClient};
use tabiya_tests::Serving;
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt;

/// Connections of a server with its defaults.
const PLACES: usize = 1000;

/// Descriptors that this process needs: an end of each connection, and some.
const DESCRIPTORS: u64 = PLACES as u64 + 200;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(120);

async fn connect(endpoint: &str) -> Channel {
    let endpoint = Endpoint::from_shared(endpoint.to_owned()).unwrap();
    endpoint.timeout(PATIENCE).connect().await.unwrap()
}

async fn ask(channel: &Channel) -> Result<(), Status> {
    let mut rules = RulesServiceClient::new(channel.clone());
    let answer = rules.legal_moves(LegalMovesRequest::default()).await?;
    assert_eq!(answer.into_inner().moves.len(), 20);
    Ok(())
}

/// Asks on every connection, many at a time; the first that is not answered is told.
async fn ask_all(channels: &[Channel]) -> Result<(), Status> {
    stream::iter(channels)
        .map(ask)
        .buffer_unordered(100)
        .try_collect()
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_connections_are_served_and_the_next_one_is_told() {
    // Before we raise our own limit, which it would have from us: it raises its own.
    let server = Serving::start(&["--no-gpu"]);
    if let Some(limit) = tabiya_server::allow_descriptors().filter(|&limit| limit < DESCRIPTORS) {
        eprintln!("SKIPPED: a thousand connections (a process may open {limit} descriptors here)");
        return;
    }
    let endpoint = server.endpoint();
    let channels: Vec<_> = stream::iter(0..PLACES)
        .map(|_| connect(&endpoint))
        .buffer_unordered(50)
        .collect()
        .await;
    ask_all(&channels).await.unwrap();

    let one_too_many = connect(&endpoint).await;
    let status = ask(&one_too_many).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    assert!(status.message().ends_with("serves at once: 1000"), "{status:?}");
    assert!(status.get_details_retry_info().unwrap().retry_delay.is_some());
    // Nobody else has lost anything by it.
    ask_all(&channels).await.unwrap();

    // A place that comes free is taken by the next one.
    let mut channels = channels;
    drop(channels.pop());
    let begun = Instant::now();
    while let Err(status) = ask(&connect(&endpoint).await).await {
        assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
        assert!(begun.elapsed() < PATIENCE, "no place comes free");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ask_all(&channels).await.unwrap();
}
