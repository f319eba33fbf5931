//! A journal that is refused opens again, without what is damaged.
//!
//! Every record that can still be read is logged once more, at the end of the log, which then
//! begins with these copies: what is damaged lies before the beginning, and is never read again.
//! The files themselves are not touched. Cut short before the beginning is moved, the salvage can
//! be done again: a sample that the log has twice is taken once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{File, HeldLock, Medium, OverlayMedium, PosixMedium};
use journal::{JournalError, LogDamage, LogPosition, RawRecord, RrdId};
use store::Error;
use store::put_aside;

use super::journaled::{LOCK_NAME, lock};
use super::log::LogOptions;
use super::record::Kind;
use super::replay::Replay;
use super::step::Step;
use super::{Acknowledge, Lines, Log, log_start};

/// What a salvage of a journal comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SalvagedJournal {
    /// Damage behind which records are lost.
    pub given_up: Vec<LostRecords>,
    /// Samples that can be read, but are of no use: what their file held before them is lost.
    pub orphans: u64,
    /// Files of which the journal has samples afterwards.
    pub files: u64,
    /// These samples. Some may be in their files already.
    pub samples: u64,
}

/// Records that are given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostRecords {
    /// The file of the journal.
    pub segment: String,
    /// Where in it.
    pub offset_bytes: u64,
    /// What is wrong there.
    pub what: String,
    /// Bytes of records that are missing; 0 where nothing tells how many.
    pub lost_bytes: u64,
    /// The newest time of a sample before them, in seconds since 1970, where there is one.
    pub after_seconds: Option<i64>,
    /// The time of the first sample behind them, where there is one.
    pub before_seconds: Option<i64>,
}

/// A journal of files that is to be salvaged. No daemon has it open meanwhile.
#[derive(Debug)]
pub struct JournalSalvage {
    directory: PathBuf,
    found: SalvagedJournal,
    _lock: HeldLock,
}

impl JournalSalvage {
    /// Whether a directory is a journal of files.
    #[must_use]
    pub fn is_at(directory: &Path) -> bool {
        File::identity_of(&directory.join(LOCK_NAME)).is_ok()
    }

    /// Tries what a salvage comes to. Nothing is written; what would be stays in memory.
    ///
    /// # Errors
    /// There is no journal, another process has it ([`Error::Locked`]), or it was written by a
    /// newer version. Those of the machine.
    pub fn try_out(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(LOCK_NAME);
        File::identity_of(&path).map_err(Error::io("opening", &path))?;
        let lock = lock(&path)?;
        let below = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        let found = salvage(OverlayMedium::over(below))?;
        Ok(Self { directory: directory.into(), found, _lock: lock })
    }

    /// What it comes to.
    #[must_use]
    pub fn found(&self) -> &SalvagedJournal {
        &self.found
    }

    /// Copies the damaged files, whole, to a directory that is made for them, then writes. Where
    /// this ends in the middle it can be done again.
    ///
    /// # Errors
    /// The directory exists already; those of the machine.
    pub fn write(self, aside: &Path) -> Result<SalvagedJournal, Error> {
        let open = || PosixMedium::open(&self.directory);
        let medium = open().map_err(Error::io("opening", &self.directory))?;
        let is_damaged = |name: &str| self.found.given_up.iter().any(|lost| lost.segment == name);
        put_aside(&medium, &self.directory, aside, is_damaged)?;
        Ok(salvage(medium)?)
    }
}

