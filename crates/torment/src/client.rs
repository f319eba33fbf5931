//! A connection to the daemon.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long a daemon may take to listen, to answer, and to end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What was answered, unless the daemon is gone.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The status line and the lines that it announced.
    Done { status: String, lines: Vec<String> },
    /// The line of an error.
    Refused(String),
}

/// One connection. What it asks gives `None` once the daemon is gone.
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

    /// What a database holds as XML, without its last line's end, or the line of the error.
    pub(crate) fn dump(mut self, name: &str) -> Option<String> {
        self.0.get_mut().write_all(format!("DUMP {name}\n").as_bytes()).ok()?;
        let mut text = self.line()?;
        if text.starts_with('-') {
            return Some(text);
        }
        // The document has no count of lines; behind it the daemon hangs up.
        text.push('\n');
        self.0.read_to_string(&mut text).ok()?;
        Some(text.trim_end_matches('\n').to_owned())
    }

    /// A line; one that was cut short is none.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok()?;
        line.strip_suffix('\n').map(str::to_owned)
    }
}
