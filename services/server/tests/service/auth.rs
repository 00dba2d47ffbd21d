//! Tokens, certificates, roles and quotas, over the wire.

use crate::common;

use std::time::{Duration, Instant};

use common::{
    certificates::{Authority, Folder},
    tokens::{entry, with_token},
};
use tabiya_api::v1::{
    self, job_service_client::JobServiceClient, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tabiya_client::{Access, Client};
use tabiya_server::{Config, RunningServer, Server, auth::Token, config::ReflectionAccess};
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(folder: &Folder, entries: &str) -> RunningServer {
    start_with(folder, entries, |_| {})
}

fn start_with(folder: &Folder, entries: &str, change: impl FnOnce(&mut Config)) -> RunningServer {
    let mut config = Config {
        tokens: Some(folder.write("tokens.toml", entries)),
        reload_interval: Duration::from_millis(20),
        ..common::config()
    };
    change(&mut config);
    Server::start(config).unwrap()
}

async fn legal(channel: &Channel, token: &str) -> Result<(), Status> {
    let request = with_token(v1::LegalMovesRequest::default(), token);
    let answer = RulesServiceClient::new(channel.clone())
        .legal_moves(request)
        .await?;
    assert_eq!(answer.into_inner().moves.len(), 20);
    Ok(())
}

async fn evaluate(channel: &Channel, token: &str, positions: usize) -> Result<(), Status> {
    let message = v1::EvaluateRequest {
        positions: vec![v1::Position::default(); positions],
        ..Default::default()
    };
    SearchServiceClient::new(channel.clone())
        .evaluate(with_token(message, token))
        .await
        .map(drop)
}

/// Answers of a stream of so many items that stays open.
async fn stream(
    channel: &Channel,
    token: &str,
    items: usize,
) -> Result<(tonic::Streaming<v1::BatchLegalMovesResponse>, impl Drop), Status> {
    let (sender, receiver) = tokio::sync::mpsc::channel(items.max(1));
    for _ in 0..items {
        sender.try_send(v1::BatchLegalMovesRequest::default()).unwrap();
    }
    let items = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let answers = RulesServiceClient::new(channel.clone())
        .batch_legal_moves(with_token(items, token))
        .await?;
    struct Open(#[allow(dead_code)] tokio::sync::mpsc::Sender<v1::BatchLegalMovesRequest>);
    impl Drop for Open {
        fn drop(&mut self) {}
    }
    Ok((answers.into_inner(), Open(sender)))
}

fn code<T>(outcome: Result<T, Status>) -> Option<Code> {
    outcome.err().map(|status| status.code())
}

#[tokio::test]
async fn roles_decide_who_may_do_what() {
    let (reader, worker, admin) = (
        Token::generate().unwrap(),
        Token::generate().unwrap(),
        Token::generate().unwrap(),
    );
    let folder = Folder::new();
    let entries = entry("reader", &reader, "\"read\"", "")
        + &entry("worker", &worker, "\"bulk\"", "")
        + &entry("admin", &admin, "\"admin\"", "");
    let server = start(&folder, &entries);
    let channel = common::channel(server.addr()).await;
    let [reader, worker, admin] = [&reader, &worker, &admin].map(Token::expose);

    assert_eq!(code(legal(&channel, reader).await), None);
    assert_eq!(code(legal(&channel, worker).await), Some(Code::PermissionDenied));
    assert_eq!(code(legal(&channel, admin).await), None);
    assert_eq!(
        code(stream(&channel, reader, 1).await),
        Some(Code::PermissionDenied)
    );
    assert_eq!(code(stream(&channel, worker, 1).await), None);
    for wrong in ["", "nonsense", &reader[..reader.len() - 1], &format!("{reader}0")] {
        let status = legal(&channel, wrong).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated, "{wrong}");
        // What was shown is not told.
        assert!(
            wrong.is_empty() || !status.message().contains(wrong),
            "{status:?}"
        );
    }
    let anonymous = RulesServiceClient::new(channel.clone())
        .legal_moves(v1::LegalMovesRequest::default())
        .await;
    assert_eq!(code(anonymous), Some(Code::Unauthenticated));
    // Probes need nothing.
    assert!(common::health(&channel, "liveness").await.is_ok());

    // The client sends its token with every call, streams included.
    let access = Access::default().with_token(worker).unwrap();
    let client = Client::connect_with(&server.addr().to_string(), &access)
        .await
        .unwrap();
    let mut answers = client.legal_moves_many(tokio_stream::iter([v1::BatchLegalMovesRequest::default()]), 1);
    assert!(answers.next().await.unwrap().is_ok());
    let refused = client
        .legal_moves(v1::LegalMovesRequest::default())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some(Code::PermissionDenied));
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_token_that_is_taken_out_is_refused_without_a_restart() {
    let (one, two) = (Token::generate().unwrap(), Token::generate().unwrap());
    let folder = Folder::new();
    let server = start(&folder, &entry("one", &one, "\"read\"", ""));
    let channel = common::channel(server.addr()).await;
    assert_eq!(code(legal(&channel, one.expose()).await), None);
    // A file that cannot be read changes nothing.
    folder.write("tokens.toml", "[[token]]\nname = ");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(code(legal(&channel, one.expose()).await), None);
    folder.write("tokens.toml", &entry("two", &two, "\"read\"", ""));
    let begun = Instant::now();
    while code(legal(&channel, one.expose()).await) != Some(Code::Unauthenticated) {
        assert!(begun.elapsed() < PATIENCE, "the old token still works");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(code(legal(&channel, two.expose()).await), None);
}

#[tokio::test]
async fn quotas_refuse_calls_and_slow_streams_down() {
    let (hasty, wide, narrow) = (
        Token::generate().unwrap(),
        Token::generate().unwrap(),
        Token::generate().unwrap(),
    );
    let folder = Folder::new();
    let entries = entry("hasty", &hasty, "\"read\", \"bulk\"", "positions_per_second = 50")
        + &entry("wide", &wide, "\"read\"", "positions_in_flight = 100")
        + &entry("narrow", &narrow, "\"bulk\"", "streams = 1");
    let server = start(&folder, &entries);
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;

    // A message of forty seconds' worth is taken once, and then paid off.
    evaluate(&channel, hasty.expose(), 2000).await.unwrap();
    let status = legal(&channel, hasty.expose()).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let wait = status
        .get_details_retry_info()
        .and_then(|info| info.retry_delay)
        .unwrap();
    assert!(wait > Duration::from_secs(20), "{wait:?}");
    // Others do not feel it.
    evaluate(&channel, wide.expose(), 100).await.unwrap();

    // It can never be right, so it is the request that is wrong, and no time to come back is told.
    let status = evaluate(&channel, wide.expose(), 101).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let violations = status.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "positions");
    assert!(status.message().contains("`101`"), "{status:?}");
    assert!(status.get_details_retry_info().is_none());
    // What the call before held comes back a moment after its answer.
    let begun = Instant::now();
    while code(evaluate(&channel, wide.expose(), 100).await).is_some() {
        assert!(begun.elapsed() < PATIENCE, "the positions do not come back");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    let (mut answers, open) = stream(&channel, narrow.expose(), 1).await.unwrap();
    assert!(answers.message().await.unwrap().is_some());
    let status = stream(&channel, narrow.expose(), 1).await.err().unwrap();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    assert!(status.get_details_retry_info().is_some());
    drop(open);
    assert!(answers.message().await.unwrap().is_none());
    let begun = Instant::now();
    while code(stream(&channel, narrow.expose(), 1).await).is_some() {
        assert!(begun.elapsed() < PATIENCE, "the place does not come back");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A job without an end, or what was refused.
async fn submit(channel: &Channel, token: &str, job_id: &str) -> Result<v1::Job, Status> {
    let request = v1::SubmitJobRequest {
        job_id: job_id.into(),
        items: vec![v1::JobItem::default()],
        limits: Some(v1::Limits {
            nodes: 1 << 40,
            ..Default::default()
        }),
        ..Default::default()
    };
    let mut jobs = JobServiceClient::new(channel.clone());
    let answer = jobs.submit_job(with_token(request, token)).await?;
    Ok(answer.into_inner().job.unwrap())
}

async fn list(channel: &Channel, token: &str, page_size: i32) -> Vec<String> {
    let mut request = v1::ListJobsRequest {
        page_size,
        ..Default::default()
    };
    let mut jobs = JobServiceClient::new(channel.clone());
    let mut names = Vec::new();
    loop {
        let answer = jobs.list_jobs(with_token(request.clone(), token)).await;
        let answer = answer.unwrap().into_inner();
        names.extend(answer.jobs.into_iter().map(|job| job.job_id));
        if answer.next_page_token.is_empty() {
            return names;
        }
        request.page_token = answer.next_page_token;
    }
}

#[tokio::test]
async fn jobs_are_their_submitters() {
    let tokens = [(); 3].map(|()| Token::generate().unwrap());
    let folder = Folder::new();
    let place = tempfile::tempdir().unwrap();
    let entries = entry("one", &tokens[0], "\"bulk\"", "")
        + &entry("two", &tokens[1], "\"bulk\"", "")
        + &entry("chief", &tokens[2], "\"admin\"", "");
    let server = start_with(&folder, &entries, |config| {
        config.jobs_dir = Some(place.path().to_owned());
        config.jobs_running = 1;
    });
    let channel = common::channel(server.addr()).await;
    let [one, two, chief] = [0, 1, 2].map(|at: usize| tokens[at].expose());
    // A quota is a caller's: what one uses, the other still has.
    submit(&channel, one, "first").await.unwrap();
    assert_eq!(
        code(submit(&channel, one, "more").await),
        Some(Code::ResourceExhausted)
    );
    submit(&channel, two, "second").await.unwrap();
    // The same content under the same name, and yet not the same job.
    let status = submit(&channel, two, "first").await.unwrap_err();
    assert_eq!(status.code(), Code::AlreadyExists, "{status:?}");
    assert_eq!(submit(&channel, one, "first").await.unwrap().items, 1);

    for page_size in [0, 1] {
        assert_eq!(list(&channel, one, page_size).await, ["first"]);
        assert_eq!(list(&channel, two, page_size).await, ["second"]);
        assert_eq!(list(&channel, chief, page_size).await, ["second", "first"]);
    }
    let mut jobs = JobServiceClient::new(channel.clone());
    for (token, expected) in [(two, Some(Code::NotFound)), (one, None), (chief, None)] {
        let job_id = || "first".to_owned();
        let get = v1::GetJobRequest { job_id: job_id() };
        assert_eq!(code(jobs.get_job(with_token(get, token)).await), expected);
        let read = v1::StreamResultsRequest {
            job_id: job_id(),
            ..Default::default()
        };
        assert_eq!(code(jobs.stream_results(with_token(read, token)).await), expected);
        let cancel = v1::CancelJobRequest { job_id: job_id() };
        let cancelled = jobs.cancel_job(with_token(cancel, token)).await;
        assert_eq!(code(cancelled), expected);
    }
    // Its place is free again.
    submit(&channel, one, "more").await.unwrap();
    common::shutdown(server).await;
}

#[tokio::test]
async fn a_stream_is_held_to_its_rate() {
    let token = Token::generate().unwrap();
    let folder = Folder::new();
    let server = start(
        &folder,
        &entry("slow", &token, "\"bulk\"", "positions_per_second = 100"),
    );
    let channel = common::channel(server.addr()).await;
    let begun = Instant::now();
    let (mut answers, _open) = stream(&channel, token.expose(), 300).await.unwrap();
    for _ in 0..300 {
        assert!(answers.message().await.unwrap().is_some());
    }
    // A second's worth comes at once, and a chunk of 32 on credit.
    assert!(
        begun.elapsed() > Duration::from_millis(1200),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn reflection_can_be_closed_or_switched_off() {
    use tonic_reflection::pb::v1::{
        ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
        server_reflection_request::MessageRequest,
    };

    let token = Token::generate().unwrap();
    let folder = Folder::new();
    for (access, anonymous, known) in [
        (ReflectionAccess::Open, None, None),
        (ReflectionAccess::Authenticated, Some(Code::Unauthenticated), None),
        (
            ReflectionAccess::Off,
            Some(Code::Unauthenticated),
            Some(Code::Unimplemented),
        ),
    ] {
        let server = start_with(&folder, &entry("one", &token, "\"read\"", ""), |config| {
            config.reflection = access;
        });
        let channel = common::channel(server.addr()).await;
        for (token, expected) in [("nonsense", anonymous), (token.expose(), known)] {
            let request = ServerReflectionRequest {
                host: String::new(),
                message_request: Some(MessageRequest::ListServices(String::new())),
            };
            let outcome = ServerReflectionClient::new(channel.clone())
                .server_reflection_info(with_token(tokio_stream::once(request), token))
                .await;
            assert_eq!(code(outcome), expected, "{access:?}");
        }
    }
}

#[tokio::test]
async fn a_certificate_names_a_caller() {
    let (authority, callers) = (Authority::new("servers"), Authority::new("callers"));
    let folder = Folder::new();
    let signed = authority.sign_server();
    let entries = "[[token]]\nname = \"worker\"\ncertificate = \"worker.example\"\nroles = [\"read\"]\n";
    let server = start_with(&folder, entries, |config| {
        config.tls_cert = Some(folder.write("server.pem", &signed.certificate));
        config.tls_key = Some(folder.write("server.key", &signed.key));
        config.tls_client_ca = Some(folder.write("callers.pem", &callers.pem));
    });
    for (name, expected) in [
        ("worker.example", None),
        ("other.example", Some(Code::Unauthenticated)),
    ] {
        let shown = callers.sign(&[name]);
        let access = Access::default()
            .with_authority(&authority.pem)
            .with_identity(shown.certificate, shown.key);
        let there = format!("https://localhost:{}", server.addr().port());
        let client = Client::connect_with(&there, &access).await.unwrap();
        let outcome = client.legal_moves(v1::LegalMovesRequest::default()).await;
        assert_eq!(outcome.err().and_then(|error| error.code()), expected, "{name}");
    }
}
