//! `rrdtool - [DIRECTORY]`: one command a line, one reply each.
//!
//! A reply ends with `OK u:… s:… r:…` (user, system and real seconds since the start); a refusal is
//! one line `ERROR: …`, on standard output. Blanks around a command do not count, the carriage
//! return of a sender from elsewhere included. Replies are written when no further complete line
//! has been read, so that a sender of many lines gets its answers in few writes.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use crate::ahead::{Ahead, Waiting};
use crate::databases::Databases;
use crate::failure::{Failure, Wording};
use crate::perform::{help_on, perform};
use crate::remote;
use crate::session::Session;
use crate::spent::Spent;
use crate::stores::Serve;
use crate::{system_words, words};

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;
/// A line has no more bytes: an update of a million values fits.
const LINE_BYTES_MAX: usize = 64 << 20;
/// Replies beyond this are written even while commands wait.
const GATHERED_BYTES_MAX: usize = 256 * 1024;

pub(crate) fn run(operands: &[&str], serve: Option<Serve>, wording: Wording) -> ExitCode {
    let spent = Spent::new();
    if let Some(directory) = operands.first()
        && let Err((words, error)) = enter(directory)
    {
        crate::complain!("ERROR: {words} {directory} {}", system_words(&error));
        // The exit code is the error's number, as rrdtool's is.
        let number = error.raw_os_error().and_then(|number| u8::try_from(number).ok());
        return number.map_or(ExitCode::FAILURE, ExitCode::from);
    }
    let mut pipe = Pipe::new(spent, serve, wording);
    let served = answer_all(&mut pipe);
    match (served, pipe.session.databases.leave()) {
        (Ok(()), Ok(())) => ExitCode::SUCCESS,
        (_, Err(failure)) => {
            crate::complain!("ERROR: {}", failure.in_words(wording));
            ExitCode::FAILURE
        }
        // The reader of the replies has gone: an error cannot be told.
        (Err(_), Ok(())) => ExitCode::FAILURE,
    }
}

/// Goes to a directory. As Debian's rrdtool, and unlike its manual, root is not locked in there.
fn enter(directory: &str) -> Result<(), (&'static str, std::io::Error)> {
    std::env::set_current_dir(directory).map_err(|error| ("chdir", error))
}

struct Pipe {
    session: Session,
    spent: Spent,
    /// A line without its quotes.
    unquoted: String,
    /// Lines before this one that have no reply yet.
    ahead: Ahead,
}

fn answer_all(pipe: &mut Pipe) -> std::io::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut held = Held::new();
    loop {
        held.make_room();
        let read = match input.read(&mut held.buffer[held.count..]) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            result => result?,
        };
        let mut searched = held.count;
        held.count += read;
        if held.is_too_long {
            if !held.drop_long_line() && read > 0 {
                continue;
            }
            pipe.refuse_long_line();
            searched = 0;
        }
        if read == 0 {
            // A last line without its end counts as one.
            if held.count > 0 {
                pipe.command(held.bytes());
            }
            return pipe.flush();
        }
        let Some(done) = pipe.complete_lines(held.bytes(), searched)? else {
            return Ok(());
        };
        held.take(done);
    }
}

/// Bytes that were read and not answered.
struct Held {
    buffer: Vec<u8>,
    count: usize,
    /// Whether they are the beginning of a line that is refused, and goes as it comes.
    is_too_long: bool,
}

impl Held {
    fn new() -> Self {
        Self { buffer: vec![0; READ_BYTES], count: 0, is_too_long: false }
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.count]
    }

    /// Makes room to read more; a line that does not fit is too long.
    fn make_room(&mut self) {
        if self.count < self.buffer.len() {
            return;
        }
        if self.count < LINE_BYTES_MAX {
            self.buffer.resize(self.count * 2, 0); // a line that does not fit
        } else {
            (self.count, self.is_too_long) = (0, true);
        }
    }

    /// Drops what there is of a line that is too long; true once its end came.
    fn drop_long_line(&mut self) -> bool {
        match self.bytes().iter().position(|byte| *byte == b'\n') {
            None => {
                self.count = 0;
                false
            }
            Some(end) => {
                self.take(end + 1);
                self.is_too_long = false;
                true
            }
        }
    }

    /// The first so many bytes are answered.
    fn take(&mut self, done: usize) {
        self.buffer.copy_within(done..self.count, 0);
        self.count -= done;
    }
}

