//! The files that are simulated.

use std::path::Path;

use capacity::scenario::Scenario;
use capacity::trace::{Fleet, Group, Scatter, Shape};
use rrd::Definition;

use super::arguments::Wanted;

/// The start of every simulation: a midnight, UTC.
const START_SECONDS: u64 = 12_000 * DAY_SECONDS;
const DAY_SECONDS: u64 = 86_400;

pub(super) fn scenario(wanted: &Wanted, definition: &Definition) -> Result<Scenario, String> {
    let shape = Shape::new(definition, wanted.page_bytes, wanted.block_map)
        .ok_or("the files have too many pages, or no source, archive or step")?;
    let group = Group { shape, files: wanted.files };
    let scatter = wanted.seed.map_or(Scatter::Together, Scatter::ByChance);
    let fleet = Fleet::new(vec![group], START_SECONDS, scatter).ok_or(
        "all files together have more than 2^32 pages: simulate fewer, per file it is the same",
    )?;
    Ok(Scenario {
        fleet,
        method: wanted.method,
        warming_seconds: wanted.warming_days * DAY_SECONDS,
        counted_seconds: wanted.days * DAY_SECONDS,
    })
}

pub(super) fn definition(wanted: &Wanted) -> Result<Definition, String> {
    let words: Option<Vec<&str>> = wanted.operands.iter().map(|word| word.to_str()).collect();
    let is_layout = |word: &&str| word.starts_with("DS:") || word.starts_with("RRA:");
    match (&wanted.operands[..], words) {
        ([], _) => inventory::mrtgs_layout(step_seconds(wanted)?)
            .ok_or_else(|| "--step: MRTG has 1 to 3600 seconds; for more give DS and RRA".into()),
        (_, Some(words)) if words.iter().all(is_layout) => {
            inventory::of_words(step_seconds(wanted)?, words)
        }
        ([path], _) if wanted.step.is_none() => {
            inventory::of_file(Path::new(path)).map_err(|error| error.to_string())
        }
        ([path], _) => Err(format!("--step: {} has its own", path.display())),
        _ => Err("expected one file, or DS and RRA".into()),
    }
}

fn step_seconds(wanted: &Wanted) -> Result<u64, String> {
    let text = wanted.step.as_deref().unwrap_or("300");
    rrd::spec::step_seconds(text).map_err(|error| format!("--step: {error}"))
}
