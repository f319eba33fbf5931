//! Weekly profiles: a level for each hour, linear interpolation between them, and their integral.

const HOURS: usize = 7 * 24;
const HOUR_SECONDS: f64 = 3600.0;
pub(super) const WEEK_MS: u64 = HOURS as u64 * 3_600_000;
pub(super) const WEEK_SECONDS: f64 = HOURS as f64 * HOUR_SECONDS;

/// The profile of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Profile {
    Office,
    Campus,
    Steady,
}

/// A working day, hour by hour from midnight, in percent of the peak.
const OFFICE_DAY: [u8; 24] =
    [4, 3, 3, 3, 3, 4, 8, 25, 62, 88, 97, 92, 70, 78, 94, 100, 90, 66, 38, 22, 15, 11, 8, 5];
/// Offices by day, homes and dormitories in the evening.
const CAMPUS_DAY: [u8; 24] = [
    38, 26, 18, 14, 12, 13, 20, 36, 58, 72, 78, 80, 76, 77, 81, 84, 82, 80, 84, 93, 100, 97, 80, 56,
];
const STEADY_DAY: [u8; 24] = [
    62, 60, 60, 58, 58, 60, 64, 70, 78, 88, 94, 98, 96, 97, 100, 98, 94, 90, 84, 80, 76, 72, 68, 64,
];
/// For Monday to Sunday, the share of the variation above the day's lowest level.
const OFFICE_WEEK: [f64; 7] = [0.96, 1.0, 0.99, 0.97, 0.86, 0.16, 0.11];
const CAMPUS_WEEK: [f64; 7] = [0.93, 0.95, 0.96, 0.97, 0.9, 0.92, 1.0];
const STEADY_WEEK: [f64; 7] = [0.97, 1.0, 1.0, 0.99, 0.96, 0.8, 0.78];

/// All profiles, with the integral at each hour.
#[derive(Debug)]
pub(super) struct Profiles {
    office: Week,
    campus: Week,
    steady: Week,
}

/// A profile of one week: levels above 0, up to 1.
#[derive(Debug)]
struct Week {
    levels: [f64; HOURS],
    /// The integral of the level from Monday midnight to each hour, in level seconds.
    passed: [f64; HOURS],
    whole: f64,
}

impl Profiles {
    pub(super) fn new() -> Profiles {
        Profiles {
            office: Week::new(&OFFICE_DAY, &OFFICE_WEEK),
            campus: Week::new(&CAMPUS_DAY, &CAMPUS_WEEK),
            steady: Week::new(&STEADY_DAY, &STEADY_WEEK),
        }
    }

    /// The integral over a whole week, in level seconds.
    pub(super) fn whole_week(&self, profile: Profile) -> f64 {
        self.week(profile).whole
    }

    /// The integral from Monday midnight to `second` of the week, in level seconds.
    pub(super) fn passed(&self, profile: Profile, second: f64) -> f64 {
        let week = self.week(profile);
        let (hour, fraction) = place(second);
        let (from, to) = week.levels_around(hour);
        let within = from * fraction + (to - from) * fraction * fraction / 2.0;
        week.passed[hour] + HOUR_SECONDS * within
    }

    /// The level at `second` of the week, above 0, up to 1.
    pub(super) fn level(&self, profile: Profile, second: f64) -> f64 {
        let (hour, fraction) = place(second);
        let (from, to) = self.week(profile).levels_around(hour);
        from + (to - from) * fraction
    }

    fn week(&self, profile: Profile) -> &Week {
        match profile {
            Profile::Office => &self.office,
            Profile::Campus => &self.campus,
            Profile::Steady => &self.steady,
        }
    }
}

impl Week {
    fn new(day: &[u8; 24], days: &[f64; 7]) -> Week {
        let lowest = f64::from(day.iter().copied().min().unwrap_or(0)) / 100.0;
        let level = |hour: usize| {
            let working = f64::from(day[hour % 24]) / 100.0;
            lowest + (working - lowest) * days[hour / 24]
        };
        let mut week =
            Week { levels: std::array::from_fn(level), passed: [0.0; HOURS], whole: 0.0 };
        for hour in 0..HOURS {
            week.passed[hour] = week.whole;
            let (from, to) = week.levels_around(hour);
            week.whole += HOUR_SECONDS * (from + to) / 2.0;
        }
        week
    }

    fn levels_around(&self, hour: usize) -> (f64, f64) {
        (self.levels[hour], self.levels[(hour + 1) % HOURS])
    }
}

/// The hour of the week, and the elapsed fraction of it.
fn place(second: f64) -> (usize, f64) {
    let hours = second / HOUR_SECONDS;
    let hour = (hours as usize).min(HOURS - 1);
    (hour, hours - hour as f64)
}
