//! Secrets reach no output: a server is started with some, used well and badly, and everything that was printed is
//! searched for them.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rcgen::{CertificateParams, KeyPair};
use tabiya_tests::{Broker, run, tabiya};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a wrong caller shows.
const GUESS: &str = "tby_guessed-by-a-stranger-0123456789abcdef";

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The part of a file that was printed by now.
fn printed(path: &Path) -> String {
    let mut bytes = Vec::new();
    let mut file = fs::File::open(path).expect("a log");
    file.read_to_end(&mut bytes).expect("a log");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn until(what: &str, path: &Path, is_there: impl Fn(&str) -> bool) -> String {
    let begun = Instant::now();
    loop {
        let text = printed(path);
        if is_there(&text) {
            return text;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} does not come:\n{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_output_has_a_secret_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let key = KeyPair::generate().expect("a key");
    let names = ["localhost".to_owned()];
    let certificate = CertificateParams::new(names)
        .and_then(|params| params.self_signed(&key))
        .expect("a certificate");
    let certificate = write(folder, "server.pem", &certificate.pem());
    let key_text = key.serialize_pem();
    let key_file = write(folder, "server.key", &key_text);
    let made = run(["token", "new", "site", "--role", "read"])
        .expect_code(0)
        .stdout;
    let (token, entry) = made.split_once("\n\n").expect("a token and its entry");
    let hash = entry.split('"').nth(3).expect("a hash").to_owned();
    let tokens = write(folder, "tokens.toml", entry);
    let token_file = write(folder, "token", token);
    let guess_file = write(folder, "guess", GUESS);
    let (out, log) = (folder.join("out"), folder.join("log"));

    let create = |path: &Path| Stdio::from(fs::File::create(path).expect("a log"));
    let server = Command::new(tabiya())
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
            "--no-gpu",
        ])
        .args(["--tls-cert", text(&certificate), "--tls-key", text(&key_file)])
        .args(["--tokens", text(&tokens), "--reload-interval", "20ms"])
        .env("TABIYA_LOG", "trace")
        .stdin(Stdio::null())
        .stdout(create(&out))
        .stderr(create(&log))
        .spawn()
        .expect("the program starts");
    let server = Killed(server);
    let address = until("an address", &out, |text| text.contains("admin on "));
    let address = address
        .lines()
        .find_map(|line| line.strip_prefix("listening on "))
        .expect("an address");
    let port = address.rsplit(':').next().expect("a port");
    let endpoint = format!("https://localhost:{port}");

    let mut outputs = Vec::new();
    let mut ask = |token: &Path, code: i32| {
        let args = [
            "legal",
            "startpos",
            "--endpoint",
            &endpoint,
            "--tls-ca",
            text(&certificate),
        ];
        let run = run(args.iter().chain(&["--token-file", text(token)])).expect_code(code);
        outputs.push(run.stdout + &run.stderr);
    };
    ask(&token_file, 0);
    ask(&guess_file, 2);
    ask(&key_file, 2);
    // Files that go bad while the server runs.
    fs::write(&key_file, key_text.replace('\n', " ")).expect("a file");
    let _ = until("the complaint about the key", &log, |text| {
        text.contains("TLS of the main port")
    });
    fs::write(&tokens, entry.replace("\"\nroles", "\nroles")).expect("a file");
    let _ = until("the complaint about the tokens", &log, |text| {
        text.contains("the token file")
    });
    ask(&token_file, 0);
    let all = [
        "--tls-cert",
        text(&certificate),
        "--tls-key",
        text(&key_file),
        "--tokens",
        text(&tokens),
    ];
    for args in [
        &["config", "show"] as &[&str],
        &["config", "check", "--print"],
        &["serve"],
    ] {
        let run = run(args.iter().chain(&all));
        outputs.push(run.stdout + &run.stderr);
    }
    drop(server);
    outputs.extend([printed(&out), printed(&log)]);

    let key_line = key_text.lines().nth(1).expect("a line of the key");
    for output in &outputs {
        for secret in [
            &token[4..],
            &GUESS[4..],
            key_line,
            &key_line[..16],
            &hash,
            &hash[..16],
        ] {
            assert!(!output.contains(secret), "{secret} in\n{output}");
        }
    }
    assert!(
        outputs.iter().any(|output| output.contains("e2e4")),
        "something was asked"
    );
}

#[test]
fn the_brokers_password_is_in_no_output() {
    const PASSWORD: &str = "s3cret-of-the-broker";
    let users = format!("authorization {{ users = [ {{ user: jobs, password: \"{PASSWORD}\" }} ] }}");
    let Some(broker) = Broker::with_settings(&users, "a broker's password in output") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let right = format!("nats://jobs:{PASSWORD}@{}", broker.address());
    let wrong = format!("nats://jobs:{GUESS}@{}", broker.address());
    let mut outputs = Vec::new();
    let mut started = |name: &str, args: &[&str], by_flag: bool, sign: &str| {
        let log = folder.path().join(name);
        let file = fs::File::create(&log).expect("a log");
        let mut command = Command::new(tabiya());
        command.args(args).env("TABIYA_LOG", "trace").stdin(Stdio::null());
        if by_flag {
            command.args(["--nats", &right]);
        } else {
            command.env("TABIYA_NATS", &right);
        }
        let child = command
            .stdout(file.try_clone().expect("a log"))
            .stderr(file)
            .spawn()
            .expect("the program starts");
        let child = Killed(child);
        until(sign, &log, |text| text.contains(sign));
        drop(child);
        outputs.push(printed(&log));
    };
    let ports = [
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "127.0.0.1:0",
        "--no-gpu",
    ];
    let serve: Vec<_> = ["serve"].iter().chain(&ports).copied().collect();
    started("serve", &serve, true, "admin on ");
    started("worker", &["worker"], false, "working at jobs");
    for args in [
        &["config", "show", "--nats", &right] as &[&str],
        &["config", "check", "--print", "--nats", &right],
        &["config", "check", "--nats", &format!("{right}:not-a-port")],
        &["worker", "--nats", &wrong],
        &["serve", "--nats", &wrong, "--jobs-dir", "/nowhere"],
    ] {
        let run = run(args);
        outputs.push(run.stdout + &run.stderr);
    }
    for output in &outputs {
        assert!(!output.contains(PASSWORD), "{output}");
        assert!(!output.contains(&GUESS[4..]), "{output}");
    }
    assert!(outputs.iter().any(|output| output.contains(&broker.address())));
}