impl Pipe {
    fn new(spent: Spent, serve: Option<Serve>, wording: Wording) -> Self {
        let databases = Databases::of_long_process(serve);
        let session = Session::to_standard_output(databases, wording);
        Self { session, spent, unquoted: String::new(), ahead: Ahead::default() }
    }

    /// Answers every complete line and writes the replies; returns the bytes taken, or `None` at
    /// the end. The first `searched` bytes are known to hold no line's end.
    fn complete_lines(
        &mut self,
        bytes: &[u8],
        mut searched: usize,
    ) -> std::io::Result<Option<usize>> {
        let mut done = 0;
        while let Some(length) = bytes[searched..].iter().position(|byte| *byte == b'\n') {
            let end = searched + length;
            let goes_on = self.command(&bytes[done..end]);
            done = end + 1;
            searched = done;
            if !goes_on {
                return self.flush().map(|()| None);
            }
            if self.session.out.len() > GATHERED_BYTES_MAX {
                self.flush()?;
            }
        }
        self.flush().map(|()| Some(done))
    }

    fn refuse_long_line(&mut self) {
        self.settle();
        // A Vec takes everything.
        let _ = writeln!(self.session.out, "ERROR: a line of more than {LINE_BYTES_MAX} bytes");
    }

    /// Answers one line, now or with those that follow; false at the end.
    fn command(&mut self, line: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line.trim_ascii());
        let is_text = matches!(line, Cow::Borrowed(_));
        let mut unquoted = std::mem::take(&mut self.unquoted);
        let words = words::split(&line, &mut unquoted);
        let goes_on = match words.as_deref() {
            // As on the command line, only what a graph says may be no text.
            Some(words) if !is_text && words.first() != Some(&"graph") => {
                self.settle();
                self.reply(Err(Failure::misuse(format!("expected UTF-8, found '{line}'"))));
                true
            }
            words => self.perform(words),
        };
        self.unquoted = unquoted;
        goes_on
    }

    /// Answers the words of one line, or tells that they are none; false at the end.
    fn perform(&mut self, words: Option<&[&str]>) -> bool {
        if let Some(["update", words @ ..]) = words
            && let Some(update) = Waiting::read(&mut self.session, words)
        {
            if !self.ahead.has_room_for(&update) {
                self.settle();
            }
            self.ahead.push(update);
            return true;
        }
        self.settle();
        let session = &mut self.session;
        let outcome = match words {
            None => Err("creating arguments".into()),
            Some(["quit"]) => return false,
            Some(["quit", ..]) => Err("invalid parameter count for quit".into()),
            // A name that leads nowhere is worth help as long as it stands alone.
            Some([]) => {
                help_on(session, &[], true);
                Ok(())
            }
            Some(words) => remote::answer(&mut session.out, words)
                .unwrap_or_else(|| perform(session, words, true)),
        };
        self.reply(outcome);
        true
    }

    /// Replies to the lines that have no reply yet.
    fn settle(&mut self) {
        for outcome in self.ahead.settle() {
            self.reply(outcome);
        }
    }

    fn reply(&mut self, outcome: Result<(), Failure>) {
        let Session { out, wording, .. } = &mut self.session;
        match outcome {
            Ok(()) => self.spent.append_ok(out),
            Err(failure) => {
                let _ = writeln!(out, "ERROR: {}", failure.in_words(*wording)); // a Vec takes everything
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.settle();
        if self.session.out.is_empty() {
            return Ok(());
        }
        // No reply says OK before what it tells of is on disk.
        self.session.databases.sync().map_err(std::io::Error::other)?;
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&self.session.out)?;
        stdout.flush()?;
        self.session.out.clear();
        Ok(())
    }
}
