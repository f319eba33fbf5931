//! `create`: makes a file.

use std::io::ErrorKind;
use std::path::Path;

use rrd::spec;
use rrd::{Definition, Timestamp};
use rrdcached::Creation;
use store::{Error, Existing, Store as _};

use crate::databases::InRing;
use crate::options::{OptionRule, Options};
use crate::permissions::Before;
use crate::session::{Failure, Session, speaks_as_gyre, words_of};
use crate::system_words;
use crate::verb::{DAEMON, Verb};

pub(crate) const VERB: Verb = Verb {
    name: "create",
    summary: "Make a file",
    operands: "FILE DS:NAME:KIND:HEARTBEAT:MIN:MAX ... RRA:CF:XFF:STEP:ROWS ...",
    options: &[
        OptionRule {
            long: "start",
            short: Some('b'),
            value: Some("TIME"),
            help: "samples must be later than this (now-10s)",
        },
        OptionRule {
            long: "step",
            short: Some('s'),
            value: Some("STEP"),
            help: "seconds between primary data points, or with a unit as in 5m (300)",
        },
        OptionRule {
            long: "no-overwrite",
            short: Some('O'),
            value: None,
            help: "leave a file alone that is there already",
        },
        OptionRule {
            long: "source",
            short: Some('r'),
            value: Some("FILE"),
            help: "fill with the rows of another file; not supported yet",
        },
        OptionRule {
            long: "template",
            short: Some('t'),
            value: Some("FILE"),
            help: "take the definition of another file; not supported yet",
        },
        DAEMON,
    ],
    run,
};

/// Seconds between primary data points where nobody says.
const DEFAULT_STEP_SECONDS: u64 = 300;
/// A new file's last update lies this far back, so that the first sample may come at once.
const DEFAULT_AGE_SECONDS: i64 = 10;

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (mut start, mut step_seconds, mut daemon) = (None, None, None);
    let (mut existing, mut sources, mut template) = (Existing::Replace, Vec::new(), None);
    let mut options = Options::new(VERB.options, words);
    while let Some((name, value)) = options.next_option()? {
        match name {
            "start" => start = Some(start_seconds(session, value)?),
            "step" => {
                let seconds = spec::step_seconds(value).map_err(|error| error.to_string())?;
                step_seconds = Some(seconds);
            }
            "no-overwrite" => existing = Existing::Keep,
            "daemon" => daemon = Some(value),
            "source" => sources.push(value),
            _ => template = Some(value),
        }
    }
    let operands = options.operands();
    let Some((&file, specs)) = operands.split_first() else {
        return Err("need name of an rrd file to create".into());
    };
    let creation = Creation {
        step_seconds,
        start_seconds: start,
        no_overwrite: existing == Existing::Keep,
        sources: &sources,
        template,
        definition: specs,
    };
    let made = session.ask_daemon(daemon, |client| client.create(file, &creation))?;
    if made.is_some() {
        return Ok(());
    }
    // As rrdtool: a new file is no business of a daemon that cannot be reached.
    session.complaint = None;
    if template.is_some() || !sources.is_empty() {
        return Err("--source and --template are not supported yet without a daemon".into());
    }
    let step_seconds = step_seconds.unwrap_or(DEFAULT_STEP_SECONDS);
    Order { file, step_seconds, start, existing, specs }.fulfil(session)
}

/// What is to be made.
pub struct Order<'a> {
    /// The new database.
    pub file: &'a str,
    /// Seconds between primary data points.
    pub step_seconds: u64,
    /// Samples must be later than this, in seconds since 1970; `None` for a moment ago.
    pub start: Option<i64>,
    /// What becomes of a file that is there already.
    pub existing: Existing,
    /// Data sources and archives, as `DS:...` and `RRA:...`.
    pub specs: &'a [&'a str],
}

impl Order<'_> {
    /// Makes it.
    ///
    /// # Errors
    /// The data sources and archives are wrong, or there is no room for the file.
    pub fn fulfil(&self, session: &mut Session) -> Result<(), Failure> {
        let definition = spec::definition(self.step_seconds, self.specs.iter().copied());
        let mut definition = definition.map_err(|error| error.to_string())?;
        definition.spread_smoothing(self.file);
        let a_moment_ago = || session.times.now().seconds - DEFAULT_AGE_SECONDS;
        let start = Timestamp::from_seconds(self.start.unwrap_or_else(a_moment_ago));
        match session.databases.in_ring(self.file)? {
            Some(ring) => create_in_ring(&ring, &definition, start, self.existing),
            None => create_file(self.file, &definition, start, self.existing),
        }
    }
}

fn create_file(
    name: &str,
    definition: &Definition,
    start: Timestamp,
    existing: Existing,
) -> Result<(), Failure> {
    let path = Path::new(name);
    let before = Before::of(path);
    let created = store::create_with(path, definition, start, existing, before.durability());
    created.map_err(|error| words_for(&error, name))?;
    before.after_create(path).map_err(|error| format!("chmod '{name}': {}", system_words(&error)))
}

/// A file that is there is replaced whole; here the old database goes before the new one comes.
fn create_in_ring(
    ring: &InRing,
    definition: &Definition,
    start: Timestamp,
    existing: Existing,
) -> Result<(), Failure> {
    if existing == Existing::Replace && ring.exists()? {
        let deleted = ring.store.delete(&ring.name);
        deleted.map_err(|error| words_of(&ring.at_path(error)))?;
    }
    let created = ring.store.create(&ring.name, definition, start);
    created.map_err(|error| words_of(&ring.at_path(error)))
}

fn start_seconds(session: &mut Session, text: &str) -> Result<i64, Failure> {
    match session.times.moment(text) {
        Ok(Some(seconds)) => Ok(seconds),
        Ok(None) => {
            Err("specifying time relative to the 'start' or 'end' makes no sense here".into())
        }
        Err(error) => Err(format!("start time: {error}")),
    }
}

/// rrdtool writes beside the file and renames, and tells which of the two failed.
fn words_for(error: &Error, name: &str) -> Failure {
    match error {
        own if speaks_as_gyre() => own.to_string(),
        Error::Io { source, .. }
            if name.is_empty()
                || matches!(source.kind(), ErrorKind::IsADirectory | ErrorKind::ResourceBusy) =>
        {
            "Cannot rename temporary file to final file!".into()
        }
        Error::Io { source, .. }
            if matches!(
                source.kind(),
                ErrorKind::NotFound
                    | ErrorKind::PermissionDenied
                    | ErrorKind::NotADirectory
                    | ErrorKind::InvalidFilename
            ) =>
        {
            "Cannot create temporary file".into()
        }
        other => words_of(other),
    }
}
