//! The forms in which samples arrive.

use std::fmt;
use std::path::Path;

use rrd::sample::{SampleError, TimeText};
use rrd::{Definition, FinalRows, Reading, Sample, SampleReader, Timestamp, Workspace};

use crate::{Error, Locking};

/// Samples for one database.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The name of the database.
    pub name: &'a Path,
    /// The samples, oldest first.
    pub samples: Samples<'a>,
}

impl<'a> Update<'a> {
    /// An update with samples given as values.
    pub fn of(name: &'a (impl AsRef<Path> + ?Sized), samples: &'a [Sample<'a>]) -> Self {
        Self { name: name.as_ref(), samples: Samples::Read(samples) }
    }

    /// An update with samples as text in the form of rrdcached's protocol.
    pub fn numbered(name: &'a (impl AsRef<Path> + ?Sized), values: &'a [&'a str]) -> Self {
        Self { name: name.as_ref(), samples: Samples::Numbered(values) }
    }
}

/// Samples of one database.
#[derive(Clone, Copy, Debug)]
pub enum Samples<'a> {
    /// Values: a reading for each data source.
    Read(&'a [Sample<'a>]),
    /// Texts `SECONDS:READING[:READING...]` of rrdcached's protocol.
    Numbered(&'a [&'a str]),
    /// Arguments of `rrdtool update`.
    Arguments(&'a Arguments<'a>),
    /// Arguments of a client elsewhere, with the times resolved by the client's clock and time
    /// zone.
    Resolved(&'a Resolved<'a>),
}

/// The arguments of `rrdtool update` after the file's name.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    /// The data sources of the readings, separated by `:`; `None` for all sources in order.
    pub template: Option<&'a str>,
    /// Whether to skip samples that are not after the last update.
    pub skip_past: bool,
    /// What to do while another process holds the lock of a file.
    pub locking: Locking,
    /// Each `TIME:READING[:READING...]` or `AT-TIME@READING[:READING...]`.
    pub words: &'a [&'a str],
    /// Resolves a time.
    pub moment: &'a dyn Fn(TimeText<'_>) -> Result<Timestamp, SampleError>,
}

/// Like [`Arguments`], with resolved times.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<'a> {
    /// As [`Arguments::template`].
    pub template: Option<&'a str>,
    /// As [`Arguments::skip_past`].
    pub skip_past: bool,
    /// As [`Arguments::locking`].
    pub locking: Locking,
    /// As [`Arguments::words`].
    pub words: &'a [&'a str],
    /// The resolved time of each word; `None` for a word without a time.
    pub moments: &'a [Option<Result<Timestamp, SampleError>>],
}

impl Resolved<'_> {
    fn moment(&self, nth: usize) -> Result<Timestamp, SampleError> {
        let known = self.moments.get(nth).cloned().flatten();
        known.unwrap_or_else(|| Err(SampleError::NoTime(self.words[nth].into())))
    }
}

/// How often the clock is read at most, while it has not advanced.
const CLOCK_ASKED_MAX: usize = 1_000;

impl Arguments<'_> {
    /// The resolved times of the words; `None` for a word without a time. Two words with "now"
    /// never get the same time, because rrdtool applies the first before it reads the clock for the
    /// second.
    #[must_use]
    pub fn moments(&self) -> Vec<Option<Result<Timestamp, SampleError>>> {
        let mut last_now = None;
        let moment = |word: &&str| {
            let time = TimeText::of(word).ok()?;
            if time != TimeText::Now {
                return Some((self.moment)(time));
            }
            let mut asked = (0..CLOCK_ASKED_MAX).map(|_| (self.moment)(time));
            let later = asked.find(|now| now.as_ref().ok() != last_now.as_ref());
            let now = later.unwrap_or_else(|| (self.moment)(time));
            last_now = now.clone().ok();
            Some(now)
        };
        self.words.iter().map(moment).collect()
    }
}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments").field("words", &self.words).finish_non_exhaustive()
    }
}

