//! Peers that do nothing do not take the places of those who do.

mod common;

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use common::page::{self, Page};
use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tabiya_client::Client;
use tabiya_server::{Config, Server};
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

async fn ask(channel: &Channel) -> Result<(), Status> {
    let mut client = RulesServiceClient::new(channel.clone());
    let answer = client.legal_moves(v1::LegalMovesRequest::default());
    let answer = tokio::time::timeout(PATIENCE, answer).await.expect("an answer")?;
    assert_eq!(answer.into_inner().moves.len(), 20);
    Ok(())
}

async fn call(channel: &Channel) {
    ask(channel).await.unwrap();
}

/// Asks on new connections until one of them is served.
async fn until_served(addr: SocketAddr) -> Channel {
    let begun = Instant::now();
    loop {
        let channel = common::channel(addr).await;
        match ask(&channel).await {
            Ok(()) => return channel,
            Err(status) => is_one_too_many(&status),
        }
        assert!(begun.elapsed() < PATIENCE, "no place comes free");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn is_one_too_many(status: &Status) {
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let says = "as many connections are open as the server serves at once";
    assert!(status.message().starts_with(says), "{status:?}");
    assert!(status.get_details_retry_info().unwrap().retry_delay.is_some());
}

#[tokio::test]
async fn a_connection_that_is_one_too_many_is_told_so() {
    let config = Config {
        max_connections: 4,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut served = Vec::new();
    for _ in 0..4 {
        let channel = common::channel(server.addr()).await;
        call(&channel).await;
        served.push(channel);
    }
    let fifth = common::channel(server.addr()).await;
    is_one_too_many(&ask(&fifth).await.unwrap_err());
    let page = Page::fetch(server.admin_addr()).await;
    let shed = [("class", "interactive"), ("reason", "connections")];
    assert_eq!(page.sum("tabiya_shed_total", &shed), 1.0);
    // Sent away afterwards, and nobody else is any the worse.
    let full = [("port", "main"), ("reason", "full")];
    Page::until(server.admin_addr(), "tabiya_connection_ends_total", &full, 1.0).await;
    for channel in &served {
        call(channel).await;
    }
    // Our own client waits for its turn.
    let addr = server.addr().to_string();
    let waiting = tokio::spawn(async move {
        let client = Client::connect(&addr).await.unwrap();
        client.legal_moves(v1::LegalMovesRequest::default()).await
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    drop(served.pop());
    let answer = tokio::time::timeout(PATIENCE, waiting).await.expect("a turn");
    assert_eq!(answer.unwrap().unwrap().moves.len(), 20);
}

#[tokio::test]
async fn pages_say_that_there_are_too_many_connections() {
    let config = Config {
        max_connections: 1,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let admin = server.admin_addr();
    let _silent = TcpStream::connect(admin).unwrap();
    let answer = tokio::task::spawn_blocking(move || page::get(admin, "/livez", "*/*"));
    let answer = answer.await.unwrap();
    assert_eq!(answer.status, 503);
    assert!(answer.body.ends_with("served at once: 1\n"), "{answer:?}");
}

#[tokio::test]
async fn connections_that_never_begin_give_their_places_back() {
    let config = Config {
        max_connections: 2,
        handshake_patience: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let _silent = TcpStream::connect(server.addr()).unwrap();
    let mut half = TcpStream::connect(server.addr()).unwrap();
    half.write_all(b"PRI * HTTP/2.0\r\n").unwrap();
    until_served(server.addr()).await;
}

#[tokio::test]
async fn a_slow_preface_is_a_preface() {
    let server = common::start();
    let mut slow = TcpStream::connect(server.addr()).unwrap();
    // The preface and empty settings, in pieces.
    let bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    for piece in bytes.chunks(10) {
        slow.write_all(piece).unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    slow.set_read_timeout(Some(PATIENCE)).unwrap();
    let answer = tokio::task::spawn_blocking(move || {
        let mut head = [0; 9];
        std::io::Read::read_exact(&mut slow, &mut head).unwrap();
        head
    });
    // The server's own settings: type 4 on stream 0.
    let head = answer.await.unwrap();
    assert_eq!((head[3], &head[5..]), (4, [0; 4].as_slice()));
}

#[tokio::test]
async fn idle_connections_are_sent_away_and_their_owners_come_back() {
    let config = Config {
        max_connections: 1,
        idle_connection: Duration::from_millis(300),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let first = common::channel(server.addr()).await;
    call(&first).await;
    // The only place is the first one's as long as it keeps it.
    let _second = until_served(server.addr()).await;
    // The first one's owner connects again by himself, when there is a place again.
    let begun = Instant::now();
    while ask(&first).await.is_err() {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
