//! `JobService` over the wire.

use crate::common;

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use common::page::Page;
use tabiya_api::v1::{
    self, AnalyzeResponse, BulkMode, JobItem, JobState, SubmitJobRequest,
    job_service_client::JobServiceClient, search_service_client::SearchServiceClient,
    stream_results_response::Outcome,
};
use tabiya_server::{Config, RunningServer, Server};
use tempfile::TempDir;
use tokio_stream::StreamExt;
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(180);

type Jobs = JobServiceClient<Channel>;

fn config(folder: &Path) -> Config {
    Config {
        jobs_dir: Some(folder.to_owned()),
        bulk_threads: 2,
        ..common::config()
    }
}

async fn start(config: Config) -> (RunningServer, Jobs) {
    let server = Server::start(config).unwrap();
    let jobs = JobServiceClient::new(common::channel(server.addr()).await);
    (server, jobs)
}

async fn with_folder() -> (TempDir, RunningServer, Jobs) {
    let folder = tempfile::tempdir().unwrap();
    let (server, jobs) = start(config(folder.path())).await;
    (folder, server, jobs)
}

fn nodes(nodes: u64) -> Option<v1::Limits> {
    Some(v1::Limits {
        nodes,
        ..v1::Limits::default()
    })
}

fn line(moves: &str) -> v1::Position {
    v1::Position {
        moves: moves.split_whitespace().map(str::to_owned).collect(),
        ..v1::Position::default()
    }
}

fn item(item_id: &str, moves: &str) -> JobItem {
    JobItem {
        item_id: item_id.into(),
        position: Some(line(moves)),
        ..JobItem::default()
    }
}

fn job(job_id: &str, items: Vec<JobItem>) -> SubmitJobRequest {
    SubmitJobRequest {
        job_id: job_id.into(),
        items,
        limits: nodes(2_000),
        ..SubmitJobRequest::default()
    }
}

/// Positions of a game and two in which it is over.
fn positions() -> Vec<JobItem> {
    let moves: Vec<_> = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7"
        .split(' ')
        .collect();
    let mut items: Vec<_> = (0..=moves.len())
        .map(|ply| item(&format!("p{ply}"), &moves[..ply].join(" ")))
        .collect();
    items.push(item("mate", "f2f3 e7e5 g2g4 d8h4"));
    items.push(JobItem {
        item_id: "stalemate".into(),
        position: Some(v1::Position {
            fen: "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".into(),
            ..v1::Position::default()
        }),
        ..JobItem::default()
    });
    items
}

/// The same, with those in which the game is over first.
fn reversed() -> Vec<JobItem> {
    positions().into_iter().rev().collect()
}

/// A job of which two items are answered at once, and the others not within any test's time.
fn long(job_id: &str) -> SubmitJobRequest {
    SubmitJobRequest {
        limits: nodes(4_000_000_000),
        ..job(job_id, reversed())
    }
}

async fn submit(jobs: &Jobs, request: SubmitJobRequest) -> Result<v1::SubmitJobResponse, Status> {
    Ok(jobs.clone().submit_job(request).await?.into_inner())
}

async fn state(jobs: &Jobs, job_id: &str) -> Result<v1::Job, Status> {
    let request = v1::GetJobRequest {
        job_id: job_id.into(),
    };
    Ok(jobs.clone().get_job(request).await?.into_inner().job.unwrap())
}

async fn cancel(jobs: &Jobs, job_id: &str) -> Result<v1::Job, Status> {
    let request = v1::CancelJobRequest {
        job_id: job_id.into(),
    };
    Ok(jobs.clone().cancel_job(request).await?.into_inner().job.unwrap())
}

async fn read(
    jobs: &Jobs,
    job_id: &str,
    after: &str,
    follow: bool,
) -> Result<Vec<v1::StreamResultsResponse>, Status> {
    let request = v1::StreamResultsRequest {
        job_id: job_id.into(),
        after: after.into(),
        follow,
    };
    let stream = jobs.clone().stream_results(request).await?.into_inner();
    let results: Vec<_> = stream.collect().await;
    results.into_iter().collect()
}

