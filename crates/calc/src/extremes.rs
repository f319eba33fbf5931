//! The least and the greatest values of rows that have several steps.

use rrd::fetch::{Query, window};
use rrd::{ConsolidationFunction, Stretch};
use rrdfile::Header;

/// The functions whose archives prove bounds, the least first.
pub(crate) const FUNCTIONS: [ConsolidationFunction; 2] =
    [ConsolidationFunction::Min, ConsolidationFunction::Max];

/// Rows that stand for those of the requests, in their order.
pub(crate) struct Extremes {
    /// The least values.
    pub(crate) least: Vec<Stretch>,
    /// The greatest.
    pub(crate) greatest: Vec<Stretch>,
    /// Of which requests they are proven: there are such archives, or a row is one step.
    pub(crate) are_proven: Vec<bool>,
}

/// The query for the archive of a function whose rows are those that another query is answered with.
/// `None` if there is none, or if a row is one step: then it is its own least and greatest value.
pub(crate) fn query(
    header: &Header,
    query: &Query,
    is_long: bool,
    function: ConsolidationFunction,
) -> Option<Query> {
    if !is_long {
        return None;
    }
    let (definition, last) = (&header.definition, header.live.last_update.seconds);
    let own = window(definition, last, query).ok()?;
    let asked = Query { cf: function, step_seconds: own.step_seconds, ..*query };
    let found = window(definition, last, &asked).ok()?;
    let is_same = found.step_seconds == own.step_seconds
        && found.start_seconds == own.start_seconds
        && definition.archives[found.archive].cf == function;
    is_same.then_some(asked)
}

impl Extremes {
    /// Those of rows: for a request that has no answer of its own, the rows themselves if a row is
    /// one step; `None` if an answer is missing that there should be.
    pub(crate) fn of(
        own: &[Stretch],
        are_long: &[bool],
        least: Vec<Option<Result<Stretch, store::Error>>>,
        greatest: Vec<Option<Result<Stretch, store::Error>>>,
    ) -> Option<Self> {
        if least.len() != own.len() || greatest.len() != own.len() {
            return None;
        }
        let rows = |answers: Vec<Option<Result<Stretch, store::Error>>>| {
            let rows = answers.into_iter().zip(own).map(|(answer, own)| match answer {
                None => Some(own.clone()),
                Some(answer) => answer.ok().filter(|rows| rows.step_seconds == own.step_seconds),
            });
            rows.collect::<Option<Vec<Stretch>>>()
        };
        let both = least.iter().zip(&greatest).zip(are_long);
        let is_proven = |((least, greatest), is_long): ((&Option<_>, &Option<_>), &bool)| {
            !*is_long || (least.is_some() && greatest.is_some())
        };
        let are_proven = both.map(is_proven).collect();
        Some(Self { least: rows(least)?, greatest: rows(greatest)?, are_proven })
    }
}
