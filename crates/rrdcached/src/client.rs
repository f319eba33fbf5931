//! A connection to a daemon, and what one can ask it.

use std::io::{self, BufReader, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use rrd::Series;
use rrd::spec::Units;
use rustix::io::Errno;

use crate::dial::Socket;
use crate::security::token;
use crate::{
    Address, Error, Fact, Line, Reply, ReplyError, Statistics, Status, fetched, remote_path,
};

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// A connection to a daemon. One that broke is made again at the next request.
#[derive(Debug)]
pub struct Client {
    /// As it was written: errors quote it.
    written_address: String,
    address: Address,
    socket: Option<BufReader<Socket>>,
    /// The daemon does not answer FETCHBIN (a list of permitted commands without it, or 1.4).
    fetches_text: bool,
}

/// What CREATE is told. Fields that are `None` are left to the daemon.
#[derive(Clone, Copy, Debug, Default)]
pub struct Creation<'a> {
    /// The time between primary data points. Ticks below a second only gyre's daemon takes.
    pub units: Option<Units>,
    /// Samples must be later, in seconds since 1970.
    pub start_seconds: Option<i64>,
    /// An existing file is an error.
    pub no_overwrite: bool,
    /// Files whose rows fill the new one.
    pub sources: &'a [&'a str],
    /// A file whose definition is taken.
    pub template: Option<&'a str>,
    /// `DS:…` and `RRA:…`.
    pub definition: &'a [&'a str],
}

impl Client {
    /// Connects to a daemon.
    ///
    /// # Errors
    /// Those that [`Error::is_unconnected`] tells apart.
    pub fn connect(written_address: &str) -> Result<Self, Error> {
        let address = Address::parse(written_address)?;
        let socket = Some(open(&address, written_address)?);
        Ok(Self { written_address: written_address.into(), address, socket, fetches_text: false })
    }

    /// The address as it was given to [`connect`](Self::connect).
    #[must_use]
    pub fn address(&self) -> &str {
        &self.written_address
    }

