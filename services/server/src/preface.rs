use std::{
    io::{Error, ErrorKind},
    time::Duration,
};

use tokio::net::TcpStream;

/// Length of the text that every HTTP/2 connection begins with.
const PREFACE_BYTES: usize = 24;

/// Pause before a part of the preface is looked at again. The socket counts as readable while bytes lie there.
const PAUSE: Duration = Duration::from_millis(20);

/// Completes once the peer has sent as much as an HTTP/2 connection begins with. The bytes stay where they are.
///
/// # Errors
/// If the peer is gone.
pub(crate) async fn preface(stream: &TcpStream) -> Result<(), Error> {
    let mut head = [0; PREFACE_BYTES];
    loop {
        match stream.peek(&mut head).await? {
            PREFACE_BYTES => return Ok(()),
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            _ => tokio::time::sleep(PAUSE).await,
        }
    }
}
