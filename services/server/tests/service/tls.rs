//! Encrypted connections: who is believed to be the server, who may connect, and new certificates without a restart.

use crate::common;

use std::{
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use common::certificates::{Authority, Folder, Signed};
use tabiya_client::{Access, Client, ClientError, RetryPolicy, v1};
use tabiya_server::{Config, RunningServer, Server, config::AdminTls};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with this certificate in `folder`.
fn start(folder: &Folder, signed: &Signed, change: impl FnOnce(&mut Config)) -> RunningServer {
    let mut config = Config {
        tls_cert: Some(folder.write("server.pem", &signed.certificate)),
        tls_key: Some(folder.write("server.key", &signed.key)),
        reload_interval: Duration::from_millis(20),
        ..common::config()
    };
    change(&mut config);
    Server::start(config).unwrap()
}

/// Connects once and asks once.
async fn ask(endpoint: &str, access: &Access) -> Result<usize, ClientError> {
    let once = RetryPolicy {
        attempts: 1,
        ..RetryPolicy::default()
    };
    let client = Client::connect_with(endpoint, access).await?.with_retries(once);
    let answer = client.legal_moves(v1::LegalMovesRequest::default()).await?;
    Ok(answer.moves.len())
}

/// Puts another certificate and its key in place.
fn write(folder: &Folder, signed: &Signed) {
    folder.write("server.pem", &signed.certificate);
    folder.write("server.key", &signed.key);
}

/// Waits until something new has been taken up.
async fn until(taken_up: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !taken_up().await {
        assert!(begun.elapsed() < PATIENCE, "the new file is not taken up");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether the admin port tells a caller who trusts this authority, and has this certificate, that the server lives.
async fn lives(server: &RunningServer, authority: &Authority, identity: Option<&Signed>) -> bool {
    let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&authority.pem));
    if let Some(Signed { certificate, key }) = identity {
        tls = tls.identity(Identity::from_pem(certificate, key));
    }
    let there = Endpoint::from_shared(endpoint(server.admin_addr())).unwrap();
    let Ok(channel) = there.tls_config(tls).unwrap().connect().await else {
        return false;
    };
    common::health(&channel, "liveness").await.is_ok()
}

fn endpoint(address: SocketAddr) -> String {
    format!("https://localhost:{}", address.port())
}

fn trusting(authority: &Authority) -> Access {
    Access::default().with_authority(&authority.pem)
}

#[tokio::test]
async fn a_server_is_believed_if_its_authority_is_trusted() {
    let (authority, other) = (Authority::new("ours"), Authority::new("another"));
    let folder = Folder::new();
    let server = start(&folder, &authority.sign_server(), |_| {});
    let there = endpoint(server.addr());
    assert_eq!(ask(&there, &trusting(&authority)).await.unwrap(), 20);
    // Without a scheme, certificates decide.
    assert_eq!(
        ask(&server.addr().to_string(), &trusting(&authority))
            .await
            .unwrap(),
        20
    );
    assert!(ask(&there, &trusting(&other)).await.is_err());
    assert!(ask(&there, &Access::default()).await.is_err());
    let plain = format!("http://{}", server.addr());
    assert!(ask(&plain, &Access::default()).await.is_err());
    // Nothing of that harmed anybody.
    assert_eq!(ask(&there, &trusting(&authority)).await.unwrap(), 20);
    common::shutdown(server).await;
}

#[tokio::test]
async fn with_an_authority_for_callers_only_theirs_connect() {
    let (authority, callers, strangers) = (
        Authority::new("servers"),
        Authority::new("callers"),
        Authority::new("strangers"),
    );
    let folder = Folder::new();
    let server = start(&folder, &authority.sign_server(), |config| {
        config.tls_client_ca = Some(folder.write("callers.pem", &callers.pem));
    });
    let there = endpoint(server.addr());
    let with = |signed: Signed| trusting(&authority).with_identity(signed.certificate, signed.key);
    assert_eq!(
        ask(&there, &with(callers.sign(&["site.example"]))).await.unwrap(),
        20
    );
    assert!(ask(&there, &trusting(&authority)).await.is_err());
    assert!(
        ask(&there, &with(strangers.sign(&["site.example"])))
            .await
            .is_err()
    );
    // Health stays open on its port, for probes that know no certificates.
    let admin = common::channel(server.admin_addr()).await;
    assert!(common::health(&admin, "liveness").await.is_ok());
}

#[tokio::test]
async fn the_admin_port_can_be_encrypted_too() {
    let authority = Authority::new("ours");
    let folder = Folder::new();
    let server = start(&folder, &authority.sign_server(), |config| {
        config.admin_tls = AdminTls::Server;
    });
    assert!(lives(&server, &authority, None).await);
    assert!(!lives(&server, &Authority::new("another"), None).await);
    // A new certificate is taken up here, too.
    let new = Authority::new("new");
    write(&folder, &new.sign_server());
    until(async || lives(&server, &new, None).await).await;
    assert!(!lives(&server, &authority, None).await);
}

#[tokio::test]
async fn the_admin_port_can_ask_for_certificates() {
    let (authority, callers) = (Authority::new("servers"), Authority::new("callers"));
    let folder = Folder::new();
    let server = start(&folder, &authority.sign_server(), |config| {
        config.tls_client_ca = Some(folder.write("callers.pem", &callers.pem));
        config.admin_tls = AdminTls::Mutual;
    });
    let probe = callers.sign(&["probe.example"]);
    assert!(lives(&server, &authority, Some(&probe)).await);
    assert!(!lives(&server, &authority, None).await);
    let stranger = Authority::new("strangers").sign(&["probe.example"]);
    assert!(!lives(&server, &authority, Some(&stranger)).await);
}

#[tokio::test]
async fn another_authority_for_callers_is_taken_up() {
    let (authority, old, new) = (
        Authority::new("servers"),
        Authority::new("old"),
        Authority::new("new"),
    );
    let folder = Folder::new();
    let server = start(&folder, &authority.sign_server(), |config| {
        config.tls_client_ca = Some(folder.write("callers.pem", &old.pem));
        config.admin_tls = AdminTls::Mutual;
    });
    let there = endpoint(server.addr());
    let [before, after] = [&old, &new].map(|callers| callers.sign(&["site.example"]));
    let with =
        |signed: &Signed| trusting(&authority).with_identity(signed.certificate.clone(), signed.key.clone());
    assert_eq!(ask(&there, &with(&before)).await.unwrap(), 20);
    assert!(ask(&there, &with(&after)).await.is_err());
    folder.write("callers.pem", "nothing of use");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(ask(&there, &with(&before)).await.unwrap(), 20);

    folder.write("callers.pem", &new.pem);
    until(async || ask(&there, &with(&after)).await.is_ok()).await;
    assert!(ask(&there, &with(&before)).await.is_err());
    // On both ports.
    until(async || lives(&server, &authority, Some(&after)).await).await;
    assert!(!lives(&server, &authority, Some(&before)).await);
}

#[tokio::test]
async fn new_certificates_are_taken_up_and_bad_ones_are_not() {
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let folder = Folder::new();
    let server = start(&folder, &old.sign_server(), |_| {});
    let there = endpoint(server.addr());
    let open = Client::connect_with(&there, &trusting(&old)).await.unwrap();

    // Half of a pair, then nothing of use: the old pair stays.
    let signed = new.sign_server();
    folder.write("server.pem", &signed.certificate);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(ask(&there, &trusting(&old)).await.unwrap(), 20);
    folder.write("server.key", "nothing of use");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(ask(&there, &trusting(&old)).await.unwrap(), 20);

    folder.write("server.key", &signed.key);
    until(async || ask(&there, &trusting(&new)).await.is_ok()).await;
    assert!(ask(&there, &trusting(&old)).await.is_err());
    // Connections that are open stay so.
    assert!(open.legal_moves(v1::LegalMovesRequest::default()).await.is_ok());
}

#[test]
fn a_server_does_not_start_with_a_key_of_another_certificate() {
    let authority = Authority::new("ours");
    let folder = Folder::new();
    let (one, other) = (authority.sign_server(), authority.sign_server());
    let config = Config {
        tls_cert: Some(folder.write("server.pem", &one.certificate)),
        tls_key: Some(folder.write("server.key", &other.key)),
        ..common::config()
    };
    let error = Server::start(config).unwrap_err().to_string();
    assert!(error.contains("certificate and key"), "{error}");
    let secret = other.key.lines().nth(1).unwrap();
    assert!(!error.contains(secret), "{error}");
}

#[tokio::test]
async fn peers_that_never_agree_on_encryption_hold_nobody_up() {
    let authority = Authority::new("ours");
    let folder = Folder::new();
    let server = start(&folder, &authority.sign_server(), |config| {
        config.max_connections = 8;
        config.handshake_patience = Duration::from_secs(2);
    });
    let there = endpoint(server.addr());
    // As many as leave one place, all silent: the next one is served at once, not after them.
    let silent: Vec<_> = (0..7)
        .map(|_| TcpStream::connect(server.addr()).unwrap())
        .collect();
    assert_eq!(ask(&there, &trusting(&authority)).await.unwrap(), 20);
    // And when every place is taken, they give theirs back.
    let more = TcpStream::connect(server.addr()).unwrap();
    let begun = Instant::now();
    while !matches!(ask(&there, &trusting(&authority)).await, Ok(20)) {
        assert!(begun.elapsed() < PATIENCE, "no place comes free");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop((silent, more));
}
