//! `tune`: changes a database that is there.
//!
//! Options change it in place, one after the other; words like `DEL:a` and `RRA#0:+10` give it another
//! structure, whole. What an option before a wrong one said has happened, as with rrdtool's.

mod scan;
mod edit;
mod forecast;

use rrd::refill::Change;

use crate::changing;
use crate::databases::InRing;
use crate::memory;
use crate::session::{Failure, Session};
use crate::verb::Verb;
use edit::{Edit, apply};
use options::{Found, OptionRule, Options};

const fn rule(
    long: &'static str,
    short: char,
    value: &'static str,
    help: &'static str,
) -> OptionRule {
    OptionRule { long, short: Some(short), value: Some(value), help }
}

pub(crate) const VERB: Verb = Verb {
    name: "tune",
    summary: "Change a database: limits and names of its sources, parameters, structure",
    operands: "FILE [DEL:NAME | DS:SPEC | DELRRA:NUMBER | RRA:SPEC | RRA#NUMBER:+ROWS|-ROWS|=ROWS] ...",
    options: &[
        rule("heartbeat", 'h', "NAME:SECONDS", "the longest silence of a data source"),
        rule("minimum", 'i', "NAME:RATE|U", "the lowest rate believed, U for no limit"),
        rule("maximum", 'a', "NAME:RATE|U", "the highest rate believed, U for no limit"),
        rule("data-source-type", 'd', "NAME:KIND", "how readings become rates"),
        rule("data-source-rename", 'r', "OLD:NEW", "call a data source otherwise"),
        rule("deltapos", 'p', "SCALE", "deviations above the forecast that FAILURES allows"),
        rule("deltaneg", 'n', "SCALE", "deviations below the forecast that FAILURES allows"),
        rule("window-length", 'w', "COUNT", "values that FAILURES looks back upon"),
        rule("failure-threshold", 'f', "COUNT", "violations in that window that make a failure"),
        rule("alpha", 'x', "SHARE", "how fast the forecast's intercept follows"),
        rule("beta", 'y', "SHARE", "how fast the forecast's slope follows"),
        rule("gamma", 'z', "SHARE", "how fast seasonal coefficients follow"),
        rule("gamma-deviation", 'v', "SHARE", "how fast seasonal deviations follow"),
        rule("smoothing-window", 's', "SHARE", "share of a season that SEASONAL smooths over"),
        rule("smoothing-window-deviation", 'S', "SHARE", "the same of DEVSEASONAL"),
        rule("aberrant-reset", 'b', "NAME", "forget what forecasting learnt of a data source"),
        rule("step", 't', "SECONDS", "divide the step; only beside a change of structure"),
        rule("daemon", 'D', "ADDRESS", "an rrdcached that is to write the file first"),
    ],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut options = Options::new(VERB.options, words);
    let (mut found, mut daemon) = (Vec::new(), None);
    loop {
        match options.next_option() {
            Ok(None) => break,
            Ok(Some(("daemon", address))) => daemon = Some(address),
            Ok(Some((name, value))) => found.push(Ok((name, value))),
            Err(words) => found.push(Err(words)),
        }
    }
    let unreachable = |_| "Cannot connect to daemon".to_owned();
    session.ask_reachable_daemon(daemon, |_| Ok(())).map_err(unreachable)?;
    let operands = options.operands();
    let Some((&name, structure)) = operands.split_first() else {
        return Err("missing file name".into());
    };
    // Whether the daemon has the file is its affair. It is not made to forget the file afterwards, as
    // rrdtool makes it: what it took meanwhile would be lost.
    let _ = session.ask_reachable_daemon(daemon, |client| client.flush(name));
    Tuning::of(name, found, structure).on(session, name)
}

/// An option and its value, or what is wrong with it.
type FoundOption<'a> = Result<Found<'a>, String>;

/// What is to be changed of a database: first options, in their order, then its structure.
#[derive(Clone, Debug)]
pub struct Tuning<'a> {
    edits: Vec<Result<Edit<'a>, String>>,
    structure: Vec<&'a str>,
    change: Change,
}

impl<'a> Tuning<'a> {
    /// Reads the words that stand behind the file. What is wrong with them is told when they are
    /// applied, after what stands before.
    #[must_use]
    pub fn read(name: &str, words: &'a [&'a str]) -> Self {
        let mut options = Options::new(VERB.options, words);
        let mut found = Vec::new();
        loop {
            match options.next_option() {
                Ok(None) => break,
                Ok(Some(("daemon", _))) => {} // whoever serves as one asks no other
                other => found.push(other.map(Option::unwrap_or_default)),
            }
        }
        Self::of(name, found, &options.operands())
    }

    fn of(name: &str, found: Vec<FoundOption<'a>>, structure: &[&'a str]) -> Self {
        let mut change = Change { name: name.into(), ..Change::default() };
        let mut edits = Vec::new();
        for option in found {
            match option {
                Ok(("step", value)) => change.step_seconds = scan::step(value),
                Ok((option, value)) => edits.push(Ok(Edit { option, value })),
                Err(words) => {
                    edits.push(Err(words));
                    break;
                }
            }
        }
        Self { edits, structure: structure.to_vec(), change }
    }

    /// Applies it to the database that a path leads to.
    ///
    /// # Errors
    /// What is wrong with it; what stood before that is done.
    pub fn on(&self, session: &mut Session, name: &str) -> Result<(), Failure> {
        session.databases.edit(name, |database| apply(database, &self.edits))?;
        self.restructure(|change| {
            let apply = |old: &_| {
                let changed = change.apply(old, &mut memory::room());
                changed.map_err(|error| error.to_string())
            };
            session.databases.rework(name, apply)
        })
    }

    /// Applies it to a database of a ring store.
    ///
    /// # Errors
    /// As [`Tuning::on`].
    pub fn in_ring(&self, ring: &InRing) -> Result<(), Failure> {
        changing::edit_in_ring(ring, &|database| apply(database, &self.edits))?;
        self.restructure(|change| {
            let apply = |old: &_| {
                let changed = change.apply(old, &mut memory::room());
                changed.map_err(|error| error.to_string())
            };
            changing::rework_in_ring(ring, &apply)
        })
    }

    fn restructure(
        &self,
        rework: impl FnOnce(&Change) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut change = self.change.clone();
        let mut words = self.structure.iter();
        words.try_for_each(|word| change.add(word)).map_err(|error| error.to_string())?;
        if change.is_any() { rework(&change) } else { Ok(()) }
    }
}
