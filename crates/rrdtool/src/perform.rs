//! One command, wherever its words come from.

use crate::failure::Failure;
use crate::session::Session;
use crate::{help, verbs};

/// One command: a verb with its words, or help. What it prints gathers in the session.
///
/// # Errors
/// See [`Failure`].
pub fn perform(session: &mut Session, words: &[&str], is_pipe: bool) -> Result<(), Failure> {
    match words {
        [] | [_] | ["help" | "--help" | "-h" | "--version" | "-v" | "-help" | "-version", ..] => {
            help_on(session, words, is_pipe);
            Ok(())
        }
        [name, rest @ ..] => match verbs::find(name) {
            Some(verb) => verb.perform(session, rest),
            None => Err(Failure::misuse(format!("unknown function '{name}'"))),
        },
    }
}

pub(crate) fn help_on(session: &mut Session, words: &[&str], is_pipe: bool) {
    help::banner(&mut session.out);
    match words.iter().find_map(|word| verbs::find(word)) {
        Some(verb) => help::verb(&mut session.out, "rrdtool", verb),
        None => help::overview(&mut session.out, "rrdtool", is_pipe),
    }
}
