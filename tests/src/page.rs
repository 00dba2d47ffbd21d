//! Pages of the admin port, over HTTP/1.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// The answer for a page, such as `/readyz`: its status and its text.
///
/// # Panics
/// If there is none.
pub fn get(address: &str, page: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(
        stream,
        "GET {page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), text.to_owned())
}

/// The value of a series, as `name` or `name{label="value"}`, among the metrics; `None` if it is not there.
///
/// # Panics
/// If there are no metrics.
pub fn sample(address: &str, series: &str) -> Option<f64> {
    let (status, page) = get(address, "/metrics");
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("tabiya_build_info{"), "{page}");
    let mut lines = page.lines();
    lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}
