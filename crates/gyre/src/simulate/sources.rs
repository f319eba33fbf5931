//! The sources of updates: computed, from a trace, or recorded from the kernel.

use std::path::PathBuf;

use capacity::scenario::Scenario;

use super::arguments::Wanted;
use super::failure::Failure;
use super::listener::Listener;
use super::record::{Record, Updater};
use super::{files, trace_file};

/// A source of updates.
pub(super) enum Source {
    Generated(Scenario),
    Trace(PathBuf),
    Recorded(Record),
}

impl Source {
    pub(super) fn of(wanted: &Wanted) -> Result<Self, Failure> {
        if let Some(path) = &wanted.trace {
            return Ok(Self::Trace(path.clone()));
        }
        let definitions = files::definitions(&wanted.groups)?;
        let scenario = files::scenario(wanted, &definitions)?;
        match &wanted.record {
            None => Ok(Self::Generated(scenario)),
            Some(directory) => {
                let updater = match &wanted.rrdtool {
                    Some(program) => Updater::Program(program.clone()),
                    None => Updater::gyre(wanted.method, !wanted.no_advice),
                };
                let definition = definitions.into_iter().next().ok_or(Failure::NothingToRecord)?;
                Record::new(directory.clone(), updater, definition, scenario).map(Self::Recorded)
            }
        }
    }

    pub(super) fn tell(&self, listener: &mut dyn Listener) -> Result<(), Failure> {
        match self {
            Self::Generated(scenario) => {
                let files = scenario.files().ok_or(Failure::TracePages)?;
                listener.files(&files)?;
                scenario.tell(|line| listener.line(line))
            }
            Self::Trace(path) => trace_file::read(path, listener),
            Self::Recorded(record) => record.tell(listener),
        }
    }
}
