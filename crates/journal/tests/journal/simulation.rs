//! A journal on a machine that fails by plan, beside a model of what it acknowledged.

use disk::{FaultPlan, FaultyMedium, Random, Restart};
use journal::{Journal, JournalError, JournalOptions, LogPosition, RawRecord, Start};

use crate::record::Record;

/// Small enough that a few records fill a segment.
pub(crate) const OPTIONS: JournalOptions = JournalOptions {
    segment_bytes: 4096,
    first_segment_bytes: 4096,
    block_bytes: 512,
    segments: 3,
    intervals_kept: 1,
    zeros: true,
    read_ahead: false,
};

/// After a failed sync so many fresh segments are tried for what was written.
const FRESH_TRIES: u64 = 4;

/// Something that a user of the journal does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Appends a record with a text of so many bytes.
    Append(usize),
    Commit,
    /// The same, the sync beside the log.
    CommitBeside,
    /// Writes without a sync.
    Write,
    /// Makes segments until so many are free.
    Ensure(usize),
    /// Writes a checkpoint of all that is durable, and frees.
    Checkpoint,
    /// Ends in order: nothing of the log is needed from here on.
    End,
}

/// A journal on a machine that fails by plan, beside a model of what it acknowledged.
pub(crate) struct Simulation {
    pub(crate) medium: FaultyMedium,
    pub(crate) options: JournalOptions,
    journal: Option<Journal<FaultyMedium>>,
    /// Every record that may be in the log, with its position.
    pub(crate) appended: Vec<(LogPosition, Record)>,
    /// Records before here must be.
    pub(crate) acknowledged: LogPosition,
    /// Records before here must be if only the process ended.
    written: LogPosition,
    /// Calls that had failed when that was counted last.
    failed_calls: u64,
    /// Where the last frame starts that was acknowledged.
    pub(crate) last_frame: LogPosition,
    pub(crate) checkpoints: Start,
    made: u64,
}

impl Simulation {
    pub(crate) fn new(options: JournalOptions, plan: FaultPlan) -> Self {
        Self {
            medium: FaultyMedium::new(plan),
            options,
            journal: None,
            appended: Vec::new(),
            acknowledged: LogPosition(0),
            written: LogPosition(0),
            failed_calls: 0,
            last_frame: LogPosition(0),
            checkpoints: Start::default(),
            made: 0,
        }
    }

    /// Opens the journal and holds what it finds against the model.
    pub(crate) fn open(&mut self) -> Result<(), JournalError> {
        let mut found = Vec::new();
        let visit = |position, raw: RawRecord<'_>| found.push((position, Record::of(&raw)));
        let medium = self.medium.clone();
        let opened = Journal::open(medium, self.options, self.checkpoints, visit);
        // In place, to a fresh segment, and to others without a sync.
        let written = self.count_failures(2 + FRESH_TRIES);
        let journal = opened?;
        let end = journal.durable();
        assert!(end >= written, "{end} < {written}: the process alone loses nothing");
        assert_eq!(end, journal.next(), "nothing is pending in a journal just opened");
        assert!(end >= self.acknowledged, "{end} < {}: lost", self.acknowledged);
        self.check_found(&found, end);
        // What is found is durable from here on; what is not will never appear.
        self.acknowledged = end;
        self.appended.retain(|(position, _)| *position < end);
        self.last_frame = self.last_frame.min(end);
        self.journal = Some(journal);
        Ok(())
    }

    /// What is found is what was appended, from the checkpoint up to some record.
    pub(crate) fn check_found(&self, found: &[(LogPosition, Record)], end: LogPosition) {
        let from = self.checkpoints.from;
        let wanted = self.appended.iter().filter(|(at, _)| (from..end).contains(at));
        let positions = found.iter().map(|(at, _)| at);
        let wanted_positions: Vec<_> = wanted.clone().map(|(at, _)| at).collect();
        assert!(
            wanted_positions.iter().copied().eq(positions.clone()),
            "from {from} to {end}: found {:?}, appended {wanted_positions:?}",
            positions.collect::<Vec<_>>(),
        );
        assert!(wanted.eq(found), "a record has changed");
    }

