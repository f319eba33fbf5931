//! The files that are simulated.

use capacity::scenario::Scenario;
use capacity::trace::{Fleet, Group, Scatter, Shape};
use capacity::trace_text::PAGES_MAX;
use rrd::Definition;

use super::arguments::{Wanted, WantedGroup, WantedLayout};

/// The start of every simulation: a midnight, UTC.
const START_SECONDS: u64 = 12_000 * DAY_SECONDS;
const DAY_SECONDS: u64 = 86_400;

/// The step of layouts that say none.
const STEP_SECONDS: u64 = 300;

pub(super) fn scenario(wanted: &Wanted, definitions: &[Definition]) -> Result<Scenario, String> {
    let group = |(group, definition): (&WantedGroup, &Definition)| {
        let shape = Shape::new(definition, wanted.page_bytes, wanted.block_map)
            .ok_or("the files have too many pages, or no source, archive or step")?;
        Ok::<_, String>(Group { shape, files: group.files })
    };
    let groups = wanted.groups.iter().zip(definitions).map(group).collect::<Result<_, _>>()?;
    let scatter = wanted.seed.map_or(Scatter::Together, Scatter::ByChance);
    let fleet = Fleet::new(groups, START_SECONDS, scatter).filter(is_small).ok_or(
        "all files together have 2^30 pages or more: simulate fewer, per file it is the same",
    )?;
    Ok(Scenario {
        fleet,
        method: wanted.method,
        warming_seconds: wanted.warming_days * DAY_SECONDS,
        counted_seconds: wanted.days * DAY_SECONDS,
    })
}

/// More pages no trace may have, and no simulation of all sizes at once.
fn is_small(fleet: &Fleet) -> bool {
    fleet.pages() < PAGES_MAX
}

/// The layouts of the groups, one for each.
pub(super) fn definitions(groups: &[WantedGroup]) -> Result<Vec<Definition>, String> {
    let of_group = |(nth, group): (usize, &WantedGroup)| {
        definition(group).map_err(|reason| match groups {
            [_] => reason,
            _ => format!("group {}: {reason}", nth + 1),
        })
    };
    groups.iter().enumerate().map(of_group).collect()
}

fn definition(group: &WantedGroup) -> Result<Definition, String> {
    let step_seconds = group.step_seconds.unwrap_or(STEP_SECONDS);
    match &group.layout {
        WantedLayout::File(path) => inventory::of_file(path).map_err(|error| error.to_string()),
        WantedLayout::Words(words) => {
            inventory::of_words(step_seconds, words.iter().map(String::as_str))
                .map_err(|error| error.to_string())
        }
        WantedLayout::Mrtg => inventory::mrtgs_layout(step_seconds)
            .ok_or_else(|| "the step: MRTG has 1 to 3600 seconds; for more give DS and RRA".into()),
    }
}
