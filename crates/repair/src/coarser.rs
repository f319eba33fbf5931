//! Rows of coarser archives whose finer rows changed.

use rrd::refill::is_same;
use rrd::{Archive, ConsolidationFunction as Cf, RowSoFar, Snapshot, UNKNOWN};

use crate::column::Column;

/// Calculates coarser rows anew from finer ones, where one of those changed and all of them are
/// still there. Finer ones are rows of the same function, or PDPs. Returns how many it changed.
pub(crate) fn calculate_anew(old: &Snapshot, new: &mut Snapshot) -> usize {
    let archives = &old.definition.archives;
    let mut order: Vec<usize> =
        (0..archives.len()).filter(|nth| is_consolidated(archives, *nth)).collect();
    order.sort_by_key(|nth| archives[*nth].pdp_per_row);
    let mut changed = 0;
    for (place, archive) in order.iter().enumerate() {
        for source in 0..old.definition.sources.len() {
            let mut coarse = Column::of(new, *archive, source);
            let before = coarse.values.clone();
            let finer = order[..place].iter().filter(|nth| supplies(archives, **nth, *archive));
            let finer: Vec<Finer> = finer.map(|nth| Finer::of(old, new, *nth, source)).collect();
            for row in 0..coarse.values.len() {
                if let Some(value) = anew(&coarse, row, &finer, &archives[*archive]) {
                    coarse.values[row] = value;
                }
            }
            let differs =
                before.iter().zip(&coarse.values).filter(|(old, new)| !is_same(**old, **new));
            changed += differs.count();
            coarse.put_into(new);
        }
    }
    changed
}

fn is_consolidated(archives: &[Archive], nth: usize) -> bool {
    !archives[nth].cf.is_forecast()
}

/// Whether rows of one archive are made of those of another.
fn supplies(archives: &[Archive], finer: usize, coarser: usize) -> bool {
    let (finer, coarser) = (&archives[finer], &archives[coarser]);
    finer.pdp_per_row < coarser.pdp_per_row
        && coarser.pdp_per_row % finer.pdp_per_row == 0
        && (finer.pdp_per_row == 1 || (finer.cf == coarser.cf && !coarser.cf.is_spread()))
}

/// An archive that coarser rows are made of, and which of its rows changed.
struct Finer {
    column: Column,
    pdp_per_row: u64,
    has_changed: Vec<bool>,
}

impl Finer {
    fn of(old: &Snapshot, new: &Snapshot, archive: usize, source: usize) -> Self {
        let (before, column) = (Column::of(old, archive, source), Column::of(new, archive, source));
        let pairs = before.values.iter().zip(&column.values);
        let has_changed = pairs.map(|(old, new)| !is_same(*old, *new)).collect();
        Self { column, pdp_per_row: old.definition.archives[archive].pdp_per_row, has_changed }
    }
}

/// The value of a row, if finer rows say that it is another one. The finest that are all there
/// decide.
fn anew(coarse: &Column, row: usize, finer: &[Finer], archive: &Archive) -> Option<f64> {
    let end_seconds = coarse.end_seconds(row);
    let start_seconds = end_seconds - coarse.row_seconds as i64;
    finer.iter().find_map(|finer| {
        let column = &finer.column;
        let first = column.row_ending_at(start_seconds + column.row_seconds as i64)?;
        let last = column.row_ending_at(end_seconds)?;
        let is_other = finer.has_changed[first..=last].contains(&true);
        Some(is_other.then(|| consolidated(&column.values[first..=last], finer, archive)))
    })?
}

/// As `rrd::update` consolidates, from rows of some PDPs each.
fn consolidated(rows: &[f64], finer: &Finer, archive: &Archive) -> f64 {
    let known = || rows.iter().copied().filter(|value| !value.is_nan());
    let unknown_pdps = (rows.len() - known().count()) as u64 * finer.pdp_per_row;
    if unknown_pdps as f64 > archive.pdp_per_row as f64 * archive.xff {
        return UNKNOWN;
    }
    match archive.cf {
        Cf::Min => known().fold(UNKNOWN, f64::min),
        Cf::Max => known().fold(UNKNOWN, f64::max),
        Cf::Last => rows.last().copied().unwrap_or(UNKNOWN),
        cf if cf.is_spread() => {
            let mut row = RowSoFar::fresh(archive);
            known().for_each(|pdp| row.take(pdp, 1));
            row.end(cf)
        }
        _ => known().sum::<f64>() / known().count() as f64,
    }
}
