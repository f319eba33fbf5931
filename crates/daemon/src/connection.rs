//! One client: its lines in, its replies out.

use std::io;
use std::sync::atomic::Ordering;

use rrdcached::server::answer;

use crate::input::{Ended, Input};
use crate::log::Level;
use crate::output::Output;
use crate::service::Service;
use crate::session::{Called, Permissions, Session, Stop};
use crate::stream::Stream;

/// Reads the rest of a call, and has it answered.
fn take_call<'s>(
    session: &mut Session<'s>,
    called: Called,
    input: &mut Input<'s>,
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

/// Serves a client until it hangs up, is told to, or does what no client should.
pub(crate) fn serve(service: &Service, stream: &Stream, permissions: Permissions) {
    let mut session = Session::new(service, &permissions);
    let mut input = Input::new(service, stream);
    let mut out = Output::new(stream, service.limits.patience);
    loop {
        match input.lines() {
            Ok(()) => {}
            Err(Ended::HungUp) => return,
            Err(Ended::Refused(words)) => {
                answer::error(out.buffer(), words.as_bytes());
                let _ = out.send(); // it need not listen any more
                return;
            }
        }
        stream.note_spoken();
        let taken = session.take(input.came(), &mut out).and_then(|took| {
            input.drop_lines(took.size_bytes);
            match took.called {
                None => Ok(()),
                Some(called) => take_call(&mut session, called, &mut input, &mut out),
            }
        });
        match taken {
            Ok(()) => {}
            Err(Stop::Quit) => {
                let _ = out.send(); // as above
                return;
            }
            Err(Stop::Lost(error)) => return say_if_too_slow(service, &error),
        }
        if service.is_ending.load(Ordering::Relaxed) {
            return;
        }
    }
}

fn say_if_too_slow(service: &Service, error: &io::Error) {
    if error.kind() == io::ErrorKind::WouldBlock {
        service.log.say(Level::Notice, "a client reads its replies too slowly, and is left");
    }
}
