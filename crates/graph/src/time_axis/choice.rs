//! The layout that a span gets, by the seconds that one pixel stands for.

use crate::arguments::{Settings, TimeGrid, TimeStep, TimeUnit};
use TimeUnit::{Day, Hour, Minute, Month, Second, Week, Year};

/// The distances of lines and labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    pub(super) minor: TimeStep,
    pub(super) major: TimeStep,
    pub(super) label: TimeStep,
    pub(super) label_span_seconds: i64,
    pub(super) format: &'a str,
}

/// A layout for spans with at least so many seconds a pixel.
struct Choice {
    seconds_per_pixel_min: f64,
    /// Shorter spans have the layout before, if that begins at as many seconds a pixel.
    span_seconds_min: i64,
    steps: [(TimeUnit, u32); 3],
    label_span_seconds: i64,
    format: &'static str,
}

const DAY_SECONDS: i64 = 24 * 3600;

const fn choice(
    seconds_per_pixel_min: f64,
    steps: [(TimeUnit, u32); 3],
    label_span_seconds: i64,
    format: &'static str,
) -> Choice {
    Choice { seconds_per_pixel_min, span_seconds_min: 0, steps, label_span_seconds, format }
}

/// Replaced by the week format of the options.
const WEEK: &str = "<week>";

/// Minor lines, major lines, labels: the last that fits is taken. The thresholds are where
/// rrdtool 1.7.2's own graphs change.
const CHOICES: [Choice; 37] = [
    choice(0.0, [(Second, 1), (Second, 5), (Second, 1)], 0, "%H:%M:%S"),
    choice(0.015, [(Second, 1), (Second, 5), (Second, 5)], 0, "%H:%M:%S"),
    choice(0.08, [(Second, 1), (Second, 5), (Second, 10)], 0, "%H:%M:%S"),
    choice(0.15, [(Second, 5), (Second, 15), (Second, 30)], 0, "%H:%M:%S"),
    choice(0.4, [(Second, 10), (Minute, 1), (Minute, 1)], 0, "%H:%M"),
    choice(0.7, [(Second, 20), (Minute, 1), (Minute, 1)], 0, "%H:%M"),
    choice(1.0, [(Second, 30), (Minute, 1), (Minute, 2)], 0, "%H:%M"),
    choice(2.0, [(Minute, 1), (Minute, 5), (Minute, 5)], 0, "%H:%M"),
    choice(5.0, [(Minute, 2), (Minute, 10), (Minute, 10)], 0, "%H:%M"),
    choice(10.0, [(Minute, 5), (Minute, 20), (Minute, 20)], 0, "%H:%M"),
    choice(30.0, [(Minute, 10), (Minute, 30), (Hour, 1)], 0, "%H:%M"),
    choice(60.0, [(Minute, 30), (Hour, 1), (Hour, 2)], 0, "%H:%M"),
    Choice {
        span_seconds_min: DAY_SECONDS,
        ..choice(60.0, [(Minute, 30), (Hour, 1), (Hour, 3)], 0, "%a %H:%M")
    },
    choice(140.0, [(Hour, 1), (Hour, 2), (Hour, 4)], 0, "%a %H:%M"),
    choice(180.0, [(Hour, 1), (Hour, 3), (Hour, 6)], 0, "%a %H:%M"),
    choice(300.0, [(Hour, 2), (Hour, 6), (Hour, 12)], 0, "%a %H:%M"),
    choice(600.0, [(Hour, 6), (Day, 1), (Day, 1)], DAY_SECONDS, "%a %d %b"),
    choice(1_200.0, [(Hour, 6), (Day, 1), (Day, 1)], DAY_SECONDS, "%d %b"),
    choice(1_800.0, [(Hour, 12), (Day, 1), (Day, 2)], DAY_SECONDS, "%a %d %b"),
    choice(2_400.0, [(Hour, 12), (Day, 1), (Day, 2)], DAY_SECONDS, "%d %b"),
    choice(3_600.0, [(Day, 1), (Week, 1), (Week, 1)], 7 * DAY_SECONDS, WEEK),
    choice(12_000.0, [(Day, 1), (Month, 1), (Month, 1)], 30 * DAY_SECONDS, "%B %Y"),
    choice(18_000.0, [(Day, 2), (Month, 1), (Month, 1)], 30 * DAY_SECONDS, "%B %Y"),
    choice(23_000.0, [(Week, 1), (Month, 1), (Month, 1)], 30 * DAY_SECONDS, "%b %Y"),
    choice(32_000.0, [(Week, 1), (Month, 1), (Month, 1)], 30 * DAY_SECONDS, "%b '%y"),
    choice(42_000.0, [(Week, 1), (Month, 1), (Month, 2)], 30 * DAY_SECONDS, "%B %Y"),
    choice(52_000.0, [(Week, 1), (Month, 1), (Month, 2)], 30 * DAY_SECONDS, "%b %Y"),
    choice(78_000.0, [(Week, 1), (Month, 1), (Month, 2)], 30 * DAY_SECONDS, "%b '%y"),
    choice(84_000.0, [(Week, 2), (Month, 1), (Month, 3)], 30 * DAY_SECONDS, "%B %Y"),
    choice(94_000.0, [(Week, 2), (Month, 1), (Month, 3)], 30 * DAY_SECONDS, "%b %Y"),
    choice(120_000.0, [(Week, 2), (Month, 1), (Month, 3)], 30 * DAY_SECONDS, "%b '%y"),
    choice(130_000.0, [(Month, 1), (Month, 2), (Month, 4)], 0, "%Y-%m-%d"),
    choice(142_000.0, [(Month, 1), (Month, 3), (Month, 6)], 0, "%Y-%m-%d"),
    choice(220_000.0, [(Month, 1), (Month, 6), (Month, 12)], 0, "%Y-%m-%d"),
    choice(400_000.0, [(Month, 2), (Year, 1), (Year, 1)], 365 * DAY_SECONDS, "%Y"),
    choice(800_000.0, [(Month, 4), (Year, 1), (Year, 2)], 365 * DAY_SECONDS, "%Y"),
    choice(2_000_000.0, [(Month, 6), (Year, 1), (Year, 2)], 365 * DAY_SECONDS, "'%y"),
];

impl<'a> Layout<'a> {
    /// The layout that the options give or the span deserves; `None` for no grid.
    pub(super) fn choose(span_seconds: f64, settings: &'a Settings, width: u32) -> Option<Self> {
        match &settings.time_grid {
            TimeGrid::None => None,
            TimeGrid::Custom { minor, major, label, label_span_seconds, format } => Some(Self {
                minor: *minor,
                major: *major,
                label: *label,
                label_span_seconds: (*label_span_seconds).clamp(0, 100 * 366 * DAY_SECONDS),
                format,
            }),
            TimeGrid::Automatic => {
                let seconds_per_pixel = span_seconds / f64::from(width.max(1));
                let fits = |choice: &&Choice| {
                    choice.seconds_per_pixel_min <= seconds_per_pixel
                        && choice.span_seconds_min as f64 <= span_seconds
                };
                CHOICES.iter().rev().find(fits).map(|choice| Self::of(choice, settings))
            }
        }
    }

    fn of(choice: &Choice, settings: &'a Settings) -> Self {
        let [minor, major, label] = choice.steps.map(|(unit, count)| TimeStep { unit, count });
        let format = match choice.format {
            WEEK => &settings.week_format,
            format => format,
        };
        Self { minor, major, label, label_span_seconds: choice.label_span_seconds, format }
    }
}
