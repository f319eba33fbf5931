//! A sample that concerns more than the store.

use std::sync::Arc;

use mrtg::{Configuration, GraphiteReceiver, Target, Thresholds};
use rrd::Timestamp;

use super::super::reading_kept::ReadingKept;

/// Why a sample concerns more than the store: its target, in its configuration.
#[derive(Clone, Debug)]
pub(in super::super) struct Concern {
    configuration: Arc<Configuration>,
    target: usize,
    /// The target's expected maxima at present.
    pub(super) max_bytes: [f64; 2],
    /// When the target's database was updated last, if that was before this process did.
    pub(super) last_update: Option<Timestamp>,
}

impl Concern {
    /// The concern of a target; `None` if its samples are stored, and that is all.
    pub(in super::super) fn of(
        configuration: &Arc<Configuration>,
        target: usize,
        max_bytes: [f64; 2],
        last_update: Option<Timestamp>,
    ) -> Option<Box<Self>> {
        let is_copied = configuration.globals.graphite.is_some();
        let is_concerned = is_copied || configuration.targets[target].settings.thresholds.is_some();
        // In a box, for most samples concern nothing else, and millions may wait.
        is_concerned
            .then(|| Self { configuration: configuration.clone(), target, max_bytes, last_update })
            .map(Box::new)
    }

    pub(super) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    pub(super) fn target(&self) -> &Target {
        &self.configuration.targets[self.target]
    }

    pub(super) fn thresholds(&self) -> Option<&Thresholds> {
        self.target().settings.thresholds.as_deref()
    }

    pub(super) fn is_watched(&self) -> bool {
        self.thresholds().is_some()
    }

    pub(super) fn is_copied(&self) -> bool {
        self.receiver().is_some()
    }

    /// Where its configuration wants a copy to go.
    pub(super) fn receiver(&self) -> Option<&GraphiteReceiver> {
        self.configuration.globals.graphite.as_ref()
    }
}

/// A sample that the store was given.
#[derive(Clone, Debug)]
pub(in super::super) struct Sampled {
    pub(in super::super) concern: Box<Concern>,
    /// The database's name.
    pub(in super::super) database: Arc<str>,
    pub(in super::super) time: Timestamp,
    pub(in super::super) readings: [ReadingKept; 2],
    /// Whether the store took it.
    pub(in super::super) is_stored: bool,
}
