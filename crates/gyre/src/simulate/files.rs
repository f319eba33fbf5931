//! The simulated files.

use capacity::scenario::Scenario;
use capacity::trace::{Fleet, Group, Scatter, Shape};
use capacity::trace_text::PAGES_MAX;
use rrd::Definition;

use super::arguments::{Wanted, WantedGroup, WantedLayout};
use super::failure::Failure;

/// The start of every simulation: midnight UTC.
const START_SECONDS: u64 = 12_000 * DAY_SECONDS;
const DAY_SECONDS: u64 = 86_400;

/// The step of a layout that does not give one.
const STEP_SECONDS: u64 = 300;

pub(super) fn scenario(wanted: &Wanted, definitions: &[Definition]) -> Result<Scenario, Failure> {
    let group = |(group, definition): (&WantedGroup, &Definition)| {
        let shape =
            Shape::new(definition, wanted.page_bytes, wanted.block_map).ok_or(Failure::Shape)?;
        Ok::<_, Failure>(Group { shape, files: group.files })
    };
    let groups = wanted.groups.iter().zip(definitions).map(group).collect::<Result<_, _>>()?;
    let scatter = wanted.seed.map_or(Scatter::Together, Scatter::ByChance);
    let fleet =
        Fleet::new(groups, START_SECONDS, scatter).filter(is_small).ok_or(Failure::Fleet)?;
    Ok(Scenario {
        fleet,
        method: wanted.method,
        warming_seconds: wanted.warming_days * DAY_SECONDS,
        counted_seconds: wanted.days * DAY_SECONDS,
    })
}

/// The limit of pages for a trace, and for simulating all sizes of the cache at once.
fn is_small(fleet: &Fleet) -> bool {
    fleet.pages() < PAGES_MAX
}

/// The layout of each group.
pub(super) fn definitions(groups: &[WantedGroup]) -> Result<Vec<Definition>, Failure> {
    let of_group = |(nth, group): (usize, &WantedGroup)| {
        definition(group).map_err(|failure| match groups {
            [_] => failure,
            _ => Failure::Group { nth: nth + 1, failure: Box::new(failure) },
        })
    };
    groups.iter().enumerate().map(of_group).collect()
}

fn definition(group: &WantedGroup) -> Result<Definition, Failure> {
    let step_seconds = group.step_seconds.unwrap_or(STEP_SECONDS);
    match &group.layout {
        WantedLayout::File(path) => Ok(inventory::of_file(path)?),
        WantedLayout::Words(words) => {
            Ok(inventory::of_words(step_seconds, words.iter().map(String::as_str))?)
        }
        WantedLayout::Mrtg => inventory::mrtgs_layout(step_seconds).ok_or(Failure::MrtgStep),
    }
}
