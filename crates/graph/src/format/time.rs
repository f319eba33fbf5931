//! Times by strftime formats.

use jiff::fmt::strtime::{BrokenDownTime, Config, PosixCustom};
use jiff::{Timestamp, tz::TimeZone};
use rrd::Tick;
use rrd::cformat::FloatFormat;

/// Prints a moment that is counted in ticks; a format that no calendar knows is printed as it stands.
/// Fractions of a second are told where the format asks for them, as `%.3f` does.
pub(crate) fn strftime(format: &str, tick: Tick, time: i64, zone: &TimeZone) -> String {
    let moment = tick.moment(rrd::Timestamp::from_seconds(time));
    let Ok(moment) = Timestamp::new(moment.seconds, moment.micros as i32 * 1000) else {
        return String::new();
    };
    let time = BrokenDownTime::from(&moment.to_zoned(zone.clone()));
    let config = Config::new().custom(PosixCustom::new()).lenient(true);
    time.to_string_with_config(&config, format).unwrap_or_else(|_| format.to_owned())
}

/// What an empty format stands for where a number is printed as a time.
const DEFAULT: &str = "%Y-%m-%d %H:%M:%S";

/// Prints a number of seconds since 1970 as a time in UTC, as rrdtool does whatever the zone of the
/// time axis; one that the calendar does not reach as a number. Of fractions the nearest tick is told.
pub(crate) fn timestamp(format: &str, tick: Tick, seconds: f64) -> String {
    let format = if format.is_empty() { DEFAULT } else { format };
    let whole = seconds.trunc();
    if whole.abs() < 1e15 && Timestamp::from_second(whole as i64).is_ok() {
        return strftime(format, tick, tick.nearest_to(seconds) as i64, &TimeZone::UTC);
    }
    FloatFormat::fixed(0).text(seconds)
}

/// What stands for a time that is none: a dash for each digit, as rrdtool prints it.
pub(crate) fn strftime_never(format: &str) -> String {
    let mut text = String::with_capacity(format.len());
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        text.push_str(match letters.next() {
            Some('%') => "%",
            Some('n') => "\n",
            Some('t') => "\t",
            Some('C' | 'd' | 'g' | 'H' | 'I' | 'm' | 'M' | 'S' | 'U' | 'V' | 'W' | 'y') => "--",
            Some('j') => "---",
            Some('G' | 'Y') => "----",
            Some('R') => "--:--",
            Some('D') => "--/--/--",
            Some('T') => "--:--:--",
            Some('F') => "----------",
            Some('E' | 'O') => {
                letters.next();
                "-"
            }
            _ => "-",
        });
    }
    text
}
