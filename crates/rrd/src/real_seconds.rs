//! Times and lengths in seconds, fractions included, where they are counted in ticks.

use crate::{Archive, Definition, InSeconds, Tick};

impl Tick {
    /// How many seconds a moment that is counted in these ticks lies after 1970.
    #[must_use]
    pub fn seconds_at(self, time: i64) -> f64 {
        time as f64 / f64::from(self.per_second())
    }

    /// A length of time as a number of ticks: the nearest one. Of seconds the fraction is dropped, as
    /// rrdtool drops it.
    #[must_use]
    pub fn nearest_to(self, seconds: f64) -> f64 {
        match self.is_second() {
            true => seconds.trunc(),
            false => (seconds * f64::from(self.per_second())).round(),
        }
    }

    /// The shorter of two: it counts what the other counts.
    #[must_use]
    pub fn finer(self, other: Self) -> Self {
        if self.per_second() < other.per_second() { other } else { self }
    }
}

impl Definition {
    /// The length of a step in seconds, whatever the tick.
    #[must_use]
    pub fn step_in_seconds(&self) -> f64 {
        self.tick.seconds_of(self.step_seconds)
    }

    /// The length of an archive's row, to be shown.
    #[must_use]
    pub fn row_told(&self, archive: &Archive) -> InSeconds {
        self.tick.told_span(archive.row_seconds(self.step_seconds))
    }

    /// The length of an archive's row in seconds, whatever the tick.
    #[must_use]
    pub fn row_in_seconds(&self, archive: &Archive) -> f64 {
        self.tick.seconds_of(archive.row_seconds(self.step_seconds))
    }
}

#[cfg(test)]
mod tests {
    use crate::Tick;

    #[test]
    fn lengths_are_the_nearest_ticks_and_whole_seconds_without_fraction() {
        let hundredths = Tick::of_per_second(100).unwrap();
        assert_eq!(hundredths.nearest_to(0.29), 29.0);
        assert_eq!(hundredths.nearest_to(-0.07), -7.0);
        assert_eq!(Tick::SECOND.nearest_to(1.9), 1.0);
        assert_eq!(hundredths.seconds_at(-5), -0.05);
        assert_eq!(Tick::SECOND.seconds_at(1_700_000_000), 1.7e9);
        assert_eq!(Tick::SECOND.finer(hundredths), hundredths);
        assert_eq!(hundredths.finer(Tick::SECOND), hundredths);
    }
}
