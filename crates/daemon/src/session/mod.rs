//! A connection's lines, one after the other: requests to calls of the store, what those give to
//! replies.

mod permissions;
mod gathered;
mod batch;
mod words;
mod ask;
mod fetch;
mod create;
mod whole;
mod call;
mod list;
mod stats;

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering;

use rrdcached::server::{Answer, Command, Request, Spoken, Words, answer, split_line};

use store::Update;

use crate::connection::Output;
use crate::limits::{REPLY_BYTES, Share, TOGETHER_MAX};
use crate::service::Service;
use crate::shelf::Failure;
use batch::Batch;
pub(crate) use call::Called;
use gathered::{Entry, Gathered, Order};
pub use permissions::{NoCommand, Permissions};

/// What a client is told whose reply would be one too many.
const TOO_MANY_LARGE: &[u8] = b"too many large replies at once, ask again";

/// Why a connection ends.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It was asked to, or its reply says so.
    Quit,
    /// The client is gone, or does not read.
    Lost(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

/// What a connection has said so far.
pub(crate) struct Session<'s> {
    service: &'s Service,
    permissions: &'s Permissions,
    batch: Option<Batch<'s>>,
    /// The definitions that were read last, for databases that are made one after the other.
    last_definitions: VecDeque<create::LastDefinition>,
    /// A call whose bytes come next.
    called: Option<Called>,
}

/// What became of bytes that came.
pub(crate) struct Took {
    /// How many were taken.
    pub(crate) size_bytes: usize,
    /// A call whose bytes come next, and not all of them have.
    pub(crate) called: Option<Called>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(service: &'s Service, permissions: &'s Permissions) -> Self {
        Self { service, permissions, batch: None, last_definitions: VecDeque::new(), called: None }
    }

    /// Takes the whole lines among bytes that came together, and calls with what belongs to them.
    /// Updates and creates among the lines are taken together; whatever depends on their order
    /// waits for them.
    ///
    /// # Errors
    /// [`Stop`].
    pub(crate) fn take(&mut self, bytes: &mut [u8], out: &mut Output<'_>) -> Result<Took, Stop> {
        self.service.paths.grow_old();
        let mut gathered = Gathered::default();
        let came_bytes = bytes.len();
        let mut rest = bytes;
        let (mut left_bytes, mut called) = (came_bytes, None);
        while let Some((line, tail)) = split_line(rest) {
            rest = tail;
            left_bytes = rest.len();
            if self.service.is_ending.load(Ordering::Relaxed) {
                break;
            }
            if let Some(batch) = &mut self.batch {
                batch.line += 1;
            }
            self.line(line, &mut gathered, out)?;
            if let Some(call) = self.called.take() {
                if rest.len() < call.size_bytes {
                    called = Some(call);
                    break;
                }
                let (bytes, tail) = rest.split_at_mut(call.size_bytes);
                rest = tail;
                left_bytes = rest.len();
                self.call_at_once(call, bytes, out)?;
            }
            out.end_reply();
            if gathered.len() >= TOGETHER_MAX && self.batch.is_none() {
                self.perform(&mut gathered, out)?;
            }
            out.send_if_much()?;
        }
        self.perform(&mut gathered, out)?;
        out.send()?;
        Ok(Took { size_bytes: came_bytes - left_bytes, called })
    }

