//! Peers that do nothing do not take the places of those who do.

mod common;

use std::{io::Write, net::TcpStream, time::Duration};

use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tabiya_server::{Config, Server};
use tonic::transport::Channel;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

async fn call(channel: &Channel) {
    let mut client = RulesServiceClient::new(channel.clone());
    let answer = client.legal_moves(v1::LegalMovesRequest::default());
    let answer = tokio::time::timeout(PATIENCE, answer)
        .await
        .expect("an answer")
        .unwrap();
    assert_eq!(answer.into_inner().moves.len(), 20);
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
    call(&common::channel(server.addr()).await).await;
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
    let second = common::channel(server.addr()).await;
    call(&second).await;
    call(&first).await;
}
