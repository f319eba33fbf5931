//! What the labels of the value axis say, left and right of the canvas.

use jiff::tz::TimeZone;

use crate::arguments::{AxisFormat, AxisFormatter, Settings};
use crate::format::{NumberFormat, Scale, duration, si_unit, strftime};

/// How moments are labelled where no format is given.
const TIMESTAMP: &str = "%Y-%m-%d %H:%M:%S";

/// Prints labels.
pub(super) struct Labels<'a> {
    settings: &'a Settings,
    /// The power of the base that labels on the right are divided by: that of the middle.
    right_power: i32,
}

impl<'a> Labels<'a> {
    /// `middle` is the value half way between the first and the last line.
    pub(super) fn new(settings: &'a Settings, middle: f64) -> Self {
        let middle = settings.right_axis.map_or(0.0, |right| right.scale * middle + right.shift);
        let power = (middle.abs().ln() / settings.base.ln()).floor();
        let right_power = if power.is_finite() { power.clamp(-100.0, 100.0) as i32 } else { 0 };
        Self { settings, right_power }
    }

    /// A label that the options have a format for; `number` is the value in the axis' unit.
    pub(super) fn left(&self, value: f64, number: f64) -> Option<String> {
        self.formatted(&self.settings.left_format, value, number)
    }

    /// The label on the right, if there is a right axis.
    pub(super) fn right(&self, value: f64, decimals: usize) -> Option<String> {
        let right = self.settings.right_axis?;
        let value = right.scale * value + right.shift;
        let formatted = self.formatted(&self.settings.right_format, value, value);
        Some(formatted.unwrap_or_else(|| {
            let number = value / self.settings.base.powi(self.right_power);
            format!("{number:5.decimals$} {}", si_unit(self.right_power))
        }))
    }

    fn formatted(&self, format: &AxisFormat, value: f64, number: f64) -> Option<String> {
        let text = format.text.as_str();
        match format.formatter {
            AxisFormatter::Numeric if text.is_empty() => None,
            AxisFormatter::Numeric => print(text, number),
            AxisFormatter::Timestamp => {
                // rrdtool shows these times in UTC, whatever the zone of the time axis.
                let text = if text.is_empty() { TIMESTAMP } else { text };
                Some(strftime(text, rrd::Tick::SECOND, value as i64, &TimeZone::UTC))
            }
            AxisFormatter::Duration => Some(duration(text, value).unwrap_or_default()),
        }
    }

    /// The label of a logarithmic axis, which knows numbers alone.
    pub(super) fn logarithmic(&self, value: f64) -> String {
        self.power(value, 0)
    }

    /// The label on the right of a logarithmic axis.
    pub(super) fn logarithmic_right(&self, value: f64) -> Option<String> {
        let right = self.settings.right_axis?;
        let value = right.scale * value + right.shift;
        let format = &self.settings.right_format;
        let is_numeric = format.formatter == AxisFormatter::Numeric && !format.text.is_empty();
        let formatted = if is_numeric { print(&format.text, value) } else { None };
        Some(formatted.unwrap_or_else(|| self.power(value, 4)))
    }

    fn power(&self, value: f64, width: usize) -> String {
        if !self.settings.si_log_units {
            return rrd::cformat::FloatFormat::exponent(0).text(value);
        }
        let power = ((value.abs() * 1.0001).log10() / 3.0).floor();
        let power = if power.is_finite() { power.clamp(-100.0, 100.0) as i32 } else { 0 };
        format!("{:width$.0} {}", value / 1000_f64.powi(power), si_unit(power))
    }
}

fn print(format: &str, number: f64) -> Option<String> {
    Some(NumberFormat::parse(format)?.print(number, 1000.0, &mut Scale::default()))
}
