//! The file of limits: lines of text, for people too.
//!
//! ```text
//! gyre limits 1: host port version bindings repetitions bulk counters answered at uptime boots
//! sw1.example 161 2c 24 - - 32 24 1800000000 8640000 -
//! 192.0.2.7 161 3 - - no - 12 1800000000 8640000 4
//! sum 5d41402a
//! ```
//!
//! The sum, CRC-32 of the bytes before its line, shows that the file is whole. A dash is no limit,
//! or what the device does not tell.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::str::{FromStr, SplitAsciiWhitespace};
use std::sync::Arc;

use collector::{DevicePlan, Learnt};
use rrd::Timestamp;
use snmp::{Limits, Security, Version};

const HEADING: &str =
    "gyre limits 1: host port version bindings repetitions bulk counters answered at uptime boots";

/// What is known of each device.
pub(super) type Records = BTreeMap<Key, Learnt>;

/// An agent. Who asks it does not matter for its limits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    host: Arc<str>,
    port: u16,
    version: &'static str,
}

/// The versions, as the file names them.
const VERSIONS: [&str; 3] = ["1", "2c", "3"];

/// What is wrong with a file.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Damage {
    #[error("expected text, found other bytes")]
    NotText,
    #[error("line 1: expected the heading of limits that this gyre keeps")]
    Heading,
    #[error("expected `sum` and the CRC-32 of the lines before at the end")]
    Sum,
    #[error("line {line}: expected {expected}")]
    Line { line: usize, expected: &'static str },
}

impl Key {
    pub(super) fn of(plan: &DevicePlan) -> Self {
        let version = match &plan.snmp.security {
            Security::Community { version: Version::V1, .. } => "1",
            Security::Community { version: Version::V2c, .. } => "2c",
            Security::User { .. } => "3",
        };
        Self { host: plan.host.clone(), port: plan.port, version }
    }
}

/// The file's text.
pub(super) fn text(records: &Records) -> String {
    let mut text = format!("{HEADING}\n");
    for (key, learnt) in records {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", Line { key, learnt });
    }
    let sum = crc32fast::hash(text.as_bytes());
    let _ = writeln!(text, "sum {sum:08x}");
    text
}

struct Line<'a> {
    key: &'a Key,
    learnt: &'a Learnt,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { host, port, version } = self.key;
        let Learnt { limits, has_only_narrow, at, uptime_ticks, engine_boots } = self.learnt;
        write!(f, "{host} {port} {version}")?;
        for number in [limits.bindings_max, limits.repetitions_max] {
            write!(f, " {}", Optional(number))?;
        }
        let bulk = if limits.has_broken_bulk { "no" } else { "-" };
        let counters = if *has_only_narrow { "32" } else { "-" };
        write!(f, " {bulk} {counters} {} {}", limits.answered_max, at.seconds)?;
        write!(f, " {} {}", Optional(*uptime_ticks), Optional(*engine_boots))
    }
}

struct Optional(Option<u32>);

impl Display for Optional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("-"),
        }
    }
}

/// Reads a file's bytes.
pub(super) fn read(bytes: &[u8]) -> Result<Records, Damage> {
    let text = std::str::from_utf8(bytes).map_err(|_| Damage::NotText)?;
    let lines = text.strip_prefix(HEADING).and_then(|rest| rest.strip_prefix('\n'));
    let Some(lines) = lines else { return Err(Damage::Heading) };
    let (lines, sum) = lines.rsplit_once("sum ").ok_or(Damage::Sum)?;
    let summed = text.len() - sum.len() - "sum ".len();
    let expected = format!("{:08x}\n", crc32fast::hash(&bytes[..summed]));
    if sum != expected {
        return Err(Damage::Sum);
    }
    let numbered = lines.lines().zip(2..);
    numbered.map(|(line, number)| record(line).map_err(|missing| missing.at(number))).collect()
}

