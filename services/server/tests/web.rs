//! Browsers: gRPC-Web over HTTP/1.1, and which pages may call.

mod common;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use tabiya_server::{Config, RunningServer, Server};

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

/// Sends a request over HTTP/1.1; the answer's head, in small letters, and its body.
fn http(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = format!(
        "{method} /tabiya.v1.RulesService/LegalMoves HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n",
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
        return (String::from_utf8_lossy(&answer).to_ascii_lowercase(), Vec::new());
    };
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap().to_ascii_lowercase(), body)
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