    /// Whether the daemon sees our files under our names: its socket is one of this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.address.is_local()
    }

    /// UPDATE: hands samples over, in order. `N:` at the start of one is replaced by the time of
    /// day. Where they do not fit into one line they go in several.
    ///
    /// # Errors
    /// Where the daemon refuses one; those before it are taken, those after it are not.
    pub fn update(&mut self, path: &str, samples: &[&str]) -> Result<(), Error> {
        let start = Line::new("update").with(&self.path(path)?)?;
        let mut line = start.clone();
        for sample in samples {
            let sample = with_time(sample);
            if let Err(full) = line.push(&sample) {
                // A sample that fills a line by itself is sent nowhere.
                let next = start.clone().with(&sample).map_err(|_| full)?;
                if line != start {
                    self.ask_once(std::mem::replace(&mut line, next))?;
                }
            }
        }
        self.ask_once(line).map(drop)
    }

    /// FLUSH: returns once the pending updates of a file are written.
    ///
    /// # Errors
    /// Where there is no such file.
    pub fn flush(&mut self, path: &str) -> Result<(), Error> {
        let line = Line::new("flush").with(&self.path(path)?)?;
        self.ask(line).map(drop)
    }

    /// FLUSHALL: has all pending updates written, without waiting for it.
    ///
    /// # Errors
    /// Where the daemon refuses.
    pub fn flush_all(&mut self) -> Result<(), Error> {
        self.ask(Line::new("flushall")).map(drop)
    }

    /// FORGET: has the pending updates of a file dropped.
    ///
    /// # Errors
    /// Where the daemon has none.
    pub fn forget(&mut self, path: &str) -> Result<(), Error> {
        let line = Line::new("forget").with(&self.path(path)?)?;
        self.ask_once(line).map(drop)
    }

    /// PENDING: the updates of a file that are not written yet.
    ///
    /// # Errors
    /// Where there are none.
    pub fn pending(&mut self, path: &str) -> Result<Vec<String>, Error> {
        let line = Line::new("pending").with(&self.path(path)?)?;
        self.ask(line).map(|reply| reply.lines)
    }

    /// FIRST: when the oldest row of an archive ends, in seconds.
    ///
    /// # Errors
    /// Where the daemon refuses.
    pub fn first(&mut self, path: &str, archive: usize) -> Result<i64, Error> {
        let line = Line::new("first").with(&self.path(path)?)?.with(&archive.to_string())?;
        self.ask_seconds(line)
    }

    /// LAST: what the daemon calls the last update of a file, in seconds. rrdcached 1.7.2 tells
    /// the step's start before it.
    ///
    /// # Errors
    /// Where the daemon refuses.
    pub fn last(&mut self, path: &str) -> Result<i64, Error> {
        let line = Line::new("last").with(&self.path(path)?)?;
        self.ask_seconds(line)
    }

    /// CREATE: makes a file.
    ///
    /// # Errors
    /// Where the daemon refuses.
    pub fn create(&mut self, path: &str, creation: &Creation<'_>) -> Result<(), Error> {
        let mut line = Line::new("create").with(&self.path(path)?)?;
        if let Some(seconds) = creation.start_seconds {
            line = line.with("-b")?.with(&seconds.to_string())?;
        }
        if let Some(Units { tick, step_ticks }) = creation.units {
            if !tick.is_second() {
                // rrdcached refuses the word, and cannot take the step for another.
                line = line.with("-k")?.with(&tick.to_string())?;
            }
            line = line.with("-s")?.with(&tick.told_span(step_ticks).to_string())?;
        }
        if creation.no_overwrite {
            line = line.with("-O")?;
        }
        for source in creation.sources {
            line = line.with("-r")?.with(&self.origin(source)?)?;
        }
        if let Some(template) = creation.template {
            line = line.with("-t")?.with(&self.origin(template)?)?;
        }
        for argument in creation.definition {
            line.push(argument)?;
        }
        self.ask_once(line).map(drop)
    }

    /// INFO: definition and live state, as they are in the file.
    ///
    /// # Errors
    /// Where the daemon refuses, or answers in another form.
    pub fn info(&mut self, path: &str) -> Result<Vec<Fact>, Error> {
        let line = Line::new("info").with(&self.path(path)?)?;
        let reply = self.ask(line)?;
        let facts: Result<Vec<Fact>, ReplyError> =
            reply.lines.iter().map(|line| Fact::parse(line)).collect();
        facts.map_err(|error| self.wrong(error))
    }

    /// LIST: the directories and round robin files in a directory, or with `is_recursive` the
    /// files below it. The path is the daemon's: its root is the daemon's base directory.
    ///
    /// # Errors
    /// Where there is no such directory.
    pub fn list(&mut self, path: &str, is_recursive: bool) -> Result<Vec<String>, Error> {
        let mut line = Line::new("list");
        if is_recursive {
            line = line.with("RECURSIVE")?;
        }
        self.ask(line.with(path)?).map(|reply| reply.lines)
    }

    /// STATS: what the daemon counts.
    ///
    /// # Errors
    /// Where the daemon refuses, or answers in another form.
    pub fn statistics(&mut self) -> Result<Statistics, Error> {
        let reply = self.ask(Line::new("stats"))?;
        let read = Statistics::parse(reply.lines.iter().map(String::as_str));
        read.map_err(|error| self.wrong(error))
    }

    /// PING: whether the daemon answers.
    ///
    /// # Errors
    /// Where it does not.
    pub fn ping(&mut self) -> Result<(), Error> {
        self.ask(Line::new("ping")).map(drop)
    }

    /// FETCHBIN, or FETCH where the daemon does not know or permit it: a stretch of one archive,
    /// after a flush.
    ///
    /// # Errors
    /// Where the daemon refuses, or answers in another form.
    pub fn fetch(
        &mut self,
        path: &str,
        cf: &str,
        start_seconds: i64,
        end_seconds: i64,
    ) -> Result<Series, Error> {
        let path = self.path(path)?;
        let line = |command: &'static str| {
            let line = Line::new(command).with(&path)?.with(cf)?;
            line.with(&start_seconds.to_string())?.with(&end_seconds.to_string())
        };
        if !self.fetches_text {
            match self.request(line("FETCHBIN")?, true, fetched::read_binary) {
                Err(Error::Refused { message, .. }) if is_about_command(&message) => {
                    self.fetches_text = true;
                }
                answered => return answered,
            }
        }
        self.request(line("FETCH")?, true, fetched::read_text)
    }

    /// What a path is called towards this daemon; see [`remote_path()`].
    ///
    /// # Errors
    /// As those of `remote_path`.
    pub fn path(&self, path: &str) -> Result<String, Error> {
        let stripped = std::env::var("RRDCACHED_STRIPPATH").ok();
        remote_path(path, self.is_local(), stripped.as_deref())
    }

    /// What a file that a new one comes from is called: one behind a socket of this machine by its
    /// real path; to others it is told as it is written, which is what rrdtool does.
    fn origin(&self, path: &str) -> Result<String, Error> {
        if self.is_local() { self.path(path) } else { Ok(path.to_owned()) }
    }

    fn ask_seconds(&mut self, line: Line) -> Result<i64, Error> {
        let message = self.ask(line)?.message;
        let seconds = message.parse();
        seconds.map_err(|_| self.wrong(ReplyError::unexpected("seconds", &message)))
    }

    /// A request that may be made twice.
    fn ask(&mut self, line: Line) -> Result<Reply, Error> {
        self.request(line, true, |status, input| Reply::read(status.clone(), input))
    }

    /// A request that must not: the caller learns that its answer is lost.
    fn ask_once(&mut self, line: Line) -> Result<Reply, Error> {
        self.request(line, false, |status, input| Reply::read(status.clone(), input))
    }

    /// Sends a line and reads its reply, over a fresh connection where the old one has ended.
    fn request<T>(
        &mut self,
        line: Line,
        may_repeat: bool,
        read: impl Fn(&Status, &mut BufReader<Socket>) -> Result<T, ReplyError>,
    ) -> Result<T, Error> {
        let bytes = line.into_bytes();
        let mut is_old = self.revive()?;
        loop {
            match self.exchange(&bytes, &read) {
                Err(Error::Lost { action, .. }) if is_old && (may_repeat || action == SENDING) => {
                    self.socket = Some(open(&self.address, &self.written_address)?);
                    is_old = false;
                }
                answered => return answered,
            }
        }
    }

    /// Sees to a connection; true if it is the one of the request before.
    fn revive(&mut self) -> Result<bool, Error> {
        if self
            .socket
            .as_ref()
            .is_some_and(|socket| socket.buffer().is_empty() && socket.get_ref().is_quiet())
        {
            return Ok(true);
        }
        self.socket = None;
        self.socket = Some(open(&self.address, &self.written_address)?);
        Ok(false)
    }

    fn exchange<T>(
        &mut self,
        bytes: &[u8],
        read: impl Fn(&Status, &mut BufReader<Socket>) -> Result<T, ReplyError>,
    ) -> Result<T, Error> {
        // It is put back once the reply was read to its end: what is left of one is no other's.
        let taken = self.socket.take().ok_or(Errno::NOTCONN);
        let mut socket = taken.map_err(|error| self.lost(SENDING, error.into()))?;
        let sent = socket.get_mut().write_all(bytes).and_then(|()| socket.get_mut().flush());
        sent.map_err(|error| self.lost(SENDING, error))?;
        let status = Status::read(&mut socket).map_err(|error| self.wrong(error))?;
        if status.code < 0 {
            self.socket = Some(socket);
            let address = self.written_address.clone();
            return Err(Error::Refused { address, message: status.message });
        }
        let answer = read(&status, &mut socket).map_err(|error| self.wrong(error))?;
        self.socket = Some(socket);
        Ok(answer)
    }

    fn lost(&self, action: &'static str, source: io::Error) -> Error {
        Error::Lost { address: self.written_address.clone(), action, source }
    }

    fn wrong(&self, error: ReplyError) -> Error {
        match error {
            ReplyError::Read(source) => self.lost(READING, source),
            source => Error::Reply { address: self.written_address.clone(), source },
        }
    }
}

