//! Samples that `update` and `updatev` are given, and how they are to be taken.

use std::cell::RefCell;

use rrd::Timestamp;
use rrd::sample::{SampleError, TimeText};
use store::{Arguments, Locking, Watch};

use crate::failure::Failure;
use crate::session::{Session, Times};
use crate::verb::daemon;
use options::getopt::{self, Row};
use options::{checked, option, switch};

/// What the options of an order set.
#[derive(Default)]
pub(crate) struct Settings<'a> {
    template: Option<&'a str>,
    skip_past: bool,
    locking: Option<Locking>,
    daemon: Option<&'a str>,
}

type OrderRow<'a> = Row<'a, Settings<'a>, Failure>;

pub(crate) const fn rows<'a>() -> [OrderRow<'a>; 4] {
    let [template, skip_past, locking] = rows_without_daemon();
    let daemon = daemon(|it: &mut Settings<'a>, address| it.daemon = Some(address));
    [template, skip_past, locking, daemon]
}

pub(crate) const fn rows_without_daemon<'a>() -> [OrderRow<'a>; 3] {
    let template = "the data sources that the readings belong to; the others stay unknown";
    let skip_past = "pass over samples that are not after the last update";
    let held = "while another process holds the file: fail, wait, or go on; RRD_LOCKING says what \
                is usual (try)";
    [
        option("-t --template", "NAME[:NAME...]", template, |it, names| it.template = Some(names)),
        switch("-s --skip-past-updates", skip_past, |it| it.skip_past = true),
        checked("-L --locking", "try|block|none", held, |it, mode| {
            it.locking = Some(locking(mode)?);
            Ok(())
        }),
    ]
}

/// What is to be taken, and how.
pub struct Order<'a> {
    /// The data sources that the readings belong to, with `:` between them; `None` for all in
    /// order.
    pub template: Option<&'a str>,
    /// Whether samples that are not after the last update are passed over.
    pub skip_past: bool,
    /// What to do while another process holds the file's lock.
    pub locking: Locking,
    /// The database.
    pub file: &'a str,
    /// Times and readings.
    pub samples: Vec<&'a str>,
}

impl<'a> Order<'a> {
    /// The order of an `update`, and the daemon that it is for.
    pub(crate) fn of_update(words: &'a [&'a str]) -> Result<(Self, Option<&'a str>), Failure> {
        Self::read(&rows(), words)
    }

    /// An order by the options of a verb, and the daemon that it is for.
    pub(crate) fn read(
        rows: &[OrderRow<'a>],
        words: &'a [&'a str],
    ) -> Result<(Self, Option<&'a str>), Failure> {
        let mut settings = Settings::default();
        let mut operands = getopt::read(rows, &mut settings, words)?.into_iter();
        let file = operands.next().unwrap_or_default();
        let samples: Vec<&str> = operands.collect();
        if samples.is_empty() {
            return Err("Not enough arguments".into());
        }
        let Settings { template, skip_past, locking, daemon } = settings;
        let locking = locking.unwrap_or_else(usual_locking);
        Ok((Self { template, skip_past, locking, file, samples }, daemon))
    }

    /// Does something with what a store is told of it.
    pub(crate) fn with_arguments<T>(
        &self,
        times: &mut Times,
        work: impl FnOnce(&Arguments<'_>) -> T,
    ) -> T {
        let times = RefCell::new(times);
        let Self { template, skip_past, locking, .. } = *self;
        let moment = |time: TimeText<'_>| moment(time, &mut times.borrow_mut());
        work(&Arguments { template, skip_past, locking, words: &self.samples, moment: &moment })
    }

    /// Takes samples until one is refused.
    ///
    /// # Errors
    /// One was refused (those before it are taken), or there is no such database.
    pub fn fulfil(&self, session: &mut Session) -> Result<(), Failure> {
        take(session, self, None)
    }
}

/// What an option or `RRD_LOCKING` says of locks.
///
/// # Errors
/// It is none of `try`, `block` and `none`.
pub fn locking(text: &str) -> Result<Locking, Failure> {
    match text {
        "try" => Ok(Locking::Try),
        "block" => Ok(Locking::Block),
        "none" => Ok(Locking::None),
        _ => Err(Failure::misuse(format!("unsupported locking mode '{text}'"))),
    }
}

/// What the environment says of locks.
#[must_use]
pub fn usual_locking() -> Locking {
    match std::env::var("RRD_LOCKING") {
        Ok(text) if !text.is_empty() => locking(&text).unwrap_or_else(|failure| {
            crate::complain!("{failure} in $RRD_LOCKING; assuming 'try'");
            Locking::Try
        }),
        _ => Locking::Try,
    }
}

/// Takes samples until one is refused; `watch` sees each as it is taken.
pub(crate) fn take(
    session: &mut Session,
    order: &Order<'_>,
    watch: Option<&mut Watch<'_>>,
) -> Result<(), Failure> {
    let Session { databases, times, .. } = session;
    let taken =
        order.with_arguments(times, |arguments| databases.update(order.file, arguments, watch));
    taken.map_err(|error| Failure::update(order.file, error))
}

pub(crate) fn moment(time: TimeText<'_>, times: &mut Times) -> Result<Timestamp, SampleError> {
    let TimeText::AtStyle(text) = time else {
        return Ok(time.moment(times.now()).unwrap_or_default());
    };
    match times.moment(text) {
        Ok(Some(seconds)) => Ok(Timestamp::from_seconds(seconds)),
        Ok(None) => Err(SampleError::Relative(text.into())),
        Err(error) => Err(SampleError::AtTime(text.into(), error.to_string())),
    }
}
