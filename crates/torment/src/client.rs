//! A connection to the daemon.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long a daemon may take to listen, to answer, and to end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The reply of the daemon.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The status line, and the lines that it announced.
    Done { status: String, lines: Vec<String> },
    /// An error line.
    Refused(String),
}

/// A connection. Requests return `None` once the daemon is gone.
pub(crate) struct Client(BufReader<UnixStream>);

impl Client {
    pub(crate) fn connect(socket: &Path) -> Option<Self> {
        let stream = UnixStream::connect(socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        Some(Self(BufReader::new(stream)))
    }

    /// Sends lines and reads one reply.
    pub(crate) fn ask(&mut self, lines: &str) -> Option<Answer> {
        self.0.get_mut().write_all(lines.as_bytes()).ok()?;
        let status = self.line()?;
        let count: i64 = status.split(' ').next()?.parse().ok()?;
        if count < 0 {
            return Some(Answer::Refused(status));
        }
        let lines = (0..count).map(|_| self.line()).collect::<Option<_>>()?;
        Some(Answer::Done { status, lines })
    }

    /// A database as XML, without the newline of its last line, or the error line.
    pub(crate) fn dump(mut self, name: &str) -> Option<String> {
        self.0.get_mut().write_all(format!("DUMP {name}\n").as_bytes()).ok()?;
        let mut text = self.line()?;
        if text.starts_with('-') {
            return Some(text);
        }
        // The document has no line count; the daemon closes the connection after it.
        text.push('\n');
        self.0.read_to_string(&mut text).ok()?;
        Some(text.trim_end_matches('\n').to_owned())
    }

    /// A line; `None` if it was cut short.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok()?;
        line.strip_suffix('\n').map(str::to_owned)
    }
}
