//! CREATE: what a new database is to be.

use rrd::Tick;
use rrd::spec::{self, Units};

use super::operand::{number, path};
use super::{Command, Words, Wrong};

/// A database begins after 1980, by rrdtool's count of days.
const FIRST_START_SECONDS: i64 = 10 * 365 * 86_400;

/// The step where a tick is told alone, in seconds.
const DEFAULT_STEP: &[u8] = b"300";

/// CREATE.
#[derive(Debug, Default)]
pub struct CreateRequest<'a> {
    /// The new database.
    pub path: &'a [u8],
    /// The time between primary data points, where it is told.
    pub units: Option<Units>,
    /// Samples must be later, in seconds since 1970.
    pub start_seconds: Option<i64>,
    /// One that is there already is left alone.
    pub keeps_existing: bool,
    /// Databases whose rows it takes over.
    pub sources: Vec<&'a [u8]>,
    /// A database whose definition it has.
    pub template: Option<&'a [u8]>,
    /// `DS:...` and `RRA:...`.
    pub definition: Vec<&'a [u8]>,
}

impl<'a> CreateRequest<'a> {
    pub(super) fn read(file: &'a [u8], mut words: Words<'a>) -> Result<Self, Wrong> {
        let usage = || Wrong::Usage(Command::Create);
        let mut request = Self { path: file, ..Self::default() };
        let (mut tick, mut step) = (None, None);
        while let Some(word) = words.next() {
            match word {
                b"-O" => request.keeps_existing = true,
                b"-b" => {
                    let start_seconds = number(words.next().ok_or_else(usage)?).unwrap_or(0);
                    if start_seconds < FIRST_START_SECONDS {
                        return Err(Wrong::TooEarly);
                    }
                    request.start_seconds = Some(start_seconds);
                }
                b"-k" => tick = Some(read_tick(words.next().ok_or_else(usage)?)?),
                b"-s" => step = Some(words.next().ok_or_else(usage)?),
                b"-r" => request.sources.push(path(words.next().ok_or_else(usage)?)?),
                b"-t" => request.template = Some(path(words.next().ok_or_else(usage)?)?),
                spec if spec.starts_with(b"DS:") || spec.starts_with(b"RRA:") => {
                    request.definition.push(spec);
                }
                _ => return Err(usage()),
            }
        }
        request.units = match (tick, step) {
            (None, None) => None,
            (None, Some(step)) => of_seconds(step)?,
            (Some(tick), step) => Some(in_ticks(step.unwrap_or(DEFAULT_STEP), tick)?),
        };
        Ok(request)
    }
}

/// A step of whole seconds; `None` for the default's, by which any word goes that is no number.
fn of_seconds(word: &[u8]) -> Result<Option<Units>, Wrong> {
    // rrdcached takes a negative one for an enormous one.
    let seconds = u64::try_from(number(word).unwrap_or(0)).map_err(|_| Wrong::Step)?;
    Ok(Some(seconds).filter(|seconds| *seconds > 0).map(Units::of_seconds))
}

/// The tick of `-k`, a word that gyre's clients say, and rrdcached refuses.
fn read_tick(word: &[u8]) -> Result<Tick, Wrong> {
    text(word).and_then(|text| spec::tick(text).ok()).ok_or(Wrong::Tick)
}

/// A step that may have a fraction.
fn in_ticks(word: &[u8], tick: Tick) -> Result<Units, Wrong> {
    text(word).and_then(|text| Units::of_step(text, Some(tick)).ok()).ok_or(Wrong::Step)
}

fn text(word: &[u8]) -> Option<&str> {
    std::str::from_utf8(word).ok()
}

#[cfg(test)]
mod tests {
    use super::{CreateRequest, Units};
    use crate::server::{Words, Wrong};

    fn read(line: &'static str) -> Result<CreateRequest<'static>, Wrong> {
        let line = line.as_bytes().to_vec().leak(); // a few bytes, in a test
        CreateRequest::read(b"a.rrd", Words::of(line))
    }

    #[test]
    fn options_stand_anywhere() {
        let request = read("DS:a -s 7x -O RRA:b -r c -r d -b 400000000 -t e -t f").unwrap();
        assert_eq!(request.units, Some(Units::of_seconds(7)));
        assert_eq!(request.start_seconds, Some(400_000_000));
        assert_eq!((request.sources.concat(), request.template), (b"cd".to_vec(), Some(&b"f"[..])));
        assert_eq!(request.definition, [&b"DS:a"[..], b"RRA:b"]);
        assert!(request.keeps_existing);
    }

    #[test]
    fn a_tick_stands_anywhere_and_may_stand_alone() {
        for (line, ticks) in
            [("-k 0.001 -s 0.1", 100), ("-s 0.1 -k 0.001", 100), ("-k 0.001", 300_000)]
        {
            let units = read(line).unwrap().units.unwrap();
            assert_eq!((units.tick.to_string().as_str(), units.step_ticks), ("0.001", ticks));
        }
        assert_eq!(read("-k 0.5").unwrap_err(), Wrong::Tick);
        assert_eq!(read("-k 0.1 -s 0.25").unwrap_err(), Wrong::Step);
    }

    #[test]
    fn the_default_step_goes_by_any_word() {
        assert_eq!(read("-s x").unwrap().units, None);
        assert_eq!(read("-s 0").unwrap().units, None);
        assert_eq!(read("-s -5").unwrap_err(), Wrong::Step);
        assert_eq!(read("-b now").unwrap_err(), Wrong::TooEarly);
        for line in ["-s", "-b", "-r", "-t", "-x", "foo", "", "DS:a ", "--step 1"] {
            assert!(matches!(read(line), Err(Wrong::Usage(_))), "{line}");
        }
    }
}
