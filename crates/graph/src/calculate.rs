//! From fetched rows to the series and numbers that are drawn.

use rrd::rpn::{Clock, Column, Program, Variable};
use rrd::{ConsolidationFunction, Stretch, UNKNOWN};

use crate::Error;
use crate::arguments::{Definition, DefinitionKind, Quantity, Shift};
use crate::calculated::Calculated;
use crate::plan::Plan;
use crate::reduce::reduce;
use crate::series_request::{SeriesRequest, without_password};
use crate::summary::Fact;
use crate::time_window::TimeWindow;

/// The most values that all series of a graph have together.
const VALUES_MAX: usize = 1 << 28;

/// The SHIFTs that are still to come.
struct Shifts<'a> {
    rest: &'a [Shift],
    /// What was applied: a second SHIFT of a series takes the place of the first.
    applied: Vec<Applied>,
}

struct Applied {
    of: usize,
    by_seconds: i64,
}

/// No SHIFT moves further: times stay numbers that the calendar knows what to do with.
const SHIFT_SECONDS_MAX: f64 = 1e12;

impl<'a> Shifts<'a> {
    fn new(all: &'a [Shift]) -> Self {
        Self { rest: all, applied: Vec::new() }
    }

    /// Applies those that come before the next definition.
    fn apply(&mut self, values: &mut Values) -> Result<(), Error> {
        while let Some((shift, rest)) = self.rest.split_first()
            && shift.definitions_before <= values.all.len()
        {
            self.rest = rest;
            let tick = values.window.tick;
            let seconds = match shift.by {
                // As rrdtool says of it.
                Quantity::Number(seconds) if tick.is_second() && seconds.fract() != 0.0 => {
                    return Err(Error::Element(format!("error parsing number {seconds}")));
                }
                Quantity::Number(seconds) => seconds,
                // Of a VDEF it is the value that counts, not its time.
                Quantity::Of(position) => values.fact(position).map_or(0.0, |fact| fact.value),
            };
            let before = self.applied.iter().rev().find(|applied| applied.of == shift.of);
            let before_seconds = before.map_or(0, |applied| applied.by_seconds);
            if let Some(Value::Series(series)) = values.all.get_mut(shift.of) {
                let step = i64::try_from(series.step_seconds.max(1)).unwrap_or(i64::MAX);
                let asked = seconds.clamp(-SHIFT_SECONDS_MAX, SHIFT_SECONDS_MAX);
                let asked = tick.nearest_to(asked) as i64;
                // Whole rows only; the rest of the division is dropped on either side of 0.
                let by_seconds = asked / step * step;
                series.start_seconds += by_seconds - before_seconds;
                self.applied.push(Applied { of: shift.of, by_seconds });
            }
        }
        Ok(())
    }
}

/// What a definition came to.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Series(Calculated),
    Fact(Fact),
}

/// The values of every definition, by position.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// The window of the plan. All times are counted in its ticks, which are the finest of what was
    /// fetched and of what was asked for.
    pub(crate) window: TimeWindow,
    all: Vec<Value>,
}

impl Values {
    /// Calculates every definition of a plan from the answers to its requests.
    pub(crate) fn calculate(plan: &Plan, fetched: &[Stretch]) -> Result<Self, Error> {
        let window = plan.window.in_ticks_of(fetched)?;
        let mut values = Self { window, all: Vec::with_capacity(plan.script.definitions.len()) };
        let mut room = VALUES_MAX;
        let mut shifts = Shifts::new(&plan.script.shifts);
        for (nth, definition) in plan.script.definitions.iter().enumerate() {
            shifts.apply(&mut values)?;
            let leads = plan.leads.as_ref();
            let lead_seconds = leads.map(|leads| leads.of_definition(nth, window.tick));
            let value = values.one(plan, fetched, definition, lead_seconds)?;
            let size = if let Value::Series(series) = &value { series.values.len() } else { 0 };
            room = room.checked_sub(size).ok_or_else(|| {
                let name = &definition.name;
                Error::Fetch(format!(
                    "the series up to {name} have more than {VALUES_MAX} values: ask for a coarser \
                     step or a shorter time"
                ))
            })?;
            values.all.push(value);
        }
        shifts.apply(&mut values)?;
        Ok(values)
    }

    pub(crate) fn series(&self, position: usize) -> Option<&Calculated> {
        match self.all.get(position) {
            Some(Value::Series(series)) => Some(series),
            _ => None,
        }
    }

