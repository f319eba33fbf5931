//! A connection's lines, one after the other: requests to calls of the store, what those give to
//! replies.

mod roles;
mod permissions;
mod rights;
mod bounds;
mod replies;
mod batch;
mod turn;
mod gathered;
mod single;
mod words;
mod waiting;
mod ask;
mod fetch;
mod create;
mod last_definitions;
mod whole;
mod call;
mod list;
mod stats;

use std::io;
use std::sync::atomic::Ordering;

use rrdcached::server::{Command, CreateRequest, Request, Spoken, Words, answer, split_line};
use store::Update;

use crate::limits::{Share, TOGETHER_MAX};
use crate::output::Output;
use crate::service::Service;
use crate::shelf::Failure;
use bounds::Beyond;
pub(crate) use call::Called;
use gathered::{Entry, Gathered, Order};
use last_definitions::LastDefinitions;
pub use permissions::{NoCommand, Permissions};
use replies::Replies;
pub(crate) use rights::Entrance;
use rights::Rights;
pub(crate) use single::SingleUpdates;
use turn::{RRD_ERROR, Turn};

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
    rights: Rights,
    replies: Replies<'s>,
    last_definitions: LastDefinitions,
    /// A call whose bytes come next.
    called: Option<Called>,
    /// Whether there was nothing but UPDATEs in what is being taken.
    only_updated: bool,
}

/// What became of bytes that came.
pub(crate) struct Took {
    /// How many were taken.
    pub(crate) size_bytes: usize,
    /// A call whose bytes come next, and not all of them have.
    pub(crate) called: Option<Called>,
    /// Whether they were UPDATEs alone, outside a batch: the client's next one may be taken together
    /// with those of others.
    pub(crate) may_be_told_together: bool,
}

impl<'s> Session<'s> {
    pub(crate) fn new(service: &'s Service, entrance: Entrance) -> Self {
        let rights = Rights::of(entrance);
        let replies = Replies::new(&service.replies, &service.errors);
        let last_definitions = LastDefinitions::default();
        let called = None;
        Self { service, rights, replies, last_definitions, called, only_updated: true }
    }

    /// Whether it is the turn of a command, and the client may give it for any database.
    pub(crate) fn awaits(&self, command: Command) -> bool {
        self.is_place_for(command)
            && self.rights.permissions().allow(command)
            && self.rights.scope().is_everything()
            && self.rights.are_current()
    }

    /// Takes the whole lines among bytes that came together, and calls with what belongs to them.
    /// Updates and creates among the lines are taken together; whatever depends on their order
    /// waits for them.
    ///
    /// # Errors
    /// [`Stop`].
    pub(crate) fn take(&mut self, bytes: &mut [u8], out: &mut Output<'_>) -> Result<Took, Stop> {
        self.service.paths.grow_old();
        self.rights.renew();
        self.only_updated = true;
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
            self.replies.count_line();
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
            if gathered.len() >= TOGETHER_MAX && !self.replies.is_batch() {
                self.perform(&mut gathered, out)?;
            }
            out.send_if_much()?;
        }
        self.perform(&mut gathered, out)?;
        out.send()?;
        let may_be_told_together =
            self.only_updated && !self.replies.is_batch() && self.service.shelf.takes_at_once();
        Ok(Took { size_bytes: came_bytes - left_bytes, called, may_be_told_together })
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
        if !self.rights.permissions().allow(spoken.command) {
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
        let read = Request::read(spoken);
        if let Ok(request) = &read
            && let Err(beyond) = bounds::check(&self.service.paths, self.rights.scope(), request)
        {
            let words = match beyond {
                Beyond::All => b"Permission denied.".to_vec(),
                Beyond::Name(name) => words::denied(&self.service.paths.spelled(name)),
            };
            return self.refuse(gathered, out, &words);
        }
        match read {
            Err(wrong) if is_call => call::refuse(wrong.to_string().as_bytes(), out),
            Err(wrong) => self.refuse(gathered, out, wrong.to_string().as_bytes()),
            Ok(Request::Update { path, values }) => self.update(path, values, gathered, out),
            Ok(Request::Create(create)) if create::can_be_gathered(self.service, &create) => {
                self.only_updated = false;
                self.gather_create(&create, gathered, out)
            }
            Ok(request) => {
                self.only_updated = false;
                self.perform(gathered, out)?;
                self.request(request, out)
            }
        }
    }

    fn is_place_for(&self, command: Command) -> bool {
        match self.replies.is_batch() {
            true => command.is_for_batches(),
            false => command.is_for_clients(),
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
        let number = self.replies.line_number();
        match gathered.add(&self.service.paths, path, values, number) {
            Ok(true) => Ok(()),
            Ok(false) => {
                // It may be about a database that is gathered to be made.
                self.perform(gathered, out)?;
                let words = self.words_without_values(path);
                self.replies.fail(out, &words);
                Ok(())
            }
            Err(_) => self.refuse(gathered, out, &words::denied(&self.service.paths.spelled(path))),
        }
    }

    /// A CREATE is gathered, unless it is refused at once.
    fn gather_create<'c>(
        &mut self,
        request: &CreateRequest<'c>,
        gathered: &mut Gathered<'c>,
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let written = request.path;
        let Ok(path) = self.service.paths.resolve(written) else {
            let words = words::denied(&self.service.paths.spelled(written));
            return self.refuse(gathered, out, &words);
        };
        let definition = match self.last_definitions.definition(request, &path) {
            Ok(definition) => definition,
            Err(failure) => {
                let spelled = self.service.paths.spelled(written);
                let words = words::of_library(RRD_ERROR, &failure, &spelled);
                return self.refuse(gathered, out, &words);
            }
        };
        if gathered.updates_of(&path) {
            self.perform(gathered, out)?;
        }
        let order = create::order(self.service, request, definition);
        gathered.add_create(&path, written, order, self.replies.line_number());
        Ok(())
    }