    fn line<'c>(
        &mut self,
        line: &'c mut [u8],
        gathered: &mut Gathered<'c>,
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let spoken = match Spoken::read(line) {
            Ok(spoken) => spoken,
            Err(name) => return self.refuse(gathered, out, &[b"Unknown command: ", name].concat()),
        };
        if !self.permissions.allow(spoken.command) {
            return self.refuse(gathered, out, b"Permission denied.");
        }
        let is_call = spoken.command == Command::Call;
        if !self.is_place_for(spoken.command) {
            let words = [b"Can't use '", spoken.name, b"' here."].concat();
            return match is_call {
                true => call::refuse(&words, out),
                false => self.refuse(gathered, out, &words),
            };
        }
        match Request::read(spoken) {
            Err(wrong) if is_call => call::refuse(wrong.to_string().as_bytes(), out),
            Err(wrong) => self.refuse(gathered, out, wrong.to_string().as_bytes()),
            Ok(Request::Update { path, values }) => self.update(path, values, gathered, out),
            Ok(Request::Create(create)) if self.can_be_gathered(&create) => {
                self.gather_create(&create, gathered, out)
            }
            Ok(request) => {
                self.perform(gathered, out)?;
                self.request(request, out)
            }
        }
    }

    fn is_place_for(&self, command: Command) -> bool {
        match self.batch {
            Some(_) => command.is_for_batches(),
            None => command.is_for_clients(),
        }
    }

    /// An UPDATE is gathered, unless it is refused at once.
    fn update<'c>(
        &mut self,
        path: &'c [u8],
        values: Words<'c>,
        gathered: &mut Gathered<'c>,
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        self.service.counters.updates_received.fetch_add(1, Ordering::Relaxed);
        let number = self.batch.as_ref().map_or(0, |batch| batch.line);
        match gathered.add(&self.service.paths, path, values, number) {
            Ok(true) => Ok(()),
            Ok(false) => {
                // It may be about a database that is gathered to be made.
                self.perform(gathered, out)?;
                let words = self.words_without_values(path);
                self.fail(out, &words);
                Ok(())
            }
            Err(_) => self.refuse(gathered, out, &words::denied(&self.spelled(path))),
        }
    }

    /// An UPDATE without values: what is wrong with the file comes first, and it is known from then
    /// on.
    fn words_without_values(&self, written: &[u8]) -> Vec<u8> {
        let Ok(path) = self.service.paths.resolve(written) else {
            return words::denied(&self.spelled(written));
        };
        let nothing = Update::numbered(&path, &[]);
        match self.service.shelf.update(&[nothing]).pop() {
            Some((_, failure)) => words::of_update(&failure, &self.spelled(written)),
            None => b"No values updated.".to_vec(),
        }
    }

    /// Has the store take what was gathered, and tells what became of it.
    fn perform(&mut self, gathered: &mut Gathered<'_>, out: &mut Output<'_>) -> Result<(), Stop> {
        if gathered.is_empty() {
            return Ok(());
        }
        let failures = gathered.perform(&self.service.shelf, &self.goes_on(out));
        let paths = &self.service.paths;
        let words = |failure: &Failure, entry: &Entry<'_>| match entry.order {
            Order::Update { .. } => words::of_update(failure, &paths.spelled(entry.written)),
            Order::Create { .. } => {
                words::of_library(ask::RRD_ERROR, failure, &paths.spelled(entry.written))
            }
        };
        if let Some(batch) = &mut self.batch {
            for (position, failure) in failures {
                let Some(entry) = gathered.entries().get(position) else { continue };
                batch.refuse(entry.number, words::cut(&words(&failure, entry)));
            }
            gathered.clear();
            return Ok(());
        }
        let mut replies = gathered.replies(&failures, words);
        let mut share = self.service.replies.share();
        if !share.hold_reply(replies.len()) {
            replies = gathered.replies(&failures, |_, _| words::NOT_TOLD.to_vec());
        }
        drop(failures);
        gathered.clear();
        out.begin_reply(&share);
        self.send(&replies, out)
    }

    /// Whether to go on with what takes long: the client can be told, and the daemon does not end.
    fn goes_on<'o>(&self, out: &'o Output<'_>) -> impl Fn() -> bool + use<'o, 's, '_> {
        let service = self.service;
        || !service.is_ending.load(Ordering::Relaxed) && !out.is_lost()
    }

    /// Sends bytes, without a copy where they are many.
    fn send(&self, bytes: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
        if bytes.len() > REPLY_BYTES {
            out.send_all(bytes)?;
        } else {
            out.buffer().extend_from_slice(bytes);
            out.send_if_much()?;
        }
        Ok(())
    }

    /// Tells that the line failed, in its turn.
    fn refuse(
        &mut self,
        gathered: &mut Gathered<'_>,
        out: &mut Output<'_>,
        words: &[u8],
    ) -> Result<(), Stop> {
        self.perform(gathered, out)?;
        self.fail(out, words);
        Ok(())
    }

    /// Tells that a command failed.
    fn fail(&mut self, out: &mut Output<'_>, words: &[u8]) {
        let words = words::cut(words);
        match &mut self.batch {
            Some(batch) => batch.refuse(batch.line, words),
            None => answer::error(out.buffer(), words),
        }
    }

    /// Tells lines. What they take is counted until the client has read them.
    fn tell(&mut self, answer: Answer, words: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
        let mut share = self.service.replies.share();
        if !share.hold_reply(answer.size_bytes()) {
            self.fail(out, TOO_MANY_LARGE);
            return Ok(());
        }
        self.send_answer(&answer, &share, words, out)
    }

    fn send_answer(
        &self,
        answer: &Answer,
        share: &Share<'_>,
        words: &[u8],
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        out.begin_reply(share);
        answer.first_line(out.buffer(), words);
        self.send(answer.lines(), out)
    }

    /// Tells that a command succeeded. Within a batch nobody is told.
    fn succeed(&mut self, out: &mut Output<'_>, words: &[u8]) {
        if self.batch.is_none() {
            answer::status(out.buffer(), 0, words);
        }
    }

    fn request(&mut self, request: Request<'_>, out: &mut Output<'_>) -> Result<(), Stop> {
        match request {
            Request::Quit => return Err(Stop::Quit),
            Request::Batch => self.begin_batch(out),
            Request::EndOfBatch => return self.end_batch(out),
            Request::Ping => self.succeed(out, b"PONG"),
            Request::Help(topic) => answer::help(out.buffer(), topic),
            Request::Flush(path) => self.flush(path, out),
            Request::FlushAll => self.flush_all(out),
            Request::Pending(path) => return self.pending(path, out),
            Request::Forget(path) => self.forget(path, out),
            Request::Queue => return self.queue(out),
            Request::Stats => return self.stats(out),
            Request::Info(path) => return self.info(path, out),
            Request::First(path, index) => self.first(path, index, out),
            Request::Last(path) => self.last(path, out),
            Request::Suspend(path) => self.suspend(path, out),
            Request::Resume(path) => self.resume(path, out),
            Request::SuspendAll => self.suspend_all(out),
            Request::ResumeAll => self.resume_all(out),
            Request::Fetch(fetch) => return self.fetch(&fetch, out),
            Request::Create(create) => self.create(&create, out),
            Request::Tune(path, words) => self.tune(path, &words, out),
            Request::Dump(path, words) => return self.dump(path, &words, out),
            Request::Call { kind, size_bytes } => return self.begin_call(kind, size_bytes, out),
            Request::List { is_recursive, path } => return self.list(is_recursive, path, out),
            // The one is gathered, the other stands in journals only.
            Request::Update { .. } | Request::Wrote => {}
        }
        Ok(())
    }

    fn begin_batch(&mut self, out: &mut Output<'_>) {
        self.batch = Some(Batch::new(self.service.errors.share()));
        out.buffer().extend_from_slice(answer::GO_AHEAD);
    }

    fn end_batch(&mut self, out: &mut Output<'_>) -> Result<(), Stop> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        let (answer, share) = batch.end();
        self.send_answer(&answer, &share, b"errors", out)
    }
}
