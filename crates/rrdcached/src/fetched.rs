//! FETCH and FETCHBIN: a stretch of one archive.
//!
//! ```text
//! 8 Success                        7 Success
//! FlushVersion: 1                  FlushVersion: 1
//! Start: 999999960                 Start: 999999960
//! End: 1000000080                  End: 1000000080
//! Step: 60                         Step: 60
//! DSCount: 2                       DSCount: 2
//! DSName: a b                      DSName-a: BinaryData 2 8 LITTLE
//! 1000000020: -nan 1.0…e+00        ................
//! 1000000080: -nan 2.0…e+00        DSName-b: BinaryData 2 8 LITTLE
//!                                  ................
//! ```
//!
//! Both are exact: the text has 18 digits, the other form the doubles themselves, column by column
//! with a line's end behind each. rrdcached 1.7.2 takes 45 times as long over the text.

use std::io::{BufRead, Read as _};

use rrd::Series;

use crate::info::number;
use crate::reply::read_line;
use crate::{ReplyError, Status};

/// Values of one reply: a gigabyte of them.
const VALUES_MAX: usize = 1 << 27;
/// Bytes that room is made for before they come.
const BYTES_EXPECTED_MAX: usize = 1 << 20;
/// Lines before the names in both forms.
const HEAD_LINES: usize = 5;
/// The only form that there ever was.
const FLUSH_VERSION: i64 = 1;

/// The lines that both forms begin with.
struct Head {
    start_seconds: i64,
    end_seconds: i64,
    step_seconds: u64,
    columns: usize,
}

/// Reads what follows the first line of a reply to FETCH.
///
/// # Errors
/// Where it is of another form, or does not come.
pub fn read_text(status: &Status, input: &mut impl BufRead) -> Result<Series, ReplyError> {
    let head = read_head(input)?;
    let line = read_line(input)?;
    let names = line.strip_prefix("DSName: ").unwrap_or(&line);
    let source_names: Vec<String> = names.split_ascii_whitespace().map(str::to_owned).collect();
    if source_names.len() != head.columns || source_names.is_empty() {
        return Err(ReplyError::unexpected("a name for each data source", &line));
    }
    let rows = status.lines().saturating_sub(HEAD_LINES + 1);
    if rows.saturating_mul(head.columns) > VALUES_MAX {
        return Err(ReplyError::TooLong("134 million values"));
    }
    let mut values = Vec::new();
    for _ in 0..rows {
        append_row(&mut values, &read_line(input)?, head.columns)?;
    }
    Ok(head.series(source_names, values))
}

/// Reads what follows the first line of a reply to FETCHBIN.
///
/// # Errors
/// Where it is of another form, or does not come.
pub fn read_binary(status: &Status, input: &mut impl BufRead) -> Result<Series, ReplyError> {
    let head = read_head(input)?;
    if head.columns == 0 || status.lines() != HEAD_LINES + head.columns {
        let found = format!("{} lines for {} sources", status.lines(), head.columns);
        return Err(ReplyError::unexpected("a column for each data source", &found));
    }
    let mut source_names = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for _ in 0..head.columns {
        let line = read_line(input)?;
        let wrong = || ReplyError::unexpected("DSName-NAME: BinaryData ROWS 8 LITTLE", &line);
        let column = Column::parse(&line).ok_or_else(wrong)?;
        if columns.first().is_some_and(|first| first.len() != column.rows) {
            return Err(wrong());
        }
        if column.rows.saturating_mul(head.columns) > VALUES_MAX {
            return Err(ReplyError::TooLong("134 million values"));
        }
        columns.push(column.read(input)?);
        source_names.push(column.name.to_owned());
    }
    let rows = columns.first().map_or(0, Vec::len);
    let row = |row: usize| columns.iter().filter_map(move |column| column.get(row).copied());
    let values = (0..rows).flat_map(row).collect();
    Ok(head.series(source_names, values))
}

impl Head {
    fn series(self, source_names: Vec<String>, values: Vec<f64>) -> Series {
        let Self { start_seconds, end_seconds, step_seconds, .. } = self;
        Series {
            tick: rrd::Tick::SECOND,
            start_seconds,
            end_seconds,
            step_seconds,
            source_names,
            values,
        }
    }
}

fn read_head(input: &mut impl BufRead) -> Result<Head, ReplyError> {
    let version = read_number(input, "FlushVersion: 1", "FlushVersion: ")?;
    if version != FLUSH_VERSION {
        return Err(ReplyError::unexpected("FlushVersion: 1", &version.to_string()));
    }
    let start_seconds = read_number(input, "Start: and seconds", "Start: ")?;
    let end_seconds = read_number(input, "End: and seconds", "End: ")?;
    let step = read_number(input, "Step: and seconds", "Step: ")?;
    let step_seconds = u64::try_from(step).ok().filter(|seconds| *seconds > 0);
    let step_seconds = step_seconds
        .ok_or_else(|| ReplyError::unexpected("a step of some seconds", &step.to_string()))?;
    let count = read_number(input, "DSCount: and a number", "DSCount: ")?;
    let columns = usize::try_from(count)
        .map_err(|_| ReplyError::unexpected("some data sources", &count.to_string()))?;
    Ok(Head { start_seconds, end_seconds, step_seconds, columns })
}

fn read_number(
    input: &mut impl BufRead,
    expected: &'static str,
    key: &str,
) -> Result<i64, ReplyError> {
    let line = read_line(input)?;
    let number = line.strip_prefix(key).and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| ReplyError::unexpected(expected, &line))
}

