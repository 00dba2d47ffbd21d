//! Streams of results stay open for hours and compute nothing: they take no place of those who wait for work, and there is
//! a limit of their own to them.

use crate::common;

use common::page::Page;
use tabiya_api::v1::{
    self, job_service_client::JobServiceClient, rules_service_client::RulesServiceClient,
    stream_results_response::Outcome,
};
use tabiya_server::{Config, Server};
use tonic::{Code, Status, Streaming, transport::Channel};
use tonic_types::StatusExt;

type Results = Streaming<v1::StreamResultsResponse>;

/// A job with one result that is there at once, and one that does not come within any test's time.
async fn submit(channel: &Channel) {
    let position = |moves: &str| v1::Position {
        moves: moves.split_whitespace().map(str::to_owned).collect(),
        ..v1::Position::default()
    };
    let items = [("mate", "f2f3 e7e5 g2g4 d8h4"), ("start", "")].map(|(id, moves)| v1::JobItem {
        item_id: id.into(),
        position: Some(position(moves)),
        ..v1::JobItem::default()
    });
    let request = v1::SubmitJobRequest {
        job_id: "long".into(),
        items: items.into(),
        limits: Some(v1::Limits {
            nodes: 4_000_000_000,
            ..v1::Limits::default()
        }),
        ..v1::SubmitJobRequest::default()
    };
    JobServiceClient::new(channel.clone())
        .submit_job(request)
        .await
        .unwrap();
}

/// A stream that goes on behind the first result.
async fn follow(channel: &Channel) -> Result<Results, Status> {
    let request = v1::StreamResultsRequest {
        job_id: "long".into(),
        follow: true,
        ..v1::StreamResultsRequest::default()
    };
    let mut results = JobServiceClient::new(channel.clone())
        .stream_results(request)
        .await?
        .into_inner();
    let first = results.message().await?.unwrap();
    assert!(matches!(first.outcome, Some(Outcome::Response(_))), "{first:?}");
    Ok(results)
}

#[tokio::test]
async fn long_streams_take_nobodys_place_and_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        jobs_dir: Some(folder.path().to_owned()),
        interactive_positions: 1,
        result_streams: 2,
        bulk_threads: 1,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let admin = server.admin_addr();
    let channel = common::channel(server.addr()).await;
    submit(&channel).await;
    let open = [("method", "tabiya.v1.JobService/StreamResults")];
    let interactive = [("class", "interactive")];

    let (first, second) = (follow(&channel).await.unwrap(), follow(&channel).await.unwrap());
    assert_eq!(Page::fetch(admin).await.sum("tabiya_open_requests", &open), 2.0);
    assert_eq!(
        Page::fetch(admin)
            .await
            .sum("tabiya_admitted_positions", &interactive),
        0.0
    );
    // The one place there is for waiting callers is free.
    RulesServiceClient::new(channel.clone())
        .legal_moves(v1::LegalMovesRequest::default())
        .await
        .unwrap();

    let status = follow(&channel).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().ends_with("keeps at once: 2"), "{status:?}");
    assert!(status.get_details_retry_info().unwrap().retry_delay.is_some());
    let shed = [("class", "bulk"), ("reason", "result_streams")];
    assert_eq!(Page::fetch(admin).await.sum("tabiya_shed_total", &shed), 1.0);

    // Once nobody has been answered for a while, there is no pace; and streams that end make none.
    Page::until_sum(admin, "tabiya_drain_positions_per_second", &interactive, |rate| {
        rate == 0.0
    })
    .await;
    drop(first);
    Page::until_sum(admin, "tabiya_open_requests", &open, |open| open == 1.0).await;
    let third = loop {
        // The stream counts as ended a moment before its place is free.
        match follow(&channel).await {
            Ok(third) => break third,
            Err(status) => assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}"),
        }
    };
    drop((second, third));
    Page::until_sum(admin, "tabiya_open_requests", &open, |open| open == 0.0).await;
    let page = Page::fetch(admin).await;
    assert_eq!(page.sum("tabiya_drain_positions_per_second", &interactive), 0.0);
    common::shutdown(server).await;
}
