//! One large transfer a day: always of the same size, at another time and with another rate each
//! day.

use crate::lots::Chance;
use std::f64::consts::TAU;

const DAY_MS: u64 = 86_400_000;

#[derive(Debug, Clone, Copy)]
pub(super) struct Burst {
    pub(super) chance: Chance,
    /// The octets of each day's transfer.
    day_octets: f64,
    /// The shortest duration; the longest is three times as long.
    shortest_seconds: f64,
}

impl Burst {
    /// A burst whose rate never exceeds `rate_max` octets a second.
    pub(super) fn new(chance: Chance, rate_max: f64) -> Burst {
        let shortest_seconds = chance.child(0).between(1200.0, 3600.0);
        // The rate rises from zero to twice its mean and falls back.
        let day_octets = rate_max * shortest_seconds / 2.0;
        Burst { chance, day_octets, shortest_seconds }
    }

    pub(super) fn octets(&self, time_ms: u64) -> u64 {
        let done = self.done_today(time_ms);
        let today = (self.day_octets * (done - (TAU * done).sin() / TAU)) as u64;
        // Whole days have whole octets, so that nothing is lost at midnight.
        let days = (time_ms / DAY_MS).wrapping_mul(self.day_octets as u64);
        days.wrapping_add(today.min(self.day_octets as u64))
    }

    pub(super) fn rate(&self, time_ms: u64) -> f64 {
        let done = self.done_today(time_ms);
        let mean = self.day_octets / self.takes_seconds(time_ms / DAY_MS);
        mean * (1.0 - (TAU * done).cos())
    }

    /// How much of today's transfer is done, from 0 to 1.
    fn done_today(&self, time_ms: u64) -> f64 {
        let (day, place_ms) = (time_ms / DAY_MS, time_ms % DAY_MS);
        let takes = self.takes_seconds(day);
        // Mostly between midnight and the early morning.
        let latest = 28_000.0 - takes;
        let begins = self.chance.child(1).child(day).unit() * latest.max(0.0);
        ((place_ms as f64 / 1000.0 - begins) / takes).clamp(0.0, 1.0)
    }

    fn takes_seconds(&self, day: u64) -> f64 {
        self.shortest_seconds * self.chance.child(2).child(day).between(1.0, 3.0)
    }
}