fn append_row(values: &mut Vec<f64>, line: &str, columns: usize) -> Result<(), ReplyError> {
    let wrong = || ReplyError::unexpected("a time and a value for each data source", line);
    let (_, row) = line.split_once(':').ok_or_else(wrong)?;
    let before = values.len();
    for text in row.split_ascii_whitespace() {
        values.push(number(text).ok_or_else(wrong)?);
    }
    if values.len() - before == columns { Ok(()) } else { Err(wrong()) }
}

/// What is said before the bytes of a column.
struct Column<'a> {
    name: &'a str,
    rows: usize,
    is_little: bool,
}

impl<'a> Column<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (name, form) = line.strip_prefix("DSName-")?.split_once(": BinaryData ")?;
        let mut words = form.split(' ');
        let rows = words.next()?.parse().ok()?;
        let is_little = match (words.next()?, words.next()?, words.next()) {
            ("8", "LITTLE", None) => true,
            ("8", "BIG", None) => false,
            _ => return None,
        };
        Some(Self { name, rows, is_little })
    }

    /// The column, and the line's end behind it.
    fn read(&self, input: &mut impl BufRead) -> Result<Vec<f64>, ReplyError> {
        let size_bytes = self.rows.saturating_mul(8);
        let mut bytes = Vec::with_capacity(size_bytes.min(BYTES_EXPECTED_MAX));
        input.by_ref().take(size_bytes as u64).read_to_end(&mut bytes)?;
        let end = read_line(input)?;
        if bytes.len() != size_bytes || !end.is_empty() {
            return Err(ReplyError::unexpected("a line's end behind a column", &end));
        }
        let (doubles, _) = bytes.as_chunks::<8>();
        Ok(doubles.iter().map(|eight| self.value(*eight)).collect())
    }

    fn value(&self, bytes: [u8; 8]) -> f64 {
        let value =
            if self.is_little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) };
        if value.is_nan() { rrd::UNKNOWN } else { value }
    }
}

#[cfg(test)]
mod tests {
    use rrd::Series;

    use super::{read_binary, read_text};
    use crate::{ReplyError, Status};

    const HEAD: &str = "FlushVersion: 1\nStart: 60\nEnd: 180\nStep: 60\nDSCount: 2\n";

    fn text(reply: &str) -> Result<Series, ReplyError> {
        let mut input = reply.as_bytes();
        read_text(&Status::read(&mut input)?, &mut input)
    }

    fn binary(reply: &[u8]) -> Result<Series, ReplyError> {
        let mut input = reply;
        read_binary(&Status::read(&mut input)?, &mut input)
    }

    fn columns(order: &str, a: [[u8; 8]; 2], b: [[u8; 8]; 2]) -> Vec<u8> {
        let mut reply = format!("7 Success\n{HEAD}").into_bytes();
        for (name, column) in [("a", a), ("b", b)] {
            reply.extend(format!("DSName-{name}: BinaryData 2 8 {order}\n").bytes());
            reply.extend(column.concat());
            reply.push(b'\n');
        }
        reply
    }

    #[test]
    fn both_forms_say_the_same() {
        let rows = " 120: -nan 1.00000000000000006e-01\n180: 2.5e+00 inf\n";
        let from_text = text(&format!("8 Success\n{HEAD}DSName: a b\n{rows}")).unwrap();
        assert_eq!((from_text.start_seconds, from_text.end_seconds), (60, 180));
        assert_eq!(from_text.source_names, ["a", "b"]);
        assert_eq!(from_text.values[1..], [0.1, 2.5, f64::INFINITY]);
        let bits = |series: &Series| -> Vec<u64> {
            series.values.iter().map(|value| value.to_bits()).collect()
        };
        let (a, b) = ([f64::NAN, 2.5], [0.1, f64::INFINITY]);
        let little = columns("LITTLE", a.map(f64::to_le_bytes), b.map(f64::to_le_bytes));
        assert_eq!(bits(&binary(&little).unwrap()), bits(&from_text));
        let big = columns("BIG", a.map(f64::to_be_bytes), b.map(f64::to_be_bytes));
        assert_eq!(bits(&binary(&big).unwrap()), bits(&from_text));
    }

    #[test]
    fn refuses_what_does_not_fit_together() {
        for reply in [
            format!("8 Success\n{HEAD}DSName: a\n120: 1\n180: 1\n"),
            format!("8 Success\n{HEAD}DSName: a b\n120: 1\n180: 1 1\n"),
            format!("8 Success\n{HEAD}DSName: a b\n120: 1 1\n"),
            format!("8 Success\n{HEAD}DSName: a b\n120: 1 x\n180: 1 1\n"),
            format!("9223372036854775807 Success\n{HEAD}DSName: a b\n120: 1 1\n"),
            "6 Success\nFlushVersion: 1\nStart: 60\nEnd: 180\nStep: 0\nDSCount: 1\n".into(),
            "1 Success\nFlushVersion: 2\n".into(),
        ] {
            assert!(text(&reply).is_err(), "{reply}");
        }
        let column = |form: &str| format!("7 Success\n{HEAD}DSName-a: BinaryData {form}\n");
        for form in
            ["2 4 LITTLE", "2 8 MIDDLE", "18446744073709551615 8 LITTLE", "67108865 8 LITTLE"]
        {
            assert!(binary(column(form).as_bytes()).is_err(), "{form}");
        }
        let mut short = columns("LITTLE", [[0; 8]; 2], [[0; 8]; 2]);
        short.pop();
        assert!(binary(&short).is_err());
    }
}
