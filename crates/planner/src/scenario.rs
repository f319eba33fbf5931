//! What-if questions: the same databases polled at another interval.

use rrd::Definition;

use crate::{Fleet, FleetGroup};

/// How a layout changes when it is polled faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Not at all, including its step: a step then has several samples, and takes their mean.
    Kept,
    /// It gets the new step; the numbers of rows stay, so each archive covers a shorter time.
    SameRows,
    /// It gets the new step, and each archive covers the same time as before: archives of one step
    /// get more rows, archives of several steps get more steps in a row.
    SameSpans,
}

/// The fleet with all databases updated once in `seconds`.
///
/// # Panics
///
/// If `seconds` is 0.
#[must_use]
pub fn polled_every(fleet: &Fleet, seconds: u64, layout: Layout) -> Fleet {
    let groups = fleet.groups.iter().map(|group| group_every(group, seconds, layout));
    Fleet { groups: groups.collect() }
}

/// The fleet with this many databases of a group (all, if it has fewer) updated once in `seconds`,
/// and the others as before: "core at one minute, access at five".
///
/// # Panics
///
/// If there is no such group, or `seconds` is 0.
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
    let ticks = seconds.saturating_mul(definition.tick.per_second().into());
    match layout {
        Layout::Kept => {}
        Layout::SameRows => definition.step_seconds = ticks,
        Layout::SameSpans => take_step(&mut definition, ticks),
    }
    FleetGroup { definition, databases: group.databases, cadence_seconds: ticks }
}

/// Gives a layout another step, so that archives cover the same time as before.
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
