//! Plots the pages read over the size of the cache.

use capacity::replay::Outcome;
use graph::{Axis, Legend, Panel, Plot, Scale};

use super::table::{Column, Table, per_update};

/// The plot, with a curve for each pair of policies.
pub(super) fn plot(table: &Table) -> Plot {
    let curve = |column: &Column| -> Vec<[f64; 2]> {
        let rows = table.pages_per_file.iter().zip(&column.outcomes);
        rows.map(|(pages, outcome)| [f64::from(*pages), pages_read(outcome)]).collect()
    };
    let legend = |column: &Column| Legend {
        name: format!("{}, {}", column.cache, column.readahead),
        ..Legend::default()
    };
    let curves: Vec<_> = table.columns.iter().map(curve).collect();
    let pages = table.pages_per_file.iter().map(|pages| f64::from(*pages));
    let heights = curves.iter().flatten().map(|[_, read]| *read);
    Plot {
        title: "Pages read by the size of the page cache".into(),
        x: Axis {
            label: "pages of the cache for each file".into(),
            scale: Scale::from_zero(pages),
        },
        legend: table.columns.iter().map(legend).collect(),
        panels: vec![Panel {
            y: Axis {
                label: "pages read for each update".into(),
                scale: Scale::from_zero(heights),
            },
            limit: None,
            curves,
        }],
    }
}

fn pages_read(outcome: &Outcome) -> f64 {
    per_update(outcome.updates, outcome.counts.pages_read())
}
