//! The client of a store that another process serves.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use store::Error;

use super::connection::Connection;
use super::{Answer, Call, Kind, Malformed};

/// A store that another process serves, over a connection.
///
/// Calls of several threads wait for each other. Once the connection has failed, every call fails:
/// it is unknown then whether the server executed the last calls, but everything that it
/// acknowledged is kept.
pub struct Remote<S> {
    /// The server's name in errors.
    server: PathBuf,
    line: Mutex<Line<S>>,
    /// Whether something was changed that the server did not report as durable.
    is_unsynced: AtomicBool,
}

/// The connection, or the reason of its end.
enum Line<S> {
    Open(Connection<S>),
    Over(String),
}

impl<S> fmt::Debug for Remote<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("server", &self.server).finish_non_exhaustive()
    }
}

impl<S: Read + Write + Send> Remote<S> {
    /// A store behind a connection. `server` names the server in errors, for example by the path of
    /// its socket.
    pub fn over(stream: S, server: impl Into<PathBuf>) -> Self {
        let line = Mutex::new(Line::Open(Connection::over(stream)));
        Self { server: server.into(), line, is_unsynced: AtomicBool::new(false) }
    }

    /// Whether a call can be made: the connection has not failed, and `is_usable` returns true for
    /// it. `is_usable` is called only if no call is in progress.
    pub fn can_call(&self, is_usable: impl FnOnce(&S) -> bool) -> bool {
        match self.line.try_lock() {
            Ok(line) => match &*line {
                Line::Open(connection) => is_usable(connection.stream()),
                Line::Over(_) => false,
            },
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Poisoned(_)) => false,
        }
    }

    /// Sends a call, waits for the answer and converts it with `read`.
    ///
    /// # Errors
    ///
    /// The server answered with an error, or does not answer any more.
    pub(super) fn call<T>(
        &self,
        call: &Call<'_>,
        read: impl FnOnce(Answer<'_>) -> Option<T>,
    ) -> Result<T, Error> {
        self.call_telling(call, &mut |_, _| {}, read)
    }

    /// The same; `progress` gets the progress of a long call.
    pub(super) fn call_telling<T>(
        &self,
        call: &Call<'_>,
        progress: &mut dyn FnMut(u64, u64),
        read: impl FnOnce(Answer<'_>) -> Option<T>,
    ) -> Result<T, Error> {
        let encoded = self.encoded(call)?;
        let mut line = self.line();
        let told = self.on(&mut line, |connection| {
            connection.send(&[encoded])?;
            connection.receive(progress)
        })?;
        if call.kind().changes() && !told.is_durable {
            self.note_unsynced();
        }
        self.read(&mut line, &told.bytes, read)
    }

    pub(super) fn note_unsynced(&self) {
        self.is_unsynced.store(true, Ordering::Relaxed);
    }

    /// Returns whether something was changed that may not be on disk, and resets that.
    pub(super) fn take_unsynced(&self) -> bool {
        self.is_unsynced.swap(false, Ordering::Relaxed)
    }

    /// Encodes a call.
    fn encoded(&self, call: &Call<'_>) -> Result<(Kind, Vec<u8>), Error> {
        let (kind, bytes) = (call.kind(), call.encode());
        match bytes.len() {
            size if size <= kind.size_bytes_max() => Ok((kind, bytes)),
            size => {
                let limit = kind.size_bytes_max();
                let what = format!("expected at most {limit} bytes at once, found {size}");
                Err(Error::Unread { name: self.server.clone(), what })
            }
        }
    }

    /// Converts an answer.
    fn read<T>(
        &self,
        line: &mut Line<S>,
        bytes: &[u8],
        read: impl FnOnce(Answer<'_>) -> Option<T>,
    ) -> Result<T, Error> {
        let other = || Malformed::new("an answer", "it is that to another call");
        let answer = match Answer::decode(bytes) {
            Ok(Answer::Failed(fault)) => return Err(fault.into()),
            Ok(answer) => read(answer).ok_or_else(other),
            Err(malformed) => Err(malformed),
        };
        answer.map_err(|malformed| self.end(line, malformed.to_string()))
    }

    fn line(&self) -> MutexGuard<'_, Line<S>> {
        // A panic during a call leaves an answer that no caller would read, so the connection ends.
        self.line.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut line = poisoned.into_inner();
            *line = Line::Over("a call was given up".into());
            line
        })
    }

    fn on<T>(
        &self,
        line: &mut Line<S>,
        work: impl FnOnce(&mut Connection<S>) -> io::Result<T>,
    ) -> Result<T, Error> {
        let failed = match line {
            Line::Over(why) => why.clone(),
            Line::Open(connection) => match work(connection) {
                Ok(done) => return Ok(done),
                Err(error) => words(&error),
            },
        };
        Err(self.end(line, failed))
    }

    /// Ends the connection: later bytes could not be assigned to calls.
    fn end(&self, line: &mut Line<S>, why: String) -> Error {
        *line = Line::Over(why.clone());
        Error::Gone { server: self.server.clone(), why }
    }

    /// The server's name in errors.
    #[must_use]
    pub fn server(&self) -> &Path {
        &self.server
    }
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset => "it went away before it answered".into(),
        _ => disk::system_words(error),
    }
}
