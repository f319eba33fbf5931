//! The `.log` files that MRTG keeps without RRDtool: text, with the newest line first.
//!
//! ```text
//!   1795195985 401000 82000          the last run, and what the counters said then
//!   1795195985 1003 205 1003 205     end of a stretch; average in, out; maximum in, out
//!   1795195585 903 185 903 185       a stretch reaches back to the end of the next line's
//!   1795195500 903 185 903 185
//!   ...                              600 of 5 minutes, 600 of 30, 600 of 2 hours, 731 of a day
//! ```
//!
//! The format is known from running MRTG; `tests/log_file.rs` compares MRTG's files with the
//! result.

use rrd::live::{CellState, LAST_READING_BYTES, LastReading, SourceState};
use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, ForecastState, LiveState, Snapshot,
    SourceKind, Timestamp, UNKNOWN,
};

/// Rows of the archives and PDPs in a row, as in MRTG's older databases.
const SPANS: [(u64, u64); 4] = [(1, 600), (6, 700), (24, 775), (288, 797)];
const STEP_SECONDS: i64 = 300;
/// The number of data sources: in and out.
const SOURCES: usize = 2;

/// The content of such a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFile {
    /// The time of MRTG's last run, in seconds since 1970.
    pub last_seconds: i64,
    /// The counters at that time: in and out.
    pub counters: [String; SOURCES],
    /// The older lines, newest first.
    pub lines: Vec<LogLine>,
}

/// A stretch of time. It begins at the end of the next line's stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogLine {
    /// Its end, in seconds since 1970.
    pub end_seconds: i64,
    /// Average rates a second, in and out.
    pub average: [f64; SOURCES],
    /// The highest measured rates.
    pub maximum: [f64; SOURCES],
}

/// Why a text is not such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}")]
pub struct LogFault {
    /// The line number, from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl LogFile {
    /// Parses the text of a file.
    ///
    /// # Errors
    ///
    /// [`LogFault`].
    pub fn parse(text: &[u8]) -> Result<Self, LogFault> {
        let fault = |line, expected| LogFault { line, expected };
        let text = str::from_utf8(text).map_err(|_| fault(1, "a log file of MRTG's"))?;
        let mut lines = text.lines().zip(1..);
        let (first, _) = lines.next().ok_or(fault(1, "time and two counters"))?;
        let (last_seconds, counters) = head(first).ok_or(fault(1, "time and two counters"))?;
        let mut log = Self { last_seconds, counters, lines: Vec::new() };
        let mut newest_seconds = last_seconds;
        for (text, line) in lines {
            let read = log_line(text).ok_or(fault(line, "time, two averages, two maxima"))?;
            if read.end_seconds > newest_seconds {
                return Err(fault(line, "a time that is not after that of the line before"));
            }
            newest_seconds = read.end_seconds;
            log.lines.push(read);
        }
        Ok(log)
    }

