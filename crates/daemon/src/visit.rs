//! A client that a thread serves alone: its lines in, its replies out.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rrdcached::server::answer;

use crate::client::Client;
use crate::input::{Ended, Input};
use crate::log::Level;
use crate::output::Output;
use crate::service::Service;
use crate::session::{Called, Session, Stop};

/// How long the thread stays with a client that says nothing. Requests that follow each other then
/// find it there.
const STAYS: Duration = Duration::from_millis(50);

/// A client that a thread is to serve alone.
pub(crate) struct Visit<'s> {
    pub(crate) client: Box<Client<'s>>,
    /// What it said.
    pub(crate) said: Vec<u8>,
    /// What it was not yet told.
    pub(crate) unsent: Vec<u8>,
}

impl<'s> Visit<'s> {
    /// A client that said something.
    pub(crate) fn of(client: Box<Client<'s>>, said: &[u8]) -> Self {
        Self { client, said: said.to_vec(), unsent: Vec::new() }
    }

    /// Serves the client until it is silent, and gives it back; `None` if it hung up, was told to,
    /// or did what no client should.
    pub(crate) fn serve(self, service: &'s Service) -> Option<Box<Client<'s>>> {
        let Self { mut client, said, unsent } = self;
        let stream = Arc::clone(&client.stream);
        let mut out = Output::new(&stream, service.limits.patience);
        out.buffer().extend_from_slice(&unsent);
        let mut input = Input::new(service, &stream, said);
        let mut stays = Duration::ZERO;
        let mut served = out.send().map_err(Stop::from);
        while served.is_ok() {
            if service.is_ending.load(Ordering::Relaxed) {
                return None;
            }
            if input.is_empty() && !stream.says_more_within(stays) {
                return Some(client);
            }
            served = match input.lines() {
                Ok(()) => {
                    stream.note_spoken();
                    take(&mut client.session, &mut input, &mut out, &mut stays)
                }
                Err(Ended::HungUp) => return None,
                Err(Ended::Refused(words)) => {
                    answer::error(out.buffer(), words.as_bytes());
                    Err(Stop::Quit)
                }
            };
        }
        match served {
            Err(Stop::Lost(error)) => say_if_too_slow(service, &error),
            _ => drop(out.send()), // it need not listen any more
        }
        None
    }
}

/// Takes whole lines that came, and the call behind them.
fn take<'s>(
    session: &mut Session<'s>,
    input: &mut Input<'s, '_>,
    out: &mut Output<'_>,
    stays: &mut Duration,
) -> Result<(), Stop> {
    let took = session.take(input.came(), out)?;
    input.drop_lines(took.size_bytes);
    *stays = if took.may_be_told_together { Duration::ZERO } else { STAYS };
    match took.called {
        None => Ok(()),
        Some(called) => take_call(session, called, input, out),
    }
}

/// Reads the rest of a call, and has it answered.
fn take_call<'s>(
    session: &mut Session<'s>,
    called: Called,
    input: &mut Input<'s, '_>,
    out: &mut Output<'_>,
) -> Result<(), Stop> {
    let mut share = session.share_of_calls();
    let keep = |size_bytes| called.hold(&mut share, size_bytes);
    match input.call(called.size_bytes, keep) {
        Ok(bytes) => {
            session.call(called, bytes.as_deref(), share, out)?;
            out.end_reply();
            Ok(out.send()?)
        }
        Err(Ended::HungUp) => Err(Stop::Lost(io::ErrorKind::UnexpectedEof.into())),
        Err(Ended::Refused(words)) => {
            answer::error(out.buffer(), words.as_bytes());
            Err(Stop::Quit)
        }
    }
}

fn say_if_too_slow(service: &Service, error: &io::Error) {
    if error.kind() == io::ErrorKind::WouldBlock {
        service.log.say(Level::Notice, "a client reads its replies too slowly, and is left");
    }
}
