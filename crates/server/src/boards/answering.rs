//! Answers what a panel asks for, as far as a visitor may see it.

use super::asking::{Asking, Unshown};
use super::board::{Panel, Subject};
use super::curve::Chart;
use super::{of_databases, of_queries, of_targets};

/// The charts of a panel.
pub(super) fn charts(asking: &Asking<'_>, panel: &Panel) -> Result<Vec<Chart>, Unshown> {
    if !asking.goes_on() {
        return Err(Unshown::Late);
    }
    let charts = match &panel.subject {
        Subject::Targets(names) => of_targets::charts(asking, panel, names)?,
        Subject::Found(words) => of_targets::charts_found(asking, panel, words)?,
        Subject::Databases(names) => of_databases::charts(asking, panel, names)?,
        Subject::PromQl(query) => vec![of_queries::prometheus(asking, panel, query)?],
        Subject::Graphite(target) => vec![of_queries::graphite(asking, panel, target)?],
    };
    match charts.iter().all(|chart| chart.curves.is_empty()) {
        true => Err(Unshown::Nothing(panel.subject.words())),
        false => Ok(charts),
    }
}
