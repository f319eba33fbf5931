//! The graphs of a target, and the time that each shows.

use rrd::ConsolidationFunction;
use rrd::fetch::{Query, window};
use store::Outline;

use crate::{Look, Periods};

/// One graph of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// The last hour; for targets that are measured every minute or more often.
    Hour,
    /// The last day and a third.
    Day,
    /// The last eight days.
    Week,
    /// The last 33 days.
    Month,
    /// The last 400 days.
    Year,
}

/// MRTG draws 400 rows in 400 pixels.
const ROWS: u64 = 400;

impl Period {
    pub(crate) const ALL: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// The graphs that a target's page has.
    pub(crate) fn of(look: &Look) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|period| period.is_drawn(look))
    }

    fn is_drawn(self, look: &Look) -> bool {
        match self {
            Self::Hour => look.step_seconds <= 60 && !look.suppress.day,
            _ => !self.is_in(look.suppress),
        }
    }

    pub(crate) fn is_in(self, set: Periods) -> bool {
        match self {
            Self::Hour | Self::Day => set.day,
            Self::Week => set.week,
            Self::Month => set.month,
            Self::Year => set.year,
        }
    }

    /// The name in URLs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.name() == name)
    }

    /// The length of the time that a chart shows by this name, as a calendar has it.
    pub(crate) fn chart_seconds(self) -> u64 {
        match self {
            Self::Hour => 3600,
            Self::Day => 86_400,
            Self::Week => 7 * 86_400,
            Self::Month => 31 * 86_400,
            Self::Year => 366 * 86_400,
        }
    }

    /// The period whose graph shows about as much time.
    pub(crate) fn nearest(seconds: u64) -> Self {
        let is_long_enough = |period: &Self| period.span_seconds() * 3 >= seconds;
        Self::ALL.into_iter().find(is_long_enough).unwrap_or(Self::Year)
    }

    fn adverb(self) -> &'static str {
        match self {
            Self::Hour => "Hourly",
            Self::Day => "Daily",
            Self::Week => "Weekly",
            Self::Month => "Monthly",
            Self::Year => "Yearly",
        }
    }

    /// Seconds between two of its values.
    pub(crate) fn row_seconds(self) -> u64 {
        match self {
            Self::Hour => 10,
            Self::Day => 300,
            Self::Week => 1800,
            Self::Month => 7200,
            Self::Year => 86400,
        }
    }

    /// The length of the time that it shows.
    pub(crate) fn span_seconds(self) -> u64 {
        ROWS * self.row_seconds()
    }

    /// MRTG's caption: "Daily" Graph (5 Minute Average). A value covers the time of a pixel or, if
    /// the archive that answers is coarser, the time of its row.
    pub(crate) fn caption(self, step_seconds: f64, database: Option<&Outline>, now: i64) -> String {
        let mut seconds = (self.row_seconds() as f64).max(step_seconds);
        if let Some(Outline { definition, last_update }) = database {
            let query = Query {
                tick: rrd::Tick::SECOND,
                cf: ConsolidationFunction::Average,
                start_seconds: now - self.span_seconds() as i64,
                end_seconds: now,
                step_seconds: self.row_seconds(),
            };
            let window = window(definition, last_update.seconds, &query);
            seconds = window.map_or(seconds, |window| {
                definition.tick.seconds_of(window.step_seconds).max(seconds)
            });
        }
        format!("“{}” Graph ({} Average)", self.adverb(), duration_words(seconds))
    }
}

/// A duration as MRTG words it: `5 Minute`.
fn duration_words(seconds: f64) -> String {
    for (unit_seconds, unit) in [(86400.0, "Day"), (3600.0, "Hour"), (60.0, "Minute")] {
        if seconds % unit_seconds == 0.0 {
            return format!("{} {unit}", seconds / unit_seconds);
        }
    }
    format!("{seconds} Second")
}

#[cfg(test)]
mod tests {
    use store::Outline;

    use super::{Period, duration_words};

    /// The database has few rows of one step, so rows of half hours answer for the day.
    #[test]
    fn a_caption_tells_the_rows_that_are_there() {
        let archives = ["RRA:AVERAGE:0.5:1:480", "RRA:AVERAGE:0.5:180:800"];
        let specs = ["DS:a:GAUGE:20:U:U"].into_iter().chain(archives);
        let definition = rrd::spec::definition(10, specs).unwrap();
        let now = 1_700_000_000;
        let last_update = rrd::Timestamp::from_seconds(now);
        let described = Outline { definition, last_update };
        let caption = |period: Period, database| period.caption(10.0, database, now);
        assert_eq!(caption(Period::Day, None), "“Daily” Graph (5 Minute Average)");
        assert_eq!(caption(Period::Day, Some(&described)), "“Daily” Graph (30 Minute Average)");
        assert_eq!(caption(Period::Hour, Some(&described)), "“Hourly” Graph (10 Second Average)");
    }

    #[test]
    fn durations_are_worded_in_the_largest_unit_that_fits() {
        assert_eq!(duration_words(86400.0), "1 Day");
        assert_eq!(duration_words(7200.0), "2 Hour");
        assert_eq!(duration_words(90.0), "90 Second");
        assert_eq!(duration_words(12.5), "12.5 Second");
    }
}