    pub(crate) fn fact(&self, position: usize) -> Option<Fact> {
        match self.all.get(position) {
            Some(Value::Fact(fact)) => Some(*fact),
            _ => None,
        }
    }

    /// The value of something that is drawn, at a moment.
    pub(crate) fn at(&self, quantity: Quantity, seconds: f64) -> f64 {
        match quantity {
            Quantity::Number(number) => number,
            Quantity::Of(position) => match self.all.get(position) {
                Some(Value::Series(series)) => series.at(seconds),
                Some(Value::Fact(fact)) => fact.value,
                None => UNKNOWN,
            },
        }
    }

    fn one(
        &self,
        plan: &Plan,
        fetched: &[Stretch],
        definition: &Definition,
        lead_seconds: Option<i64>,
    ) -> Result<Value, Error> {
        match &definition.kind {
            DefinitionKind::Def { request, source_name, row_length, reduce: cf } => {
                let SeriesRequest { rrd, tick: asked, start_seconds, .. } =
                    &plan.script.requests[*request];
                let may_be_missing = plan.settings.missing_is_unknown;
                let stretch = &fetched[*request];
                let row_seconds = row_length.in_ticks(stretch.tick);
                let position = stretch.source_names.iter().position(|name| name == source_name);
                let series = match position {
                    Some(position) => reduce(stretch, position, row_seconds, *cf)?,
                    None if may_be_missing => missing(stretch, row_seconds)?,
                    None => {
                        let rrd = without_password(rrd);
                        let words = format!("No DS called '{source_name}' in '{rrd}'");
                        return Err(Error::Fetch(words));
                    }
                };
                let mut series = series.in_finer(self.window.tick);
                if lead_seconds.is_some() {
                    let start_seconds = asked.to_floor(*start_seconds, series.tick);
                    let step = i64::try_from(series.step_seconds.max(1)).unwrap_or(i64::MAX);
                    series.lead_up_to(start_seconds - start_seconds.rem_euclid(step));
                }
                Ok(Value::Series(series))
            }
            DefinitionKind::Cdef(program) => {
                let clock = Clock {
                    tick: self.window.tick,
                    now_seconds: plan.now.seconds,
                    zone: &plan.zone,
                };
                let begin_seconds = self.begin_seconds(program);
                let variables = self.variables();
                let answer = match lead_seconds {
                    None => program.evaluate(&variables, clock)?,
                    Some(lead_seconds) => {
                        let from_seconds = begin_seconds.saturating_sub(lead_seconds);
                        program.evaluate_from(from_seconds, &variables, clock)?
                    }
                };
                let mut series = Calculated {
                    tick: self.window.tick,
                    start_seconds: answer.start_seconds,
                    step_seconds: answer.step_seconds,
                    values: answer.values,
                    lead_rows: 0,
                };
                if lead_seconds.is_some() {
                    series.lead_up_to(begin_seconds);
                }
                Ok(Value::Series(series))
            }
            DefinitionKind::Vdef { of, summary } => {
                let fact = self.series(*of).map(|series| summary.of(&series.without_lead()));
                Ok(Value::Fact(fact.unwrap_or(Fact { value: UNKNOWN, when_seconds: None })))
            }
        }
    }

    /// When the first row begins that is not there for windows alone: the latest of all series of an
    /// expression.
    fn begin_seconds(&self, program: &Program) -> i64 {
        let series = program.variables().filter_map(|variable| self.series(variable));
        series.map(Calculated::begin_seconds).max().unwrap_or(i64::MIN)
    }

    fn variables(&self) -> Vec<Variable<'_>> {
        fn variable(value: &Value) -> Variable<'_> {
            match value {
                Value::Fact(fact) => Variable::Constant(fact.value),
                Value::Series(series) => Variable::Series(Column {
                    start_seconds: series.start_seconds,
                    step_seconds: series.step_seconds,
                    values: &series.values,
                }),
            }
        }
        self.all.iter().map(variable).collect()
    }
}

/// A source that is missing, and may be by `-Z`: all its rows are unknown.
fn missing(stretch: &Stretch, step_seconds: u64) -> Result<Calculated, Error> {
    let seconds = (stretch.end_seconds - stretch.start_seconds).max(0) as u64;
    let unknown = Stretch {
        rows: seconds / stretch.step_seconds.max(1),
        rows_before: 0,
        source_names: vec![String::new()],
        held: Vec::new(),
        ..*stretch
    };
    reduce(&unknown, 0, step_seconds, ConsolidationFunction::Average)
}