impl<'a> Samples<'a> {
    /// The number of samples.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Read(samples) => samples.len(),
            Self::Numbered(values) => values.len(),
            Self::Arguments(arguments) => arguments.words.len(),
            Self::Resolved(resolved) => resolved.words.len(),
        }
    }

    /// What to do about a file's lock.
    #[must_use]
    pub fn locking(&self) -> Locking {
        match self {
            Self::Arguments(arguments) => arguments.locking,
            Self::Resolved(resolved) => resolved.locking,
            Self::Read(_) | Self::Numbered(_) => Locking::Try,
        }
    }

    /// The parser for a template; `None` if the readings are in the order of the definition.
    ///
    /// # Errors
    ///
    /// The template names a source that does not exist.
    pub fn own_reader(&self, definition: &Definition) -> Result<Option<SampleReader>, SampleError> {
        match self {
            Self::Arguments(Arguments { template: Some(template), .. })
            | Self::Resolved(Resolved { template: Some(template), .. }) => {
                SampleReader::by_template(definition, template).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Parses a sample: fills in its readings and returns its time, in ticks of the database.
    ///
    /// # Errors
    ///
    /// The text is wrong.
    #[inline]
    pub fn read(
        &self,
        nth: usize,
        reader: &SampleReader,
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<Timestamp, SampleError> {
        match self {
            Self::Read(samples) => {
                let sample = &samples[nth];
                expect_readings(sample, reader.sources())?;
                readings.clear();
                readings.extend_from_slice(sample.readings);
                reader.whole_ticks(sample.time)
            }
            Self::Numbered(values) => reader.read_numbered(values[nth], readings),
            Self::Arguments(arguments) => {
                let word = arguments.words[nth];
                let time = reader.split(word, readings)?;
                reader.in_ticks(word, || (arguments.moment)(time))
            }
            Self::Resolved(resolved) => {
                let word = resolved.words[nth];
                reader.split(word, readings)?;
                reader.in_ticks(word, || resolved.moment(nth))
            }
        }
    }

    /// The samples as text in the form of rrdcached's protocol, without skipped ones, up to the
    /// first wrong one; and the error of that one.
    pub fn spelled(
        &self,
        definition: &Definition,
        last: Timestamp,
    ) -> (Vec<String>, Result<(), SampleError>) {
        let own_reader = match self.own_reader(definition) {
            Ok(own) => own,
            Err(error) => return (Vec::new(), Err(error)),
        };
        let reader = own_reader.unwrap_or_else(|| SampleReader::in_order(definition));
        let (mut texts, mut readings, mut last) = (Vec::new(), Vec::new(), last);
        for nth in 0..self.count() {
            let time = match self.read(nth, &reader, &mut readings) {
                Ok(time) => time,
                Err(error) => return (texts, Err(error)),
            };
            if self.passes_over(time, || last) {
                continue;
            }
            last = time;
            texts.push(spelled(time, &readings));
        }
        (texts, Ok(()))
    }

    /// Whether a sample of this time is skipped.
    #[inline]
    pub fn passes_over(&self, time: Timestamp, last: impl FnOnce() -> Timestamp) -> bool {
        let skip_past = match self {
            Self::Arguments(arguments) => arguments.skip_past,
            Self::Resolved(resolved) => resolved.skip_past,
            Self::Read(_) | Self::Numbered(_) => false,
        };
        skip_past && time <= last()
    }
}

/// Checks that a sample has a reading for each data source.
#[inline]
fn expect_readings(sample: &Sample<'_>, expected: usize) -> Result<(), SampleError> {
    let found = sample.readings.len();
    match sample.readings.get(expected) {
        None if found == expected => Ok(()),
        None => {
            let time = sample.time.seconds.to_string();
            Err(SampleError::TooFew { expected, found, time })
        }
        Some(extra) => Err(SampleError::TooMany(extra.to_string())),
    }
}

/// `SECONDS[.FRACTION]:READING[:READING...]`.
fn spelled(time: Timestamp, readings: &[Reading<'_>]) -> String {
    use fmt::Write as _;
    let mut text = time_text(time);
    for reading in readings {
        let _ = write!(text, ":{reading}"); // a String takes everything
    }
    text
}

/// The text that rrdtool's parser reads as this time. The parser accumulates digits into a double
/// and truncates after microseconds, so a fraction may be read as one microsecond less than
/// written.
fn time_text(time: Timestamp) -> String {
    let Timestamp { seconds, micros } = time;
    if micros == 0 {
        return seconds.to_string();
    }
    let is_read_as_it = |text: &String| {
        let read = rrd::number::parse(text);
        let rrd::number::Parsed::Whole(number) = read else { return false };
        TimeText::Number(number).moment(Timestamp::default()) == Some(time)
    };
    let plain = format!("{seconds}.{micros:06}");
    let more = [format!("{seconds}.{:06}", micros + 1), format!("{plain}5")];
    std::iter::once(plain.clone()).chain(more).find(is_read_as_it).unwrap_or(plain)
}

/// A sample that was applied.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// What the database holds.
    pub definition: &'a Definition,
    /// The time of the last update before it.
    pub before: Timestamp,
    /// The time of the sample.
    pub time: Timestamp,
    rows: TakenRows<'a>,
}

/// Where the rows are that a sample made final.
#[derive(Clone, Copy, Debug)]
enum TakenRows<'a> {
    /// In the workspace of the update.
    Fresh(&'a Workspace),
    /// In the message of another process.
    Told(&'a [FinalRows<'a>]),
}

impl<'a> Taken<'a> {
    /// A sample applied to a database with this definition; `workspace` has its rows.
    pub fn new(
        definition: &'a Definition,
        (before, time): (Timestamp, Timestamp),
        workspace: &'a Workspace,
    ) -> Self {
        Self { definition, before, time, rows: TakenRows::Fresh(workspace) }
    }

    /// A sample that another process applied, which sent these rows.
    pub fn told(
        definition: &'a Definition,
        (before, time): (Timestamp, Timestamp),
        rows: &'a [FinalRows<'a>],
    ) -> Self {
        Self { definition, before, time, rows: TakenRows::Told(rows) }
    }

    /// The rows that the sample made final, in order of time for each archive.
    pub fn final_rows(&self) -> impl Iterator<Item = FinalRows<'a>> {
        let (fresh, told) = match self.rows {
            TakenRows::Fresh(workspace) => (Some(workspace.final_rows()), &[][..]),
            TakenRows::Told(rows) => (None, rows),
        };
        fresh.into_iter().flatten().chain(told.iter().copied())
    }
}

/// Sees each sample when it is applied.
pub type Watch<'w> = dyn FnMut(&Taken<'_>) + 'w;

/// Why some samples of an update were refused.
#[derive(Debug)]
pub struct Refused {
    /// The error of the first refused sample. The samples after it were not tried.
    pub error: Error,
    /// How many samples before it were applied.
    pub taken: usize,
}

impl Refused {
    /// No sample was applied.
    pub fn first(error: Error) -> Self {
        Self { error, taken: 0 }
    }
}