/// What a line should have where it has something else.
struct Expected(&'static str);

impl Expected {
    fn at(self, line: usize) -> Damage {
        Damage::Line { line, expected: self.0 }
    }
}

fn record(line: &str) -> Result<(Key, Learnt), Expected> {
    let mut words = Words(line.split_ascii_whitespace());
    let key = Key {
        host: words.next("a host")?.into(),
        port: words.number("a port")?,
        version: words.one_of(&VERSIONS, "version 1, 2c or 3")?,
    };
    let mut limits = Limits {
        bindings_max: words.optional("bindings")?,
        repetitions_max: words.optional("repetitions")?,
        has_broken_bulk: words.one_of(&["no", "-"], "`no` or `-` for GETBULK")? == "no",
        answered_max: 0,
    };
    let has_only_narrow = words.one_of(&["32", "-"], "`32` or `-` for counters")? == "32";
    limits.answered_max = words.number("the bindings of an answer")?;
    let learnt = Learnt {
        limits,
        has_only_narrow,
        at: Timestamp::from_seconds(words.number("a time in seconds")?),
        uptime_ticks: words.optional("an uptime")?,
        engine_boots: words.optional("the starts of an engine")?,
    };
    match words.0.next() {
        None => Ok((key, learnt)),
        Some(_) => Err(Expected("the end of the line")),
    }
}

struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    fn next(&mut self, expected: &'static str) -> Result<&'a str, Expected> {
        self.0.next().ok_or(Expected(expected))
    }

    fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, Expected> {
        self.next(expected)?.parse().map_err(|_| Expected(expected))
    }

    fn optional(&mut self, expected: &'static str) -> Result<Option<u32>, Expected> {
        let word = self.next(expected)?;
        match word {
            "-" => Ok(None),
            _ => word.parse().map(Some).map_err(|_| Expected(expected)),
        }
    }

    fn one_of(
        &mut self,
        known: &[&'static str],
        expected: &'static str,
    ) -> Result<&'static str, Expected> {
        let word = self.next(expected)?;
        known.iter().find(|each| **each == word).copied().ok_or(Expected(expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Records {
        let key = |host: &str, version| Key { host: host.into(), port: 161, version };
        let learnt = Learnt {
            limits: Limits { bindings_max: Some(24), answered_max: 24, ..Limits::default() },
            has_only_narrow: true,
            at: Timestamp::from_seconds(1_800_000_000),
            uptime_ticks: Some(8_640_000),
            engine_boots: None,
        };
        let limits = Limits { has_broken_bulk: true, answered_max: 12, ..Limits::default() };
        let other = Learnt { limits, has_only_narrow: false, engine_boots: Some(4), ..learnt };
        BTreeMap::from([(key("sw1.example", "2c"), learnt), (key("192.0.2.7", "3"), other)])
    }

    #[test]
    fn what_is_written_is_read() {
        let text = text(&records());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[2], "sw1.example 161 2c 24 - - 32 24 1800000000 8640000 -");
        assert_eq!(lines[1], "192.0.2.7 161 3 - - no - 12 1800000000 8640000 4");
        assert_eq!(read(text.as_bytes()), Ok(records()));
        assert_eq!(read(super::text(&Records::new()).as_bytes()), Ok(Records::new()));
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let text = text(&records());
        let bytes = text.as_bytes();
        for place in 0..bytes.len() {
            assert!(read(&bytes[..place]).is_err(), "cut at {place}");
            for bit in 0..8 {
                let mut changed = bytes.to_vec();
                changed[place] ^= 1 << bit;
                assert!(read(&changed).is_err(), "bit {bit} of byte {place}");
            }
        }
        assert_eq!(read(b"x"), Err(Damage::Heading));
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        let summed = |line: &str| {
            let text = format!("{HEADING}\n{line}\n");
            let sum = crc32fast::hash(text.as_bytes());
            read(format!("{text}sum {sum:08x}\n").as_bytes()).unwrap_err().to_string()
        };
        let bad = summed("a 161 2c many - - - 0 0 - -");
        assert_eq!(bad, "line 2: expected bindings");
        assert_eq!(summed("a 161"), "line 2: expected version 1, 2c or 3");
        let long = summed("a 161 2c 1 - - - 0 0 - - more");
        assert_eq!(long, "line 2: expected the end of the line");
    }
}