    /// The database that MRTG would have with RRDtool. Times without a line are unknown.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let definition = definition();
        let stretches = self.stretches();
        let mut live = LiveState {
            last_update: Timestamp::from_seconds(self.last_seconds),
            sources: Vec::new(),
            cells: Vec::new(),
            forecast: ForecastState::default(),
            rows_so_far: Vec::new(),
        };
        for nth in 0..SOURCES {
            live.sources.push(self.source_state(nth, &stretches));
        }
        let mut all_rows = Vec::with_capacity(definition.archives.len());
        for archive in &definition.archives {
            let row_seconds = archive.pdp_per_row as i64 * STEP_SECONDS;
            let newest = self.last_seconds / row_seconds;
            let ends = (newest - archive.rows as i64 + 1..=newest).rev();
            let mut rows = rows_of(&stretches, archive.cf, row_seconds, ends);
            rows.reverse();
            let newest_row = rows.last().copied().unwrap_or([UNKNOWN; SOURCES]);
            live.cells.extend(self.cells(archive, newest_row, &stretches));
            all_rows.push(rows.into_iter().flatten().collect());
        }
        Snapshot { definition, live, rows: all_rows }
    }

    fn stretches(&self) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::with_capacity(self.lines.len());
        for (nth, line) in self.lines.iter().enumerate() {
            let start_seconds = match (self.lines.get(nth + 1), stretches.last()) {
                (Some(next), _) => next.end_seconds,
                // The start of the oldest stretch is not in the file: assume the length of its
                // neighbour.
                (None, Some(last)) => line.end_seconds - (last.end_seconds - last.start_seconds),
                (None, None) => line.end_seconds - STEP_SECONDS,
            };
            let LogLine { end_seconds, average, maximum } = *line;
            stretches.push(Stretch { start_seconds, end_seconds, average, maximum });
        }
        stretches.retain(|stretch| stretch.start_seconds < stretch.end_seconds);
        stretches
    }

    /// The state of the step in progress.
    fn source_state(&self, nth: usize, stretches: &[Stretch]) -> SourceState {
        let from = self.last_seconds - self.last_seconds % STEP_SECONDS;
        let gathered = gather(stretches, from, self.last_seconds);
        SourceState {
            last_reading: LastReading::new(&self.counters[nth]),
            unknown_seconds: (self.last_seconds - from - gathered.known_seconds) as u64,
            value: if gathered.known_seconds > 0 { gathered.amounts[nth] } else { UNKNOWN },
        }
    }

    /// The state of the rows in progress.
    fn cells(
        &self,
        archive: &Archive,
        newest_row: [f64; SOURCES],
        stretches: &[Stretch],
    ) -> [CellState; SOURCES] {
        let pdps = archive.pdp_per_row as i64;
        let (newest_pdp, cf) = (self.last_seconds / STEP_SECONDS, archive.cf);
        let row_end_pdp = newest_pdp - newest_pdp % pdps;
        let gathered = rows_of(stretches, cf, STEP_SECONDS, (row_end_pdp + 1..=newest_pdp).rev());
        let completing =
            gather(stretches, (row_end_pdp - 1) * STEP_SECONDS, row_end_pdp * STEP_SECONDS);
        std::array::from_fn(|nth| {
            let known = || gathered.iter().map(|pdp| pdp[nth]).filter(|pdp| !pdp.is_nan());
            let value = match cf {
                _ if pdps == 1 => UNKNOWN,
                ConsolidationFunction::Max => known().fold(f64::NEG_INFINITY, f64::max),
                _ => known().sum(),
            };
            let unknown_pdps = if pdps == 1 { 0 } else { gathered.len() - known().count() };
            CellState {
                value,
                unknown_pdps: unknown_pdps as u64,
                primary: newest_row[nth],
                secondary: if pdps == 1 { 0.0 } else { completing.row(STEP_SECONDS, false)[nth] },
            }
        })
    }
}

/// The definition that MRTG would create, with the numbers of rows that were usual at the time of
/// such files.
fn definition() -> Definition {
    let source = |name: &str| DataSource {
        name: name.into(),
        kind: SourceKind::Counter,
        heartbeat_seconds: 2 * STEP_SECONDS as u64,
        minimum: 0.0,
        maximum: f64::NAN,
    };
    let functions = [ConsolidationFunction::Average, ConsolidationFunction::Max];
    let archives = functions
        .into_iter()
        .flat_map(|cf| SPANS.map(|(pdp_per_row, rows)| Archive::plain(cf, rows, pdp_per_row, 0.5)));
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: STEP_SECONDS as u64,
        sources: vec![source("ds0"), source("ds1")],
        archives: archives.collect(),
    }
}

fn head(text: &str) -> Option<(i64, [String; SOURCES])> {
    let mut words = text.split_ascii_whitespace();
    let seconds = words.next().and_then(seconds)?;
    let mut counter = || {
        let word = words.next()?;
        let digits = word.strip_prefix('-').unwrap_or(word);
        let fits = !digits.is_empty() && word.len() < LAST_READING_BYTES;
        (fits && digits.bytes().all(|digit| digit.is_ascii_digit())).then(|| word.to_owned())
    };
    let counters = [counter()?, counter()?];
    words.next().is_none().then_some((seconds, counters))
}

fn log_line(text: &str) -> Option<LogLine> {
    let mut words = text.split_ascii_whitespace();
    let end_seconds = words.next().and_then(seconds)?;
    let rates: Vec<f64> = words.map(rate).collect::<Option<_>>()?;
    match rates[..] {
        [a, b, c, d] => Some(LogLine { end_seconds, average: [a, b], maximum: [c, d] }),
        // A line from before maxima were kept.
        [a, b] => Some(LogLine { end_seconds, average: [a, b], maximum: [a, b] }),
        _ => None,
    }
}

fn seconds(word: &str) -> Option<i64> {
    /// The year 36812; later times could overflow sums.
    const SECONDS_MAX: i64 = 1 << 40;
    word.parse().ok().filter(|seconds| (0..SECONDS_MAX).contains(seconds))
}

fn rate(word: &str) -> Option<f64> {
    word.parse().ok().filter(|rate: &f64| rate.is_finite())
}

