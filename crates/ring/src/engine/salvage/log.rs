//! What damage of the log takes, and the log begun anew.

use std::path::Path;

use disk::Medium;
use journal::{LogDamage, LogPosition, is_outline, is_segment};
use store::Error;

use super::super::World;
use super::super::found::Found;
use super::super::replay::Gap;
use super::Salvaged;

/// How far the log is covered by checkpoints.
pub(super) struct Cover(Vec<Covered>);

/// A group, as far as its newest checkpoint goes.
struct Covered {
    members: usize,
    /// Records before it are in the checkpoint.
    position: LogPosition,
}

impl Cover {
    pub(super) fn of(world: &World) -> Self {
        let covered = world.cells().map(|cell| {
            let group = cell.group();
            let [a, b] = group.places;
            let position = a.position.max(b.position);
            Covered { members: group.present().count(), position }
        });
        Self(covered.collect())
    }

    /// Groups and databases that may have had records in a stretch of the log that is not in their
    /// checkpoint.
    fn touched_by(&self, damage: &LogDamage) -> (usize, usize) {
        let open_end = damage.end <= damage.first;
        let touched: Vec<&Covered> =
            self.0.iter().filter(|each| open_end || each.position < damage.end).collect();
        let members = touched.iter().map(|each| each.members).sum();
        (touched.len(), members)
    }
}

/// Says what was given up of the log, in which this damage was met.
pub(super) fn journal_given_up(
    damage: &[LogDamage],
    found: &Found,
    cover: &Cover,
    salvaged: &mut Salvaged,
) {
    for each in damage {
        let LogDamage { segment, offset_bytes, what, needed, .. } = each;
        if *needed {
            let what = format!("{what}; {}", what_is_lost(each, found, cover));
            salvaged.give_up(segment, Some(*offset_bytes), what);
        } else {
            let what = format!("{what}; nothing of it is needed");
            salvaged.mend(segment, Some(*offset_bytes), what);
        }
    }
    for name in &found.replaced {
        let what = "records are missing that deleted or renamed it; its name went to another one";
        let given_up = salvaged.give_up("journal", None, what.into());
        (given_up.databases, given_up.whole) = (vec![name.clone()], true);
    }
}

/// What a stretch of the log had that is damaged and was needed.
fn what_is_lost(damage: &LogDamage, found: &Found, cover: &Cover) -> String {
    let LogDamage { first, end, .. } = damage;
    let stretch = match end > first {
        true => format!("the records at positions {first} to {end} ({} bytes)", end.0 - first.0),
        false => format!("the records from position {first} on, nobody knows how many"),
    };
    let (groups, members) = cover.touched_by(damage);
    let gap = found.gaps.iter().find(|gap| gap.first == *first);
    let may_be_freed = !found.damaged.is_empty() && gap.is_some_and(Gap::is_at_start);
    let or_none = match may_be_freed {
        true => {
            "; or none: a group without a checkpoint may have been the only one that knew that \
             they were freed"
        }
        false => "",
    };
    format!(
        "given up are {stretch}: samples{}, and changes of names, of any of {members} databases in \
         {groups} groups{or_none}",
        gap.map_or_else(String::new, Gap::to_string)
    )
}

/// Removes the segments of a log that was ended: nothing in them is needed.
pub(super) fn remove_segments<M: Medium>(medium: &M) -> Result<(), Error> {
    let names = medium.list().map_err(Error::io("listing", Path::new(".")))?;
    for name in names.iter().filter(|name| is_segment(name) || is_outline(name)) {
        medium.remove(name).map_err(Error::io("removing", Path::new(name)))?;
    }
    medium.sync_directory().map_err(Error::io("syncing", Path::new(".")))
}
