//! Charts of databases by their names.

use std::path::PathBuf;

use rrd::Stretch;
use rrd::fetch::Query;
use store::{NamePattern, Outline};

use super::asking::{Asking, Unshown};
use super::board::Panel;
use super::curve::Chart;
use super::of_charts::{self, Subjects};
use super::of_targets::is_pattern;
use crate::charts::{Databases, Subject, Unread};
use crate::data::DataContext;

/// The most names that are looked through for one that a visitor may see.
const NAMES_MAX: usize = 100_000;
const NAMES_AT_ONCE: usize = 1000;

/// The charts of databases with these names, which may be patterns.
pub(super) fn charts(
    asking: &Asking<'_>,
    panel: &Panel,
    names: &[String],
) -> Result<Vec<Chart>, Unshown> {
    let mut found = Vec::new();
    for name in names {
        match is_pattern(name) {
            true => matching(asking, &NamePattern::meant(name), panel.first, &mut found)?,
            false => found.extend(seen(asking, name).then(|| name.clone())),
        }
    }
    found.truncate(panel.first);
    let subjects = Subjects {
        all: found.iter().map(|name| Subject::of_database(name)).collect(),
        databases: &Named(asking.data),
        // Without a configuration, each database has a page.
        have_pages: asking.view.is_none(),
    };
    let charts = of_charts::charts(asking, panel, &subjects)?;
    let is_empty = charts.iter().all(|chart| chart.curves.is_empty());
    match (&panel.source, found.into_iter().next()) {
        (Some(source_name), Some(name)) if is_empty => {
            Err(Unshown::NoSource { name, source_name: source_name.clone() })
        }
        _ => Ok(charts),
    }
}

fn seen(asking: &Asking<'_>, name: &str) -> bool {
    asking.data.reaches(&asking.visitor.scope, name)
}

fn matching(
    asking: &Asking<'_>,
    pattern: &NamePattern,
    most: usize,
    found: &mut Vec<String>,
) -> Result<(), Unshown> {
    let mut from = String::new();
    for _ in 0..NAMES_MAX / NAMES_AT_ONCE {
        let page = asking.data.store.names_from(pattern, &from, NAMES_AT_ONCE);
        let page = page.map_err(|error| Unshown::Store(error.to_string()))?;
        found.extend(page.names.into_iter().filter(|name| seen(asking, name)));
        match page.next {
            Some(next) if found.len() < most && asking.goes_on() => from = next,
            _ => break,
        }
    }
    Ok(())
}

/// Databases by the names that a client has for them.
struct Named<'a>(&'a DataContext);

impl Named<'_> {
    fn path(&self, name: &str) -> Result<PathBuf, Unread> {
        self.0.path(name).map_err(|_| Unread::Missing)
    }
}

impl Databases for Named<'_> {
    fn outline(&self, name: &str) -> Result<Outline, Unread> {
        Ok(self.0.store.store().outline(&self.path(name)?)?)
    }

    fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>> {
        let store = self.0.store.store();
        let fetch =
            |(name, query): &(&str, Query)| Ok(store.fetch_stretch(&self.path(name)?, query)?);
        wanted.iter().map(fetch).collect()
    }
}
