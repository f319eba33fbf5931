//! `tune`: changes a database that is there.
//!
//! Options change it in place, one after the other; words like `DEL:a` and `RRA#0:+10` give it another
//! structure, whole. What an option before a wrong one said has happened, as with rrdtool's.

use rrd::tune::Tuning;
use store::{Edit, Error};

use crate::failure::Failure;
use crate::session::Session;
use crate::verb::Verb;
use options::{Misread, OptionRule, Options};

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
    let (order, daemon) = Order::read_all(words);
    let unreachable = |_| Failure::misuse("Cannot connect to daemon");
    session.ask_reachable_daemon(daemon, |_| Ok(())).map_err(unreachable)?;
    let Some((&name, structure)) = order.tuning.structure.split_first() else {
        return Err("missing file name".into());
    };
    // Whether the daemon has the file is its affair. It is not made to forget the file afterwards, as
    // rrdtool makes it: what it took meanwhile would be lost.
    let _ = session.ask_reachable_daemon(daemon, |client| client.flush(name));
    let structure = structure.to_vec();
    let called = Some(name);
    let order = Order { tuning: Tuning { structure, called, ..order.tuning }, ..order };
    order.on(session, name)
}

/// What a command line says is to be changed of a database.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// What could be read.
    pub tuning: Tuning<'a>,
    /// What is wrong with the first option that could not. The options before it count all the same.
    pub wrong: Option<Misread>,
}

impl<'a> Order<'a> {
    /// Reads the words that stand behind the file. Whoever serves as a daemon asks no other.
    #[must_use]
    pub fn read(words: &'a [&'a str]) -> Self {
        Self::read_all(words).0
    }

    /// The same, and the daemon that is named.
    fn read_all(words: &'a [&'a str]) -> (Self, Option<&'a str>) {
        let mut options = Options::new(VERB.options, words);
        let mut order = Self { tuning: Tuning::default(), wrong: None };
        let mut daemon = None;
        loop {
            match options.next_option() {
                Ok(None) => break,
                Ok(Some(("daemon", address))) => daemon = Some(address),
                // An option behind one that is wrong does not count.
                Ok(Some(option)) if order.wrong.is_none() => order.tuning.options.push(option),
                Ok(Some(_)) => {}
                Err(misread) => order.wrong = order.wrong.or(Some(misread)),
            }
        }
        order.tuning.structure = options.operands();
        (order, daemon)
    }

    /// Applies it to the database that a path leads to.
    ///
    /// # Errors
    /// What is wrong with it; what stood before that is done.
    pub fn on(&self, session: &mut Session, name: &str) -> Result<(), Failure> {
        self.apply(|tuning| session.databases.edit(name, &Edit::Tune(tuning)))
            .map_err(|untuned| untuned.failure(name))
    }

    /// Has `edit` make what could be read; the structure only changes where all could.
    ///
    /// # Errors
    /// [`Untuned`].
    pub fn apply(
        &self,
        edit: impl FnOnce(&Tuning<'_>) -> Result<(), Error>,
    ) -> Result<(), Untuned> {
        let Some(wrong) = &self.wrong else { return edit(&self.tuning).map_err(Untuned::Store) };
        let options = self.tuning.options.clone();
        edit(&Tuning { options, ..Tuning::default() }).map_err(Untuned::Store)?;
        Err(Untuned::Words(wrong.clone()))
    }
}

/// Why a database was not tuned, or only in part.
#[derive(Debug)]
pub enum Untuned {
    /// The words are wrong.
    Words(Misread),
    /// The store says so.
    Store(Error),
}

impl Untuned {
    /// The failure of a verb that was to tune the database of this name.
    #[must_use]
    pub fn failure(self, name: &str) -> Failure {
        match self {
            Self::Words(misread) => misread.into(),
            Self::Store(error @ Error::Io { action: "creating", .. }) => {
                Failure::new_file(name, error)
            }
            Self::Store(error) => error.into(),
        }
    }
}
