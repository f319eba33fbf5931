//! The verbs: what each is called, takes and does.

use crate::failure::Failure;
use crate::session::Session;
use options::getopt::Row;
use options::{Described, HELP, Naming, option, switch};

/// One verb.
pub struct Verb {
    /// The word that calls it.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Its operands.
    pub operands: &'static str,
    /// Its options.
    pub options: &'static [Naming],
    /// Does it. The words are those after the verb; output goes to the session.
    pub run: fn(&mut Session, &[&str]) -> Result<(), Failure>,
}

/// The option that names an rrdcached.
pub(crate) const fn daemon<'a, T, E>(set: fn(&mut T, &'a str)) -> Row<'a, T, E> {
    let help = "an rrdcached to go through; RRDCACHED_ADDRESS says the same for all verbs";
    option("-d --daemon", "ADDRESS", help, set)
}

/// The option that spares the rrdcached writing first.
pub(crate) const fn noflush<'a, T, E>(set: fn(&mut T)) -> Row<'a, T, E> {
    switch("-F --noflush", "do not ask the daemon to write first", set)
}

/// The options of a verb that takes no other than the one that names an rrdcached.
pub(crate) const fn only_daemon<'a>() -> [Row<'a, Option<&'a str>, Failure>; 1] {
    [daemon(|address, given| *address = Some(given))]
}

impl Verb {
    /// Whether it knows this letter as an option.
    pub fn takes(&self, letter: char) -> bool {
        self.options.iter().any(|naming| naming.short == Some(letter))
    }

    /// The verb as gyre's, for its page and for completions.
    #[must_use]
    pub fn described(&self) -> Described {
        let short = HELP.short.filter(|letter| !self.takes(*letter));
        let options = [self.options, &[Naming { short, ..HELP }]].concat();
        Described::plain(&format!("gyre {}", self.name), self.operands, self.summary, &options)
    }

    /// Does it. A daemon that could not be reached is complained of after the answer.
    pub fn perform(&self, session: &mut Session, words: &[&str]) -> Result<(), Failure> {
        session.complaint = None;
        let done = (self.run)(session, words);
        done.and(session.complaint.take().map_or(Ok(()), Err))
    }
}
