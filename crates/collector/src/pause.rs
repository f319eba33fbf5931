//! Pauses of this program: it was stopped, or the machine was suspended or too busy.
//!
//! ```text
//!            pause            catching up
//! ──a──b──[──c──d──e──]───c──d──e─────────── time
//! ```
//!
//! Devices whose start fell into a pause do not begin all at once after it, but one after the other
//! as they would have in it. After a long pause they begin when it is their turn again.

use std::time::Duration;

/// Less is no pause: devices may begin so late.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// The last pause.
#[derive(Debug)]
pub(crate) struct Pauses {
    observed_at: Duration,
    last: Option<Pause>,
}

/// A time in which this program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    from: Duration,
    until: Duration,
}

impl Pauses {
    pub(crate) fn new(now: Duration) -> Self {
        Self { observed_at: now, last: None }
    }

    /// The program runs. It is expected to say so when something is due, so only what was due
    /// meanwhile makes the time since the last call a pause.
    pub(crate) fn observe(&mut self, now: Duration) {
        let from = std::mem::replace(&mut self.observed_at, now);
        if now.saturating_sub(from) >= PAUSE_MIN {
            self.last = Some(Pause { from, until: now });
        }
    }

    /// The pause that a start fell into, if that was missed by much.
    pub(crate) fn around(&self, start: Duration) -> Option<Pause> {
        let is_in = |pause: &Pause| pause.from <= start && start + PAUSE_MIN <= pause.until;
        self.last.filter(is_in)
    }
}

impl Pause {
    /// When a device begins instead; `None` if the pause was so long that it should rather wait for
    /// its turn.
    pub(crate) fn later(self, start: Duration, interval: Duration) -> Option<Duration> {
        let length = self.until - self.from;
        (length < interval / 2).then(|| start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn starts_in_a_short_pause_are_made_up_for_in_their_order() {
        let mut pauses = Pauses::new(at(0));
        pauses.observe(at(10));
        pauses.observe(at(30));
        let pause = pauses.around(at(12)).unwrap();
        assert_eq!(pause.later(at(12), MINUTE), Some(at(32)));
        assert_eq!(pause.later(at(28), MINUTE), Some(at(48)));
        assert_eq!(pause.later(at(12), at(30)), None, "it is its turn soon");
        // It was due just now, or before the pause.
        assert_eq!(pauses.around(Duration::from_millis(29_500)), None);
        assert_eq!(pauses.around(at(9)), None);
    }
}
