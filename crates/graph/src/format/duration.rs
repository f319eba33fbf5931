//! Lengths of time by formats such as `%H:%02m:%02s`.

use rrd::cformat::{Flags, FloatFormat, Style};

/// What an empty format stands for.
const DEFAULT: &str = "%H:%02m:%02s";

/// No text is longer, as with rrdtool: a width may ask for more.
const BYTES_MAX: usize = 199;

/// No width or precision is beyond this: outside text must not ask for gigabytes.
const LIMIT: usize = 4096;

/// A format that says what no duration has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongFormat;

/// Prints a length of time. What is unknown or infinite is printed as a number.
///
/// # Errors
/// [`WrongFormat`].
pub(crate) fn duration(format: &str, milliseconds: f64) -> Result<String, WrongFormat> {
    if !milliseconds.is_finite() {
        return Ok(FloatFormat::fixed(0).text(milliseconds));
    }
    let mut text = String::new();
    // The sign is that of the whole, before everything else.
    if milliseconds < 0.0 {
        text.push('-');
    }
    let length = Length(milliseconds.abs());
    let mut rest = if format.is_empty() { DEFAULT } else { format };
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let (field, after) = Field::parse(after)?;
        match field.letter {
            '%' => text.push('%'),
            letter => field.append(&mut text, length.part(letter).ok_or(WrongFormat)?),
        }
        rest = after;
    }
    text.push_str(rest);
    text.truncate(text.floor_char_boundary(BYTES_MAX));
    Ok(text)
}

/// Milliseconds, not negative.
#[derive(Clone, Copy)]
struct Length(f64);

impl Length {
    /// The number that a letter stands for. Each unit is calculated from the next smaller one:
    /// so the digits are rrdtool's.
    fn part(self, letter: char) -> Option<f64> {
        let seconds = self.0 / 1000.0;
        let minutes = seconds / 60.0;
        let hours = minutes / 60.0;
        let days = hours / 24.0;
        Some(match letter {
            'W' => days / 7.0,
            'D' => days,
            'd' => rest(days, 7.0),
            'H' => hours,
            'h' => rest(hours, 24.0),
            'M' => minutes,
            'm' => rest(minutes, 60.0),
            'S' => seconds,
            's' => rest(seconds, 60.0),
            'f' => rest(self.0, 1000.0),
            _ => return None,
        })
    }
}

/// What a division leaves. Of numbers so large that they have no fractions, it is not exact.
fn rest(number: f64, by: f64) -> f64 {
    number - by * (number / by).trunc()
}

/// What stands behind a percent sign.
struct Field {
    zeros: bool,
    width: usize,
    precision: usize,
    letter: char,
}

impl Field {
    /// Reads one; gives it with what follows.
    fn parse(text: &str) -> Result<(Self, &str), WrongFormat> {
        let zeros = text.starts_with('0');
        let (width, rest) = digits(text);
        let (precision, rest) = rest.strip_prefix('.').map_or((0, rest), digits);
        let mut letters = rest.chars();
        let letter = letters.next().ok_or(WrongFormat)?;
        Ok((Self { zeros, width, precision, letter }, letters.as_str()))
    }

    /// Digits behind the point are cut off, not rounded.
    fn append(&self, text: &mut String, number: f64) {
        let scale = 10_f64.powi(self.precision as i32);
        let format = FloatFormat {
            style: Style::Fixed,
            upper: false,
            precision: Some(self.precision),
            width: self.width,
            flags: Flags { zero: self.zeros, ..Flags::default() },
        };
        format.append(text, (number * scale).trunc() / scale);
    }
}

/// A number at the start of a text, 0 where there is none, and what follows.
fn digits(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    let number = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(LIMIT) };
    (number.min(LIMIT), rest)
}

#[cfg(test)]
mod tests {
    use super::{WrongFormat, duration};

    /// What Debian's rrdtool 1.7.2 prints.
    #[test]
    fn units_and_digits_are_rrdtools() {
        for (milliseconds, format, expected) in [
            (93_784_567.0, "%W|%d|%D|%h|%H|%m|%M|%s|%S|%f|%%", "0|1|1|2|26|3|1563|4|93784|567|%"),
            (-93_784_567.0, "x%%%H", "-x%26"),
            (93_784_567.0, "%7.2s|%07.2s|%05.2f|%.1H", "   4.56|0004.56|567.00|26.0"),
            (93_784_999.0, "%.6M|%.8H|%.3s", "1563.083316|26.05138861|4.998"),
            (93_784_567.0, "%.12S|%.d|%00005h|%5%", "93784.566999999995|1|00002|%"),
            (93_784_567.0, "", "26:03:04"),
            (7168.0, "", "0:00:07"),
            (-0.4, "%f", "-0"),
            (f64::INFINITY, "%H", "inf"),
            (-f64::NAN, "%H", "-nan"),
        ] {
            assert_eq!(duration(format, milliseconds).as_deref(), Ok(expected), "{format}");
        }
        for format in ["%x", "%", "%-5d", "%5", "%.", "%ld"] {
            assert_eq!(duration(format, 1.0), Err(WrongFormat), "{format}");
        }
    }
}