/// A line with the start of its stretch.
struct Stretch {
    start_seconds: i64,
    end_seconds: i64,
    average: [f64; SOURCES],
    maximum: [f64; SOURCES],
}

/// The sums over a time.
struct Gathered {
    known_seconds: i64,
    amounts: [f64; SOURCES],
    maximum: [f64; SOURCES],
}

impl Gathered {
    /// The row; unknown if less than half of it is known.
    fn row(&self, row_seconds: i64, is_maximum: bool) -> [f64; SOURCES] {
        if 2 * self.known_seconds < row_seconds {
            return [UNKNOWN; SOURCES];
        }
        if is_maximum {
            return self.maximum;
        }
        self.amounts.map(|amount| amount / self.known_seconds as f64)
    }
}

/// The sums from one time to another. `stretches` go back in time; those that end before are
/// skipped.
fn gather(stretches: &[Stretch], from_seconds: i64, to_seconds: i64) -> Gathered {
    let mut gathered = Gathered {
        known_seconds: 0,
        amounts: [0.0; SOURCES],
        maximum: [f64::NEG_INFINITY; SOURCES],
    };
    let later = stretches.iter().skip_while(|stretch| stretch.start_seconds >= to_seconds);
    for stretch in later.take_while(|stretch| stretch.end_seconds > from_seconds) {
        let start = stretch.start_seconds.max(from_seconds);
        let common_seconds = stretch.end_seconds.min(to_seconds) - start;
        gathered.known_seconds += common_seconds;
        for nth in 0..SOURCES {
            gathered.amounts[nth] += stretch.average[nth] * common_seconds as f64;
            gathered.maximum[nth] = gathered.maximum[nth].max(stretch.maximum[nth]);
        }
    }
    gathered
}

/// Rows with these numbers, in descending order.
fn rows_of(
    mut stretches: &[Stretch],
    cf: ConsolidationFunction,
    row_seconds: i64,
    numbers: impl Iterator<Item = i64>,
) -> Vec<[f64; SOURCES]> {
    let mut rows = Vec::new();
    for number in numbers {
        let (from, to) = ((number - 1) * row_seconds, number * row_seconds);
        let passed = stretches.iter().take_while(|stretch| stretch.start_seconds >= to).count();
        stretches = &stretches[passed..];
        let row = gather(stretches, from, to);
        rows.push(row.row(row_seconds, cf == ConsolidationFunction::Max));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{LogFault, LogFile};

    #[test]
    fn other_texts_are_refused_by_line() {
        let told = |text: &str| LogFile::parse(text.as_bytes()).map(drop);
        let fault = |line, expected| Err(LogFault { line, expected });
        for text in ["", "x", "1 2", "1 2 3 4", "-1 2 3", "1 2 x", "1 - 3", "99999999999999 1 1"] {
            assert_eq!(told(text), fault(1, "time and two counters"), "{text:?}");
        }
        for line in ["", "900 1 2 3", "900 1 2 3 4 5", "900 a 2 3 4", "900 1 2 3 inf"] {
            let text = format!("1000 1 2\n{line}\n");
            assert_eq!(told(&text), fault(2, "time, two averages, two maxima"), "{text:?}");
        }
        let back = "a time that is not after that of the line before";
        assert_eq!(told("1000 1 2\n900 1 2 3 4\n901 1 2 3 4"), fault(3, back));
        assert_eq!(told("1000 1 2\n900 1 2\n"), Ok(()), "before maxima were kept");
        assert!(LogFile::parse(&[0xff]).is_err());
    }

    #[test]
    fn lines_fall_on_rows() {
        let log =
            LogFile::parse(b"1260 7 8\n1260 10 1 15 2\n900 20 3 25 4\n750 0 0 0 0\n").unwrap();
        let snapshot = log.snapshot();
        // The row to 900 is half zero and half 20. The row to 1200 is 10 throughout.
        assert_eq!(snapshot.rows[0][598 * 2..], [10.0, 1.5, 10.0, 1.0]);
        assert_eq!(snapshot.rows[4][598 * 2..], [25.0, 4.0, 15.0, 2.0]);
        assert!(snapshot.rows[0][..596 * 2].iter().all(|value| value.is_nan()));
        // The step in progress has one minute; the half hour has four steps, two of them known.
        assert_eq!(snapshot.live.sources[0].value, 600.0);
        assert_eq!(snapshot.live.sources[0].last_reading.text()[..], *b"7");
        let half_hour = snapshot.live.cells[2];
        assert_eq!((half_hour.value, half_hour.unknown_pdps), (20.0, 2));
    }
}
