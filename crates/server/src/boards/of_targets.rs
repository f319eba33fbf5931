//! Charts of the targets of a configuration.

use std::path::Path;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch, Tick};
use store::{NamePattern, Wanted};

use super::asking::{Asking, Unshown};
use super::board::Panel;
use super::curve::{Chart, Curve, Unit, Window, points_of};
use crate::Target;
use crate::pages::path;
use crate::view::{Asked, View};

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
    let wanted = targets.iter().map(|target| Wanted {
        name: Path::new(&*target.database),
        query: query_of(asking.window),
    });
    let answers = view.store.fetch_all(&wanted.collect::<Vec<_>>());
    let is_alone = panel.each || targets.len() == 1;
    let charts = targets.iter().zip(answers).map(|(target, answer)| {
        let rows = match answer {
            Ok(rows) => Some(rows),
            // A target that was not polled so far has no database.
            Err(error) if error.is_missing() => None,
            Err(error) => return Err(Unshown::Store(error.to_string())),
        };
        Ok(Chart {
            title: target.title(),
            page: Some(path::target(&target.name)),
            curves: curves(target, panel, rows.as_ref(), is_alone)?,
        })
    });
    let charts = charts.collect::<Result<Vec<_>, _>>()?;
    Ok(if is_alone { charts } else { vec![together(charts)] })
}

/// The averages of a stretch of time, in rows that are as long as a chart needs them.
pub(super) fn query_of(window: Window) -> Query {
    Query {
        tick: Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: window.start_seconds,
        end_seconds: window.end_seconds,
        step_seconds: window.step_seconds(),
    }
}

fn curves(
    target: &Target,
    panel: &Panel,
    rows: Option<&Stretch>,
    is_alone: bool,
) -> Result<Vec<Curve>, Unshown> {
    let look = target.present_look();
    let sources = ["ds0", "ds1"];
    if let Some(source_name) = panel.source.clone().filter(|it| !sources.contains(&it.as_str())) {
        return Err(Unshown::NoSource { name: target.name.to_string(), source_name });
    }
    let is_shown = |source: &str| panel.source.as_deref().is_none_or(|wanted| wanted == source);
    let lines = sources.into_iter().zip(&look.lines).enumerate();
    let lines = lines.filter(|(_, (source, line))| line.shown && is_shown(source));
    let curve = |(column, (_, line)): (usize, (&str, &crate::Line))| Curve {
        label: match is_alone {
            true => line.label.to_string(),
            false if panel.source.is_some() => target.title(),
            false => format!("{} {}", target.title(), line.label),
        },
        page: Some(path::target(&target.name)),
        unit: Unit {
            name: panel.unit.clone().unwrap_or_else(|| look.unit.to_string()),
            kilo: look.kilo,
        },
        points: rows.map_or_else(Vec::new, |rows| points_of(rows, column, look.factor)),
    };
    Ok(lines.map(curve).collect())
}

/// All curves in one chart.
pub(super) fn together(charts: Vec<Chart>) -> Chart {
    let curves = charts.into_iter().flat_map(|chart| chart.curves).collect();
    Chart { title: String::new(), page: None, curves }
}
