//! Where copies go now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mrtg::GraphiteReceiver;

/// The receiver of the latest configuration. A reload may correct it while copies wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Destination(Arc<Mutex<Option<GraphiteReceiver>>>);

impl Destination {
    /// Copies go there from now on, those that wait already, too.
    pub(super) fn set(&self, receiver: &GraphiteReceiver) {
        let mut latest = self.latest();
        if latest.as_ref() != Some(receiver) {
            *latest = Some(receiver.clone());
        }
    }

    pub(super) fn get(&self) -> Option<GraphiteReceiver> {
        self.latest().clone()
    }

    pub(super) fn is(&self, receiver: &GraphiteReceiver) -> bool {
        self.latest().as_ref() == Some(receiver)
    }

    fn latest(&self) -> MutexGuard<'_, Option<GraphiteReceiver>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
