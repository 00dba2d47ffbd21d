//! `ArbiterService.ProveMate` over a real connection.

use crate::common;

use std::time::{Duration, Instant};

use tabiya_api::{
    convert::check_mate_proof,
    v1::{
        self, Color, MateVerdict, arbiter_service_client::ArbiterServiceClient,
        search_service_client::SearchServiceClient,
    },
};
use tonic::{Code, Request, transport::Channel};

/// What a busy machine may take; the proofs in the way take longer together.
const PATIENCE: Duration = Duration::from_secs(20);

async fn client() -> (tabiya_server::RunningServer, ArbiterServiceClient<Channel>) {
    let server = common::start();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn question(fen: &str, side: Color) -> v1::ProveMateRequest {
    v1::ProveMateRequest {
        position: Some(v1::Position {
            fen: fen.into(),
            ..Default::default()
        }),
        side: side.into(),
        with_certificate: true,
        ..Default::default()
    }
}

/// A question that takes some tenths of a second, with the greatest limit.
fn long() -> v1::ProveMateRequest {
    let mut long = question(LONG, Color::Black);
    long.limits = Some(v1::Limits {
        nodes: u64::MAX,
        ..Default::default()
    });
    long
}

/// Questions at once that keep a single thread busy for longer than a test waits.
const CROWD: usize = 12;

/// The black king is walled in for good, the black pawns never get past the white ones: Black cannot mate, which takes
/// more than 200,000 positions to see.
const LONG: &str = "1k6/1P1p1p1p/BP1p1p1p/1P1p1p1p/8/3P1P1P/3P1P1P/3K4 w - - 0 1";

/// The same with fewer pawns: as many positions.
const LARGE: &str = "1k6/1P1p1p1p/BP6/1P6/8/8/3P1P1P/3K4 w - - 0 1";

/// Callers who wait for long proofs.
fn crowd(
    client: &ArbiterServiceClient<Channel>,
) -> Vec<tokio::task::JoinHandle<Result<tonic::Response<v1::ProveMateResponse>, tonic::Status>>> {
    (0..CROWD)
        .map(|_| {
            let mut client = client.clone();
            tokio::spawn(async move { client.prove_mate(long()).await })
        })
        .collect()
}

#[tokio::test]
async fn yes_comes_with_a_line_that_mates() {
    let (_server, mut client) = client().await;
    let fen = "8/8/8/8/8/5k2/8/5K1R w - - 0 1";
    let answer = client
        .prove_mate(question(fen, Color::White))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.verdict(), MateVerdict::Yes);
    assert!(answer.certificate.is_none());
    let position = v1::Position {
        fen: fen.into(),
        moves: answer.helpmate.clone(),
        ..Default::default()
    };
    let decided = client
        .adjudicate(v1::AdjudicateRequest {
            game: Some(v1::adjudicate_request::Game::Position(position)),
            ..Default::default()
        })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(decided.termination(), v1::Termination::Checkmate);
    assert_eq!(decided.result(), v1::GameResult::WhiteWins);
    assert_eq!(decided.decisive_ply, Some(answer.helpmate.len() as u32));
}

#[tokio::test]
async fn no_comes_with_a_certificate_that_is_checked_here() {
    let (_server, mut client) = client().await;
    for fen in [
        "8/8/4k3/8/8/4KB2/8/8 b - - 0 1",
        "8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1",
        "k7/P1K5/8/8/8/8/8/8 b - - 0 1",
    ] {
        let answer = client
            .prove_mate(question(fen, Color::Black))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(answer.verdict(), MateVerdict::No, "{fen}");
        let certificate = answer.certificate.unwrap();
        assert!(certificate.size <= 1 << 20 && certificate.sha256.len() == 32);
        check_mate_proof(&certificate.proof.unwrap()).unwrap();
        let mut bare = question(fen, Color::Black);
        bare.with_certificate = false;
        assert!(
            client
                .prove_mate(bare)
                .await
                .unwrap()
                .into_inner()
                .certificate
                .is_none()
        );
    }
}

