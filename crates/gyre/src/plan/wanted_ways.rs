//! The ways that the options ask for.

use planner::Way;
use ring::Pace;

use super::arguments::Wanted;
use super::ways::Named;

/// The ways that the options ask for, with their settings. `store_pace` is the pace of an existing
/// store.
pub(super) fn wanted(wanted: &Wanted, store_pace: Option<Pace>) -> Vec<Named> {
    let set = |(name, way): &Named| {
        let way = match *way {
            Way::Journal { access, .. } => {
                Way::Journal { write_seconds: wanted.write_seconds, access }
            }
            Way::Ring { .. } => Way::Ring { pace: pace(wanted, store_pace) },
            files @ Way::Files(_) => files,
        };
        (*name, way)
    };
    wanted.ways.iter().map(set).collect()
}

/// The pace of a ring store; `None` lets the planner choose it by memory.
fn pace(wanted: &Wanted, store_pace: Option<Pace>) -> Option<Pace> {
    if wanted.flush_cycles.is_none() && wanted.tile_rows.is_none() {
        return store_pace;
    }
    let usual = store_pace.unwrap_or_default();
    Some(Pace {
        flush_cycles: wanted.flush_cycles.unwrap_or(usual.flush_cycles),
        tile_rows_max: wanted.tile_rows.unwrap_or(usual.tile_rows_max),
    })
}
