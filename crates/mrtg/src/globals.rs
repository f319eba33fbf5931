//! The keys that concern the whole configuration.

use std::path::PathBuf;
use std::time::Duration;

use crate::{GraphiteReceiver, SnmpOptions, ThresholdGlobals};

/// The global keys that gyre uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Globals {
    /// The directory of `.rrd` files: `WorkDir`, else `LogDir`.
    pub log_dir: PathBuf,
    /// The directory of pages: `WorkDir`, else `HtmlDir`.
    pub html_dir: PathBuf,
    /// The directory of images: `WorkDir`, else `ImageDir`.
    pub image_dir: PathBuf,
    /// `Interval`: how often every target is polled.
    pub interval: Interval,
    /// `Refresh`: how often a page reloads itself; MRTG's default is 300 s.
    pub refresh: Duration,
    /// `WriteExpires`: whether each page gets a file that says when it expires.
    pub write_expires: bool,
    /// `RunAsDaemon`.
    pub run_as_daemon: bool,
    /// `NoDetach`.
    pub no_detach: bool,
    /// `LogFormat`; MRTG's default is rateup.
    pub log_format: LogFormat,
    /// `EnableIPv6`; its effect on each agent is in [`crate::Agent::ipv4_only`].
    pub enable_ipv6: bool,
    /// Whether `ConversionCode` names a file of Perl, which gyre does not run.
    pub conversion_code: bool,
    /// `SingleRequest`: one variable a request, for agents that cannot take more.
    pub single_request: bool,
    /// `MaxAge`: a database whose last update is longer ago is not updated, in case the clock is
    /// wrong.
    pub max_age: Option<Duration>,
    /// `RRDCached`: the address of the daemon that takes the updates.
    pub rrdcached: Option<String>,
    /// `PathAdd`: a directory before those of PATH, for programs.
    pub path_add: Option<PathBuf>,
    /// `SnmpOptions` without a target; each agent has its own after these defaults.
    pub snmp_options: Option<SnmpOptions>,
    /// `ThreshDir` and its kin.
    pub thresholds: ThresholdGlobals,
    /// `SendToGraphite`.
    pub graphite: Option<GraphiteReceiver>,
}

/// `LogFormat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// MRTG's own text files; gyre keeps `.rrd` files nevertheless.
    #[default]
    Rateup,
    /// Round robin databases.
    Rrdtool,
}

/// `Interval`: minutes, or minutes:seconds, from 1 second to 60 minutes.
///
/// MRTG keeps it as a floating point number of minutes, and derives the step and the numbers of
/// rows from that. This does the same, because the rounding errors are visible in the files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    minutes: f64,
}

impl Default for Interval {
    fn default() -> Self {
        Self { minutes: 5.0 }
    }
}

impl Interval {
    /// An interval of whole minutes and seconds; `None` outside of 1 second to 60 minutes.
    #[must_use]
    pub fn new(minutes: u32, seconds: u32) -> Option<Self> {
        let total = u64::from(minutes) * 60 + u64::from(seconds);
        (1..=3600)
            .contains(&total)
            .then(|| Self { minutes: f64::from(minutes) + f64::from(seconds) / 60.0 })
    }

    /// An interval of whole seconds, which is the step, too; `None` outside of 1 second to 60 minutes.
    #[must_use]
    pub fn of_seconds(seconds: u32) -> Option<Self> {
        let as_mrtg_has_it = Self::new(seconds / 60, seconds % 60)?;
        match as_mrtg_has_it.step_seconds() == u64::from(seconds) {
            true => Some(as_mrtg_has_it),
            // The rounding would make the step a second shorter.
            false => Some(Self { minutes: as_mrtg_has_it.minutes.next_up() }),
        }
    }

    /// Parses the first `digits[:digits]` anywhere in the value, as MRTG does: `0.5` is therefore
    /// zero minutes and refused, and `5.5` is five minutes.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let start = value.iter().position(u8::is_ascii_digit)?;
        let (minutes, rest) = leading_number(value.get(start..)?)?;
        let seconds = rest.strip_prefix(b":").and_then(leading_number);
        Self::new(minutes, seconds.map_or(0, |(seconds, _)| seconds))
    }

    /// The interval in minutes, with MRTG's rounding.
    #[must_use]
    pub const fn minutes(self) -> f64 {
        self.minutes
    }

    /// The step of the round robin databases. For some intervals that are not whole minutes, MRTG's
    /// rounding makes it a second shorter than the interval.
    #[must_use]
    pub fn step_seconds(self) -> u64 {
        (self.minutes * 60.0) as u64
    }
}

fn leading_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = bytes.split_at_checked(digits)?;
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(value: &str) -> Option<u64> {
        Interval::parse(value.as_bytes()).map(Interval::step_seconds)
    }

    #[test]
    fn minutes_and_seconds_are_read_as_mrtg_reads_them() {
        assert_eq!(seconds("5"), Some(300));
        assert_eq!(seconds("0:10"), Some(10));
        assert_eq!(seconds("5:90"), Some(390));
        assert_eq!(seconds("60"), Some(3600));
        assert_eq!(seconds("5.5"), Some(300));
        assert_eq!(seconds("2 minutes"), Some(120));
    }

    #[test]
    fn an_interval_of_seconds_has_that_step() {
        for seconds in 1..=3600 {
            assert_eq!(Interval::of_seconds(seconds).unwrap().step_seconds(), u64::from(seconds));
        }
        assert_eq!(Interval::of_seconds(300), Interval::new(5, 0));
        assert_eq!((Interval::of_seconds(0), Interval::of_seconds(3601)), (None, None));
    }

    #[test]
    fn others_are_refused() {
        for wrong in ["0", "61", "60:01", "0.5", "x", "", "99999999999"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
