//! How many databases may be made.

use std::sync::Mutex;

/// So much in all, and so much in a minute.
#[derive(Debug)]
pub(crate) struct Pace {
    in_all_max: u64,
    in_a_minute_max: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    in_all: u64,
    minute: i64,
    in_minute: u64,
}

impl Pace {
    pub(crate) fn new(in_all_max: u64, in_a_minute_max: u64) -> Self {
        Self { in_all_max, in_a_minute_max, state: Mutex::default() }
    }

    /// How many of the wished ones may be made now; they count as made until they are given back.
    pub(crate) fn granted(&self, wished: u64, now_seconds: i64) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let minute = now_seconds.div_euclid(60);
        if state.minute != minute {
            (state.minute, state.in_minute) = (minute, 0);
        }
        let left = self.in_all_max.saturating_sub(state.in_all);
        let granted = wished.min(left).min(self.in_a_minute_max.saturating_sub(state.in_minute));
        state.in_all += granted;
        state.in_minute += granted;
        granted
    }

    /// Gives back what was granted, and not made.
    pub(crate) fn give_back(&self, unmade: u64) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.in_all = state.in_all.saturating_sub(unmade);
        state.in_minute = state.in_minute.saturating_sub(unmade);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_hold() {
        let pace = Pace::new(10, 4);
        assert_eq!([pace.granted(3, 0), pace.granted(3, 59), pace.granted(1, 59)], [3, 1, 0]);
        assert_eq!([pace.granted(9, 60), pace.granted(9, 120), pace.granted(9, 180)], [4, 2, 0]);
        pace.give_back(1);
        assert_eq!(pace.granted(9, 180), 1);
    }
}