/// What is said of a connection that broke. While sending, the daemon has not got the line's end.
const SENDING: &str = "sending the request";
const READING: &str = "reading the reply";

fn open(address: &Address, written_address: &str) -> Result<BufReader<Socket>, Error> {
    let socket = Socket::connect(address)?;
    let mut socket = BufReader::with_capacity(READ_BYTES, socket);
    // At a socket of the file system its mode says who may ask.
    let is_asked = !address.is_local() && socket.get_ref().is_private();
    if let Some(token) = is_asked.then(token).transpose().map_err(Error::Connect)?.flatten() {
        show_token(&mut socket, &token, written_address)?;
    }
    Ok(socket)
}

fn show_token(
    socket: &mut BufReader<Socket>,
    token: &str,
    written_address: &str,
) -> Result<(), Error> {
    let address = || written_address.to_owned();
    let lost = |source| Error::Lost { address: address(), action: SENDING, source };
    let line = format!("AUTH {token}\n");
    socket.get_mut().write_all(line.as_bytes()).map_err(lost)?;
    socket.get_mut().flush().map_err(lost)?;
    let status = Status::read(socket);
    let status = status.map_err(|source| Error::Reply { address: address(), source })?;
    match status.code < 0 {
        true => Err(Error::Refused { address: address(), message: status.message }),
        false => Ok(()),
    }
}

/// Whether a refusal is of the command and not of what it was told.
fn is_about_command(message: &str) -> bool {
    message.starts_with("Unknown command") || message == "Permission denied."
}

/// A sample with the time of day in place of `N`: a daemon takes numbers alone. By its nine decimals
/// gyre's knows it for the reading of a clock, which need not be a whole tick.
fn with_time(sample: &str) -> std::borrow::Cow<'_, str> {
    match sample.strip_prefix("N:") {
        None => sample.into(),
        Some(readings) => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            format!("{}.{:09}:{readings}", since.as_secs(), since.subsec_nanos()).into()
        }
    }
}
