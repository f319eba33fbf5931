//! One question over HTTP.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rrdtool::system_words;

/// How long to wait for a connection, and for each part of the answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most bytes of an answer; enough for a million devices.
const BYTES_MAX: u64 = 1 << 30;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    #[error(
        "{address}: {}: is `gyre run` there, and its web pages? (--listen of `gyre run`)",
        system_words(cause)
    )]
    Connection { address: SocketAddr, cause: std::io::Error },
    #[error("{address}: expected an answer of HTTP, found {found:?}")]
    NotHttp { address: SocketAddr, found: String },
    #[error("{address}: it answers: {status}")]
    Refused { address: SocketAddr, status: String },
}

/// The body of an answer.
pub(super) fn get(address: SocketAddr, path: &str) -> Result<Vec<u8>, AskError> {
    let answer = ask(address, path).map_err(|cause| AskError::Connection { address, cause })?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let head = String::from_utf8_lossy(&answer[..end.unwrap_or(answer.len().min(80))]);
    let line = head.lines().next().unwrap_or_default().to_owned();
    let (Some(end), true) = (end, line.starts_with("HTTP/1.")) else {
        return Err(AskError::NotHttp { address, found: line });
    };
    match line.split_once(' ').map(|(_, status)| status) {
        Some(status) if status.starts_with("200") => Ok(answer[end + 4..].to_vec()),
        status => Err(AskError::Refused { address, status: status.unwrap_or_default().to_owned() }),
    }
}

fn ask(address: SocketAddr, path: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // HTTP/1.0: the answer ends with the connection, and is not cut into chunks.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept: application/json\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(BYTES_MAX).read_to_end(&mut answer)?;
    Ok(answer)
}