#[tokio::test]
async fn a_certificate_beyond_a_mebibyte_is_named_by_its_digest() {
    let (_server, mut client) = client().await;
    let mut request = long();
    request.position.as_mut().unwrap().fen = LARGE.into();
    let answer = client.prove_mate(request).await.unwrap().into_inner();
    assert_eq!(answer.verdict(), MateVerdict::No);
    let certificate = answer.certificate.unwrap();
    assert!(certificate.size > 1 << 20, "{}", certificate.size);
    assert!(certificate.states > 100_000, "{}", certificate.states);
    assert_eq!((certificate.sha256.len(), certificate.proof), (32, None));
}

#[tokio::test]
async fn at_its_limits_a_proof_is_unknown() {
    let (_server, mut client) = client().await;
    let mut request = long();
    request.limits = Some(v1::Limits {
        nodes: 2000,
        ..Default::default()
    });
    let answer = client.prove_mate(request).await.unwrap().into_inner();
    assert_eq!(answer.verdict(), MateVerdict::Unknown);
    assert!((500..4000).contains(&answer.nodes), "{}", answer.nodes);

    let mut timed = long();
    timed.limits.as_mut().unwrap().time = Some(prost_types::Duration {
        seconds: 0,
        nanos: 50_000_000,
    });
    let begun = Instant::now();
    let answer = client.prove_mate(timed).await.unwrap().into_inner();
    assert_eq!(answer.verdict(), MateVerdict::Unknown);
    assert!(answer.nodes > 0, "{}", answer.nodes);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_answer_is_there_before_the_deadline() {
    let config = tabiya_server::Config {
        rules_threads: 1,
        ..common::config()
    };
    let server = tabiya_server::Server::start(config).unwrap();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    // The only thread is taken by proofs without a deadline.
    let patient = crowd(&client);
    common::until_busy(server.admin_addr(), "proving").await;
    let answer = common::in_time(|| {
        let mut request = Request::new(long());
        request.set_timeout(Duration::from_millis(400));
        let mut client = client.clone();
        async move { client.prove_mate(request).await }
    });
    assert_eq!(answer.await.into_inner().verdict(), MateVerdict::Unknown);
    for proof in patient {
        proof.abort();
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_frees_the_thread() {
    let config = tabiya_server::Config {
        rules_threads: 1,
        ..common::config()
    };
    let server = tabiya_server::Server::start(config).unwrap();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    for _ in 0..3 {
        let gone = crowd(&client);
        common::until_busy(server.admin_addr(), "proving").await;
        for proof in gone {
            proof.abort();
        }
        // The only thread is free for the next caller well before those proofs' end.
        let begun = Instant::now();
        let quick = question("8/8/4k3/8/8/4KB2/8/8 b - - 0 1", Color::White);
        let answer = client.clone().prove_mate(quick).await.unwrap().into_inner();
        assert_eq!(answer.verdict(), MateVerdict::No);
        // 50 ms by the contract; the rest is for a machine that runs other tests.
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_by_field() {
    let (_server, mut client) = client().await;
    let mut wrong = question("8/8/8/8/8/8/8/8 w - - 0 1", Color::Unspecified);
    wrong.limits = Some(v1::Limits {
        depth: 9,
        ..Default::default()
    });
    let status = client.prove_mate(wrong).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    use tonic_types::StatusExt;
    let details = status.get_details_bad_request().unwrap();
    let fields: Vec<_> = details
        .field_violations
        .iter()
        .map(|field| field.field.as_str())
        .collect();
    assert!(
        fields.starts_with(&["side", "limits.depth", "position.fen"]),
        "{fields:?}"
    );
}

#[tokio::test]
async fn the_limits_are_published() {
    let server = common::start();
    let mut client = SearchServiceClient::new(common::channel(server.addr()).await);
    let info = client
        .get_engine_info(v1::GetEngineInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    let limits = info.limits.unwrap();
    assert_eq!(
        (limits.default_proof_nodes, limits.max_proof_nodes),
        (120_000, 1_000_000)
    );
}
