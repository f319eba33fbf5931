//! The axis of a window that is so short that its marks lie between two seconds.

use jiff::tz::TimeZone;

use super::{Mark, TimeMarks};
use crate::arguments::{Settings, TimeGrid};
use crate::format::strftime;
use crate::time_window::TimeWindow;

/// How far apart labels of so many letters stand at least: `17:03:05.2` and a gap.
const LABEL_PIXELS: u64 = 75;
/// What each digit more needs.
const DIGIT_PIXELS: u64 = 7;

/// The distances of lines and labels, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fractions {
    label_ticks: i64,
    minor_ticks: i64,
    /// The digits behind the point of a label.
    decimals: usize,
}

impl Fractions {
    /// The closest labels that have room, if there is any for such between two seconds: at 1, 2 or
    /// 5 tenths, hundredths and so on. `None` where the ticks are seconds, and where the options say
    /// what the axis is like.
    pub(super) fn choose(window: TimeWindow, settings: &Settings, width: u32) -> Option<Self> {
        if window.tick.is_second() || settings.time_grid != TimeGrid::Automatic {
            return None;
        }
        let span_ticks = window.span_ticks().max(0) as u128;
        let digits = window.tick.per_second().ilog10() as usize;
        let has_room = |decimals: usize, ticks: i64| {
            let pixels = LABEL_PIXELS + DIGIT_PIXELS * (decimals as u64 - 1);
            ticks as u128 * u128::from(width) >= span_ticks * u128::from(pixels)
        };
        (1..=digits).rev().find_map(|decimals| {
            let unit_ticks = 10_i64.pow((digits - decimals) as u32);
            let count =
                [1, 2, 5].into_iter().find(|count| has_room(decimals, count * unit_ticks))?;
            // Of fives each one has a line, of others each half or fifth that is whole ticks.
            let parts = if count == 2 { 4 } else { 5 };
            let label_ticks = count * unit_ticks;
            let minor_ticks =
                if label_ticks % parts == 0 { label_ticks / parts } else { unit_ticks };
            Some(Self { label_ticks, minor_ticks, decimals })
        })
    }

    /// The marks of a window.
    pub(super) fn marks(self, window: TimeWindow, has_minor: bool, zone: &TimeZone) -> TimeMarks {
        let TimeWindow { tick, start_seconds: start, end_seconds: end } = window;
        let mark = |at_seconds| Mark { at_seconds, what: () };
        let is_minor = |time: &i64| has_minor && time.rem_euclid(self.label_ticks) != 0;
        // A line at the very end would lie beside the canvas.
        let minor = multiples(start, end - 1, self.minor_ticks).filter(is_minor);
        let format = format!("%H:%M:%S%.{}f", self.decimals);
        let label =
            |at_seconds| Mark { at_seconds, what: strftime(&format, tick, at_seconds, zone) };
        TimeMarks {
            minor: minor.map(mark).collect(),
            major: multiples(start, end - 1, self.label_ticks).map(mark).collect(),
            labels: multiples(start, end, self.label_ticks).map(label).collect(),
        }
    }
}

/// The multiples of a distance between two times, both included.
fn multiples(start: i64, end: i64, distance: i64) -> impl Iterator<Item = i64> {
    let first = start + (-start).rem_euclid(distance);
    (0..).map(move |nth| first + nth * distance).take_while(move |time| *time <= end)
}
