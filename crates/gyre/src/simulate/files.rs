//! The files that are simulated.

use std::path::Path;

use capacity::scenario::Scenario;
use capacity::trace::{Fleet, Group, Scatter, Shape};
use rrd::Definition;
use store::{Access, RrdFile};

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
        ([], _) => of_words(wanted, &mrtg_layout(wanted)?),
        (_, Some(words)) if words.iter().all(is_layout) => {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            of_words(wanted, &words)
        }
        ([path], _) if wanted.step.is_none() => of_file(Path::new(path)),
        ([path], _) => Err(format!("--step: {} has its own", path.display())),
        _ => Err("expected one file, or DS and RRA".into()),
    }
}

fn of_file(path: &Path) -> Result<Definition, String> {
    let file = RrdFile::open(path, Access::Read).map_err(|error| error.to_string())?;
    Ok(file.header().definition.clone())
}

fn of_words(wanted: &Wanted, words: &[String]) -> Result<Definition, String> {
    let step_seconds = step_seconds(wanted)?;
    let words = words.iter().map(String::as_str);
    rrd::spec::definition(step_seconds, words).map_err(|error| error.to_string())
}

fn step_seconds(wanted: &Wanted) -> Result<u64, String> {
    let text = wanted.step.as_deref().unwrap_or("300");
    rrd::spec::step_seconds(text).map_err(|error| format!("--step: {error}"))
}

/// Two sources; AVERAGE and MAX of one step, 30 minutes, 2 hours and a day.
fn mrtg_layout(wanted: &Wanted) -> Result<Vec<String>, String> {
    let step_seconds = step_seconds(wanted)?.max(1);
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let finest_rows = (4000 * 60 / step_seconds).max(1);
    let spans = [(1, finest_rows), (1800 / step_seconds, 800), (7200 / step_seconds, 800)];
    let spans = spans.into_iter().chain([(86_400 / step_seconds, 800)]);
    let spans: Vec<(u64, u64)> = spans.filter(|(pdps, _)| *pdps > 0).collect();
    let archive = |cf: &'static str| {
        spans.iter().map(move |(pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
    };
    Ok(sources.into_iter().chain(archive("AVERAGE")).chain(archive("MAX")).collect())
}
