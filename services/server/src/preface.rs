use std::{
    io::{Error, ErrorKind},
    time::Duration,
};

use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt},
    net::TcpStream,
};

/// What every HTTP/2 connection begins with.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Pause before a part of the preface is looked at again. The socket counts as readable while bytes lie there.
const PAUSE: Duration = Duration::from_millis(20);

/// What a peer speaks, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    /// HTTP/2 without an upgrade, as gRPC does.
    Http2,
    /// Something else; HTTP/1 if anything.
    Other,
}

/// Completes once the peer has sent enough to tell what it speaks. The bytes stay where they are.
///
/// # Errors
/// If the peer is gone.
pub(crate) async fn protocol(stream: &TcpStream) -> Result<Protocol, Error> {
    let mut head = [0; PREFACE.len()];
    loop {
        let read = stream.peek(&mut head).await?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if head[..read] != PREFACE[..read] {
            return Ok(Protocol::Other);
        }
        if read == PREFACE.len() {
            return Ok(Protocol::Http2);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The same for a peer behind encryption, by what it sent first.
///
/// # Errors
/// If the peer is gone.
pub(crate) async fn encrypted_protocol(stream: &mut (impl AsyncBufRead + Unpin)) -> Result<Protocol, Error> {
    let head = stream.fill_buf().await?;
    if head.is_empty() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    // A part of the preface is taken for the whole: what follows decides, and a peer that sends no more is idle.
    let read = head.len().min(PREFACE.len());
    Ok(if head[..read] == PREFACE[..read] {
        Protocol::Http2
    } else {
        Protocol::Other
    })
}
