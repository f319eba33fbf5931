//! Restarts that faults ask for.

use super::kind::Fault;
use std::time::Duration;

/// A restart that a fault asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Restart {
    /// Since 1970.
    pub(super) at: Duration,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Renumbering,
    /// Counters of 32 bits wrap so much later.
    Wrapping(Duration),
}

impl Restart {
    pub(super) fn of(fault: Fault, now: Duration) -> Option<Restart> {
        match fault {
            Fault::Reboot(after) => Some(Restart { at: now + after, kind: Kind::Plain }),
            Fault::Renumber(after) => Some(Restart { at: now + after, kind: Kind::Renumbering }),
            Fault::Wrap(later) => Some(Restart { at: now, kind: Kind::Wrapping(later) }),
            _ => None,
        }
    }

    /// The fault that would ask for it now; `None` if it has happened.
    pub(super) fn still_to_come(&self, now: Duration) -> Option<Fault> {
        let left = self.at.checked_sub(now).filter(|left| !left.is_zero())?;
        let left = Duration::from_millis(left.as_millis().div_ceil(1000) as u64 * 1000);
        match self.kind {
            Kind::Plain => Some(Fault::Reboot(left)),
            Kind::Renumbering => Some(Fault::Renumber(left)),
            Kind::Wrapping(_) => None, // it restarts at once
        }
    }

    /// The name of the fault that asked for it.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Plain => "reboot",
            Kind::Renumbering => "renumber",
            Kind::Wrapping(_) => "wrap",
        }
    }
}
