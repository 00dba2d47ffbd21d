//! A job's results as they come, resumed where a broken stream ended.

use tabiya_api::v1::{StreamResultsRequest, StreamResultsResponse, job_service_client::JobServiceClient};
use tokio::sync::mpsc;
use tonic::Status;

use crate::{Client, ClientError, Results, client::Transport, retry::is_server_lost};

/// Results that may wait for the caller to take them.
const AHEAD: usize = 256;

/// Starts reading on a task of its own.
pub(crate) fn start(client: Client, mut request: StreamResultsRequest) -> Results<StreamResultsResponse> {
    let (results, receiver) = mpsc::channel(AHEAD);
    let task = tokio::spawn(async move {
        let mut failures = 0;
        client.budget.count();
        loop {
            let before = request.after.clone();
            let server = client.servers.pick();
            let Err(status) = read(server.channel(), &mut request, &results).await else {
                return;
            };
            if is_server_lost(&status) {
                server.failed();
            }
            // Only failures in a row count.
            failures = if request.after == before { failures + 1 } else { 1 };
            match client.policy.pause(&status, failures) {
                Some(pause) => {
                    tokio::time::sleep(pause).await;
                    client.budget.count_retry();
                }
                None => {
                    let _ = results.send(Err(status.into())).await;
                    return;
                }
            }
        }
    });
    Results::of(receiver, task)
}

/// One stream. `Ok` at its end, or if nobody wants more; `request` then asks for what comes after what was read.
async fn read(
    channel: Transport,
    request: &mut StreamResultsRequest,
    results: &mpsc::Sender<Result<StreamResultsResponse, ClientError>>,
) -> Result<(), Status> {
    let mut service = JobServiceClient::new(channel);
    let mut stream = service.stream_results(request.clone()).await?.into_inner();
    while let Some(result) = stream.message().await? {
        request.after.clone_from(&result.cursor);
        if results.send(Ok(result)).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}