/// What does not depend on the clock.
fn essence(response: &AnalyzeResponse) -> (String, Vec<v1::Line>, u32, u64, i32) {
    let stats = response.stats.as_ref().unwrap();
    (
        response.best_move.clone(),
        response.lines.clone(),
        response.depth,
        stats.nodes,
        response.stopped_by,
    )
}

fn answer(result: &v1::StreamResultsResponse) -> &AnalyzeResponse {
    match &result.outcome {
        Some(Outcome::Response(response)) => response,
        other => panic!("{}: {other:?}", result.item_id),
    }
}

/// What `BatchAnalyze` answers.
async fn analysed(
    server: &RunningServer,
    items: &[JobItem],
    bulk_mode: BulkMode,
) -> BTreeMap<String, AnalyzeResponse> {
    let requests: Vec<_> = items
        .iter()
        .map(|item| v1::BatchAnalyzeRequest {
            id: item.item_id.clone(),
            position: item.position.clone(),
            limits: nodes(2_000),
            bulk_mode: bulk_mode.into(),
            game: item.game.clone(),
            ..v1::BatchAnalyzeRequest::default()
        })
        .collect();
    let mut client = SearchServiceClient::new(common::channel(server.addr()).await);
    let mut answers = client
        .batch_analyze(tokio_stream::iter(requests))
        .await
        .unwrap()
        .into_inner();
    let mut found = BTreeMap::new();
    while let Some(answer) = answers.next().await {
        let answer = answer.unwrap();
        match answer.outcome {
            Some(v1::batch_analyze_response::Outcome::Response(response)) => {
                found.insert(answer.id, response)
            }
            other => panic!("{other:?}"),
        };
    }
    found
}

fn violation(status: &Status) -> String {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_details_bad_request().unwrap();
    details.field_violations[0].field.clone()
}

#[tokio::test]
async fn without_a_place_for_jobs_every_call_says_how_to_get_one() {
    let (server, mut jobs) = start(common::config()).await;
    let refused = [
        jobs.submit_job(job("a", positions())).await.unwrap_err(),
        jobs.upload_job(tokio_stream::empty()).await.unwrap_err(),
        jobs.get_job(v1::GetJobRequest::default()).await.unwrap_err(),
        jobs.list_jobs(v1::ListJobsRequest::default()).await.unwrap_err(),
        jobs.cancel_job(v1::CancelJobRequest::default())
            .await
            .unwrap_err(),
        jobs.stream_results(v1::StreamResultsRequest::default())
            .await
            .unwrap_err(),
    ];
    for status in refused {
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert!(status.message().contains("--jobs-dir"), "{status:?}");
    }
    common::shutdown(server).await;
}

