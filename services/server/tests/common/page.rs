//! A page of metrics, fetched and read.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The answer of an HTTP/1 server: the status, the headers, the body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// Sends a request and reads the answer to its end.
pub fn http(addr: SocketAddr, request: &str) -> Answer {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer {
        status,
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

pub fn get(addr: SocketAddr, path: &str, accept: &str) -> Answer {
    http(
        addr,
        &format!("GET {path} HTTP/1.1\r\nhost: test\r\naccept: {accept}\r\nconnection: close\r\n\r\n"),
    )
}

/// A page of metrics.
#[derive(Debug, Default)]
pub struct Page {
    /// By the name that the page gives: kind and help.
    pub kinds: BTreeMap<String, String>,
    pub helps: BTreeMap<String, String>,
    pub samples: Vec<Sample>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub name: String,
    pub labels: Vec<(String, String)>,
    pub value: f64,
}

impl Page {
    /// The page as it is now, in Prometheus's text.
    pub async fn fetch(addr: SocketAddr) -> Self {
        let answer = tokio::task::spawn_blocking(move || get(addr, "/metrics", "*/*"))
            .await
            .unwrap();
        assert_eq!(answer.status, 200);
        Self::read(&answer.body)
    }

    pub fn read(text: &str) -> Self {
        let mut page = Self::default();
        for line in text.lines() {
            if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
                assert!(page.helps.insert(name.into(), help.into()).is_none(), "{line}");
            } else if let Some((name, kind)) =
                line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
            {
                assert!(page.kinds.insert(name.into(), kind.into()).is_none(), "{line}");
            } else if line != "# EOF" {
                page.samples
                    .push(sample(line).unwrap_or_else(|| panic!("not a sample: {line}")));
            }
        }
        page
    }

    /// Waits until the sum of these samples is at least so much: until something has begun, by the server's own account.
    pub async fn until(addr: SocketAddr, name: &str, labels: &[(&str, &str)], least: f64) {
        Self::until_sum(addr, name, labels, |sum| sum >= least).await;
    }

    /// Waits until the sum of these samples is this.
    pub async fn until_sum(
        addr: SocketAddr,
        name: &str,
        labels: &[(&str, &str)],
        fits: impl Fn(f64) -> bool,
    ) {
        let begun = Instant::now();
        loop {
            let sum = Self::fetch(addr).await.sum(name, labels);
            if fits(sum) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{name} {labels:?} stays {sum}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The sum of the samples of a name that have all of these labels.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let fits = |sample: &&Sample| {
            sample.name == name
                && labels
                    .iter()
                    .all(|&(key, value)| sample.labels.iter().any(|(k, v)| k == key && v == value))
        };
        self.samples.iter().filter(fits).map(|sample| sample.value).sum()
    }
}

/// `name{key="value",…} number`, with nothing left over.
fn sample(line: &str) -> Option<Sample> {
    let (series, value) = line.rsplit_once(' ')?;
    let value = match value {
        "+Inf" => f64::INFINITY,
        number => number.parse().ok()?,
    };
    let (name, labels) = match series.split_once('{') {
        Some((name, rest)) => (name, read_labels(rest.strip_suffix('}')?)?),
        None => (series, vec![]),
    };
    let is_name = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    (is_name(name) && labels.iter().all(|(key, _)| is_name(key))).then(|| Sample {
        name: name.into(),
        labels,
        value,
    })
}

fn read_labels(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut labels = vec![];
    while !text.is_empty() {
        let (key, rest) = text.split_once("=\"")?;
        let mut value = String::new();
        let mut chars = rest.char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at,
                (_, '\\') => value.push(match chars.next()?.1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, other) => value.push(other),
            }
        };
        labels.push((key.to_owned(), value));
        text = &rest[end + 1..];
        text = text.strip_prefix(',').unwrap_or(text);
    }
    Some(labels)
}
