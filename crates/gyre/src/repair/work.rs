//! Plans for many databases, on every core, and what becomes of them.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use calc::Each;
use repair::{Plan, Repair};
use rrd::Snapshot;
use rrd::refill::{CellChange, is_same};
use rrdtool::{Failure, Session};
use store::{Edit, Store, memory_room};

use super::report::{Done, Mended, Report};
use super::undo::{Changed, UndoFile, UndoLines};
use crate::on_every_core::on_every_core;

/// How each database is mended.
pub(super) struct Mender<'a> {
    pub(super) repair: &'a Repair<'a>,
    /// Where old values are kept; without it, nothing is changed.
    pub(super) undo: Option<&'a UndoFile>,
    /// Whether the report has every single change.
    pub(super) keeps_changes: bool,
}

/// The databases of one place, to be mended.
pub(super) struct Work<'a> {
    pub(super) mender: &'a Mender<'a>,
    pub(super) each: &'a Each,
}

impl Work<'_> {
    /// What became of each, in the order of their names.
    pub(super) fn done(&self) -> Vec<Done> {
        let Each { store, root, names } = self.each;
        let done = Mutex::new(Vec::new());
        on_every_core("databases", names.len(), |queue| {
            while let Some(nth) = queue.next().filter(|nth| *nth < names.len()) {
                let name = &names[nth];
                let mended = self.mender.mend(&**store, root, name);
                let what = Done { name: root.join(name).display().to_string(), mended };
                done.lock().unwrap_or_else(PoisonError::into_inner).push((nth, what));
                queue.did(1);
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(nth, _)| *nth);
        done.into_iter().map(|(_, what)| what).collect()
    }
}

impl Mender<'_> {
    fn mend(&self, store: &dyn Store, root: &Path, name: &str) -> Result<Mended, Failure> {
        let whole = store.snapshot(Path::new(name))?;
        let plan = repair::plan(&whole, self.repair, &mut memory_room()).map_err(Failure::of)?;
        if let (Some(undo), false) = (self.undo, plan.changes.is_empty()) {
            let root = root.canonicalize().map_err(Failure::at(root.display()))?;
            undo.keep(&Changed::new(&root, name, &plan.changes))?;
            store.edit(Path::new(name), &Edit::Cells(&plan.changes), &|| true)?;
        }
        Ok(Mended::new(&whole, plan, self.keeps_changes))
    }
}

/// Takes back what a file says was changed; only says what it would do unless `writes`.
///
/// # Errors
/// The file cannot be read.
pub(super) fn undo(session: &mut Session, path: &Path, writes: bool) -> Result<Report, Failure> {
    let mut report = Report::default();
    let mut lines = UndoLines::open(path)?;
    let is_one = lines.count() == 1;
    while let Some(changed) = lines.take_last()? {
        let name = changed.root.join(&changed.name).display().to_string();
        let mended = undo_one(session, &changed, writes, is_one);
        report.add(vec![Done { name, mended }]);
    }
    Ok(report)
}

fn undo_one(
    session: &mut Session,
    changed: &Changed,
    writes: bool,
    keeps_changes: bool,
) -> Result<Mended, Failure> {
    let store = Each::store(session, &changed.root)?;
    let name = Path::new(&changed.name);
    let whole = store.snapshot(name)?;
    let undone = Plan::undone(&changed.changes());
    let (changes, left): (Vec<_>, Vec<_>) =
        undone.into_iter().partition(|change| holds(&whole, change));
    if writes && !changes.is_empty() {
        store.edit(name, &Edit::Cells(&changes), &|| true)?;
    }
    Ok(Mended::undone(&whole, changes, left.len(), keeps_changes))
}

/// Whether a cell holds what a change says it holds.
fn holds(whole: &Snapshot, change: &CellChange) -> bool {
    let (archive, source) = (change.archive as usize, change.source as usize);
    let sources = whole.definition.sources.len();
    let Some(ring) = whole.rows.get(archive).filter(|_| source < sources) else { return false };
    let row_seconds =
        whole.definition.archives[archive].row_seconds(whole.definition.step_seconds) as i64;
    let age_seconds = whole.newest_row_seconds(archive) - change.row_end_seconds;
    let Ok(age) = usize::try_from(age_seconds / row_seconds) else { return false };
    let row = (ring.len() / sources).checked_sub(age + 1).filter(|_| age_seconds >= 0);
    row.is_some_and(|row| is_same(ring[row * sources + source], change.before))
}
