//! The client's end of a connection: sends calls, receives answers.

use std::io::{self, BufRead, BufReader, Read, Write};

use super::{Answer, Kind};

/// The longest line of a server.
const LINE_BYTES_MAX: u64 = 16 << 10;
/// A shorter call is sent in one write with its line.
const SMALL_BYTES: usize = 64 << 10;
/// The most bytes for which room is made before they are there.
const ROOM_BYTES_MAX: usize = 4 << 20;

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Connection<S> {
    stream: BufReader<S>,
}

/// A message of the server.
#[derive(Debug)]
enum Incoming {
    /// An answer that is not the last one to its call.
    Progress(Vec<u8>),
    /// The last answer to a call.
    Answer(Told),
    /// The server did not read the call; the reason.
    Refused(String),
}

/// The answer to a call.
#[derive(Debug)]
pub(super) struct Told {
    /// The encoded answer.
    pub(super) bytes: Vec<u8>,
    /// Whether the changes of the call are on disk.
    pub(super) is_durable: bool,
}

/// The content of a line.
#[derive(Debug)]
enum Announced<'a> {
    /// This many bytes follow.
    Bytes(u64, Follows),
    /// The call was not read; the reason.
    Refusal(&'a str),
}

/// The kind of the bytes after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Progress,
    Answer,
    DurableAnswer,
}

impl<S: Read + Write> Connection<S> {
    pub(super) fn over(stream: S) -> Self {
        Self { stream: BufReader::with_capacity(SMALL_BYTES, stream) }
    }

    pub(super) fn stream(&self) -> &S {
        self.stream.get_ref()
    }

    /// Sends calls.
    pub(super) fn send(&mut self, calls: &[(Kind, Vec<u8>)]) -> io::Result<()> {
        let mut out = Vec::new();
        for (kind, body) in calls {
            writeln!(out, "CALL {} {}", kind.name(), body.len())?;
            if body.len() < SMALL_BYTES {
                out.extend_from_slice(body);
                continue;
            }
            self.stream.get_mut().write_all(&out)?;
            self.stream.get_mut().write_all(body)?;
            out.clear();
        }
        self.stream.get_mut().write_all(&out)?;
        self.stream.get_mut().flush()
    }

    /// Waits for the answer to the first call without one. `progress` gets the progress reports
    /// before it.
    pub(super) fn receive(&mut self, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Told> {
        loop {
            match read(&mut self.stream)? {
                Incoming::Answer(told) => return Ok(told),
                Incoming::Progress(bytes) => {
                    if let Ok(Answer::Progress(done, total)) = Answer::decode(&bytes) {
                        progress(done, total);
                    }
                }
                Incoming::Refused(words) => return Err(io::Error::other(words)),
            }
        }
    }
}

/// Reads the next message.
fn read(stream: &mut impl BufRead) -> io::Result<Incoming> {
    let mut line = Vec::new();
    stream.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    let Some(line) = line.strip_suffix(b"\n") else {
        return Err(match line.len() as u64 {
            LINE_BYTES_MAX => unexpected(&line),
            _ => io::ErrorKind::UnexpectedEof.into(),
        });
    };
    let (size_bytes, follows) = match read_line(line) {
        Some(Announced::Bytes(size_bytes, follows)) => (size_bytes, follows),
        Some(Announced::Refusal(words)) => return Ok(Incoming::Refused(words.into())),
        None => return Err(unexpected(line)),
    };
    // Beyond this the buffer grows as bytes arrive, because the line may promise any number.
    let room_bytes = usize::try_from(size_bytes).unwrap_or(usize::MAX).min(ROOM_BYTES_MAX);
    let mut bytes = Vec::with_capacity(room_bytes);
    stream.take(size_bytes).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        found if found < size_bytes => Err(io::ErrorKind::UnexpectedEof.into()),
        _ if follows == Follows::Progress => Ok(Incoming::Progress(bytes)),
        _ => {
            let is_durable = follows == Follows::DurableAnswer;
            Ok(Incoming::Answer(Told { bytes, is_durable }))
        }
    }
}

/// Parses a line, given without its newline. `None` if it is not valid.
fn read_line(line: &[u8]) -> Option<Announced<'_>> {
    let line = std::str::from_utf8(line).ok()?;
    let (status, rest) = line.split_once(' ')?;
    if status.starts_with('-') {
        return Some(Announced::Refusal(rest));
    }
    let (size_bytes, what) = rest.split_once(' ').filter(|_| status == "0")?;
    let follows = match what {
        "progress" => Follows::Progress,
        "answer" => Follows::Answer,
        "durable" => Follows::DurableAnswer,
        _ => return None,
    };
    size_bytes.parse().ok().map(|size_bytes| Announced::Bytes(size_bytes, follows))
}

fn unexpected(line: &[u8]) -> io::Error {
    let line = String::from_utf8_lossy(&line[..line.len().min(200)]);
    io::Error::other(format!("expected an answer, found {line:?}"))
}
