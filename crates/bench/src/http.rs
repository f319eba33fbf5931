//! A connection by HTTP that stays open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

/// How the end of a body is told.
enum Length {
    Bytes(usize),
    Chunks,
}

impl Connection {
    pub(crate) fn to(address: SocketAddr) -> Result<Self, String> {
        let stream = TcpStream::connect(address).map_err(|error| format!("{address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| format!("{address}: {error}"))?;
        Ok(Self { address, stream: BufReader::with_capacity(1 << 16, stream) })
    }

    /// The body of an answer.
    pub(crate) fn get(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let told = |error: std::io::Error| format!("{path}: {error}");
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.stream.get_mut().write_all(head.as_bytes()).map_err(told)?;
        let (status, length) = self.head().map_err(told)?;
        let body = self.body(length).map_err(told)?;
        if !status.contains(" 200 ") {
            let said = String::from_utf8_lossy(&body);
            return Err(format!("{path}: {}: {said}", status.trim_end()));
        }
        Ok(body)
    }

    /// Posts a body; `head` is the first line and further headers.
    pub(crate) fn post(&mut self, head: &str, body: &[u8]) -> Result<(), String> {
        let told = |error: std::io::Error| format!("{head}: {error}");
        let length = body.len();
        let head = format!("{head}Host: {}\r\nContent-Length: {length}\r\n\r\n", self.address);
        self.stream.get_mut().write_all(head.as_bytes()).map_err(told)?;
        self.stream.get_mut().write_all(body).map_err(told)?;
        let (status, length) = self.head().map_err(told)?;
        match status.contains(" 204 ") {
            true => Ok(()),
            false => {
                let said = self.body(length).map_err(told)?;
                Err(format!("{}: {}", status.trim_end(), String::from_utf8_lossy(&said)))
            }
        }
    }

    fn head(&mut self) -> std::io::Result<(String, Length)> {
        let (mut status, mut length) = (String::new(), Length::Bytes(0));
        self.stream.read_line(&mut status)?;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(':').map(|(name, value)| (name, value.trim())) {
                None => return Ok((status, length)),
                Some(("content-length", count)) => {
                    length = Length::Bytes(count.parse().map_err(std::io::Error::other)?);
                }
                Some(("transfer-encoding", "chunked")) => length = Length::Chunks,
                Some(_) => (),
            }
        }
    }

    fn body(&mut self, length: Length) -> std::io::Result<Vec<u8>> {
        let mut body = Vec::new();
        match length {
            Length::Bytes(count) => self.append(&mut body, count)?,
            Length::Chunks => loop {
                let line = self.line()?;
                let count = usize::from_str_radix(&line, 16).map_err(std::io::Error::other)?;
                self.append(&mut body, count)?;
                self.line()?;
                if count == 0 {
                    break;
                }
            },
        }
        Ok(body)
    }

    fn append(&mut self, body: &mut Vec<u8>, count: usize) -> std::io::Result<()> {
        let begin = body.len();
        body.resize(begin + count, 0);
        self.stream.read_exact(&mut body[begin..])
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

/// A text as a parameter has it.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => out.push(byte.into()),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
