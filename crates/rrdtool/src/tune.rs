//! `tune`: changes a database that is there.
//!
//! Options change it in place, one after the other; words like `DEL:a` and `RRA#0:+10` give it
//! another structure, whole. What an option before a wrong one said has happened, as with
//! rrdtool's.

use std::convert::Infallible;

use rrd::tune::{TuneOption, Tuning};
use store::{Edit, Error};

use crate::failure::Failure;
use crate::session::Session;
use crate::verb::Verb;
use options::getopt::{Misread, Row, Scan};
use options::{joined, namings, option};

pub(crate) const VERB: Verb = Verb {
    name: "tune",
    summary: "Change a database: limits and names of its sources, parameters, structure",
    operands: "FILE [DEL:NAME | DS:SPEC | DELRRA:NUMBER | RRA:SPEC | RRA#NUMBER:+ROWS|-ROWS|=ROWS] ...",
    options: &namings(&rows()),
    run,
};

/// What the options say.
struct Settings<'a> {
    order: Order<'a>,
    daemon: Option<&'a str>,
}

impl<'a> Settings<'a> {
    /// An option behind one that is wrong does not count.
    fn push(&mut self, option: TuneOption, value: &'a str) {
        if self.order.wrong.is_none() {
            self.order.tuning.options.push((option, value));
        }
    }
}

const fn rows<'a>() -> [Row<'a, Settings<'a>, Infallible>; 18] {
    joined(&[&source_rows(), &failure_rows(), &forecast_rows(), &other_rows()])
}

/// Of data sources.
const fn source_rows<'a>() -> [Row<'a, Settings<'a>, Infallible>; 5] {
    [
        option(
            "-h --heartbeat",
            "NAME:SECONDS",
            "the longest silence of a data source",
            |it, value| it.push(TuneOption::Heartbeat, value),
        ),
        option(
            "-i --minimum",
            "NAME:RATE|U",
            "the lowest rate believed, U for no limit",
            |it, value| it.push(TuneOption::Minimum, value),
        ),
        option(
            "-a --maximum",
            "NAME:RATE|U",
            "the highest rate believed, U for no limit",
            |it, value| it.push(TuneOption::Maximum, value),
        ),
        option("-d --data-source-type", "NAME:KIND", "how readings become rates", |it, value| {
            it.push(TuneOption::SourceKind, value)
        }),
        option(
            "-r --data-source-rename",
            "OLD:NEW",
            "call a data source otherwise",
            |it, value| it.push(TuneOption::SourceName, value),
        ),
    ]
}

/// Of FAILURES.
const fn failure_rows<'a>() -> [Row<'a, Settings<'a>, Infallible>; 4] {
    [
        option(
            "-p --deltapos",
            "SCALE",
            "deviations above the forecast that FAILURES allows",
            |it, value| it.push(TuneOption::DeltaAbove, value),
        ),
        option(
            "-n --deltaneg",
            "SCALE",
            "deviations below the forecast that FAILURES allows",
            |it, value| it.push(TuneOption::DeltaBelow, value),
        ),
        option(
            "-w --window-length",
            "COUNT",
            "values that FAILURES looks back upon",
            |it, value| it.push(TuneOption::FailureWindow, value),
        ),
        option(
            "-f --failure-threshold",
            "COUNT",
            "violations in that window that make a failure",
            |it, value| it.push(TuneOption::FailureThreshold, value),
        ),
    ]
}

/// Of forecasts.
const fn forecast_rows<'a>() -> [Row<'a, Settings<'a>, Infallible>; 7] {
    [
        option("-x --alpha", "SHARE", "how fast the forecast's intercept follows", |it, value| {
            it.push(TuneOption::Alpha, value)
        }),
        option("-y --beta", "SHARE", "how fast the forecast's slope follows", |it, value| {
            it.push(TuneOption::Beta, value)
        }),
        option("-z --gamma", "SHARE", "how fast seasonal coefficients follow", |it, value| {
            it.push(TuneOption::Gamma, value)
        }),
        option(
            "-v --gamma-deviation",
            "SHARE",
            "how fast seasonal deviations follow",
            |it, value| it.push(TuneOption::GammaDeviation, value),
        ),
        option(
            "-s --smoothing-window",
            "SHARE",
            "share of a season that SEASONAL smooths over",
            |it, value| it.push(TuneOption::SmoothingWindow, value),
        ),
        option(
            "-S --smoothing-window-deviation",
            "SHARE",
            "the same of DEVSEASONAL",
            |it, value| it.push(TuneOption::SmoothingWindowDeviation, value),
        ),
        option(
            "-b --aberrant-reset",
            "NAME",
            "forget what forecasting learnt of a data source",
            |it, value| it.push(TuneOption::AberrantReset, value),
        ),
    ]
}

/// Of the whole database.
const fn other_rows<'a>() -> [Row<'a, Settings<'a>, Infallible>; 2] {
    [
        option(
            "-t --step",
            "SECONDS",
            "divide the step; only beside a change of structure",
            |it, value| it.push(TuneOption::Step, value),
        ),
        option(
            "-D --daemon",
            "ADDRESS",
            "an rrdcached that is to write the file first",
            |it, value| it.daemon = Some(value),
        ),
    ]
}

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (order, daemon) = Order::read_all(words);
    let unreachable = |_| Failure::misuse("Cannot connect to daemon");
    session.ask_reachable_daemon(daemon, |_| Ok(())).map_err(unreachable)?;
    let Some((&name, structure)) = order.tuning.structure.split_first() else {
        return Err("missing file name".into());
    };
    // Whether the daemon has the file is its affair. It is not made to forget the file afterwards,
    // as rrdtool makes it: what it took meanwhile would be lost.
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
    /// What is wrong with the first option that could not. The options before it count all the
    /// same.
    pub wrong: Option<Misread>,
}

impl<'a> Order<'a> {
    /// Reads the words that stand behind the file. A daemon asks no other daemon.
    #[must_use]
    pub fn read(words: &'a [&'a str]) -> Self {
        Self::read_all(words).0
    }

    /// The same, and the daemon that is named.
    fn read_all(words: &'a [&'a str]) -> (Self, Option<&'a str>) {
        let order = Self { tuning: Tuning::default(), wrong: None };
        let mut settings = Settings { order, daemon: None };
        let rows = rows();
        let mut scan = Scan::new(&rows, words);
        loop {
            match scan.next_option() {
                Ok(None) => break,
                Ok(Some(given)) => {
                    let Ok(()) = given.apply(&mut settings);
                }
                Err(misread) => settings.order.wrong = settings.order.wrong.or(Some(misread)),
            }
        }
        let Settings { mut order, daemon } = settings;
        order.tuning.structure = scan.operands();
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
