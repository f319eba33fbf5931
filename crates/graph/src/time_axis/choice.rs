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
    seconds_per_pixel_min: i64,
    /// Only for spans as long as this.
    span_seconds_min: i64,
    steps: [(TimeUnit, u32); 3],
    label_span_seconds: i64,
    format: &'static str,
}

const DAY_SECONDS: i64 = 24 * 3600;

const fn choice(
    seconds_per_pixel_min: i64,
    span_seconds_min: i64,
    steps: [(TimeUnit, u32); 3],
    label_span_seconds: i64,
    format: &'static str,
) -> Choice {
    Choice { seconds_per_pixel_min, span_seconds_min, steps, label_span_seconds, format }
}

/// Replaced by the week format of the options.
const WEEK: &str = "<week>";

/// Minor lines, major lines, labels: the last that fits is taken.
const CHOICES: [Choice; 19] = [
    choice(0, 0, [(Second, 30), (Minute, 5), (Minute, 5)], 0, "%H:%M"),
    choice(2, 0, [(Minute, 1), (Minute, 5), (Minute, 5)], 0, "%H:%M"),
    choice(5, 0, [(Minute, 2), (Minute, 10), (Minute, 10)], 0, "%H:%M"),
    choice(10, 0, [(Minute, 5), (Minute, 20), (Minute, 20)], 0, "%H:%M"),
    choice(30, 0, [(Minute, 10), (Hour, 1), (Hour, 1)], 0, "%H:%M"),
    choice(60, 0, [(Minute, 30), (Hour, 2), (Hour, 2)], 0, "%H:%M"),
    choice(60, DAY_SECONDS, [(Minute, 30), (Hour, 2), (Hour, 6)], 0, "%a %H:%M"),
    choice(180, 0, [(Hour, 1), (Hour, 6), (Hour, 6)], 0, "%H:%M"),
    choice(180, DAY_SECONDS, [(Hour, 1), (Hour, 6), (Hour, 12)], 0, "%a %H:%M"),
    choice(600, 0, [(Hour, 6), (Day, 1), (Day, 1)], DAY_SECONDS, "%a"),
    choice(1200, 0, [(Hour, 6), (Day, 1), (Day, 1)], DAY_SECONDS, "%d"),
    choice(1800, 0, [(Hour, 12), (Day, 1), (Day, 2)], DAY_SECONDS, "%a %d"),
    choice(2400, 0, [(Hour, 12), (Day, 1), (Day, 2)], DAY_SECONDS, "%a"),
    choice(3600, 0, [(Day, 1), (Week, 1), (Week, 1)], 7 * DAY_SECONDS, WEEK),
    choice(3 * 3600, 0, [(Week, 1), (Month, 1), (Week, 2)], 7 * DAY_SECONDS, WEEK),
    choice(6 * 3600, 0, [(Month, 1), (Month, 1), (Month, 1)], 30 * DAY_SECONDS, "%b"),
    choice(48 * 3600, 0, [(Month, 1), (Month, 3), (Month, 3)], 30 * DAY_SECONDS, "%b"),
    choice(315_360, 0, [(Month, 3), (Year, 1), (Year, 1)], 365 * DAY_SECONDS, "%Y"),
    choice(10 * DAY_SECONDS, 0, [(Year, 1), (Year, 1), (Year, 1)], 365 * DAY_SECONDS, "%y"),
];

impl<'a> Layout<'a> {
    /// The layout that the options give or the span deserves; `None` for no grid.
    pub(super) fn choose(
        start_seconds: i64,
        end_seconds: i64,
        settings: &'a Settings,
        width: u32,
    ) -> Option<Self> {
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
                let span_seconds = end_seconds - start_seconds;
                let seconds_per_pixel = span_seconds / i64::from(width.max(1));
                let choice = CHOICES.iter().rev().find(|choice| {
                    choice.seconds_per_pixel_min <= seconds_per_pixel
                        && choice.span_seconds_min <= span_seconds
                })?;
                Some(Self::of(choice, settings))
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
