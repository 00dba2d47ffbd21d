//! A timeout is for the whole call, and it is over when it is over.

use std::{net::TcpListener, time::Duration};

use tabiya_client::{Client, ClientError, RetryPolicy, v1};
use tonic::Code;

/// With these pauses a test that sees a second attempt does not end.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// What a busy machine may take for something that should be over at once.
const PATIENCE: Duration = Duration::from_secs(60);

async fn ask(client: &Client) -> ClientError {
    let call = client.legal_moves(v1::LegalMovesRequest::default());
    let outcome = tokio::time::timeout(PATIENCE, call).await;
    outcome.expect("one attempt").expect_err("nobody answers")
}

async fn client(listener: &TcpListener, timeout: Duration) -> Client {
    let address = listener.local_addr().expect("an address").to_string();
    let policy = RetryPolicy {
        first_pause: NEVER,
        longest_pause: NEVER,
        ..RetryPolicy::default()
    };
    // The system takes the connection; nobody will ever read from it.
    let client = Client::connect(&address).await.expect("a connection");
    client.with_retries(policy).with_timeout(timeout)
}

#[tokio::test]
async fn its_own_timeout_is_no_reason_to_ask_again() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let error = ask(&client(&listener, Duration::from_millis(100)).await).await;
    assert_eq!(error.code(), Some(Code::DeadlineExceeded), "{error:?}");
}

#[tokio::test]
async fn a_pause_beyond_the_timeout_is_not_made() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let client = client(&listener, PATIENCE).await;
    // Closes the connection too: the next attempt finds nobody.
    drop(listener);
    let error = ask(&client).await;
    assert_eq!(error.code(), Some(Code::Unavailable), "{error:?}");
}

#[tokio::test]
async fn no_timeout_is_too_long() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let once = RetryPolicy {
        attempts: 1,
        ..RetryPolicy::default()
    };
    let client = client(&listener, Duration::MAX).await.with_retries(once);
    drop(listener);
    let error = ask(&client).await;
    assert_eq!(error.code(), Some(Code::Unavailable), "{error:?}");
}
