//! `-x` and `-y`: grids that the caller lays out.

use crate::Error;

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl TimeUnit {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "SECOND" => Self::Second,
            "MINUTE" => Self::Minute,
            "HOUR" => Self::Hour,
            "DAY" => Self::Day,
            "WEEK" => Self::Week,
            "MONTH" => Self::Month,
            "YEAR" => Self::Year,
            _ => return None,
        })
    }
}

/// A distance on the calendar: so many units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeStep {
    pub(crate) unit: TimeUnit,
    pub(crate) count: u32,
}

/// The grid of the time axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TimeGrid {
    /// Chosen by the span.
    Automatic,
    /// No grid and no labels.
    None,
    /// Laid out by the caller.
    Custom {
        minor: TimeStep,
        major: TimeStep,
        label: TimeStep,
        /// The time that a label stands for: it is centred in it.
        label_span_seconds: i64,
        /// A strftime format.
        format: String,
    },
}

/// The grid of the value axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ValueGrid {
    /// Chosen by the range.
    Automatic,
    /// No grid and no labels.
    None,
    /// Laid out by the caller.
    Custom {
        /// The distance of two lines.
        step: f64,
        /// Every so many lines there is a label.
        label_every: u32,
    },
}

fn refuse<T>(words: &str) -> Result<T, Error> {
    Err(Error::Option(words.into()))
}

impl TimeGrid {
    /// `none`, or `UNIT:n:UNIT:n:UNIT:n:seconds:format`.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        if text == "none" {
            return Ok(Self::None);
        }
        let parts: Vec<&str> = text.splitn(8, ':').collect();
        let [minor, minor_n, major, major_n, label, label_n, span, format] = parts[..] else {
            return refuse("invalid x-grid format");
        };
        let step = |unit: &str, count: &str| {
            let unit = TimeUnit::named(unit)
                .ok_or_else(|| Error::Option(format!("unknown keyword {unit}")))?;
            match count.parse() {
                Ok(count @ 1..=1_000_000) => Ok(TimeStep { unit, count }),
                _ => refuse("invalid x-grid format"),
            }
        };
        let Ok(label_span_seconds) = span.parse() else {
            return refuse("invalid x-grid format");
        };
        Ok(Self::Custom {
            minor: step(minor, minor_n)?,
            major: step(major, major_n)?,
            label: step(label, label_n)?,
            label_span_seconds,
            format: format.into(),
        })
    }
}

impl ValueGrid {
    /// `none`, or `step:label factor`.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        if text == "none" {
            return Ok(Self::None);
        }
        let pair = text.split_once(':').and_then(|(step, every)| {
            Some((step.parse::<f64>().ok()?, every.parse::<i64>().ok()?))
        });
        match pair {
            None => refuse("invalid y-grid format"),
            Some((step, _)) if !(step.is_finite() && step > 0.0) => refuse("grid step must be > 0"),
            Some((_, ..1)) => refuse("label factor must be > 0"),
            Some((step, every)) => {
                Ok(Self::Custom { step, label_every: u32::try_from(every).unwrap_or(u32::MAX) })
            }
        }
    }
}
