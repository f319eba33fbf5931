//! Questions to servers of tests over HTTP.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// Asks in HTTP/1.0, in which no answer comes in pieces.
pub(crate) fn ask(
    address: &str,
    path: &str,
    parameters: &[(&str, &str)],
) -> std::io::Result<HttpReply> {
    let pairs =
        parameters.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    let question = pairs.collect::<Vec<_>>().join("&");
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path}?{question} HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let wrong = || std::io::Error::other(format!("no HTTP: {answer:?}"));
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(wrong)?;
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).ok_or_else(wrong)?;
    Ok(HttpReply { status, body: body.to_owned() })
}

fn encoded(text: &str) -> String {
    let each = text.bytes().map(|byte| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    each.collect()
}
