//! The thread that keeps the log: it syncs what was logged and what was written, and frees what is
//! not needed any more.

use std::sync::Arc;
use std::time::Duration;

use journal::LogPosition;
use store::Error;

use super::carry::{Carrier, is_half_full};
use super::in_doubt::{DoubtSettler, InDoubtRetry};
use super::journaled::Journaled;
use super::report::Reporter;

/// How often the log is looked after where its syncs ask for nothing else.
const ROUND: Duration = Duration::from_secs(1);
/// Write-backs are made durable every so many rounds: the kernel writes them of its own accord
/// about as often, and until then the log is held.
const ROUNDS_A_SYNC: u64 = 30;

/// Since when there was nothing to do for the log.
#[derive(Debug, Default)]
struct Rest {
    position: LogPosition,
    rounds: u64,
}

impl Rest {
    /// Whether the log was left alone for longer than there is between two commits, has room, and
    /// no write-back waits to be made durable. It is then looked after now and then.
    fn begins(&mut self, journaled: &Journaled, rounds_a_commit: u64) -> bool {
        let Journaled { log, write_backs, .. } = journaled;
        let position = log.position();
        let is_same = std::mem::replace(&mut self.position, position) == position;
        let waits = !write_backs.written().is_empty()
            || !write_backs.carried().is_empty()
            || write_backs.count_in_doubt() > 0
            || is_half_full(log);
        self.rounds = if is_same && !waits { self.rounds + 1 } else { 0 };
        if self.rounds <= rounds_a_commit + 1 {
            return false;
        }
        self.rounds = 0; // what woke it is work for some rounds
        true
    }
}

/// Keeps the log.
pub(super) struct Keeper {
    /// How long acknowledged samples may be in the kernel's hands only.
    pub(super) sync_every: Option<Duration>,
    pub(super) journaled: Arc<Journaled>,
    pub(super) carrier: Carrier,
    pub(super) doubt_settler: DoubtSettler,
    pub(super) reporter: Arc<Reporter>,
}

impl Keeper {
    /// What the thread does that keeps the log.
    pub(super) fn run(&self) {
        let journaled = &*self.journaled;
        let round = self.sync_every.map_or(ROUND, |every| every.min(ROUND));
        // Where each is waited for, there is nothing to sync here.
        let rounds_a_commit = self.sync_every.map_or(1, |every| every.as_secs().max(1));
        let mut rounds: u64 = 0;
        let mut doubt = InDoubtRetry::default();
        let mut rest = Rest::default();
        while !journaled.ending.wait_for_work(round, || rest.begins(journaled, rounds_a_commit)) {
            rounds += 1;
            let mut failures = 0;
            let mut tell = |done| failures += u32::from(!self.reporter.is_done_or_noted(done));
            if rounds.is_multiple_of(rounds_a_commit) {
                // The files first: samples that are on disk are worth nothing without theirs.
                tell(journaled.new_files.sync_every());
                tell(journaled.log.commit().map(drop).map_err(Error::from));
            }
            let rounds_a_sync = if is_half_full(&journaled.log) { 1 } else { ROUNDS_A_SYNC };
            if rounds.is_multiple_of(rounds_a_sync) {
                tell(journaled.sync_files());
            }
            tell(self.carrier.shorten_log());
            tell(self.doubt_settler.look_after(&mut doubt));
            tell(journaled.log.tend().map_err(Error::from));
            if failures > 0 {
                rest = Rest::default(); // it is tried again in the next round
            }
        }
    }

    /// What is left to do for the log once no file is written any more.
    pub(super) fn end_log(&self) {
        let Journaled { log, .. } = &*self.journaled;
        self.reporter.is_done_or_noted(self.journaled.sync_files());
        self.reporter.is_done_or_noted(log.commit().map(drop).map_err(Error::from));
        self.reporter.is_done_or_noted(log.tend().map_err(Error::from));
    }
}
