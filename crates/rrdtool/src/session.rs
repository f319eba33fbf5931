//! What the verbs of one process share: where output gathers, open databases, the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use rrd::Timestamp;
use rrd::attime::{AtTimeError, LocalClock, Reference, TimeSpec, parse};
use rrd::rpn::Vocabulary;

use crate::databases::Databases;
use crate::failure::{Failure, Wording};
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
    /// What is to be said after a verb that succeeded: it was to ask a daemon that cannot be
    /// reached, and has looked at the file instead. The caller of a verb's function takes it, and
    /// fails with it where it has an answer to give and an error to tell.
    pub complaint: Option<Failure>,
    /// In whose words failures are told.
    pub wording: Wording,
}

impl Session {
    /// The session of a process that is one of gyre's.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Databases::new())
    }

    /// A session whose long answers go to standard output while they are made.
    pub(crate) fn to_standard_output(databases: Databases, wording: Wording) -> Self {
        Self { outlet: Outlet::Standard, wording, ..Self::with(databases) }
    }

    /// The words of RPN expressions: gyre's own are for those who called gyre.
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        match self.wording {
            Wording::Gyre => Vocabulary::Gyre,
            Wording::Rrdtool => Vocabulary::Rrdtool,
        }
    }

    /// Writes what has gathered, if it is much and may leave.
    pub(crate) fn relieve(&mut self) -> Result<(), Failure> {
        self.outlet.relieve(&mut self.out, &self.databases)
    }

    /// A session over these databases, which tells failures as rrdtool does.
    #[must_use]
    pub fn with(databases: Databases) -> Self {
        Self {
            out: Vec::new(),
            outlet: Outlet::Caller,
            databases,
            times: Times(None),
            daemon: daemon(),
            complaint: None,
            wording: Wording::default(),
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

    /// From here on local time is that of a zone, by its name as `TZ` has it.
    pub fn use_zone(&mut self, name: &str) {
        self.0 = Some(LocalClock::new(zone::called(name)));
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
