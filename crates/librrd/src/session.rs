//! The session of one call: opened at its beginning, with nothing left open at its end but
//! connections to servers of ring stores.

use std::io;
use std::sync::LazyLock;

use ring::Sync;
use rrdtool::Failure;
use rrdtool::{Databases, Outlet, Session, Stores};

use crate::callback;
use crate::context;
use crate::stream::{self, Stream};
use crate::words::CommandLine;

/// Ring stores, open while any call works on them: one store has room for one opener.
static STORES: LazyLock<Stores> = LazyLock::new(|| Stores::new(Sync::Deferred));

/// Works in a session of its own. What was taken is where it belongs when this returns.
pub(crate) fn with<T>(work: impl FnOnce(&mut Session) -> Result<T, Failure>) -> Result<T, Failure> {
    rrdtool::fetch_sql_by(sqlseries::fetch);
    let mut databases = Databases::guest(&STORES);
    if let Some(answer) = callback::registered() {
        databases.fetch_from_program_by(answer);
    }
    let mut session = Session::with(databases);
    let outcome = work(&mut session);
    // As rrdtool's library: the answer is from the file, and that the daemon was to give it is the
    // error.
    if let (Ok(_), Some(complaint)) = (&outcome, session.complaint.take()) {
        context::set_error(&complaint.in_words(session.wording));
    }
    drop(session);
    let left = STORES.leave_idle();
    outcome.and_then(|value| left.map(|()| value))
}

/// Works on the words of a command line, in a session of its own. librrd calls the verb as its
/// caller does.
pub(crate) fn on_line<T>(
    line: &CommandLine<'_>,
    work: impl FnOnce(&mut Session, &[&str]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let words = line.words().as_text()?;
    with(|session| work(session, &words)).map_err(|failure| failure.of_verb_called(line.name()))
}

/// Performs a verb of rrdtool's and gives what it printed.
pub(crate) fn output_of(
    verb: &str,
    session: &mut Session,
    words: &[&str],
) -> Result<Vec<u8>, Failure> {
    let found = rrdtool::find(verb)
        .ok_or_else(|| Failure::misuse(format!("{verb} is not supported yet")))?;
    found.perform(session, words)?;
    Ok(std::mem::take(&mut session.out))
}

/// Performs a verb of rrdtool's; what it prints goes to C's standard output, as soon as it is much.
pub(crate) fn perform(verb: &str, line: &CommandLine<'_>) -> Result<(), Failure> {
    let output = on_line(line, |session, words| {
        session.outlet = Outlet::Program(print);
        output_of(verb, session, words)
    })?;
    print(&output).map_err(|_| "writing to standard output".into())
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let is_whole = bytes.is_empty() || stream::write(Stream::StandardOutput, bytes);
    if is_whole { Ok(()) } else { Err(io::Error::last_os_error()) }
}