/// Salvages the log of a directory.
///
/// # Errors
/// [`JournalError::Io`]; [`JournalError::Undecodable`]: a record is whole, but none that this
/// version writes.
fn salvage<M: Medium>(medium: M) -> Result<SalvagedJournal, JournalError> {
    let medium = Arc::new(medium);
    let mut watch = Watch::default();
    let from = match log_start::read(&*medium) {
        Ok(from) => from,
        Err(JournalError::Damaged { segment, offset_bytes, expected, found }) => {
            watch.given_up.push(LostRecords {
                segment,
                offset_bytes,
                what: format!(
                    "expected {expected}, found {found}: the log is read from its oldest segment on"
                ),
                lost_bytes: 0,
                after_seconds: None,
                before_seconds: None,
            });
            LogPosition(0)
        }
        Err(error) => return Err(error),
    };
    let options = LogOptions { acknowledge: Acknowledge::Written, ..LogOptions::default() };
    let see = |replay: &Replay, at, record: &RawRecord<'_>| watch.see(replay, at, record);
    let (log, replay, damage) = Log::salvage(Arc::clone(&medium), options, from, see)?;
    watch.lose(&damage);
    let mut salvaged = SalvagedJournal {
        given_up: watch.given_up,
        orphans: watch.orphans,
        ..SalvagedJournal::default()
    };
    for file in replay.files() {
        salvaged.files += 1;
        salvaged.samples += samples_of(&replay, file.number)?;
    }
    if !salvaged.given_up.is_empty() {
        let copies_from = log.position();
        log_again(&log, &replay)?;
        log_start::write(&*medium, copies_from)?;
    }
    Ok(salvaged)
}

fn samples_of(replay: &Replay, number: RrdId) -> Result<u64, JournalError> {
    let mut samples = 0;
    for step in replay.steps(number) {
        samples += u64::from(matches!(step?, Step::Sample(_)));
    }
    Ok(samples)
}

/// Logs what was found of every file once more, durably.
fn log_again<M: Medium>(log: &Log<M>, replay: &Replay) -> Result<(), JournalError> {
    for file in replay.files() {
        let (mut lines, mut kept) = (Lines::default(), super::kept_records::KeptRecords::default());
        replay.copy_records(file.number, &mut kept);
        kept.records().for_each(|record| lines.record_of(file.number, record));
        log.append(&mut lines)?;
    }
    log.commit().map(drop)
}

/// Sees the records pass, and where some are missing among them.
#[derive(Debug, Default)]
struct Watch {
    given_up: Vec<LostRecords>,
    orphans: u64,
    /// Where records are missing: the position of the first, and the times around them.
    gaps: Vec<(LogPosition, Option<i64>, Option<i64>)>,
    newest_seconds: Option<i64>,
}

impl Watch {
    fn see(&mut self, replay: &Replay, at: LogPosition, record: &RawRecord<'_>) {
        let expected = replay.end_position();
        if at != expected {
            self.gaps.push((expected, self.newest_seconds, None));
        }
        if Kind::of(record) != Some(Kind::Sample) {
            return;
        }
        // What does not decode ends the salvage.
        let Ok(Step::Sample(argument)) = Step::of(record) else {
            return;
        };
        self.orphans += u64::from(!self.gaps.is_empty() && !replay.knows(record.rrd()));
        let Some(seconds) = seconds_of(&argument) else { return };
        if let Some((_, _, before @ None)) = self.gaps.last_mut() {
            *before = Some(seconds);
        }
        self.newest_seconds = self.newest_seconds.max(Some(seconds));
    }

    /// Takes what the journal passed over.
    fn lose(&mut self, damage: &[LogDamage]) {
        for LogDamage { segment, offset_bytes, what, first, end, needed } in damage {
            if !needed {
                continue;
            }
            let gap = self.gaps.iter().rfind(|(position, ..)| position <= end);
            let around = gap.map(|(_, after, before)| (*after, *before));
            let (after_seconds, before_seconds) = around.unwrap_or((self.newest_seconds, None));
            self.given_up.push(LostRecords {
                segment: segment.clone(),
                offset_bytes: *offset_bytes,
                what: what.clone(),
                lost_bytes: end.0.saturating_sub(first.0),
                after_seconds,
                before_seconds,
            });
        }
    }
}

/// The time of a sample's argument, in seconds since 1970.
fn seconds_of(argument: &str) -> Option<i64> {
    let time = argument.split(':').next()?;
    time.split('.').next()?.parse().ok()
}