    /// Does one step. Errors are the machine's; a later commit tries again.
    pub(crate) fn step(&mut self, step: Step) -> Result<(), JournalError> {
        let journal = self.journal.as_ref().expect("the journal is open");
        match step {
            Step::Append(bytes) => {
                let record = record(self.made, bytes);
                self.made += 1;
                self.appended.push((record.append(journal)?, record));
            }
            Step::Commit => {
                let committed = journal.commit();
                self.acknowledge();
                assert_eq!(committed?, self.acknowledged);
            }
            Step::CommitBeside => {
                let committed = journal.commit_beside();
                self.acknowledge();
                assert_eq!(committed?, self.acknowledged);
            }
            Step::Write => {
                let written = journal.write_pending();
                self.acknowledge();
                assert!(written? <= self.written);
            }
            Step::Ensure(segments) => {
                journal.ensure_free(segments)?;
                assert!(journal.segments().1 >= segments);
            }
            Step::Checkpoint => {
                let position = journal.durable();
                let fallback = [position, self.checkpoints.from][self.options.intervals_kept];
                self.checkpoints = Start { from: position, keep_from: fallback };
                journal.free_before(position);
            }
            Step::End => {
                let committed = journal.commit();
                self.acknowledge();
                let position = committed?;
                self.checkpoints = Start { from: position, keep_from: position };
                self.journal.as_ref().expect("the journal is open").end()?;
            }
        }
        Ok(())
    }

    /// Takes the journal at its word.
    fn acknowledge(&mut self) {
        let journal = self.journal.as_ref().expect("the journal is open");
        let end = journal.durable();
        assert!(end >= self.acknowledged, "what was durable stays so");
        if end > self.acknowledged {
            (self.last_frame, self.acknowledged) = (self.acknowledged, end);
        }
        let written = journal.written();
        self.written = written.max(self.count_failures(1 + FRESH_TRIES));
    }

    /// How far the log is written at least, after a call in which the machine may have failed. What
    /// that may have taken was written again, unless this failed in its turn so often, or was cut
    /// short.
    fn count_failures(&mut self, failures_max: u64) -> LogPosition {
        let failures = self.medium.failed_calls() - self.failed_calls;
        let is_cut_short = failures >= failures_max || self.medium.has_crashed();
        if failures > 0 && is_cut_short {
            self.written = LogPosition(0);
        }
        self.failed_calls = self.medium.failed_calls();
        self.written
    }

    /// Ends this life; the next one has the checkpoint, or only its fallback.
    pub(crate) fn restart(&mut self, how: Restart, plan: FaultPlan, fall_back: bool) {
        self.journal = None;
        if how == Restart::PowerCut {
            self.written = self.acknowledged;
        }
        self.medium = self.medium.restart(how, plan);
        self.failed_calls = 0;
        if fall_back {
            self.checkpoints.from = self.checkpoints.keep_from;
        }
    }

    pub(crate) fn segments(&self) -> usize {
        self.journal.as_ref().expect("the journal is open").segments().0
    }
}

/// A record that no other equals.
fn record(nth: u64, bytes: usize) -> Record {
    let mut body = nth.to_le_bytes().to_vec();
    let (kind, bytes) = if nth % 7 == 5 { (2, 0) } else { (0x82, bytes) };
    body.resize(body.len() + bytes, b'x');
    Record::new(kind, nth as u32, 1, body)
}

/// A step by chance.
pub(crate) fn any_step(random: &mut Random) -> Step {
    match random.below(14) {
        0..6 => {
            let limit = [20, 200, 1500][random.below(3) as usize];
            Step::Append(random.below(limit) as usize)
        }
        6 | 7 => Step::Commit,
        8 => Step::CommitBeside,
        9..11 => Step::Write,
        11 => Step::Ensure(random.below(4) as usize),
        12 => Step::Checkpoint,
        _ => Step::End,
    }
}

/// A step by chance, of a life that does not end in order.
pub(crate) fn any_step_but_end(random: &mut Random) -> Step {
    loop {
        match any_step(random) {
            Step::End => {}
            step => return step,
        }
    }
}

/// Whether an error is one that the machine gave, and no claim of damage.
pub(crate) fn is_of_the_machine(error: &JournalError) -> bool {
    matches!(error, JournalError::Io { .. })
}
