//! Charts of the targets of a configuration.

use store::NamePattern;

use super::asking::{Asking, Unshown};
use super::board::Panel;
use super::curve::Chart;
use super::of_charts::{self, Subjects};
use crate::Target;
use crate::charts::Subject;
use crate::view::{Asked, View};

/// The data sources of targets.
const SOURCES: [&str; 2] = ["ds0", "ds1"];

/// The charts of targets with these names, which may be patterns.
pub(super) fn charts(
    asking: &Asking<'_>,
    panel: &Panel,
    names: &[String],
) -> Result<Vec<Chart>, Unshown> {
    let view = asking.view.ok_or(Unshown::NoTargets)?;
    let mut targets = Vec::new();
    for name in names {
        let most = panel.first - targets.len().min(panel.first);
        match is_pattern(name) {
            true => targets.extend(view.matching(&NamePattern::meant(name)).take(most)),
            false => targets.extend(view.find(name).into_iter().take(most)),
        }
    }
    charts_of(asking, view, panel, &targets)
}

/// The charts of the targets that have these words.
pub(super) fn charts_found(
    asking: &Asking<'_>,
    panel: &Panel,
    words: &str,
) -> Result<Vec<Chart>, Unshown> {
    let view = asking.view.ok_or(Unshown::NoTargets)?;
    let asked = Asked { text: words, limit: panel.first, ..Asked::default() };
    charts_of(asking, view, panel, &view.hits(&asked).found.shown)
}

/// Whether a name stands for many.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn charts_of(
    asking: &Asking<'_>,
    view: &View,
    panel: &Panel,
    targets: &[Target],
) -> Result<Vec<Chart>, Unshown> {
    let is_there = |source: &String| SOURCES.contains(&source.as_str());
    let wrong = panel.source.as_ref().filter(|source| !is_there(source)).zip(targets.first());
    if let Some((source_name, target)) = wrong {
        let name = target.name.to_string();
        return Err(Unshown::NoSource { name, source_name: source_name.clone() });
    }
    let all = targets.iter().map(Subject::of_target).collect();
    let subjects = Subjects { all, databases: &&*view.store, have_pages: true };
    of_charts::charts(asking, panel, &subjects)
}
