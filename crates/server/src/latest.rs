//! The newest values of a target.

use std::path::Path;

use rrd::ConsolidationFunction;
use rrd::fetch::Query;

use crate::Target;
use crate::view::View;

/// The newest value of each data source, in the database's units; `None` is unknown.
#[derive(Debug, Default)]
pub(crate) struct Latest {
    pub(crate) values: [Option<f64>; 2],
}

/// Rows that are looked at: the last ones may not be final yet.
const ROWS: i64 = 4;

/// The newest values that are not older than a few steps. What the store cannot tell is unknown.
pub(crate) fn latest(view: &View, target: &Target) -> Latest {
    let step_seconds = target.look.step_seconds.max(1);
    let query = Query {
        cf: ConsolidationFunction::Average,
        start_seconds: view.now_seconds - ROWS * step_seconds as i64,
        end_seconds: view.now_seconds,
        step_seconds,
    };
    let Ok(series) = view.store.fetch(Path::new(&*target.database), &query) else {
        return Latest::default();
    };
    let mut latest = Latest::default();
    for (_, row) in series.iter() {
        for (value, newest) in row.iter().zip(&mut latest.values) {
            if value.is_finite() {
                *newest = Some(*value);
            }
        }
    }
    latest
}
