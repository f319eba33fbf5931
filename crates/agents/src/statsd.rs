//! StatsD's values, summed up until their interval ends.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intake::Protocol;
use senders::statsd::{Aggregator, Limits};

use crate::desk::{Desk, Fallback};
use crate::gathered::Gathered;
use crate::reading::Misread;

/// A database takes one sample a second at most.
const SECOND_MICROS: i64 = 1_000_000;

/// StatsD's values since the last interval's end. Intervals end where the clock shows multiples of
/// their length, so that they fit the steps of databases.
pub(crate) struct Sums {
    interval_micros: i64,
    state: Mutex<State>,
}

struct State {
    aggregator: Aggregator,
    begin_micros: i64,
}

impl Sums {
    pub(crate) fn new(interval: Duration, now_micros: i64) -> Self {
        let interval_micros = i64::try_from(interval.as_micros()).unwrap_or(i64::MAX);
        let state =
            State { aggregator: Aggregator::new(Limits::default()), begin_micros: now_micros };
        Self { interval_micros: interval_micros.max(SECOND_MICROS), state: Mutex::new(state) }
    }

    /// Adds what was gathered to the sums.
    pub(crate) fn take(&self, desk: &Desk, gathered: &Gathered) {
        let mut misread = Misread::default();
        let mut state = self.state();
        for (from, bytes) in gathered.parts() {
            misread.add_lines(from, &state.aggregator.take(bytes));
        }
        drop(state);
        desk.note_misread(Protocol::Statsd, &misread);
    }

    /// How long it is until the interval ends.
    pub(crate) fn left(&self, now_micros: i64) -> Duration {
        let left = self.state().end_micros(self.interval_micros) - now_micros;
        // A clock that was set back must not hold them up.
        Duration::from_micros(left.clamp(0, self.interval_micros) as u64)
    }

    /// Stores the interval's values if it has ended.
    pub(crate) fn store_ended(&self, desk: &Desk, now_micros: i64) {
        let end_micros = self.state().end_micros(self.interval_micros);
        if now_micros >= end_micros {
            // After a pause the time is that of the last end that passed.
            self.store(desk, now_micros - now_micros.rem_euclid(self.interval_micros));
        } else if end_micros - now_micros > self.interval_micros {
            self.state().begin_micros = now_micros; // the clock was set back
        }
    }

    /// Stores what has come of an interval that is cut off.
    pub(crate) fn store_rest(&self, desk: &Desk, now_micros: i64) {
        let begin_micros = self.state().begin_micros;
        self.store(desk, now_micros.max(begin_micros.saturating_add(SECOND_MICROS)));
    }

    fn store(&self, desk: &Desk, time_micros: i64) {
        desk.store_batch(Protocol::Statsd, Fallback::Lose, &mut |batch| {
            let State { aggregator, begin_micros } = &mut *self.state();
            let seconds = (time_micros - *begin_micros).max(1) as f64 / 1e6;
            aggregator.finish(time_micros, seconds, &mut |sent| batch.add(sent));
            *begin_micros = time_micros;
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The first multiple of the interval behind its beginning.
    fn end_micros(&self, interval_micros: i64) -> i64 {
        let past = self.begin_micros.rem_euclid(interval_micros);
        self.begin_micros - past + interval_micros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_end_at_multiples_of_their_length() {
        let sums = Sums::new(Duration::from_secs(10), 1_003_500_000);
        assert_eq!(sums.left(1_003_500_000), Duration::from_millis(6500));
        assert_eq!(sums.left(1_011_000_000), Duration::ZERO);
        // The clock was set back by an hour.
        assert_eq!(sums.left(1_003_500_000 - 3_600_000_000), Duration::from_secs(10));
    }
}