    /// An UPDATE without values: what is wrong with the file comes first, and it is known from then
    /// on.
    fn words_without_values(&self, written: &[u8]) -> Vec<u8> {
        let Ok(path) = self.service.paths.resolve(written) else {
            return words::denied(&self.service.paths.spelled(written));
        };
        let nothing = Update::numbered(&path, &[]);
        match self.service.shelf.update(&[nothing]).pop() {
            Some((_, failure)) => words::of_update(&failure, &self.service.paths.spelled(written)),
            None => b"No values updated.".to_vec(),
        }
    }

    /// Has the store take what was gathered, and tells what became of it.
    fn perform(&mut self, gathered: &mut Gathered<'_>, out: &mut Output<'_>) -> Result<(), Stop> {
        if gathered.is_empty() {
            return Ok(());
        }
        let failures = gathered.perform(&self.service.shelf, &self.service.goes_on(out));
        let paths = &self.service.paths;
        let words = |failure: &Failure, entry: &Entry<'_>| match entry.order {
            Order::Update { .. } => words::of_update(failure, &paths.spelled(entry.written)),
            Order::Create { .. } => {
                words::of_library(RRD_ERROR, failure, &paths.spelled(entry.written))
            }
        };
        if self.replies.is_batch() {
            for (position, failure) in failures {
                let Some(entry) = gathered.entries().get(position) else { continue };
                self.replies.fail_line(entry.number, out, &words(&failure, entry));
            }
            gathered.clear();
            return Ok(());
        }
        let mut replies = gathered.replies(&failures, words);
        let mut share = self.replies.share();
        if !share.hold_reply(replies.len()) {
            replies = gathered.replies(&failures, |_, _| words::NOT_TOLD.to_vec());
        }
        drop(failures);
        gathered.clear();
        out.begin_reply(&share);
        replies::send(&replies, out)
    }

    /// Tells that the line failed, in its turn.
    fn refuse(
        &mut self,
        gathered: &mut Gathered<'_>,
        out: &mut Output<'_>,
        words: &[u8],
    ) -> Result<(), Stop> {
        self.perform(gathered, out)?;
        self.replies.fail(out, words);
        Ok(())
    }

    fn request(&mut self, request: Request<'_>, out: &mut Output<'_>) -> Result<(), Stop> {
        if let Request::Call { kind, size_bytes } = request {
            self.called = Some(call::begin(kind, size_bytes, self.rights.permissions(), out)?);
            return Ok(());
        }
        if let Request::Auth(token) = request {
            match self.rights.show(token) {
                Ok(()) => self.replies.succeed(out, b"Welcome"),
                Err(refusal) => self.replies.fail(out, refusal.to_string().as_bytes()),
            }
            return Ok(());
        }
        let scope = self.rights.scope();
        perform(
            request,
            &mut Turn { service: self.service, scope, replies: &mut self.replies, out },
        )
    }

    /// What calls take of memory.
    pub(crate) fn share_of_calls(&self) -> Share<'s> {
        self.service.wholes.share()
    }

    /// Answers a call all of whose bytes came.
    fn call_at_once(&self, called: Called, bytes: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
        let mut share = self.share_of_calls();
        let bytes = called.hold(&mut share, bytes.len()).then_some(bytes);
        self.call(called, bytes, share, out)
    }

    /// Answers a call; its bytes are gone where there was no room for them.
    pub(crate) fn call(
        &self,
        called: Called,
        bytes: Option<&[u8]>,
        share: Share<'s>,
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        call::perform(self.service, called, bytes, share, out)
    }
}

/// Does what a request says that stands alone.
fn perform(request: Request<'_>, turn: &mut Turn<'_, '_, '_>) -> Result<(), Stop> {
    match request {
        Request::Quit => return Err(Stop::Quit),
        Request::Batch => turn.replies.begin_batch(turn.out),
        Request::EndOfBatch => return turn.replies.end_batch(turn.out),
        Request::Ping => turn.succeed(b"PONG"),
        Request::Help(topic) => answer::help(turn.out.buffer(), topic),
        Request::Flush(path) => waiting::flush(turn, path),
        Request::FlushAll => waiting::flush_all(turn),
        Request::Pending(path) => return waiting::pending(turn, path),
        Request::Forget(path) => waiting::forget(turn, path),
        Request::Queue => return waiting::queue(turn),
        Request::Suspend(path) => waiting::suspend(turn, path),
        Request::Resume(path) => waiting::resume(turn, path),
        Request::SuspendAll => waiting::suspend_all(turn),
        Request::ResumeAll => waiting::resume_all(turn),
        Request::Stats => return stats::stats(turn),
        Request::Info(path) => return ask::info(turn, path),
        Request::First(path, index) => ask::first(turn, path, index),
        Request::Last(path) => ask::last(turn, path),
        Request::Fetch(fetch) => return fetch::fetch(turn, &fetch),
        Request::Create(create) => create::create(turn, &create),
        Request::Tune(path, words) => whole::tune(turn, path, &words),
        Request::Dump(path, words) => return whole::dump(turn, path, &words),
        Request::List { is_recursive, path } => return list::list(turn, is_recursive, path),
        // An UPDATE is gathered, a CALL is begun, a token was looked at, and the last stands in
        // journals only.
        Request::Update { .. } | Request::Call { .. } | Request::Auth(_) | Request::Wrote => {}
    }
    Ok(())
}
