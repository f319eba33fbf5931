//! What the verbs of one process share: where output gathers, open databases, the clock.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rrd::Timestamp;
use rrd::attime::{AtTimeError, LocalClock, Reference, TimeSpec, parse};
use store::Error;

use crate::databases::Databases;
use crate::outlet::Outlet;
use crate::zone;

/// What the verbs of one process share.
pub struct Session {
    /// What goes to standard output, gathered.
    pub out: Vec<u8>,
    /// Whether it may leave before a verb ends.
    pub outlet: Outlet,
    /// Where databases are found, and stay open.
    pub databases: Databases,
    /// The clock and the calendar.
    pub times: Times,
    /// The rrdcached that the environment asks to go through.
    pub daemon: Option<String>,
    /// What is to be said after a verb that succeeded: it was to ask a daemon that cannot be reached,
    /// and has looked at the file instead. Who calls a verb's function takes it, and fails with it
    /// where it has an answer to give and an error to tell.
    pub complaint: Option<Failure>,
}

/// Why a verb failed, in the words that follow `ERROR: `.
pub type Failure = String;

impl Session {
    /// The session of a process that is one of gyre's.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Databases::new())
    }

    /// A session whose long answers go to standard output while they are made.
    pub(crate) fn to_standard_output(databases: Databases) -> Self {
        Self { outlet: Outlet::Standard, ..Self::with(databases) }
    }

    /// Writes what has gathered, if it is much and may leave.
    pub(crate) fn relieve(&mut self) -> Result<(), Failure> {
        self.outlet.relieve(&mut self.out, &self.databases)
    }

    /// A session over these databases.
    #[must_use]
    pub fn with(databases: Databases) -> Self {
        Self {
            out: Vec::new(),
            outlet: Outlet::Caller,
            databases,
            times: Times(None),
            daemon: daemon(),
            complaint: None,
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

fn daemon() -> Option<String> {
    rrdcached::Shared::address(None)
}

/// The clock and the calendar. Local time is asked for when first needed: finding the zone takes
/// system calls.
#[derive(Default)]
pub struct Times(Option<LocalClock>);

impl Times {
    /// The time of day.
    pub fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp { seconds: since.as_secs() as i64, micros: since.subsec_micros() }
    }

    /// Local time in the zone of the environment.
    pub fn clock(&mut self) -> &mut LocalClock {
        self.0.get_or_insert_with(|| LocalClock::new(zone::of_environment()))
    }

    /// Reads a time; of one that needs no partner, what the calendar says is found at once.
    pub fn read(&mut self, text: &str) -> Result<TimeSpec, AtTimeError> {
        let now_seconds = self.now().seconds;
        let spec = parse(text)?;
        if spec.reference != Reference::Absolute {
            return Ok(spec);
        }
        let found = self.clock().resolve(&spec, now_seconds)?;
        let seconds = found - spec.offset_seconds;
        Ok(TimeSpec { offset_seconds: spec.offset_seconds, ..TimeSpec::at(seconds) })
    }

    /// A moment by itself; `None` for a time that needs a start or an end beside it.
    pub fn moment(&mut self, text: &str) -> Result<Option<i64>, AtTimeError> {
        let spec = self.read(text)?;
        if matches!(spec.reference, Reference::Start | Reference::End) {
            return Ok(None);
        }
        let now_seconds = self.now().seconds;
        self.clock().resolve(&spec, now_seconds).map(Some)
    }
}

/// Whether errors name file, offset and what was expected, rather than being told as rrdtool tells
/// them. It is the name by which the process was called that decides, once.
static IS_GYRE: AtomicBool = AtomicBool::new(false);

/// From here on errors are told in gyre's own words.
pub(crate) fn speak_as_gyre() {
    IS_GYRE.store(true, Ordering::Relaxed);
}

pub(crate) fn speaks_as_gyre() -> bool {
    IS_GYRE.load(Ordering::Relaxed)
}

/// What is said of a failure of the store. rrdtool maps files into memory, and tells so of those
/// that cannot be mapped.
pub fn words_of(error: &Error) -> Failure {
    match error {
        Error::Edit { source, .. } => source.to_string(),
        own if speaks_as_gyre() => own.to_string(),
        Error::Io { action: "reading", path, source }
            if source.kind() == ErrorKind::IsADirectory =>
        {
            format!("mmaping file '{}': No such device", path.display())
        }
        other => other.in_rrdtools_words(),
    }
}

/// The same of a new file: rrdtool writes it beside the old one and renames, and tells which of the
/// two failed.
#[must_use]
pub fn words_of_new_file(error: &Error, name: &str) -> Failure {
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
