//! Finds out after a fault which unacknowledged changes have been applied.

use super::{Shown, View, first_difference};
use crate::Checked;
use crate::ledger::{Change, Entry};
use crate::shadow::Shadow;

/// Finds the state that gyre shows for each database: that after all acknowledged changes, or after
/// some further requested ones, in their order.
///
/// # Errors
///
/// It shows another state.
pub(crate) fn settle(
    view: &mut impl View,
    shadow: &mut Shadow,
    entries: &mut [Entry],
) -> Checked<()> {
    entries.iter_mut().try_for_each(|entry| settle_one(view, shadow, entry))
}

/// The same, only for databases with unacknowledged changes.
pub(crate) fn settle_open(
    view: &mut impl View,
    shadow: &mut Shadow,
    entries: &mut [Entry],
) -> Checked<()> {
    let open = entries.iter_mut().filter(|entry| is_unknown(entry));
    open.into_iter().try_for_each(|entry| settle_one(view, shadow, entry))
}

fn is_unknown(entry: &Entry) -> bool {
    entry.is_open() || entry.may_have_forgotten || may_be_gone(entry)
}

fn settle_one(view: &mut impl View, shadow: &mut Shadow, entry: &mut Entry) -> Checked<()> {
    if may_be_gone(entry) {
        forget_if_gone(view, shadow, entry)?;
    }
    entry.split_open_updates();
    let mut differences = Vec::new();
    for changes in entry.changes_min()..=entry.history.len() {
        shadow.reach(entry, changes)?;
        let expected = match entry.exists_after(changes) {
            true => Shown::Content(shadow.dump(entry)?.trim_end_matches('\n').to_owned()),
            false => Shown::Absent,
        };
        let name = entry.name_after(changes);
        let found = match view.dump(name)? {
            // A partial file whose creation was not acknowledged.
            Shown::Refused(_) if entry.may_not_be_durable && expected == Shown::Absent => {
                Shown::Absent
            }
            found => found,
        };
        if found == expected {
            entry.settle(changes);
            return Ok(());
        }
        differences.push(format!("with {changes} changes: {}", difference(&found, &expected)));
    }
    Err(format!(
        "{} ({}, {:?}), {} changes acknowledged: {}",
        entry.name(),
        entry.nth,
        entry.member.habit,
        entry.acknowledged,
        differences.join("; ")
    ))
}

/// A new file without samples is only as durable as with rrdtool: after a fault of the disk it may
/// be missing or incomplete.
fn may_be_gone(entry: &Entry) -> bool {
    let made = matches!(entry.history[..entry.acknowledged].last(), Some(Change::Create { .. }));
    entry.may_not_be_durable && made && !entry.exists_after(entry.acknowledged - 1)
}

fn forget_if_gone(view: &mut impl View, shadow: &mut Shadow, entry: &mut Entry) -> Checked<()> {
    match view.dump(entry.name_after(entry.acknowledged))? {
        Shown::Content(_) => {}
        Shown::Absent | Shown::Refused(_) => {
            let changes = entry.acknowledged - 1;
            entry.forget(changes);
            shadow.forget(entry, changes);
        }
    }
    Ok(())
}

fn difference(found: &Shown, expected: &Shown) -> String {
    match (found, expected) {
        (Shown::Content(found), Shown::Content(expected)) => first_difference(found, expected),
        (Shown::Content(_), _) => "it is there, expected none".into(),
        (Shown::Absent, _) => "there is none".into(),
        (Shown::Refused(reason), _) => reason.clone(),
    }
}
