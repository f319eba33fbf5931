//! A device at one time: what all of its objects follow from.

use crate::fault::Life;
use crate::topology::Device;
use crate::traffic::Traffic;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) device: &'a Device,
    pub(super) traffic: &'a Traffic,
    /// Since 1970.
    pub(super) now: Duration,
    pub(super) life: Life,
    /// What a fault adds to sysUpTime.
    pub(super) clock_seconds: i64,
    /// The most bytes of a response.
    pub(super) bytes_max: usize,
}

impl Moment<'_> {
    /// What a counter shows that counts `count` in all: it was zero when the device started, unless
    /// a fault lets it wrap soon.
    pub(super) fn counted(&self, count: impl Fn(Duration) -> u64) -> u64 {
        match self.life.wraps_at {
            Some(wraps_at) => count(self.now).wrapping_sub(count(wraps_at)).wrapping_add(1 << 32),
            None => count(self.now).wrapping_sub(count(self.life.started_at)),
        }
    }

    /// sysUpTime: hundredths of a second, which wrap after 497 days.
    pub(super) fn ticks(&self) -> u32 {
        let up = self.now.saturating_sub(self.life.started_at);
        let wrong_by = self.clock_seconds.wrapping_mul(100);
        ((up.as_millis() / 10) as u32).wrapping_add(wrong_by as u32)
    }

    pub(super) fn up_seconds(&self) -> u64 {
        self.now.saturating_sub(self.life.started_at).as_secs()
    }
}
