//! From the values of a step to what is to be done.

use std::ffi::OsString;

use mrtg::{Direction, Limits, Target, ThresholdGlobals, Thresholds};

use crate::limit::{Bound, Kind, LimitId};
use crate::message::{self, About};

/// A target, and the settings that concern it.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// The target.
    pub target: &'a Target,
    /// Its expected maxima at present, in and out: what a limit in percent is a part of.
    pub max_bytes: [f64; 2],
    /// The settings of all targets.
    pub globals: &'a ThresholdGlobals,
    /// The name of the configuration's file, without its directory.
    pub file_name: &'a str,
}

/// The values of the last step, in and out; `None` for unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values {
    /// The rates.
    pub rates: [Option<f64>; 2],
    /// 1 for an aberrant step, else 0.
    pub failures: [Option<f64>; 2],
}

/// What is to be done because of one limit, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The limit.
    pub limit: LimitId,
    /// Whether it is broken; if not, it holds again.
    pub is_broken: bool,
    /// What becomes of the limit's mark in ThreshDir, if there is such a directory.
    pub mark: Option<Mark>,
    /// The program to call.
    pub call: Option<Call>,
    /// The mail to send.
    pub mail: Option<Mail>,
}

/// A change of the marks; the text is the name of the file below ThreshDir.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The limit is broken from now on.
    Make(String),
    /// It holds again.
    Remove(String),
}

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The program's file.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The variables to set; `None` for one that must not be there.
    pub environment: Vec<(OsString, Option<OsString>)>,
}

/// A mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Who sends it.
    pub from: String,
    /// Who gets it.
    pub to: Vec<String>,
    /// Head and body.
    pub text: String,
}

/// What became of each limit of a target.
#[must_use]
pub fn verdicts<'a>(watch: Watch<'a>, values: &Values) -> Vec<Verdict<'a>> {
    let Some(all) = watch.target.settings.thresholds.as_deref() else {
        return Vec::new();
    };
    LimitId::all().filter_map(|limit| Verdict::new(watch, all, values, limit)).collect()
}

/// A limit and the value that it has to hold.
#[derive(Clone, Debug)]
pub struct Verdict<'a> {
    watch: Watch<'a>,
    all: &'a Thresholds,
    limits: &'a Limits,
    /// The limit.
    pub limit: LimitId,
    /// The limit as it is written.
    written: &'a str,
    /// The comparison with the value; `None` for an unknown value.
    pub bound: Option<Bound>,
}

impl<'a> Verdict<'a> {
    /// `None` if there is no such limit.
    fn new(watch: Watch<'a>, all: &'a Thresholds, values: &Values, limit: LimitId) -> Option<Self> {
        let limits = limit.kind.limits(all);
        let values = match limit.kind {
            Kind::Rate => values.rates,
            Kind::Failure => values.failures,
        };
        let bounds = match limit.side {
            crate::Side::Min => &limits.min,
            crate::Side::Max => &limits.max,
        };
        let written = of(bounds, limit.direction).as_deref()?;
        let max_bytes = *of(&watch.max_bytes, limit.direction);
        let bound = of(&values, limit.direction).map(|value| Bound::new(written, value, max_bytes));
        Some(Self { watch, all, limits, limit, written, bound })
    }

    /// The target.
    #[must_use]
    pub fn target(&self) -> &'a Target {
        self.watch.target
    }

    /// Whether the value breaks the limit; `None` for an unknown value.
    #[must_use]
    pub fn is_broken(&self) -> Option<bool> {
        self.bound.as_ref().map(|bound| bound.is_broken(self.limit.side))
    }

    /// What is to be done. `is_marked` tells whether a limit has its mark in ThreshDir.
    pub fn act(&self, is_marked: impl FnOnce(&str) -> bool) -> Option<Act> {
        let bound = self.bound.as_ref()?;
        let limit = self.limit;
        let is_broken = bound.is_broken(limit.side);
        let mark = match self.watch.globals.directory {
            Some(_) => {
                let name = self.mark_name();
                match (is_marked(&name), is_broken) {
                    (false, true) => Some(Mark::Make(name)),
                    (true, false) => Some(Mark::Remove(name)),
                    _ => return None,
                }
            }
            None if is_broken && self.is_told_each_time(bound) => None,
            None => return None,
        };
        let (call, mail) = (self.call(bound, is_broken), self.mail(bound, is_broken));
        Some(Act { limit, is_broken, mark, call, mail })
    }

    /// The description, if Perl takes it for true.
    pub(crate) fn description(&self) -> Option<&'a str> {
        self.limits.description.as_deref().filter(|text| !matches!(*text, "" | "0"))
    }

    fn mark_name(&self) -> String {
        let Watch { target, file_name, .. } = self.watch;
        format!("{file_name}.{}.{}", target.name, self.limit.ending())
    }

    /// Whether a broken limit is told although nothing is remembered.
    fn is_told_each_time(&self, bound: &Bound) -> bool {
        let globals = self.watch.globals;
        let hysteresis = match self.limit.kind {
            Kind::Rate => globals.hysteresis,
            Kind::Failure => globals.failure_hysteresis,
        };
        hysteresis.is_none_or(|share| bound.is_within(self.limit.side, share))
    }

    fn call(&self, bound: &Bound, is_broken: bool) -> Option<Call> {
        let programs = if is_broken { &self.limits.programs } else { &self.limits.programs_ok };
        let program = of(programs, self.limit.direction).as_ref()?;
        let mut words = vec![&*self.watch.target.name, self.written, &bound.value];
        if is_broken {
            words.push(self.description().unwrap_or("No Description"));
        }
        Some(Call {
            program: program.into(),
            arguments: words.into_iter().map(OsString::from).collect(),
            environment: self.environment(),
        })
    }

    fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let set = &self.watch.target.environment();
        let set = set.iter().map(|(name, value)| (name.into(), Some(value.into())));
        let described = |name: &str, limits: &Limits| {
            (name.into(), limits.description.as_ref().map(OsString::from))
        };
        let descriptions = [
            described("THRESH_DESC", &self.all.rates),
            described("HWTHRESH_DESC", &self.all.failures),
        ];
        set.chain(descriptions).collect()
    }

    fn mail(&self, bound: &Bound, is_broken: bool) -> Option<Mail> {
        let settings = self.watch.globals.mail.as_ref()?;
        let to = self.limits.mail_to.as_deref()?;
        let addresses = to.split(',').map(str::trim).filter(|address| !address.is_empty());
        let about = About {
            target: self.watch.target,
            limit: self.limit,
            written: self.written,
            bound,
            description: self.description(),
            is_broken,
        };
        Some(Mail {
            from: settings.sender.clone(),
            to: addresses.map(str::to_owned).collect(),
            text: message::text(&about, &settings.sender, to),
        })
    }
}

/// What belongs to a direction.
fn of<T>(both: &[T; 2], direction: Direction) -> &T {
    match direction {
        Direction::In => &both[0],
        Direction::Out => &both[1],
    }
}
