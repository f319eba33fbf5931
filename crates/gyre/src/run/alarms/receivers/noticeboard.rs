//! The alerts that stand, where the watching thread leaves them and the receivers' threads look.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use thresholds::alerts::{ALERTS_MAX, About, Alert, Seen, Standing};

use super::super::super::tell;

/// The present alerts. There is no queue: whoever looks late sees what stands then.
pub(super) struct Noticeboard {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    standing: Standing,
    /// How often an alert began or ended.
    changes: u64,
    is_closed: bool,
    is_loss_told: bool,
}

/// What a thread sees that looks.
pub(super) struct Look {
    /// All alerts.
    pub(super) alerts: Vec<Arc<Alert>>,
    /// How often one had begun or ended.
    pub(super) changes: u64,
}

/// Why a thread was woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// The run ends.
    Closed,
    /// An alert began or ended.
    Changed,
    /// The time is over.
    Waited,
}

impl Noticeboard {
    pub(super) fn new() -> Self {
        let standing = Standing::new(ALERTS_MAX);
        let state = State { standing, changes: 0, is_closed: false, is_loss_told: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Takes what a sample says of a target.
    pub(super) fn take(&self, target: &Arc<str>, seen: Seen<'_>, about: impl Fn() -> About) {
        let mut state = self.state();
        let has_changed = state.standing.take(target, seen, about);
        state.changes += u64::from(has_changed);
        let has_lost = state.standing.lost() > 0;
        if has_lost && !std::mem::replace(&mut state.is_loss_told, true) {
            tell(format_args!("target {target}: no alert, because {ALERTS_MAX} stand already"));
        }
        drop(state);
        if has_changed {
            self.changed.notify_all();
        }
    }

    /// Takes an alert that an earlier run has kept.
    pub(super) fn restore(&self, alert: &Alert) {
        let mut state = self.state();
        state.standing.restore(alert.clone());
        state.changes += 1;
    }

    /// Waits for that time, or until something changes after `changes`, or the run ends.
    pub(super) fn wait(&self, changes: u64, time: Duration) -> Woken {
        let waits = |state: &mut State| !state.is_closed && state.changes == changes;
        let state = self.changed.wait_timeout_while(self.state(), time, waits);
        let (state, _) = state.unwrap_or_else(PoisonError::into_inner);
        match (state.is_closed, state.changes == changes) {
            (true, _) => Woken::Closed,
            (false, false) => Woken::Changed,
            (false, true) => Woken::Waited,
        }
    }

    /// Waits for that time, or until the run ends.
    pub(super) fn wait_closed(&self, time: Duration) {
        let waits = |state: &mut State| !state.is_closed;
        drop(self.changed.wait_timeout_while(self.state(), time, waits));
    }

    /// All alerts now. Those that nobody confirmed have ended.
    pub(super) fn look(&self, now: Timestamp) -> Look {
        let mut state = self.state();
        let has_changed = state.standing.expire(now);
        state.changes += u64::from(has_changed);
        Look { alerts: state.standing.alerts(), changes: state.changes }
    }

    /// Nothing more comes.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    pub(super) fn count_standing(&self) -> usize {
        self.state().standing.count_standing()
    }

    pub(super) fn lost(&self) -> u64 {
        self.state().standing.lost()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
