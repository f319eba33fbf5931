//! The face of a process: what it prints, where, and its exit code.
//!
//! Errors are `ERROR: …` on standard error and exit code 1; one bare word prints help and succeeds.
//! `-` reads commands line by line.

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use crate::databases::Databases;
use crate::failure::{Failure, Wording};
use crate::outlet::Outlet;
use crate::perform::perform;
use crate::session::Session;
use crate::stores::Serve;
use crate::{help, pipe, system_words, verbs};

/// Whether `name` is a verb of this part.
pub fn has_verb(name: &str) -> bool {
    name == "-" || verbs::find(name).is_some()
}

/// `gyre VERB …`. In the pipe mode `serve` has others reach the ring stores that are open.
pub fn gyre(words: &[&str], serve: Option<Serve>) -> ExitCode {
    let found = words.first().and_then(|name| verbs::find(name));
    if let Some(verb) = found
        && words.iter().any(|word| *word == "--help" || *word == "-h" && !verb.takes('h'))
    {
        let mut out = Vec::new();
        help::verb(&mut out, "gyre", verb);
        return finish(&out, Ok(()), Wording::Gyre);
    }
    if let (Some(verb), [_]) = (found, words) {
        let mut usage = Vec::new();
        help::verb(&mut usage, "gyre", verb);
        let _ = std::io::stderr().write_all(&usage);
        return ExitCode::from(2);
    }
    if words.first() == Some(&"-") && words.contains(&"--help") {
        let mut out = Vec::new();
        help::overview(&mut out, "gyre", true);
        return finish(&out, Ok(()), Wording::Gyre);
    }
    called(words, serve, Wording::Gyre)
}

/// `rrdtool VERB …`; `serve` as for [`gyre`].
pub fn rrdtool(words: &[&str], serve: Option<Serve>) -> ExitCode {
    called(words, serve, Wording::Rrdtool)
}

fn called(words: &[&str], serve: Option<Serve>, wording: Wording) -> ExitCode {
    if let ["-", operands @ ..] = words
        && operands.len() < 2
    {
        return pipe::run(operands, serve, wording);
    }
    let mut session = Session::to_standard_output(Databases::new(), wording);
    let outcome = perform(&mut session, words, false);
    end(session, outcome)
}

/// `rrdcreate …`, `rrdupdate …`, `rrdinfo …`: one verb under a name of its own.
pub fn single(name: &str, words: &[&str]) -> ExitCode {
    let mut session = Session::to_standard_output(Databases::new(), Wording::Rrdtool);
    let Some(verb) = verbs::find(name) else { return ExitCode::FAILURE };
    let outcome = verb.perform(&mut session, words);
    if outcome.is_err() {
        help::banner(&mut session.out);
        help::verb(&mut session.out, "rrdtool", verb);
    }
    end(session, outcome)
}

/// Does something with databases that is no verb of rrdtool's, and tells failures in gyre's words.
pub fn in_session(work: impl FnOnce(&mut Session) -> Result<(), Failure>) -> ExitCode {
    let mut session = Session::to_standard_output(Databases::new(), Wording::Gyre);
    let outcome = work(&mut session);
    end(session, outcome)
}

/// Gives back what was open, then tells what became of the command: what it took is safe by then.
fn end(mut session: Session, outcome: Result<(), Failure>) -> ExitCode {
    let left = session.databases.leave();
    if let Outlet::Broken(error) = session.outlet {
        return output_failed(&error);
    }
    finish(&session.out, outcome.and(left), session.wording)
}

fn finish(out: &[u8], outcome: Result<(), Failure>, wording: Wording) -> ExitCode {
    let mut stdout = std::io::stdout();
    // The reader may have gone: that is no failure, as with every filter.
    let written = stdout.write_all(out).and_then(|()| stdout.flush());
    match outcome {
        Err(Failure::Unread) => ExitCode::SUCCESS,
        Err(failure) => {
            crate::complain!("ERROR: {}", failure.in_words(wording));
            ExitCode::from(failure.exit_code())
        }
        Ok(()) => match written {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => output_failed(&error),
        },
    }
}

fn output_failed(error: &std::io::Error) -> ExitCode {
    if error.kind() != ErrorKind::BrokenPipe {
        crate::complain!("ERROR: error flushing output: {}", system_words(error));
    }
    ExitCode::FAILURE
}