/// A job that was taken with endgame tables is left alone by a server without, and by one with fewer.
#[tokio::test]
async fn answers_with_other_endgame_tables_are_not_mixed() {
    let Some(all) = common::syzygy() else {
        return;
    };
    let (folder, fewer) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::copy(all.join("KQvK.rtbw"), fewer.path().join("KQvK.rtbw")).unwrap();
    let with = |folders: Vec<std::path::PathBuf>| Config {
        syzygy_path: folders,
        ..config(folder.path())
    };
    let (server, jobs) = start(with(vec![all.clone()])).await;
    let mut search = SearchServiceClient::new(common::channel(server.addr()).await);
    let info = search.get_engine_info(v1::GetEngineInfoRequest {}).await.unwrap();
    let hash = info.into_inner().endgame_tables.unwrap().hash;
    let told = submit(&jobs, long("a")).await.unwrap().job.unwrap();
    assert_eq!(told.tables_hash, hash);
    common::shutdown(server).await;

    for others in [Vec::new(), vec![fewer.path().to_owned()]] {
        let (server, jobs) = start(with(others)).await;
        let before = state(&jobs, "a").await.unwrap();
        let begun = Instant::now();
        // Its own workers have to have asked for work before.
        let wanted = format!("and endgame tables {}; here is", &hash[..12]);
        while let told = state(&jobs, "a").await.unwrap()
            && !told.waiting_reason.contains(&wanted)
        {
            assert!(begun.elapsed() < Duration::from_secs(30), "{told:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(state(&jobs, "a").await.unwrap().results, before.results);
        common::shutdown(server).await;
    }

    let (server, jobs) = start(with(vec![all])).await;
    let begun = Instant::now();
    while state(&jobs, "a").await.unwrap().results < 2 {
        assert!(begun.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    cancel(&jobs, "a").await.unwrap();
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_job_answers_what_a_stream_answers() {
    let (_folder, server, jobs) = with_folder().await;
    let submitted = submit(&jobs, job("a", positions())).await.unwrap();
    assert!(!submitted.existed);
    let told = submitted.job.unwrap();
    let mut search = SearchServiceClient::new(common::channel(server.addr()).await);
    let info = search
        .get_engine_info(v1::GetEngineInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!((told.job_id.as_str(), told.items), ("a", 13));
    assert_eq!(told.engine_version, info.version);
    assert_eq!(told.network_hash, info.networks[0].hash);
    assert_eq!(told.tables_hash, "");
    assert_eq!(told.bulk_mode(), BulkMode::Independent);
    assert_eq!(told.digest.len(), 64);

    let results = read(&jobs, "a", "", true).await.unwrap();
    let expected = analysed(&server, &positions(), BulkMode::Independent).await;
    assert_eq!(results.len(), 13);
    for result in &results {
        assert_eq!(
            essence(answer(result)),
            essence(&expected[&result.item_id]),
            "{}",
            result.item_id
        );
        assert_eq!(positions()[result.index as usize].item_id, result.item_id);
        assert_eq!(result.bulk_mode(), BulkMode::Independent);
        if result.item_id == "p1" {
            assert_eq!(
                result.fen,
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
            );
        }
    }
    let ended = state(&jobs, "a").await.unwrap();
    assert_eq!(ended.state(), JobState::Completed);
    assert_eq!(
        (ended.results, ended.errors, ended.waiting_reason.as_str()),
        (13, 0, "")
    );
    assert!(ended.end_time.is_some() && ended.expire_time.is_some());

    // The order of results does not change, and a cursor goes on behind its result.
    for at in 0..results.len() {
        let rest = read(&jobs, "a", &results[at].cursor, at % 2 == 0).await.unwrap();
        assert_eq!(rest, results[at + 1..]);
    }
    common::shutdown(server).await;
}

#[tokio::test]
async fn games_are_searched_along_as_a_stream_would() {
    let (_folder, server, jobs) = with_folder().await;
    let games: Vec<JobItem> = ["x", "y"]
        .into_iter()
        .flat_map(|game| {
            positions().into_iter().take(11).map(move |item| JobItem {
                item_id: format!("{game}{}", item.item_id),
                game: game.into(),
                ..item
            })
        })
        .collect();
    let request = SubmitJobRequest {
        bulk_mode: BulkMode::AlongGame.into(),
        ..job("a", games.clone())
    };
    submit(&jobs, request).await.unwrap();
    let results = read(&jobs, "a", "", true).await.unwrap();
    let expected = analysed(&server, &games, BulkMode::AlongGame).await;
    assert_eq!(results.len(), games.len());
    for result in &results {
        assert_eq!(
            essence(answer(result)),
            essence(&expected[&result.item_id]),
            "{}",
            result.item_id
        );
        assert_eq!(result.bulk_mode(), BulkMode::AlongGame);
    }
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_pgn_is_taken_whole_and_in_parts() {
    let (_folder, server, mut jobs) = with_folder().await;
    let whole = SubmitJobRequest {
        pgn: "1. e4 e5 *\n\n1. d4 *\n".into(),
        ..job("whole", Vec::new())
    };
    let told = submit(&jobs, whole.clone()).await.unwrap().job.unwrap();
    assert_eq!(told.items, 5);
    let part = |request: SubmitJobRequest| v1::UploadJobRequest { part: Some(request) };
    let first = SubmitJobRequest {
        job_id: "parts".into(),
        pgn: "1. e4 e5 *\n".into(),
        ..whole.clone()
    };
    let second = SubmitJobRequest {
        pgn: "1. d4 *\n".into(),
        ..SubmitJobRequest::default()
    };
    let upload = tokio_stream::iter([part(first.clone()), part(second.clone())]);
    let answer = jobs.upload_job(upload).await.unwrap().into_inner();
    assert!(!answer.existed);
    assert_eq!(answer.job.unwrap().digest, told.digest);
    let results = read(&jobs, "parts", "", true).await.unwrap();
    let mut names: Vec<_> = results.iter().map(|result| result.item_id.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["1.0", "1.1", "1.2", "2.0", "2.1"]);

    let upload =
        |parts: Vec<SubmitJobRequest>| tokio_stream::iter(parts.into_iter().map(part).collect::<Vec<_>>());
    let settings = SubmitJobRequest {
        multipv: 2,
        ..second.clone()
    };
    let status = jobs
        .upload_job(upload(vec![first.clone(), settings]))
        .await
        .unwrap_err();
    assert_eq!(violation(&status), "part[1].multipv");
    let broken = SubmitJobRequest {
        pgn: "1. e5 *\n".into(),
        ..SubmitJobRequest::default()
    };
    let status = jobs
        .upload_job(upload(vec![first.clone(), broken]))
        .await
        .unwrap_err();
    assert_eq!(violation(&status), "part[1].pgn");
    let status = jobs.upload_job(upload(Vec::new())).await.unwrap_err();
    assert_eq!(violation(&status), "part");

    // A stream that breaks off leaves nothing behind.
    let other = SubmitJobRequest {
        job_id: "broken".into(),
        ..first
    };
    let endless = tokio_stream::iter([part(other)]).chain(tokio_stream::pending());
    let call = tokio::time::timeout(Duration::from_millis(300), jobs.upload_job(endless)).await;
    assert!(call.is_err(), "it waits for more");
    assert_eq!(state(&jobs, "broken").await.unwrap_err().code(), Code::NotFound);
    common::shutdown(server).await;
}

#[tokio::test]
async fn the_same_job_again_is_the_same_job() {
    let (_folder, server, jobs) = with_folder().await;
    let first = submit(&jobs, long("a")).await.unwrap();
    let again = submit(&jobs, long("a")).await.unwrap();
    assert!(!first.existed && again.existed);
    assert_eq!(first.job.unwrap().create_time, again.job.unwrap().create_time);

    let mut fewer = reversed();
    fewer.pop();
    let mut other = reversed();
    other[3].position = Some(line("d2d4"));
    let differences = [
        (
            SubmitJobRequest {
                limits: nodes(1),
                ..long("a")
            },
            "limits.nodes is 4000000000, not 1",
        ),
        (
            SubmitJobRequest {
                multipv: 3,
                ..long("a")
            },
            "multipv is 1, not 3",
        ),
        (
            SubmitJobRequest {
                items: fewer,
                ..long("a")
            },
            "13 items, not 12",
        ),
        (
            SubmitJobRequest {
                items: other,
                ..long("a")
            },
            "items[3] has another position",
        ),
    ];
    for (request, difference) in differences {
        let status = submit(&jobs, request).await.unwrap_err();
        assert_eq!(status.code(), Code::AlreadyExists);
        assert!(status.message().contains(difference), "{status:?}");
    }
    // Without a name each call is a job of its own.
    let unnamed = || submit(&jobs, job("", positions()));
    let (one, two) = (unnamed().await.unwrap(), unnamed().await.unwrap());
    assert_ne!(one.job.unwrap().job_id, two.job.unwrap().job_id);
    common::shutdown(server).await;
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let (_folder, server, mut jobs) = with_folder().await;
    type Change<'a> = &'a dyn Fn(&mut SubmitJobRequest);
    let cases: [(&str, Change<'_>); 10] = [
        ("job_id", &|request| request.job_id = "a.b".into()),
        ("job_id", &|request| request.job_id = "x".repeat(30_000)),
        ("items", &|request| request.items.clear()),
        ("items[1].position.moves[0]", &|request| {
            request.items[1] = item("", "e2e5")
        }),
        ("items[2].item_id", &|request| {
            request.items[2].item_id = "p1".into()
        }),
        ("items[0].item_id", &|request| {
            request.items[0].item_id = "x".repeat(257)
        }),
        ("pgn", &|request| request.pgn = "1. e4 *".into()),
        ("limits", &|request| request.limits = None),
        ("bulk_mode", &|request| request.bulk_mode = 77),
        ("network", &|request| request.network = "no such".into()),
    ];
    for (field, change) in cases {
        let mut request = job("a", positions());
        change(&mut request);
        let status = submit(&jobs, request).await.unwrap_err();
        assert_eq!(violation(&status), field, "{status:?}");
        assert!(status.message().len() <= 1024 && status.details().len() <= 4096);
    }
    let request = SubmitJobRequest {
        backend: v1::Backend::Gpu.into(),
        ..job("a", positions())
    };
    assert_eq!(
        submit(&jobs, request).await.unwrap_err().code(),
        Code::FailedPrecondition
    );

    for job_id in ["nobody", "a"] {
        assert_eq!(state(&jobs, job_id).await.unwrap_err().code(), Code::NotFound);
        assert_eq!(cancel(&jobs, job_id).await.unwrap_err().code(), Code::NotFound);
        let status = read(&jobs, job_id, "", true).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound);
    }
    assert_eq!(violation(&state(&jobs, "").await.unwrap_err()), "job_id");
    submit(&jobs, job("a", positions())).await.unwrap();
    submit(&jobs, job("b", positions())).await.unwrap();
    let cursor = read(&jobs, "b", "", true).await.unwrap().pop().unwrap().cursor;
    for after in [cursor.as_str(), "nonsense", "马"] {
        assert_eq!(
            violation(&read(&jobs, "a", after, false).await.unwrap_err()),
            "after"
        );
    }
    let list = |page_size, page_token: &str| v1::ListJobsRequest {
        page_size,
        page_token: page_token.into(),
    };
    assert_eq!(
        violation(&jobs.list_jobs(list(-1, "")).await.unwrap_err()),
        "page_size"
    );
    assert_eq!(
        violation(&jobs.list_jobs(list(1, "x")).await.unwrap_err()),
        "page_token"
    );
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_cancelled_job_ends_at_once_and_keeps_its_results() {
    let (_folder, server, mut jobs) = with_folder().await;
    submit(&jobs, long("a")).await.unwrap();
    let begun = Instant::now();
    while state(&jobs, "a").await.unwrap().results < 2 {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let follower = {
        let jobs = jobs.clone();
        tokio::spawn(async move { read(&jobs, "a", "", true).await })
    };
    let ended = cancel(&jobs, "a").await.unwrap();
    assert_eq!(ended.state(), JobState::Cancelled);
    assert_eq!(cancel(&jobs, "a").await.unwrap().end_time, ended.end_time);
    let results = follower.await.unwrap().unwrap();
    assert_eq!(results.len() as u32, state(&jobs, "a").await.unwrap().results);
    // Nothing goes on: the next job has the threads.
    submit(&jobs, job("b", positions())).await.unwrap();
    let done = tokio::time::timeout(PATIENCE, read(&jobs, "b", "", true)).await;
    assert_eq!(done.unwrap().unwrap().len(), 13);
    // A job that has ended is not cancelled.
    assert_eq!(cancel(&jobs, "b").await.unwrap().state(), JobState::Completed);

    submit(&jobs, job("c", positions())).await.unwrap();
    let mut seen = Vec::new();
    let mut request = v1::ListJobsRequest {
        page_size: 2,
        ..v1::ListJobsRequest::default()
    };
    loop {
        let page = jobs.list_jobs(request.clone()).await.unwrap().into_inner();
        seen.extend(page.jobs.into_iter().map(|job| job.job_id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(seen, ["c", "b", "a"]);
    common::shutdown(server).await;
}

#[tokio::test]
async fn quotas_are_told_with_a_time_to_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (server, jobs) = start(Config {
        jobs_running: 1,
        job_items: 20,
        ..config(folder.path())
    })
    .await;
    submit(&jobs, long("a")).await.unwrap();
    let status = submit(&jobs, long("b")).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.get_details_retry_info().unwrap().retry_delay.is_some());
    assert!(
        submit(&jobs, long("a")).await.unwrap().existed,
        "the same job needs no room"
    );
    let many = job("c", vec![JobItem::default(); 21]);
    assert_eq!(
        violation(&submit(&jobs, many).await.unwrap_err()),
        "items[20].item_id"
    );
    cancel(&jobs, "a").await.unwrap();
    submit(&jobs, long("b")).await.unwrap();
    common::shutdown(server).await;
}

#[tokio::test]
async fn answers_are_counted_by_where_they_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let (server, jobs) = start(Config {
        jobs_cache: 1 << 20,
        ..config(folder.path())
    })
    .await;
    let same = ["", "e2e4", "d2d4"].map(|moves| item(&format!("at {moves}"), moves));
    let count = async |result: &str| {
        let page = Page::fetch(server.admin_addr()).await;
        page.sum("tabiya_job_cache_total", &[("result", result)])
    };
    submit(&jobs, job("first", same.to_vec())).await.unwrap();
    let first = read(&jobs, "first", "", true).await.unwrap();
    assert_eq!((count("hit").await, count("miss").await), (0.0, 3.0));
    let more = same.into_iter().chain([item("new", "c2c4")]).collect();
    submit(&jobs, job("second", more)).await.unwrap();
    let second = read(&jobs, "second", "", true).await.unwrap();
    assert_eq!((first.len(), second.len()), (3, 4));
    assert_eq!((count("hit").await, count("miss").await), (3.0, 4.0));
    // With a limit of time the next answer may be another one.
    let timed = SubmitJobRequest {
        limits: Some(v1::Limits {
            time: Some(prost_types::Duration {
                seconds: 0,
                nanos: 1_000_000,
            }),
            ..v1::Limits::default()
        }),
        ..job("third", vec![item("timed", "")])
    };
    submit(&jobs, timed).await.unwrap();
    read(&jobs, "third", "", true).await.unwrap();
    assert_eq!((count("apart").await, count("shared").await), (1.0, 0.0));
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_job_that_no_quota_ever_has_room_for_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (server, jobs) = start(Config {
        jobs_bytes: 1024,
        ..config(folder.path())
    })
    .await;
    // Names that no compression makes short.
    let named = |index: u64| JobItem {
        item_id: format!("{:x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        ..JobItem::default()
    };
    let status = submit(&jobs, job("a", (1..=500).map(named).collect()))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert_eq!(violation(&status), "items");
    assert!(status.message().contains("more than the 1024"), "{status:?}");
    // What fits among those that run comes in when they have ended.
    submit(&jobs, job("b", positions())).await.unwrap();
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_job_goes_on_where_the_server_left_it() {
    let folder = tempfile::tempdir().unwrap();
    let (server, jobs) = start(config(folder.path())).await;
    let items: Vec<_> = (0..4)
        .flat_map(|copy| {
            positions().into_iter().map(move |item| JobItem {
                item_id: format!("{copy}{}", item.item_id),
                ..item
            })
        })
        .collect();
    let request = SubmitJobRequest {
        limits: nodes(60_000),
        ..job("a", items.clone())
    };
    submit(&jobs, request.clone()).await.unwrap();
    let follower = {
        let jobs = jobs.clone();
        tokio::spawn(async move { read(&jobs, "a", "", true).await })
    };
    let begun = Instant::now();
    while state(&jobs, "a").await.unwrap().results == 0 {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    common::shutdown(server).await;
    // A reader is told to go on elsewhere, unless the job was quicker.
    if let Err(status) = follower.await.unwrap() {
        assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    }
    let (server, jobs) = start(config(folder.path())).await;
    let results = read(&jobs, "a", "", true).await.unwrap();
    let names: std::collections::BTreeSet<_> = results.iter().map(|result| &result.item_id).collect();
    assert_eq!((results.len(), names.len()), (items.len(), items.len()));
    assert!(submit(&jobs, request).await.unwrap().existed);
    // Copies of a position are answered alike, before and after.
    let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for result in &results {
        alike
            .entry(&result.item_id[1..])
            .or_default()
            .push(essence(answer(result)));
    }
    for (name, answers) in alike {
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{name}");
    }
    common::shutdown(server).await;
}
