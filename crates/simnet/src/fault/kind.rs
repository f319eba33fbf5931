//! The faults, their names and their values.

use super::error::FaultError;
use super::names::NAMES;
use std::str::FromStr;
use std::time::Duration;

/// A fault of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It answers nothing.
    Dead,
    /// This share of its answers is lost, from 0 to 1.
    Loss(f64),
    /// Its answers are late: always by `least`, and by up to `jitter` more.
    Latency {
        /// The shortest delay.
        least: Duration,
        /// The longest minus the shortest.
        jitter: Duration,
    },
    /// It refuses to send more than this many bytes: tooBig, for GETBULK too.
    TooBig(usize),
    /// Its GETBULK is broken.
    Bulk(BrokenBulk),
    /// It restarts after this time: sysUpTime and counters begin at zero.
    Reboot(Duration),
    /// It restarts after this time, and its interfaces have other indexes afterwards.
    Renumber(Duration),
    /// It restarts, and its counters of 32 bits wrap this long afterwards.
    Wrap(Duration),
    /// It has no counters of 64 bits.
    Narrow,
    /// It answers from another address.
    Source,
    /// Its sysUpTime is wrong by this many seconds.
    Clock(i64),
    /// Its GETNEXT and GETBULK are broken.
    Walk(BrokenWalk),
    /// Its answers end in the middle.
    Cut,
    /// Its answers have the number of another request.
    WrongId,
    /// It sends each answer this often.
    Repeat(u32),
}

/// How GETBULK is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenBulk {
    /// There is no answer.
    Silent,
    /// The answer is genErr.
    Error,
    /// The answer repeats what was asked, without values.
    Nonsense,
}

/// How walks are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenWalk {
    /// They end within the table of interfaces.
    Short,
    /// The columns of interfaces never end.
    Endless,
    /// After the last row of such a column comes the first one.
    Loop,
}

impl Fault {
    /// Its name in a rule.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::Dead => "dead",
            Fault::Loss(_) => "loss",
            Fault::Latency { .. } => "latency",
            Fault::TooBig(_) => "too-big",
            Fault::Bulk(_) => "bulk",
            Fault::Reboot(_) => "reboot",
            Fault::Renumber(_) => "renumber",
            Fault::Wrap(_) => "wrap",
            Fault::Narrow => "narrow",
            Fault::Source => "source",
            Fault::Clock(_) => "clock",
            Fault::Walk(_) => "walk",
            Fault::Cut => "cut",
            Fault::WrongId => "wrong-id",
            Fault::Repeat(_) => "repeat",
        }
    }

    /// The place of its name among all: faults of shares of the devices are spread by it.
    pub(super) fn ordinal(&self) -> u32 {
        NAMES.iter().position(|name| *name == self.name()).unwrap_or(0) as u32
    }
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Fault, FaultError> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let Some(kind) = NAMES.into_iter().find(|known| *known == name) else {
            return Err(FaultError::Kind { found: name.to_owned() });
        };
        let read = Reading { kind, value };
        match kind {
            "dead" => read.nothing(Fault::Dead),
            "narrow" => read.nothing(Fault::Narrow),
            "source" => read.nothing(Fault::Source),
            "cut" => read.nothing(Fault::Cut),
            "wrong-id" => read.nothing(Fault::WrongId),
            "loss" => read.value("a share such as 1%", share).map(Fault::Loss),
            "latency" => read.value("milliseconds, or such as 800+200", latency),
            "too-big" => read.value("bytes", |text| text.parse().ok()).map(Fault::TooBig),
            "bulk" => read.value("silent, error or nonsense", bulk).map(Fault::Bulk),
            "walk" => read.value("short, endless or loop", walk).map(Fault::Walk),
            "reboot" => read.after().map(Fault::Reboot),
            "renumber" => read.after().map(Fault::Renumber),
            "wrap" => read.value("seconds", seconds).map(Fault::Wrap),
            "clock" => {
                read.value("seconds, with + or -", |text| text.parse().ok()).map(Fault::Clock)
            }
            _ => read.value("a number from 2 to 1000", repeats).map(Fault::Repeat),
        }
    }
}

/// The value of a fault that is being read.
struct Reading<'a> {
    kind: &'static str,
    value: Option<&'a str>,
}

impl Reading<'_> {
    fn nothing(&self, fault: Fault) -> Result<Fault, FaultError> {
        match self.value {
            None => Ok(fault),
            Some(found) => Err(self.wrong("no value", found)),
        }
    }

    fn value<T>(
        &self,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, FaultError> {
        let found = self.value.unwrap_or_default();
        read(found).ok_or_else(|| self.wrong(expected, found))
    }

    /// Seconds from now; now if nothing is said.
    fn after(&self) -> Result<Duration, FaultError> {
        match self.value {
            None => Ok(Duration::ZERO),
            Some(_) => self.value("seconds", seconds),
        }
    }

    fn wrong(&self, expected: &'static str, found: &str) -> FaultError {
        let found = if found.is_empty() { "nothing" } else { found };
        FaultError::Value { kind: self.kind, expected, found: found.to_owned() }
    }
}

/// A share in percent, as a part of one.
pub(super) fn share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

fn seconds(text: &str) -> Option<Duration> {
    text.parse::<u32>().ok().map(|seconds| Duration::from_secs(seconds.into()))
}

fn latency(text: &str) -> Option<Fault> {
    let (least, jitter) = text.split_once('+').unwrap_or((text, "0"));
    let milliseconds = |text: &str| Some(Duration::from_millis(text.parse::<u32>().ok()?.into()));
    Some(Fault::Latency { least: milliseconds(least)?, jitter: milliseconds(jitter)? })
}

fn bulk(text: &str) -> Option<BrokenBulk> {
    match text {
        "silent" => Some(BrokenBulk::Silent),
        "error" => Some(BrokenBulk::Error),
        "nonsense" => Some(BrokenBulk::Nonsense),
        _ => None,
    }
}

fn walk(text: &str) -> Option<BrokenWalk> {
    match text {
        "short" => Some(BrokenWalk::Short),
        "endless" => Some(BrokenWalk::Endless),
        "loop" => Some(BrokenWalk::Loop),
        _ => None,
    }
}

fn repeats(text: &str) -> Option<u32> {
    text.parse().ok().filter(|count| (2..=1000).contains(count))
}
