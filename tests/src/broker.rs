//! A private NATS server for a test: its own port, its own folder, killed and frozen at will.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{missing, signal};

/// How long it may take to begin, or to answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// `nats-server` with JetStream on a free port of the loopback. It is killed when dropped.
#[derive(Debug)]
pub struct Broker {
    child: Child,
    folder: TempDir,
    port: u16,
    /// Further lines of its configuration.
    settings: String,
}

impl Broker {
    /// Starts a broker that lets everybody in; else says what is skipped.
    ///
    /// # Panics
    /// If it does not start, or is missing although `TABIYA_REQUIRE_NATS` is `1`.
    pub fn start(skipped: &str) -> Option<Self> {
        Self::with_settings("", skipped)
    }

    /// Starts a broker with further lines of configuration.
    ///
    /// # Panics
    /// As [`Broker::start`].
    pub fn with_settings(settings: &str, skipped: &str) -> Option<Self> {
        if Command::new("nats-server").arg("--version").output().is_err() {
            missing("nats-server", "TABIYA_REQUIRE_NATS", skipped);
            return None;
        }
        let folder = TempDir::new().expect("a folder");
        // -1: the server picks a free port and writes it down, so that no other program can take it first.
        let child = spawn(folder.path(), -1, settings);
        let mut broker = Self {
            child,
            folder,
            port: 0,
            settings: settings.to_owned(),
        };
        broker.port = broker.written_port();
        broker.wait_until_it_listens();
        Some(broker)
    }

    /// Where it listens, as a URL without credentials.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address())
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Ends it as a power cut of the process would: SIGKILL. What it stored stays.
    ///
    /// # Panics
    /// If it has ended before.
    pub fn kill(&mut self) {
        self.child.kill().expect("a broker to kill");
        self.child.wait().expect("it ends");
    }

    /// Starts it again on the same port and the same folder.
    ///
    /// # Panics
    /// If it does not start.
    pub fn restart(&mut self) {
        self.child = spawn(self.folder.path(), self.port.into(), &self.settings);
        self.wait_until_it_listens();
    }

    /// Freezes it (SIGSTOP): its connections stay open and silent.
    pub fn freeze(&self) {
        signal(&self.child, "STOP");
    }

    /// Lets a frozen one go on (SIGCONT).
    pub fn thaw(&self) {
        signal(&self.child, "CONT");
    }

    /// Messages in a stream, as the server counts them.
    ///
    /// # Panics
    /// If it does not say.
    pub fn messages(&self, stream: &str) -> u64 {
        let answer = self.ask(&format!("$JS.API.STREAM.INFO.{stream}"));
        let count = answer["state"]["messages"].as_u64();
        count.unwrap_or_else(|| panic!("no count of messages: {answer}"))
    }

    /// Throws everything in a stream away, as a death of the broker does with what was not on its disk yet.
    ///
    /// # Panics
    /// If the server does not say that it has.
    pub fn purge(&self, stream: &str) {
        let answer = self.ask(&format!("$JS.API.STREAM.PURGE.{stream}"));
        assert_eq!(answer["success"], true, "{answer}");
    }

    /// Asks by hand: the protocol is lines of text, and a test needs no client for one question.
    fn ask(&self, subject: &str) -> serde_json::Value {
        let mut stream = TcpStream::connect(self.address()).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        write!(
            stream,
            "CONNECT {{\"verbose\":false}}\r\nSUB answer 1\r\nPUB {subject} answer 0\r\n\r\n"
        )
        .expect("it listens");
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        while !line.starts_with("MSG ") {
            line.clear();
            assert_ne!(
                lines.read_line(&mut line).expect("an answer in time"),
                0,
                "no answer"
            );
        }
        let length = line.trim_end().rsplit_once(' ').expect("a length").1;
        let mut answer = vec![0; length.parse().expect("a number")];
        lines.read_exact(&mut answer).expect("all of it");
        serde_json::from_slice(&answer).expect("an object")
    }

    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The port from the file that the server writes once it knows it.
    fn written_port(&mut self) -> u16 {
        self.wait_for("its port", |broker| {
            let file = broker
                .folder
                .path()
                .join(format!("nats-server_{}.ports", broker.child.id()));
            let text = fs::read_to_string(file).ok()?;
            let ports: serde_json::Value = serde_json::from_str(&text).ok()?;
            ports["nats"][0].as_str()?.rsplit_once(':')?.1.parse().ok()
        })
    }

    fn wait_until_it_listens(&mut self) {
        self.wait_for("a connection", |broker| TcpStream::connect(broker.address()).ok());
    }

    fn wait_for<T>(&mut self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            let ended = self.child.try_wait().expect("a child of ours");
            assert!(
                ended.is_none() && begun.elapsed() < PATIENCE,
                "nats-server gave no {what}: {ended:?}\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(folder: &Path, port: i32, settings: &str) -> Child {
    let quoted = |path: &Path| format!("{:?}", path.display().to_string());
    let configuration = format!(
        "host: 127.0.0.1\nport: {port}\nports_file_dir: {}\nlog_file: {}\njetstream {{ store_dir: {} }}\n{settings}\n",
        quoted(folder),
        quoted(&folder.join("log")),
        quoted(&folder.join("store")),
    );
    let file = folder.join("nats.conf");
    fs::write(&file, configuration).expect("a configuration");
    Command::new("nats-server")
        .arg("-c")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nats-server starts")
}
