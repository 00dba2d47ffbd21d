//! Browsers: gRPC-Web over HTTP/1.1, and which pages may call.

use crate::common;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use prost::Message;
use tabiya_api::v1::{self, job_service_client::JobServiceClient};
use tabiya_server::{Config, RunningServer, Server};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

const PAGE: &str = "https://chess.example";

fn start() -> RunningServer {
    let config = Config {
        cors_origins: vec![PAGE.to_owned()],
        ..common::config()
    };
    Server::start(config).unwrap()
}

/// Calls legal moves over HTTP/1.1; the answer's head, in small letters, and its body.
fn http(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &[u8]) -> (String, Vec<u8>) {
    let (head, body) = exchange(address, method, "RulesService/LegalMoves", headers, body);
    (head.to_ascii_lowercase(), body)
}

/// Sends a request over HTTP/1.1; the answer's head and its body, as they come.
fn exchange(
    address: SocketAddr,
    method: &str,
    call: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = format!(
        "{method} /tabiya.v1.{call} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    // A connection that is reset has been refused.
    let _ = stream.read_to_end(&mut answer);
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else {
        return (String::from_utf8_lossy(&answer).into_owned(), Vec::new());
    };
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap(), body)
}

/// What a page sends with each call.
const FROM_PAGE: [(&str, &str); 3] = [
    ("content-type", "application/grpc-web+proto"),
    ("origin", PAGE),
    ("x-grpc-web", "1"),
];

/// Calls as the page does; the answer's head, its messages, and the text of its last frame, the trailers.
fn call<T: Message + Default>(
    address: SocketAddr,
    call: &str,
    request: &impl Message,
) -> (String, Vec<T>, String) {
    let message = request.encode_to_vec();
    let mut frame = vec![0];
    frame.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend_from_slice(&message);
    let (head, body) = exchange(address, "POST", call, &FROM_PAGE, &frame);
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(&body) } else { body };
    let (mut rest, mut messages, mut trailers) = (&body[..], Vec::new(), String::new());
    while let [kind, a, b, c, d, after @ ..] = rest {
        assert_eq!(trailers, "", "something follows the trailers");
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (inside, after) = after.split_at(length);
        match kind {
            0 => messages.push(T::decode(inside).unwrap()),
            0x80 => trailers = String::from_utf8(inside.to_vec()).unwrap(),
            other => panic!("a frame of kind {other}"),
        }
        rest = after;
    }
    assert!(rest.is_empty(), "{rest:?}");
    (head, messages, trailers)
}

/// The bytes of an HTTP/1.1 body that came in chunks.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let end = body.windows(2).position(|window| window == b"\r\n").unwrap();
        let length = std::str::from_utf8(&body[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return bytes;
        }
        body = &body[end + 2..];
        bytes.extend_from_slice(&body[..length]);
        body = &body[length + 2..];
    }
}

/// The status in a head or in trailers, which are written alike.
fn status(lines: &str) -> Option<Status> {
    let mut map = http::HeaderMap::new();
    for (name, value) in lines.lines().filter_map(|line| line.split_once(':')) {
        let name: http::HeaderName = name.parse().unwrap();
        map.append(name, value.trim().parse().unwrap());
    }
    Status::from_header_map(&map)
}

fn asks(address: SocketAddr, page: &str) -> (String, Vec<u8>) {
    let headers = [
        ("content-type", "application/grpc-web+proto"),
        ("origin", page),
        ("x-grpc-web", "1"),
    ];
    // One message of no bytes: the standard start.
    http(address, "POST", &headers, &[0; 5])
}

fn preflight(address: SocketAddr, page: &str) -> String {
    let headers = [
        ("origin", page),
        ("access-control-request-method", "POST"),
        (
            "access-control-request-headers",
            "authorization,content-type,x-grpc-web",
        ),
    ];
    http(address, "OPTIONS", &headers, b"").0
}

#[test]
fn a_page_that_may_is_answered() {
    let server = start();
    let allowed = preflight(server.addr(), PAGE);
    assert!(allowed.starts_with("http/1.1 200"), "{allowed}");
    for line in [
        format!("access-control-allow-origin: {PAGE}"),
        "access-control-allow-methods: post".to_owned(),
    ] {
        assert!(allowed.contains(&line), "{line} in {allowed}");
    }
    for header in ["authorization", "content-type", "x-grpc-web", "grpc-timeout"] {
        let line = allowed
            .lines()
            .find(|line| line.starts_with("access-control-allow-headers"));
        assert!(
            line.is_some_and(|line| line.contains(header)),
            "{header} in {allowed}"
        );
    }
    let (head, body) = asks(server.addr(), PAGE);
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(
        head.contains("content-type: application/grpc-web+proto"),
        "{head}"
    );
    assert!(
        head.contains(&format!("access-control-allow-origin: {PAGE}")),
        "{head}"
    );
    assert!(head.contains("grpc-status-details-bin"), "{head}");
    let text = String::from_utf8_lossy(&body);
    // The moves, then a frame of trailers.
    assert!(
        text.contains("e2e4") && text.contains("grpc-status:0"),
        "{text:?}"
    );
}

