//! The time axis: which lines and labels a span gets, on the calendar of a zone.

mod choice;
mod calendar;
mod fractions;

use jiff::tz::TimeZone;
use rrd::Tick;

use crate::arguments::{Settings, TimeGrid};
use crate::format::strftime;
use crate::time_window::TimeWindow;
use choice::Layout;
use fractions::Fractions;

/// A line or label of the time axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark<T> {
    /// Where it stands, in the ticks of the axis.
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

/// The marks between two times, on an axis of `width` pixels. Where the ticks are seconds, so are
/// the shortest distances; else a short window has marks at fractions of a second.
pub(crate) fn marks(
    window: TimeWindow,
    settings: &Settings,
    width: u32,
    zone: &TimeZone,
) -> TimeMarks {
    if let Some(fractions) = Fractions::choose(window, settings, width) {
        return fractions.marks(window, settings.minor_grid, zone);
    }
    let TimeWindow { tick, start_seconds, end_seconds } = window;
    let span_seconds = tick.seconds_of(window.span_ticks().max(0) as u64);
    let Some(layout) = Layout::choose(span_seconds, settings, width) else {
        return TimeMarks::default();
    };
    let start_seconds = tick.to_ceiling(start_seconds, Tick::SECOND);
    let window = (start_seconds, tick.to_floor(end_seconds, Tick::SECOND));
    // A line at the very end would lie beside the canvas.
    let before_end = (start_seconds, tick.to_floor(end_seconds - 1, Tick::SECOND));
    let major = calendar::steps(before_end, layout.major, zone);
    let mut minor = Vec::new();
    if settings.minor_grid {
        minor = calendar::steps(before_end, layout.minor, zone);
        minor.retain(|at| major.binary_search(at).is_err());
    }
    let in_ticks = |seconds| Tick::SECOND.to_floor(seconds, tick);
    let mark = |seconds| Mark { at_seconds: in_ticks(seconds), what: () };
    TimeMarks {
        minor: minor.into_iter().map(mark).collect(),
        major: major.into_iter().map(mark).collect(),
        labels: labels(window, &layout, zone)
            .into_iter()
            .map(|mark| Mark { at_seconds: in_ticks(mark.at_seconds), ..mark })
            .collect(),
    }
}

/// Labels stand in the middle of the time that they name, if they name more than a moment.
fn labels((start, end): (i64, i64), layout: &Layout<'_>, zone: &TimeZone) -> Vec<Mark<String>> {
    let half_seconds = layout.label_span_seconds / 2;
    let window = (start - half_seconds, end);
    calendar::steps(window, layout.label, zone)
        .into_iter()
        .map(|named| named + half_seconds)
        .map(|at_seconds| {
            let what = strftime(layout.format, Tick::SECOND, at_seconds, zone);
            Mark { at_seconds, what }
        })
        .filter(|mark| (start..=end).contains(&mark.at_seconds))
        .collect()
}

/// Whether the time axis has marks at all.
pub(crate) fn is_drawn(settings: &Settings) -> bool {
    settings.time_grid != TimeGrid::None
}

#[cfg(test)]
mod tests;
