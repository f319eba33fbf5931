//! A function of the language, and a call of it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::tz::TimeZone;
use series::Preferred;

use crate::Error;
use crate::aggregation::Aggregation;
use crate::argument::{Argument, aggregation_named};
use crate::language::{Expression, Number};
use crate::parameter::Parameter;
use crate::time_series::{Steps, TimeSeries};

/// A row of the table of functions.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) group: &'static str,
    /// What it does, in a line.
    pub(crate) about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) body: Body,
}

/// What a function does.
pub(crate) type Body = fn(&mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error>;

/// For which times a target is evaluated, and what functions before have set.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Seconds since 1970.
    pub(crate) start: i64,
    /// Seconds since 1970.
    pub(crate) end: i64,
    pub(crate) x_files_factor: f64,
    /// Which archive is read.
    pub(crate) preferred: Preferred,
    /// The sums of series that were stacked, by the name of the stack: one for all times at which
    /// parts of a request are evaluated, as in graphite-web.
    pub(crate) stacks: Rc<RefCell<BTreeMap<String, Vec<f64>>>>,
}

impl Context {
    /// The same for other times.
    pub(crate) fn at(&self, start: i64, end: i64) -> Self {
        Self { start, end, ..self.clone() }
    }
}

/// What functions ask of what is around them.
pub(crate) trait World {
    /// The series of an expression.
    fn evaluate(
        &self,
        expression: &Expression,
        context: &mut Context,
    ) -> Result<Vec<TimeSeries>, Error>;

    /// The series of a target that a function made.
    fn evaluate_text(&self, text: &str, context: &mut Context) -> Result<Vec<TimeSeries>, Error>;

    /// Applies a function that joins series, by its name.
    fn join(
        &self,
        name: &str,
        series: Vec<TimeSeries>,
        context: &mut Context,
    ) -> Option<Result<Vec<TimeSeries>, Error>>;

    /// The pattern of paths that the name of a series was made of.
    fn first_path(&self, name: &str) -> Option<String>;

    /// Counts steps of calculation, before they are taken.
    fn work(&self, steps: u64) -> Result<(), Error>;

    /// Counts values, before memory is taken for them.
    fn take(&self, values: u64) -> Result<(), Error>;

    fn now_seconds(&self) -> i64;

    fn zone(&self) -> &TimeZone;
}

/// A call whose arguments are checked.
pub(crate) struct Invocation<'a> {
    pub(crate) function: &'static Function,
    /// One for each parameter but the one that takes many.
    pub(crate) arguments: Vec<Argument>,
    /// Those of the parameter that takes many.
    pub(crate) rest: Vec<Argument>,
    /// The first argument as it was written.
    pub(crate) first: Option<&'a Expression>,
    pub(crate) world: &'a dyn World,
    pub(crate) context: &'a mut Context,
}

impl Invocation<'_> {
    /// The series of a parameter; they are taken away.
    pub(crate) fn series(&mut self, nth: usize) -> Vec<TimeSeries> {
        match self.arguments.get_mut(nth).map(std::mem::take) {
            Some(Argument::Series(series)) => series,
            _ => Vec::new(),
        }
    }

    /// The series of all further arguments, one list after the other.
    pub(crate) fn lists(&mut self) -> Vec<TimeSeries> {
        let lists = std::mem::take(&mut self.rest).into_iter();
        lists
            .flat_map(|it| if let Argument::Series(series) = it { series } else { vec![] })
            .collect()
    }

    pub(crate) fn number(&self, nth: usize) -> Option<Number> {
        match self.arguments.get(nth) {
            Some(Argument::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn float_if_given(&self, nth: usize) -> Option<f64> {
        self.number(nth).map(Number::value)
    }

    pub(crate) fn float(&self, nth: usize) -> f64 {
        self.float_if_given(nth).unwrap_or(f64::NAN)
    }

    pub(crate) fn whole(&self, nth: usize) -> i64 {
        match self.number(nth) {
            Some(Number::Whole(whole)) => whole,
            Some(Number::Real(real)) => real as i64,
            None => 0,
        }
    }

    pub(crate) fn boolean(&self, nth: usize) -> bool {
        matches!(self.arguments.get(nth), Some(Argument::Boolean(true)))
    }

    pub(crate) fn text_if_given(&self, nth: usize) -> Option<&str> {
        match self.arguments.get(nth) {
            Some(Argument::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn text(&self, nth: usize) -> &str {
        self.text_if_given(nth).unwrap_or_default()
    }

    /// An argument as Python's `str` shows it.
    pub(crate) fn shown(&self, nth: usize) -> String {
        self.arguments.get(nth).map(Argument::shown).unwrap_or_default()
    }

    /// The aggregation that a parameter names, and its name.
    pub(crate) fn aggregation(&self, nth: usize) -> (Aggregation, &str) {
        aggregation_named(self.text(nth)).unwrap_or((Aggregation::Average, "average"))
    }

    /// Seconds of an interval.
    pub(crate) fn interval(&self, nth: usize) -> Result<i64, Error> {
        crate::at_time::interval(self.text(nth))
    }

    /// Seconds of an interval that is longer than none.
    pub(crate) fn interval_above_zero(&self, nth: usize) -> Result<i64, Error> {
        match self.interval(nth)? {
            seconds if seconds > 0 => Ok(seconds),
            _ => Err(self.wrong(nth, "an interval longer than none")),
        }
    }

    /// Seconds since 1970 of a time.
    pub(crate) fn date(&self, nth: usize) -> Result<i64, Error> {
        crate::at_time::time(self.text(nth), self.world.now_seconds(), self.world.zone())
    }

    /// The first argument once more, for other times.
    pub(crate) fn again(&self, context: &mut Context) -> Result<Vec<TimeSeries>, Error> {
        match self.first {
            Some(expression) => self.world.evaluate(expression, context),
            None => Ok(Vec::new()),
        }
    }

    /// A new series with the request's part of points that must be known.
    pub(crate) fn made(&self, name: String, steps: Steps, values: Vec<f64>) -> TimeSeries {
        TimeSeries::new(name, steps, values, self.context.x_files_factor)
    }

    /// An argument that cannot be taken.
    pub(crate) fn wrong(&self, nth: usize, expected: &str) -> Error {
        Error::Argument {
            function: self.function.name,
            parameter: self.function.parameters.get(nth).map_or("", |it| it.name),
            expected: expected.to_owned(),
            found: self.shown(nth),
        }
    }

    /// Series that the function cannot take.
    pub(crate) fn wrong_series(&self, expected: impl Into<String>) -> Error {
        Error::Series { function: self.function.name, expected: expected.into() }
    }
}

/// Rows of the table of functions, all of one group.
macro_rules! functions {
    ($group:literal; $($name:literal($($parameter:expr),* $(,)?) $about:literal => $body:expr;)*) => {
        &[$($crate::function::Function {
            name: $name,
            group: $group,
            about: $about,
            parameters: &[$($parameter),*],
            body: $body,
        }),*]
    };
}

pub(crate) use functions;
