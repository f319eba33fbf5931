//! What a receiver was told, where its own thread and the keeper see it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thresholds::alerts::Outbox;

use super::place::{ReceiverKind, ReceiverPlace};

/// Alertmanager is told of an alert that stands at least once a minute.
const AGAIN_ALERTMANAGER: Duration = Duration::from_secs(50);

/// A webhook is told as often as Alertmanager tells one.
const AGAIN_WEBHOOK: Duration = Duration::from_secs(4 * 3600);

/// A receiver's outbox.
pub(super) struct Desk {
    /// By this, a later run knows the receiver again.
    pub(super) key: u32,
    /// Whether it forgets alerts of which it is not told again soon.
    pub(super) is_forgetful: bool,
    outbox: Mutex<Outbox>,
}

impl Desk {
    pub(super) fn of(place: &ReceiverPlace) -> Self {
        let again = match place.kind {
            ReceiverKind::Alertmanager => AGAIN_ALERTMANAGER,
            ReceiverKind::Webhook => AGAIN_WEBHOOK,
        };
        let key = crc32fast::hash(format!("{} {}", place.kind.name(), place.url).as_bytes());
        let is_forgetful = place.kind == ReceiverKind::Alertmanager;
        Self { key, is_forgetful, outbox: Mutex::new(Outbox::new(again)) }
    }

    pub(super) fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
