//! Rows of a tree's databases, for charts.

use rrd::Stretch;
use rrd::fetch::Query;
use store::Outline;

use super::{Tree, Unanswered};
use crate::charts::{Databases, Unread};

/// The databases of a tree.
pub(super) struct Rows<'t>(pub(super) &'t dyn Tree);

impl Databases for Rows<'_> {
    fn outline(&self, name: &str) -> Result<Outline, Unread> {
        self.0.outline(name).map_err(unread)
    }

    fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>> {
        let fetch = |(name, query): &(&str, Query)| self.0.fetch(name, query);
        let answers = wanted.iter().map(fetch);
        answers.map(|answer| answer.map_err(unread)).collect()
    }
}

fn unread(unanswered: Unanswered) -> Unread {
    match unanswered {
        Unanswered::Missing => Unread::Missing,
        Unanswered::NotDrawable => Unread::NotDrawable,
        told => Unread::Told(told.to_string()),
    }
}