#[test]
fn another_page_gets_no_leave() {
    let server = start();
    for page in ["https://other.example", "http://chess.example", "null"] {
        let refused = preflight(server.addr(), page);
        assert!(!refused.contains("access-control-allow-origin"), "{refused}");
        let (head, _) = asks(server.addr(), page);
        assert!(!head.contains("access-control-allow-origin"), "{head}");
    }
}

#[test]
fn errors_reach_the_page_in_the_contracts_words() {
    let server = start();
    let headers = [
        ("content-type", "application/grpc-web+proto"),
        ("grpc-timeout", "banana"),
    ];
    let (head, body) = http(server.addr(), "POST", &headers, &[0; 5]);
    let text = head + &String::from_utf8_lossy(&body);
    assert!(
        text.contains("grpc-status: 3") || text.contains("grpc-status:3"),
        "{text}"
    );
    // What is no gRPC-Web is no concern of this port.
    let (head, _) = http(server.addr(), "GET", &[], b"");
    assert!(head.starts_with("http/1.1 400"), "{head}");
}

#[tokio::test]
async fn programs_are_answered_beside_pages() {
    let server = start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    common::shutdown(server).await;
}

#[test]
fn without_leave_http_1_is_not_spoken() {
    let server = common::start();
    let (head, body) = asks(server.addr(), PAGE);
    assert!(!head.contains(" 200"), "{head}");
    assert!(!String::from_utf8_lossy(&body).contains("e2e4"));
}

#[test]
fn streams_of_answers_reach_the_page() {
    let server = start();
    let request = v1::AnalyzeRequest {
        limits: Some(v1::Limits {
            depth: 3,
            ..Default::default()
        }),
        ..Default::default()
    };
    let (head, answers, trailers) =
        call::<v1::AnalyzeResponse>(server.addr(), "SearchService/Analyze", &request);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(
        head.contains(&format!("access-control-allow-origin: {PAGE}")),
        "{head}"
    );
    let (last, iterations) = answers.split_last().unwrap();
    let depths: Vec<_> = iterations.iter().map(|answer| answer.depth).collect();
    assert_eq!(depths, [1, 2, 3]);
    assert_eq!((last.depth, last.stopped_by()), (3, v1::StoppedBy::Depth));
    assert_eq!(status(&trailers).unwrap().code(), Code::Ok, "{trailers}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_of_a_job_reach_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Config {
        cors_origins: vec![PAGE.to_owned()],
        jobs_dir: Some(folder.path().to_owned()),
        ..common::config()
    })
    .unwrap();
    let mut jobs = JobServiceClient::new(common::channel(server.addr()).await);
    let submitted = jobs.submit_job(v1::SubmitJobRequest {
        job_id: "page".into(),
        items: vec![v1::JobItem::default(); 5],
        limits: Some(v1::Limits {
            nodes: 20,
            ..Default::default()
        }),
        ..Default::default()
    });
    submitted.await.unwrap();
    let address = server.addr();
    let results = move |job_id: &str| {
        let request = v1::StreamResultsRequest {
            job_id: job_id.to_owned(),
            follow: true,
            ..Default::default()
        };
        call::<v1::StreamResultsResponse>(address, "JobService/StreamResults", &request)
    };
    let (found, nobody) = tokio::task::spawn_blocking(move || (results("page"), results("nobody")))
        .await
        .unwrap();
    let (_, rows, trailers) = found;
    let mut places: Vec<u32> = rows.iter().map(|row| row.index).collect();
    places.sort_unstable();
    assert_eq!(places, [0, 1, 2, 3, 4]);
    assert_eq!(status(&trailers).unwrap().code(), Code::Ok, "{trailers}");
    let (head, rows, _) = nobody;
    assert!(rows.is_empty());
    assert_eq!(status(&head).unwrap().code(), Code::NotFound, "{head}");
    common::shutdown(server).await;
}

#[test]
fn a_page_may_read_what_is_wrong_with_its_request() {
    let server = start();
    let request = v1::LegalMovesRequest {
        position: Some(v1::Position {
            fen: "nonsense".into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let (head, answers, _) =
        call::<v1::LegalMovesResponse>(server.addr(), "RulesService/LegalMoves", &request);
    assert!(answers.is_empty());
    // The status is among the headers, which the page may read.
    let refused = status(&head).unwrap();
    assert_eq!(refused.code(), Code::InvalidArgument, "{head}");
    let violations = refused.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "position.fen");
    let lower = head.to_ascii_lowercase();
    let exposed = lower
        .lines()
        .find(|line| line.starts_with("access-control-expose-headers"));
    for header in [
        "grpc-status",
        "grpc-message",
        "grpc-status-details-bin",
        "x-request-id",
    ] {
        assert!(
            exposed.is_some_and(|line| line.contains(header)),
            "{header} in {head}"
        );
    }
    assert!(
        lower.contains(&format!("access-control-allow-origin: {PAGE}")),
        "{head}"
    );
}
