//! The time axis: which lines and labels a span gets, on the calendar of a zone.

mod choice;
mod calendar;

use jiff::tz::TimeZone;

use crate::arguments::{Settings, TimeGrid};
use crate::format::strftime;
use choice::Layout;

/// A line or label of the time axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark<T> {
    /// Where it stands, seconds.
    pub(crate) at_seconds: i64,
    pub(crate) what: T,
}

/// The marks of a time axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TimeMarks {
    pub(crate) minor: Vec<Mark<()>>,
    pub(crate) major: Vec<Mark<()>>,
    pub(crate) labels: Vec<Mark<String>>,
}

/// The marks between two times, on an axis of `width` pixels.
pub(crate) fn marks(
    start_seconds: i64,
    end_seconds: i64,
    settings: &Settings,
    width: u32,
    zone: &TimeZone,
) -> TimeMarks {
    let Some(layout) = Layout::choose(start_seconds, end_seconds, settings, width) else {
        return TimeMarks::default();
    };
    let window = (start_seconds, end_seconds);
    // A line at the very end would lie beside the canvas.
    let before_end = (start_seconds, end_seconds - 1);
    let major = calendar::steps(before_end, layout.major, zone);
    let mut minor = Vec::new();
    if settings.minor_grid {
        minor = calendar::steps(before_end, layout.minor, zone);
        minor.retain(|at| major.binary_search(at).is_err());
    }
    let mark = |at_seconds| Mark { at_seconds, what: () };
    TimeMarks {
        minor: minor.into_iter().map(mark).collect(),
        major: major.into_iter().map(mark).collect(),
        labels: labels(window, &layout, zone),
    }
}

/// Labels stand in the middle of the time that they name, if they name more than a moment.
fn labels((start, end): (i64, i64), layout: &Layout<'_>, zone: &TimeZone) -> Vec<Mark<String>> {
    let half_seconds = layout.label_span_seconds / 2;
    let window = (start - half_seconds, end);
    calendar::steps(window, layout.label, zone)
        .into_iter()
        .map(|named| named + half_seconds)
        .map(|at_seconds| Mark { at_seconds, what: strftime(layout.format, at_seconds, zone) })
        .filter(|mark| (start..=end).contains(&mark.at_seconds))
        .collect()
}

/// Whether the time axis has marks at all.
pub(crate) fn is_drawn(settings: &Settings) -> bool {
    settings.time_grid != TimeGrid::None
}

#[cfg(test)]
mod tests;
