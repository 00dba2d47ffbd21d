//! The header that carries a caller's deadline, as it comes over the wire: a client of gRPC would keep a clock of its own.

use crate::common;

use std::net::SocketAddr;

use common::wire;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use tabiya_api::v1;
use tokio::net::TcpStream;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// How a call with this header ends.
async fn status(addr: SocketAddr, method: &str, message: &impl Message, timeout: &[u8]) -> Status {
    let stream = TokioIo::new(TcpStream::connect(addr).await.unwrap());
    let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream)
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    let bytes = message.encode_to_vec();
    let body = wire::framed(0, bytes.len() as u32, &bytes);
    let mut request = wire::request(&format!("http://{addr}"), method, body);
    let value = http::HeaderValue::from_bytes(timeout).unwrap();
    request.headers_mut().insert("grpc-timeout", value);
    let response = sender.send_request(request).await.unwrap();
    let status = wire::status(response).await;
    connection.abort();
    status
}

#[tokio::test]
async fn a_deadline_that_has_come_is_kept() {
    let server = common::start();
    for timeout in ["0m", "0n", "1n", "00000000H"] {
        for method in ["RulesService/LegalMoves", "SearchService/BestMove"] {
            // Both are as empty.
            let message = v1::BestMoveRequest::default();
            let status = status(server.addr(), method, &message, timeout.as_bytes()).await;
            assert_eq!(
                status.code(),
                Code::DeadlineExceeded,
                "{method}, {timeout}: {status:?}"
            );
        }
    }
}

/// Eleven thousand years and less: no clock goes so far, and no search is bounded by it.
#[tokio::test]
async fn a_deadline_that_never_comes_is_none() {
    let server = common::start();
    for timeout in ["99999999H", "99999999M", "99999999S"] {
        let legal = v1::LegalMovesRequest::default();
        let ended = status(
            server.addr(),
            "RulesService/LegalMoves",
            &legal,
            timeout.as_bytes(),
        )
        .await;
        assert_eq!(ended.code(), Code::Ok, "{timeout}: {ended:?}");
        let endless = v1::BestMoveRequest::default();
        let ended = status(
            server.addr(),
            "SearchService/BestMove",
            &endless,
            timeout.as_bytes(),
        )
        .await;
        assert_eq!(ended.code(), Code::InvalidArgument, "{timeout}: {ended:?}");
        assert_eq!(
            ended.get_details_bad_request().unwrap().field_violations[0].field,
            "limits"
        );
    }
}

#[tokio::test]
async fn what_is_no_deadline_is_refused() {
    let server = common::start();
    let wrong: [&[u8]; 16] = [
        b"",
        b"m",
        b"5",
        b"-1S",
        b"+1S",
        b"1.5S",
        b"1 S",
        b"1s",
        b"1ms",
        b"1h",
        b"0x1S",
        b"123456789m",
        b"999999999999999999999999H",
        b"banana",
        b"1\xc2\xb5",
        "１m".as_bytes(),
    ];
    for timeout in wrong {
        for method in [
            "RulesService/LegalMoves",
            "RulesService/BatchLegalMoves",
            "SearchService/BestMove",
        ] {
            let message = v1::LegalMovesRequest::default();
            let status = status(server.addr(), method, &message, timeout).await;
            let text = String::from_utf8_lossy(timeout);
            assert_eq!(
                status.code(),
                Code::InvalidArgument,
                "{method}, {text}: {status:?}"
            );
            let details = status.get_details_bad_request().unwrap();
            assert_eq!(details.field_violations[0].field, "grpc-timeout", "{text}");
        }
    }
}
