//! What if: the same databases polled at another pace.

use rrd::Definition;

use crate::{Fleet, FleetGroup};

/// What becomes of a layout when it is polled faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// It stays, its step too: samples are taken more often, and each step takes the mean of
    /// several.
    Kept,
    /// Its step becomes the new one; rows and their numbers stay, so that each archive reaches back
    /// a shorter time.
    SameRows,
    /// Its step becomes the new one, and each archive reaches back as far as before: those of one
    /// step get more rows, those of several steps take more of them for a row.
    SameSpans,
}

/// All databases updated once in so many seconds.
///
/// # Panics
/// If that is 0.
#[must_use]
pub fn polled_every(fleet: &Fleet, seconds: u64, layout: Layout) -> Fleet {
    let groups = fleet.groups.iter().map(|group| group_every(group, seconds, layout));
    Fleet { groups: groups.collect() }
}

/// So many databases of a group (all, if it has no more) updated once in so many seconds, and the
/// others as before: "core at one minute, access at five".
///
/// # Panics
/// If there is no such group, or the seconds are 0.
#[must_use]
pub fn split(fleet: &Fleet, group: usize, databases: u64, seconds: u64, layout: Layout) -> Fleet {
    let mut split = fleet.clone();
    let rest = &mut split.groups[group];
    let moved = databases.min(rest.databases);
    rest.databases -= moved;
    let core = FleetGroup { databases: moved, ..rest.clone() };
    split.groups.insert(group, group_every(&core, seconds, layout));
    split.groups.retain(|group| group.databases > 0);
    split
}

fn group_every(group: &FleetGroup, seconds: u64, layout: Layout) -> FleetGroup {
    assert!(seconds > 0);
    let mut definition = group.definition.clone();
    match layout {
        Layout::Kept => {}
        Layout::SameRows => definition.step_seconds = seconds,
        Layout::SameSpans => take_step(&mut definition, seconds),
    }
    FleetGroup { definition, databases: group.databases, cadence_seconds: seconds }
}

/// Gives a layout another step; archives reach back as far as before.
fn take_step(definition: &mut Definition, step_seconds: u64) {
    let before_seconds = definition.step_seconds;
    for archive in &mut definition.archives {
        let row_seconds = archive.pdp_per_row.saturating_mul(before_seconds);
        let span_seconds = archive.rows.saturating_mul(row_seconds);
        archive.pdp_per_row = match archive.pdp_per_row {
            1 => 1,
            _ => (row_seconds / step_seconds).max(1),
        };
        archive.rows =
            span_seconds.div_ceil(archive.pdp_per_row.saturating_mul(step_seconds)).max(1);
    }
    definition.step_seconds = step_seconds;
}
