//! Getting in: passwords, tokens, and what is said where one does not.

use std::{fs, path::Path, process::Command};

use tabiya_jobs::{
    Fault,
    nats::{Address, Nats, Settings},
};
use tabiya_tests::Broker;

use crate::sample::settings;

async fn refused(url: &str) -> String {
    match Nats::open(settings(url)).await {
        Err(Fault::Failed(reason)) => reason,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("let in"),
    }
}

#[tokio::test]
async fn a_password_lets_in_and_is_never_said() {
    let users = "authorization { users = [ { user: jobs, password: \"s3/cret\" } ] }";
    let Some(broker) = Broker::with_settings(users, "a NATS server with a password") else {
        return;
    };
    let url = |login: &str| format!("nats://{login}{}", broker.address());
    Nats::open(settings(&url("jobs:s3%2Fcret@"))).await.unwrap();
    for login in ["jobs:wr0ng@", "", "wr0ng@"] {
        let reason = refused(&url(login)).await;
        assert!(!reason.contains("wr0ng"), "{reason}");
        assert!(reason.contains(&broker.address()), "{reason}");
    }
}

#[tokio::test]
async fn a_token_lets_in() {
    let Some(broker) = Broker::with_settings("authorization { token: t0ken }", "a NATS server with a token")
    else {
        return;
    };
    Nats::open(settings(&format!("t0ken@{}", broker.address())))
        .await
        .unwrap();
    refused(&broker.address()).await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let address = Address::parse("nats://jobs:s3cret@127.0.0.1:1").unwrap();
    let Err(Fault::Unavailable(reason)) = Nats::open(Settings::new(address)).await else {
        panic!("somebody answers at port 1");
    };
    assert!(reason.starts_with("nats://127.0.0.1:1: "), "{reason}");
    assert!(!reason.contains("s3cret"), "{reason}");
}

#[tokio::test]
async fn a_credentials_file_that_is_none_is_named() {
    let Some(broker) = Broker::start("NATS credentials") else {
        return;
    };
    let mut settings = settings(&broker.url());
    settings.credentials = Some("/nowhere/jobs.creds".into());
    let Err(Fault::Failed(reason)) = Nats::open(settings).await else {
        panic!("let in");
    };
    assert!(reason.contains("/nowhere/jobs.creds"), "{reason}");
}

/// Makes a key, and a certificate for it: signed by itself, or by `ca` for this machine's loopback.
fn certify(folder: &Path, name: &str, ca: Option<&str>) -> bool {
    let extensions = if ca.is_some() {
        "basicConstraints=critical,CA:FALSE\nsubjectAltName=IP:127.0.0.1\n"
    } else {
        "basicConstraints=critical,CA:TRUE\n"
    };
    fs::write(folder.join(format!("{name}.ext")), extensions).unwrap();
    let sign = match ca {
        Some(ca) => format!("-CA {ca}.pem -CAkey {ca}.key -CAcreateserial"),
        None => format!("-signkey {name}.key"),
    };
    let script = format!(
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {name}.key &&
         openssl req -new -key {name}.key -subj /CN={name} -out {name}.csr &&
         openssl x509 -req -in {name}.csr {sign} -extfile {name}.ext -days 2 -out {name}.pem"
    );
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .current_dir(folder)
        .output();
    output.is_ok_and(|output| output.status.success())
}

#[tokio::test]
async fn both_sides_show_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let made = [
        ("ca", None),
        ("server", Some("ca")),
        ("client", Some("ca")),
        ("other", None),
    ];
    if !made.iter().all(|(name, ca)| certify(folder.path(), name, *ca)) {
        eprintln!("SKIPPED: NATS with certificates: no openssl");
        return;
    }
    let file = |name: &str| folder.path().join(name);
    let tls = format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}",
        file("server.pem"),
        file("server.key"),
        file("ca.pem"),
    );
    let Some(broker) = Broker::with_settings(&tls, "a NATS server with certificates") else {
        return;
    };
    let with = |root: &str, client: Option<&str>| {
        let mut settings = settings(&format!("tls://{}", broker.address()));
        settings.root_certificates = Some(file(root));
        settings.client_certificate =
            client.map(|name| (file(&format!("{name}.pem")), file(&format!("{name}.key"))));
        settings
    };
    Nats::open(with("ca.pem", Some("client"))).await.unwrap();
    assert!(
        Nats::open(with("ca.pem", None)).await.is_err(),
        "we showed nothing"
    );
    assert!(
        Nats::open(with("other.pem", Some("client"))).await.is_err(),
        "the server is signed by somebody else"
    );
    assert!(Nats::open(with("missing.pem", Some("client"))).await.is_err());
}
