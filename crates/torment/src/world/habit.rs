//! The times of a database's samples, relative to those of its group.

use disk::Random;

use super::{START_SECONDS, pick};

/// The times of a database's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
    /// A sample each cycle.
    Steady,
    /// None for `cycles` cycles out of three times as many.
    Silent { cycles: i64 },
    /// Sometimes it jumps ahead of the others, and continues from there.
    Leaping,
    /// The samples of `cycles` cycles come together after the last of them.
    Late { cycles: i64 },
    /// None before this cycle.
    Young { cycle: i64 },
    /// None at all.
    Absent,
}

impl Habit {
    pub(crate) fn new(random: &mut Random) -> Self {
        match random.below(10) {
            0 | 1 => Self::Silent { cycles: pick(random, &[2, 7, 30]) },
            2 | 3 => Self::Leaping,
            4 => Self::Late { cycles: pick(random, &[2, 6, 25]) },
            5 => Self::Young { cycle: 5 + random.below(100) as i64 },
            6 => pick(random, &[Self::Absent, Self::Steady, Self::Steady]),
            _ => Self::Steady,
        }
    }

    /// The first cycle with samples of the database.
    pub(crate) fn first_cycle(self) -> i64 {
        match self {
            Self::Young { cycle } => cycle,
            _ => 0,
        }
    }

    /// The times of the samples in a cycle, in seconds, which are after the last one.
    pub(crate) fn times(
        self,
        cycle: i64,
        step_seconds: i64,
        last_seconds: i64,
        random: &mut Random,
    ) -> Vec<i64> {
        let mut second_in = |cycle: i64| {
            START_SECONDS + cycle * step_seconds + random.below(step_seconds as u64) as i64
        };
        let mut times = match self {
            Self::Absent => vec![],
            Self::Young { cycle: first } if cycle < first => vec![],
            Self::Silent { cycles } if cycle / cycles % 3 == 1 => vec![],
            Self::Late { cycles } if cycle % cycles != cycles - 1 => vec![],
            Self::Late { cycles } => (cycle - cycles + 1..=cycle).map(second_in).collect(),
            Self::Leaping => return vec![leap(step_seconds, last_seconds, random)],
            Self::Steady | Self::Silent { .. } | Self::Young { .. } => vec![second_in(cycle)],
        };
        times.retain(|time| *time > last_seconds);
        times
    }
}

fn leap(step_seconds: i64, last_seconds: i64, random: &mut Random) -> i64 {
    let steps = match random.below(12) {
        0 => 2 + random.below(300) as i64,
        1 => 2 + random.below(20) as i64,
        _ => 0,
    };
    last_seconds + steps * step_seconds + 1 + random.below(step_seconds as u64 + 1) as i64
}
