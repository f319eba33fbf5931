//! Answers as texts that can be compared, and everything that users see of errors.

use std::fmt::Debug;
use std::path::Path;

use rrd::{Series, Snapshot, Stretch};
use rrdfile::Header;
use rrdfile::layout::RowIndex;
use store::{Error, Refused};

use crate::NAMES;

pub(crate) fn file(snapshot: &Snapshot) -> Vec<u8> {
    let archives = snapshot.definition.archives.iter();
    let newest = archives.map(|archive| RowIndex(archive.rows - 1)).collect();
    rrdfile::encode(snapshot, newest).unwrap_or_else(|_| format!("{snapshot:?}").into_bytes())
}

/// The bytes of a header. One that no file can say is told without slots in a file, and without
/// seasons, which are rows.
pub(crate) fn head(header: &Header) -> Vec<u8> {
    let (definition, mut live) = (&header.definition, header.live.clone());
    live.forecast.rings.clear();
    header.encode().unwrap_or_else(|_| format!("{definition:?} {live:?}").into_bytes())
}

/// The slots of the newest rows of seasons.
pub(crate) fn slots(snapshot: &Snapshot) -> Vec<u64> {
    snapshot.live.forecast.rings.iter().map(|ring| ring.newest_slot).collect()
}

pub(crate) fn held(stretch: Stretch) -> String {
    let bits = bits(&stretch.held);
    format!("{:?} {bits:x?}", Stretch { held: Vec::new(), ..stretch })
}

pub(crate) fn series(series: Series) -> String {
    let Series { tick, start_seconds, end_seconds, step_seconds, source_names, values } = series;
    format!(
        "{tick} {start_seconds} {end_seconds} {step_seconds} {source_names:?} {:x?}",
        bits(&values)
    )
}

pub(crate) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

pub(crate) fn told<T: Debug>(answer: Result<T, Error>) -> String {
    format!("{:?}", answer.map_err(told_error))
}

/// Everything that users see of an error, with its own and with another name for the database.
pub(crate) fn told_error(error: Error) -> String {
    let kind = format!("{error:?}");
    let kind = kind.split_once(['(', ' ', '{']).map_or(&*kind, |(kind, _)| kind).to_owned();
    let kind = if kind == "Served" || !TYPED.contains(&&*kind) { String::new() } else { kind };
    let mut words = vec![kind, error.to_string(), error.in_rrdtools_words()];
    let mut called = error;
    for name in NAMES {
        called = called.called(Path::new(name), Path::new("S/else"));
    }
    words.extend([called.to_string(), called.in_rrdtools_words()]);
    words.join(" | ")
}

/// Errors that keep their kind when they are encoded.
const TYPED: [&str; 10] = [
    "NoSuchDatabase",
    "Exists",
    "Locked",
    "TooLarge",
    "Name",
    "Unfit",
    "Update",
    "Sample",
    "Fetch",
    "Edit",
];

pub(crate) fn told_refused(refused: Refused) -> String {
    format!("{} taken | {}", refused.taken, told_error(refused.error))
}

pub(crate) fn all_told<T>(failed: Vec<(usize, T)>, words: fn(T) -> String) -> String {
    let failed: Vec<_> = failed.into_iter().map(|(nth, error)| (nth, words(error))).collect();
    format!("{failed:?}")
}
