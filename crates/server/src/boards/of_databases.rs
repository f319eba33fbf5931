//! Charts of databases by their names.

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch};
use store::NamePattern;

use super::asking::{Asking, Unshown};
use super::board::Panel;
use super::curve::{Chart, Curve, Unit, points_of};
use super::of_targets::{is_pattern, query_of, together};
use crate::charts::function;
use crate::pages::path::percent_encode;

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
    let is_alone = panel.each || found.len() == 1;
    let charts = found.iter().map(|name| chart(asking, panel, name, is_alone));
    let charts = charts.collect::<Result<Vec<_>, _>>()?;
    Ok(if is_alone { charts } else { vec![together(charts)] })
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

fn chart(asking: &Asking<'_>, panel: &Panel, name: &str, is_alone: bool) -> Result<Chart, Unshown> {
    let unshown = |error: store::Error| match error.is_missing() {
        true => Unshown::Nothing(name.to_owned()),
        false => Unshown::Store(error.to_string()),
    };
    let path = asking.data.path(name).map_err(|_| Unshown::Nothing(name.to_owned()))?;
    let store = asking.data.store.store();
    let outline = store.outline(&path).map_err(unshown)?;
    let cf = function(&outline.definition).unwrap_or(ConsolidationFunction::Average);
    let query = Query { cf, ..query_of(asking.window) };
    let rows = store.fetch_stretch(&path, &query).map_err(unshown)?;
    // Without a configuration, each database has a page.
    let page = asking.view.is_none().then(|| format!("/db/{}", percent_encode(name)));
    let curves = curves(panel, name, page.as_deref(), &rows, is_alone)?;
    Ok(Chart { title: name.to_owned(), page, curves })
}

fn curves(
    panel: &Panel,
    name: &str,
    page: Option<&str>,
    rows: &Stretch,
    is_alone: bool,
) -> Result<Vec<Curve>, Unshown> {
    let is_shown = |source: &str| panel.source.as_deref().is_none_or(|wanted| wanted == source);
    let sources = rows.source_names.iter().enumerate().filter(|(_, source)| is_shown(source));
    let curve = |(column, source): (usize, &String)| Curve {
        label: match (is_alone, &panel.source) {
            (true, _) => source.clone(),
            (false, Some(_)) => name.to_owned(),
            (false, None) => format!("{name} {source}"),
        },
        page: page.map(str::to_owned),
        unit: Unit { name: panel.unit.clone().unwrap_or_default(), kilo: 1000.0 },
        points: points_of(rows, column, 1.0),
    };
    let curves: Vec<Curve> = sources.map(curve).collect();
    match &panel.source {
        Some(source_name) if curves.is_empty() => {
            Err(Unshown::NoSource { name: name.to_owned(), source_name: source_name.clone() })
        }
        _ => Ok(curves),
    }
}
