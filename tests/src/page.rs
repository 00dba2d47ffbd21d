//! Pages of the admin port.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// What the admin port answers to `GET path`, head and body as they come.
///
/// # Panics
/// If nobody listens there, or nothing is answered.
pub fn page(admin: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(admin).expect("a connection");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}
