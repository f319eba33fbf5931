//! Random databases, and files that are updated as they are.

#![allow(dead_code, unused_imports, clippy::disallowed_methods)] // each test that includes this uses a part of it

use std::path::Path;

use files::{Access, RrdFile};
use rrd::{Sample, SampleReader, Timestamp};
use store::Error;

mod random;
pub(crate) mod compare;
pub(crate) mod forecasts;

pub(crate) use random::*;

/// Runs one update command on a file, and tells the words of its refusal.
pub(crate) fn update_file(path: &Path, command: &Update) -> Result<(), String> {
    let mut file = open_patiently(path).map_err(|error| error.in_rrdtools_words())?;
    let definition = file.header().definition.clone();
    let reader = match &command.template {
        Some(names) => SampleReader::by_template(&definition, names),
        None => Ok(SampleReader::in_order(&definition)),
    };
    let reader = reader.map_err(|error| error.to_string())?;
    let appended = command.arguments.iter().try_for_each(|argument| {
        let mut readings = Vec::new();
        let time = reader.split(argument, &mut readings).map_err(|error| {
            file.forgo_smoothing();
            error.to_string()
        })?;
        let time = time.moment(Timestamp::default()).expect("no AT-style times here");
        file.append(&Sample { time, readings: &readings }).map_err(words)
    });
    let committed = file.commit().map_err(words);
    appended.and(committed)
}

/// A program that another test starts holds our open files, and their locks, until it has become
/// that program.
fn open_patiently(path: &Path) -> Result<RrdFile, Error> {
    for _ in 0..200 {
        match RrdFile::open(path, Access::Update) {
            Err(Error::Locked(_)) => std::thread::sleep(std::time::Duration::from_millis(10)),
            other => return other,
        }
    }
    RrdFile::open(path, Access::Update)
}

fn words(error: Error) -> String {
    match error {
        Error::Update { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
