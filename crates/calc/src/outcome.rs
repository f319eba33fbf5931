//! The answer for one database, or for a sum of several, and what is to be said of it.

use graph::{Bounds, RowFact, RowsAnswer, RowsPlan};
use rrd::Tick;

use crate::error::CalcError;
use crate::fetched::Fetched;
use crate::origin::Origin;

/// The answer for one database, or for a sum of several.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of the database; empty where the words name all databases.
    pub name: String,
    /// Columns, numbers and lines.
    pub answer: RowsAnswer,
    /// Which rows answered each request, in order.
    pub origins: Vec<Origin>,
    /// The percentiles of rows that are longer than a step.
    pub coarse: Vec<Coarse>,
    /// Of a sum, how many databases it is of.
    pub summed: Option<Summed>,
}

/// Of how many databases a sum is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summed {
    /// How many databases.
    pub databases: usize,
    /// How many values of their rows were unknown, and are not in it.
    pub unknown: u64,
}

/// A percentile of rows that are longer than a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Coarse {
    /// The name of the VDEF.
    pub name: String,
    /// What the lengths are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// The database's step.
    pub step_seconds: u64,
    /// The length of the rows.
    pub row_seconds: u64,
    /// Between which the percentile of all steps lies, if archives of MIN and MAX show it.
    pub bounds: Option<Bounds>,
}

impl Outcome {
    pub(crate) fn of(
        plan: &RowsPlan,
        name: &str,
        fetched: &Fetched,
        is_exact: bool,
    ) -> Result<Self, CalcError> {
        let mut answer = plan.answer(&fetched.rows)?;
        let mut coarse = Vec::new();
        let origins = fetched.origins.iter().cloned();
        // Those of facts are counted in the finest ticks of all.
        let origins = |tick: Tick| origins.clone().map(|it| it.in_finer(tick)).collect::<Vec<_>>();
        for fact in answer.facts.iter_mut().filter(|fact| fact.percent.is_some()) {
            let tick = fact.rows.tick;
            let origins = origins(tick);
            let of_rows = || fact.rows.requests.iter().map(|nth| &origins[*nth]);
            let steps = of_rows().map(|origin| origin.step_seconds);
            let step_seconds = steps.min().unwrap_or(fact.rows.row_seconds);
            let has_long_rows = of_rows().any(|origin| origin.steps_per_row() > 1);
            if fact.rows.row_seconds <= step_seconds && !has_long_rows {
                continue;
            }
            let longest_seconds = of_rows().map(|origin| origin.row_seconds).max().unwrap_or(0);
            let row_seconds = fact.rows.row_seconds.max(longest_seconds);
            if is_exact {
                return Err(CalcError::Inexact {
                    name: fact.name.clone(),
                    step_seconds: tick.seconds_of(step_seconds),
                    row_seconds: tick.seconds_of(row_seconds),
                });
            }
            fact.bounds = bounds(plan, fact, fetched, &origins)?;
            let (name, bounds) = (fact.name.clone(), fact.bounds);
            coarse.push(Coarse { name, tick, step_seconds, row_seconds, bounds });
        }
        let origins = fetched.origins.clone();
        Ok(Self { name: name.into(), answer, origins, coarse, summed: None })
    }
}

/// The bounds of a percentile whose rows all have as many steps.
fn bounds(
    plan: &RowsPlan,
    fact: &RowFact,
    fetched: &Fetched,
    origins: &[Origin],
) -> Result<Option<Bounds>, CalcError> {
    let Some(extremes) = &fetched.extremes else { return Ok(None) };
    let mut origins = fact.rows.requests.iter().map(|nth| &origins[*nth]);
    let Some(first) = origins.clone().next() else { return Ok(None) };
    let is_like_first = |origin: &Origin| {
        (origin.row_seconds, origin.step_seconds) == (first.row_seconds, first.step_seconds)
            && origin.row_seconds == fact.rows.row_seconds
    };
    let are_proven = fact.rows.requests.iter().all(|nth| extremes.are_proven[*nth]);
    if !origins.all(is_like_first) || !are_proven {
        return Ok(None);
    }
    let (least, greatest) = (&extremes.least, &extremes.greatest);
    Ok(plan.bounds(&fact.name, &fetched.rows, least, greatest, first.steps_per_row())?)
}
