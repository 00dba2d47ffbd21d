//! What submissions of jobs may take: a caller's quota, and the server's memory.

use crate::common;

use std::{path::Path, time::Duration};

use common::{
    certificates::Folder,
    tokens::{entry, with_token},
};
use tabiya_api::v1::{
    self, JobItem, SubmitJobRequest, UploadJobRequest, job_service_client::JobServiceClient,
};
use tabiya_server::{Config, Server, auth::Token};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn config(folder: &Path) -> Config {
    Config {
        jobs_dir: Some(folder.to_owned()),
        ..common::config()
    }
}

/// A job of so many items, with the names of their games.
fn job(job_id: &str, games: impl IntoIterator<Item = String>) -> SubmitJobRequest {
    let item = |game| JobItem {
        game,
        ..JobItem::default()
    };
    SubmitJobRequest {
        job_id: job_id.into(),
        items: games.into_iter().map(item).collect(),
        limits: Some(v1::Limits {
            nodes: 1,
            ..v1::Limits::default()
        }),
        ..SubmitJobRequest::default()
    }
}

fn unnamed(items: usize) -> Vec<String> {
    vec![String::new(); items]
}

/// Names that no compression makes less than half as long.
fn noise(items: usize, mut seed: u64) -> Vec<String> {
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{:08x}", seed >> 32)
    };
    (0..items).map(|_| (0..12).map(|_| word()).collect()).collect()
}

/// An upload of which some parts have come.
async fn begun(jobs: &JobServiceClient<Channel>, parts: Vec<SubmitJobRequest>) -> Upload {
    let (sender, receiver) = mpsc::channel(parts.len().max(1));
    for part in parts {
        sender.send(UploadJobRequest { part: Some(part) }).await.unwrap();
    }
    let mut jobs = jobs.clone();
    let answer = tokio::spawn(async move { jobs.upload_job(ReceiverStream::new(receiver)).await.map(drop) });
    Upload { sender, answer }
}

struct Upload {
    sender: mpsc::Sender<UploadJobRequest>,
    answer: tokio::task::JoinHandle<Result<(), Status>>,
}

impl Upload {
    async fn end(self) -> Result<(), Status> {
        drop(self.sender);
        tokio::time::timeout(PATIENCE, self.answer)
            .await
            .expect("an answer")
            .unwrap()
    }
}

#[tokio::test]
async fn idle_uploads_keep_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).unwrap();
    let jobs = JobServiceClient::new(common::channel(server.addr()).await);
    let mut idle = Vec::new();
    for nth in 0..20 {
        idle.push(begun(&jobs, vec![job(&format!("idle-{nth}"), unnamed(1))]).await);
    }
    // As many submissions as there may be behind them.
    for nth in 0..20 {
        let request = job(&format!("quick-{nth}"), unnamed(1));
        let mut jobs = jobs.clone();
        let answer = tokio::time::timeout(PATIENCE, jobs.submit_job(request)).await;
        answer.expect("it does not wait for the others").unwrap();
    }
    for upload in idle {
        upload.end().await.unwrap();
    }
    common::shutdown(server).await;
}

#[tokio::test]
async fn jobs_that_are_read_share_a_memory() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Config {
        jobs_incoming: 256 << 10,
        ..config(folder.path())
    })
    .unwrap();
    let jobs = JobServiceClient::new(common::channel(server.addr()).await);
    let status = jobs.clone().submit_job(job("large", noise(4000, 1))).await;
    let status = match status {
        // Half of it may fit; twice that never does.
        Ok(_) => {
            begun(&jobs, vec![job("larger", noise(4000, 2)), more(noise(4000, 3))])
                .await
                .end()
                .await
        }
        Err(status) => Err(status),
    };
    let status = status.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");

    // Two that fit, but not together. Whichever comes second is told to come back.
    let uploads = [
        begun(&jobs, vec![job("a", noise(2000, 4))]).await,
        begun(&jobs, vec![job("b", noise(2000, 5))]).await,
    ];
    let [first, second] = uploads;
    let (first, second) = tokio::time::timeout(PATIENCE, async {
        loop {
            if first.answer.is_finished() {
                return (second, first);
            }
            if second.answer.is_finished() {
                return (first, second);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("one is refused");
    let status = second.end().await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    assert!(status.get_details_retry_info().unwrap().retry_delay.is_some());
    first.end().await.unwrap();
    // The memory is back.
    for nth in 0..4 {
        let request = job(&format!("after-{nth}"), noise(2000, 6 + nth));
        jobs.clone().submit_job(request).await.unwrap();
    }
    common::shutdown(server).await;
}

fn more(games: Vec<String>) -> SubmitJobRequest {
    SubmitJobRequest {
        job_id: String::new(),
        limits: None,
        ..job("", games)
    }
}

#[tokio::test]
async fn callers_pay_for_the_positions_that_they_submit() {
    let token = Token::generate().unwrap();
    let folder = Folder::new();
    let entry = entry("bulk", &token, "\"bulk\"", "positions_per_second = 10");
    let kept = tempfile::tempdir().unwrap();
    let server = Server::start(Config {
        tokens: Some(folder.write("tokens.toml", &entry)),
        ..config(kept.path())
    })
    .unwrap();
    let jobs = JobServiceClient::new(common::channel(server.addr()).await);
    let submit = |request: SubmitJobRequest| {
        let mut jobs = jobs.clone();
        let request = with_token(request, token.expose());
        async move { jobs.submit_job(request).await.map(drop) }
    };
    // Ten minutes' worth is taken once, and then paid off.
    submit(job("a", unnamed(3000))).await.unwrap();
    let status = submit(job("b", unnamed(1))).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let wait = status.get_details_retry_info().and_then(|info| info.retry_delay);
    assert!(
        wait.is_some_and(|wait| wait > Duration::from_secs(20)),
        "{wait:?}"
    );
    common::shutdown(server).await;
}
