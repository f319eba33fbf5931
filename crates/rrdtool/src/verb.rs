//! The verbs: what each is called, takes and does.

use crate::failure::Failure;
use crate::session::Session;
use crate::{
    create, dump, fetch, first, flushcached, graph, info, last, lastupdate, list, resize, restore,
    tune, update, updatev, xport,
};
use options::OptionRule;

/// One verb.
pub struct Verb {
    /// The word that calls it.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Its operands.
    pub operands: &'static str,
    /// Its options.
    pub options: &'static [OptionRule],
    /// Does it. The words are those after the verb; output goes to the session.
    pub run: fn(&mut Session, &[&str]) -> Result<(), Failure>,
}

/// Every verb, in the order of the help.
pub const VERBS: [&Verb; 16] = [
    &create::VERB,
    &update::VERB,
    &updatev::VERB,
    &graph::VERB,
    &tune::VERB,
    &resize::VERB,
    &dump::VERB,
    &restore::VERB,
    &last::VERB,
    &lastupdate::VERB,
    &first::VERB,
    &info::VERB,
    &list::VERB,
    &fetch::VERB,
    &xport::VERB,
    &flushcached::VERB,
];

/// Verbs of rrdtool that are not here yet.
pub const NOT_YET: [&str; 1] = ["graphv"];

/// The verb of a name.
pub fn find(name: &str) -> Option<&'static Verb> {
    VERBS.into_iter().find(|verb| verb.name == name)
}

/// The option by which other programs name an rrdcached.
pub(crate) const DAEMON: OptionRule = OptionRule {
    long: "daemon",
    short: Some('d'),
    value: Some("ADDRESS"),
    help: "an rrdcached to go through; RRDCACHED_ADDRESS says the same for all verbs",
};

impl Verb {
    /// Whether it knows this letter as an option; graph's are those of rrdgraph.
    pub fn takes(&self, letter: char) -> bool {
        self.name == "graph" || self.options.iter().any(|rule| rule.short == Some(letter))
    }

    /// Does it. A daemon that could not be reached is complained of after the answer.
    pub fn perform(&self, session: &mut Session, words: &[&str]) -> Result<(), Failure> {
        session.complaint = None;
        let done = (self.run)(session, words);
        done.and(session.complaint.take().map_or(Ok(()), Err))
    }
}
