//! What a calculation on rows tells.

use std::collections::BTreeSet;

use rrd::{Stretch, Tick};

use super::{Bounds, RowsPlan};
use crate::Error;
use crate::arguments::{DefinitionKind, Element};
use crate::calculate::Values;
use crate::calculated::Calculated;
use crate::format::Scale;
use crate::print::print;
use crate::summary::Summary;

/// Columns, facts and lines.
#[derive(Clone, Debug)]
pub struct RowsAnswer {
    /// One for each XPORT, in order.
    pub columns: Vec<RowColumn>,
    /// One for each VDEF, in order.
    pub facts: Vec<RowFact>,
    /// One for each PRINT, in order.
    pub prints: Vec<RowPrint>,
}

/// Rows of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct RowColumn {
    /// The name of the definition.
    pub name: String,
    /// The legend, or the name where there is none.
    pub legend: String,
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// Where the first row begins, seconds.
    pub start_seconds: i64,
    /// The length of a row.
    pub row_seconds: u64,
    /// The values; NaN is unknown.
    pub values: Vec<f64>,
    /// The requests that gave its rows, by position.
    pub requests: Vec<usize>,
}

impl RowColumn {
    /// Where the last row ends, seconds.
    #[must_use]
    pub fn end_seconds(&self) -> i64 {
        self.start_seconds + self.values.len() as i64 * self.row_seconds as i64
    }

    /// How many rows are unknown.
    #[must_use]
    pub fn unknown(&self) -> usize {
        self.values.iter().filter(|value| value.is_nan()).count()
    }
}

/// One number of all rows of a series: a VDEF.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFact {
    /// The name of the definition.
    pub name: String,
    /// The number.
    pub value: f64,
    /// The time that it belongs to, in the ticks of its rows.
    pub when_seconds: Option<i64>,
    /// What it was made of.
    pub rows: RowsTold,
    /// The percentage of PERCENT and PERCENTNAN.
    pub percent: Option<f64>,
    /// Of a percentile of rows of more than one step: between which it lies, if that can be shown.
    pub bounds: Option<Bounds>,
}

/// The rows that a number was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsTold {
    /// The name of their definition.
    pub of: String,
    /// What their times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// Where the first one begins, seconds.
    pub start_seconds: i64,
    /// Where the last one ends, seconds.
    pub end_seconds: i64,
    /// The length of a row.
    pub row_seconds: u64,
    /// How many they are.
    pub count: usize,
    /// How many of them are unknown.
    pub unknown: usize,
    /// The requests that gave them, by position.
    pub requests: Vec<usize>,
}

/// A line of PRINT.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPrint {
    /// The name of the definition.
    pub of: String,
    /// The line.
    pub text: String,
    /// The number in it.
    pub value: f64,
    /// What it was made of.
    pub rows: RowsTold,
}

impl RowsPlan {
    /// Calculates from the answers to the requests, one for each, in order.
    ///
    /// # Errors
    /// An answer is missing or lacks a source; what only data can show of an expression.
    pub fn answer(&self, fetched: &[Stretch]) -> Result<RowsAnswer, Error> {
        let values = self.values(fetched)?;
        let mut scale = Scale::default();
        let (mut columns, mut prints) = (Vec::new(), Vec::new());
        for element in &self.plan.script.elements {
            match element {
                Element::Column(column) => {
                    columns.extend(self.column(&values, column.of, &column.legend));
                }
                Element::Print(what) => prints.push(RowPrint {
                    of: self.name(what.of).into(),
                    text: print(what, &self.plan, &values, &mut scale)?,
                    value: match (values.fact(what.of), what.cf, values.series(what.of)) {
                        (Some(fact), ..) => fact.value,
                        (None, Some(cf), Some(series)) => series.consolidated(cf),
                        _ => rrd::UNKNOWN,
                    },
                    rows: self.told(&values, what.of),
                }),
                _ => {}
            }
        }
        Ok(RowsAnswer { columns, facts: self.facts(&values), prints })
    }

    fn column(&self, values: &Values, of: usize, legend: &str) -> Option<RowColumn> {
        let series = values.series(of)?;
        let name = self.name(of);
        let Calculated { tick, start_seconds, step_seconds, values, .. } =
            series.without_lead().into_owned();
        Some(RowColumn {
            name: name.into(),
            legend: if legend.is_empty() { name } else { legend }.into(),
            tick,
            start_seconds,
            row_seconds: step_seconds,
            values,
            requests: self.requests_of(of),
        })
    }

    fn facts(&self, values: &Values) -> Vec<RowFact> {
        let definitions = self.plan.script.definitions.iter().enumerate();
        let facts = definitions.filter_map(|(nth, definition)| {
            let DefinitionKind::Vdef { summary, .. } = &definition.kind else { return None };
            let fact = values.fact(nth)?;
            let percent = match summary {
                Summary::Percentile { percent, .. } => Some(*percent),
                _ => None,
            };
            Some(RowFact {
                name: definition.name.clone(),
                value: fact.value,
                when_seconds: fact.when_seconds,
                rows: self.told(values, nth),
                percent,
                bounds: None,
            })
        });
        facts.collect()
    }

    /// The rows behind a definition: its own, or those of the series that it is a number of.
    fn told(&self, values: &Values, position: usize) -> RowsTold {
        let of = self.series_behind(position);
        let mut told = RowsTold {
            of: self.name(of).into(),
            tick: values.window.tick,
            start_seconds: values.window.start_seconds,
            end_seconds: values.window.start_seconds,
            row_seconds: 0,
            count: 0,
            unknown: 0,
            requests: self.requests_of(of),
        };
        if let Some(series) = values.series(of) {
            let rows = series.values.get(series.lead_rows..).unwrap_or(&[]);
            told.start_seconds = series.begin_seconds();
            told.row_seconds = series.step_seconds;
            told.count = rows.len();
            told.unknown = rows.iter().filter(|value| value.is_nan()).count();
            told.end_seconds = told.start_seconds + rows.len() as i64 * series.step_seconds as i64;
        }
        told
    }

    pub(super) fn series_behind(&self, position: usize) -> usize {
        match self.plan.script.definitions.get(position).map(|it| &it.kind) {
            Some(DefinitionKind::Vdef { of, .. }) => *of,
            _ => position,
        }
    }

    fn name(&self, position: usize) -> &str {
        self.plan.script.definitions.get(position).map_or("", |definition| &definition.name)
    }

    /// The requests that a definition rests on, by position, each once.
    fn requests_of(&self, position: usize) -> Vec<usize> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![position];
        while let Some(nth) = open.pop() {
            if !seen.insert(nth) {
                continue;
            }
            match self.plan.script.definitions.get(nth).map(|it| &it.kind) {
                Some(DefinitionKind::Def { request, .. }) => drop(found.insert(*request)),
                Some(DefinitionKind::Cdef(program)) => open.extend(program.variables()),
                Some(DefinitionKind::Vdef { of, .. }) => open.push(*of),
                None => {}
            }
        }
        found.into_iter().collect()
    }
}
