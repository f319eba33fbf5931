//! The newest values of a target.

use std::path::Path;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch};
use store::Wanted;

use crate::Target;
use crate::view::View;

/// The newest value of each data source, in the database's units; `None` is unknown.
#[derive(Debug, Default)]
pub(crate) struct Latest {
    pub(crate) values: [Option<f64>; 2],
}

/// The number of rows that are read: the last ones may not be final yet.
const ROWS: i64 = 4;

/// The newest values, at most a few steps old. Values that the store cannot tell are unknown.
pub(crate) fn latest(view: &View, target: &Target) -> Latest {
    latest_of(view, std::slice::from_ref(target)).pop().unwrap_or_default()
}

/// The newest values of many targets, in their order.
pub(crate) fn latest_of(view: &View, targets: &[Target]) -> Vec<Latest> {
    let wanted = targets.iter().map(|target| {
        let step_seconds = target.look.step_seconds.max(1);
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf: ConsolidationFunction::Average,
            start_seconds: view.now_seconds - ROWS * step_seconds as i64,
            end_seconds: view.now_seconds,
            step_seconds,
        };
        Wanted { name: Path::new(&*target.database), query }
    });
    let answers = view.store.fetch_all(&wanted.collect::<Vec<_>>()).into_iter();
    answers.map(|answer| answer.as_ref().map_or_else(|_| Latest::default(), Latest::of)).collect()
}

impl Latest {
    fn of(rows: &Stretch) -> Self {
        let mut latest = Self::default();
        for (_, row) in rows.iter() {
            for (value, newest) in row.unwrap_or_default().iter().zip(&mut latest.values) {
                if value.is_finite() {
                    *newest = Some(*value);
                }
            }
        }
        latest
    }
}
