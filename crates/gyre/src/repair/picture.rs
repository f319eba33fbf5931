//! The rows of a database before and after.

use std::path::Path;

use calc::Each;
use graph::{Axis, Legend, Panel, Plot, Scale};
use rrd::Snapshot;
use rrd::refill::CellChange;
use rrdtool::Failure;

use super::report::{Report, Shown};

const HOUR_SECONDS: f64 = 3600.0;

/// Draws the archive with the most changes.
///
/// # Errors
/// The database cannot be read, or the picture not be written.
pub(super) fn write(path: &Path, each: &Each, report: &Report) -> Result<(), Failure> {
    let Some(name) = each.names.first() else { return Ok(()) };
    let whole = each.store.snapshot(Path::new(name))?;
    let archive = archive_with_most(report.changes());
    let plot = plot(&whole, name, archive, report.changes());
    crate::plot_file::write(path, &plot).map_err(Failure::of)
}

/// The finest of those with the most changes.
fn archive_with_most(changes: &[Shown]) -> usize {
    let mut counts = std::collections::BTreeMap::<(u64, u32), usize>::new();
    for shown in changes {
        *counts.entry((shown.row.ticks().cast_unsigned(), shown.change.archive)).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(0, |((_, archive), _)| archive as usize)
}

fn plot(whole: &Snapshot, name: &str, archive: usize, changes: &[Shown]) -> Plot {
    let changes = changes.iter().map(|shown| &shown.change);
    let changes: Vec<_> = changes.filter(|it| it.archive as usize == archive).collect();
    // Whether it was changed already or only would be, each cell of a plan has both values.
    let curves = |value: fn(&CellChange) -> f64| curves(whole, archive, &changes, value);
    let (before, after) = (curves(|change| change.before), curves(|change| change.after));
    let definition = &whole.definition;
    let found = &definition.archives[archive];
    let row = definition.row_told(found);
    let hours = found.rows as f64 * row.seconds() / HOUR_SECONDS;
    let legend = |name: &String| Legend { name: name.clone(), ..Legend::default() };
    Plot {
        title: format!("{name}: {} of {row} s, before and after", found.cf),
        x: Axis { label: "hours before the last row".into(), scale: Scale::Linear(-hours, 0.0) },
        legend: definition.sources.iter().map(|source| legend(&source.name)).collect(),
        panels: vec![panel("before", before), panel("after", after)],
    }
}

fn panel(label: &str, curves: Vec<Vec<[f64; 2]>>) -> Panel {
    let heights = curves.iter().flatten().map(|[_, y]| *y);
    let least = heights.clone().filter(|it| it.is_finite()).fold(0.0, f64::min);
    let scale = match Scale::from_zero(heights) {
        Scale::Linear(_, most) => Scale::Linear(least, most),
        other => other,
    };
    Panel { y: Axis { label: label.into(), scale }, limit: None, curves }
}

/// A curve of known rows for each source; a changed cell has the value that is asked for.
fn curves(
    whole: &Snapshot,
    archive: usize,
    changes: &[&CellChange],
    value: fn(&CellChange) -> f64,
) -> Vec<Vec<[f64; 2]>> {
    let definition = &whole.definition;
    let sources = definition.sources.len();
    let row_seconds = definition.archives[archive].row_seconds(definition.step_seconds) as i64;
    let rows = whole.rows[archive].len() / sources;
    let mut cells = whole.rows[archive].clone();
    for change in changes {
        let age = (whole.newest_row_seconds(archive) - change.row_end_seconds) / row_seconds;
        cells[(rows - 1 - age as usize) * sources + change.source as usize] = value(change);
    }
    let hours = |row: usize| (row + 1) as f64 - rows as f64;
    let curve = |source: usize| {
        let points = (0..rows).map(|row| {
            [
                hours(row) * definition.tick.seconds_of(row_seconds.cast_unsigned()) / HOUR_SECONDS,
                cells[row * sources + source],
            ]
        });
        points.filter(|[_, y]| y.is_finite()).collect()
    };
    (0..sources).map(curve).collect()
}
