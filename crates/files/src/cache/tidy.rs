//! Entries that are not used for long are forgotten.

use std::sync::Arc;
use std::time::Duration;

use super::clock::{Clock, Second};
use super::forget::Forgetter;
use super::schedule::Schedule;
use super::shape::Shapes;
use super::table::Table;

/// Forgets files that are up to date and were not used for long.
pub(super) struct Tidier {
    pub(super) clock: Clock,
    /// How long a file may go unused before it is forgotten.
    pub(super) forget_after: Duration,
    pub(super) table: Arc<Table>,
    pub(super) shapes: Arc<Shapes>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) forgetter: Arc<Forgetter>,
}

impl Tidier {
    /// How long a file may go unused before it is forgotten, which is also how often unused ones
    /// are looked for.
    pub(super) fn every(&self) -> Second {
        u32::try_from(self.forget_after.as_secs()).unwrap_or(u32::MAX)
    }

    /// Forgets files that are up to date and were not used for long, where it is time to.
    pub(super) fn tidy(&self) {
        let now = self.clock.now();
        let patience = self.every();
        if !self.schedule.is_time_to_tidy(now, patience) {
            return;
        }
        for entry in self.table.all() {
            let mut state = entry.lock();
            let idle = now.saturating_sub(state.used) > patience;
            if idle
                && state.pending.is_empty()
                && !state.logged.is_needed()
                && !state.suspended
                && !state.gone
            {
                self.forgetter.let_go(&entry, &mut state);
            }
        }
        self.shapes.tidy();
    }
}
