//! Replies to bytes.

use rrd::Series;
use rrd::cformat::{FloatFormat, append_eleven_digits};

use super::command::{Command, TABLE};

/// What BATCH is told.
pub const GO_AHEAD: &[u8] = b"0 Go ahead.  End with dot '.' on its own line.\n";

/// A reply in the making: lines, behind a first line that tells how many there are.
#[derive(Debug, Default)]
pub struct Answer {
    lines: Vec<u8>,
    count: usize,
}

impl Answer {
    /// Adds a line, given without its end.
    pub fn line(&mut self, line: &[u8]) {
        self.lines.extend_from_slice(line);
        self.lines.push(b'\n');
        self.count += 1;
    }

    /// Bytes of its lines so far.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.lines.len()
    }

    /// Its lines so far.
    #[must_use]
    pub fn lines(&self) -> &[u8] {
        &self.lines
    }

    /// Its first line, with these words; its lines are to follow.
    pub fn first_line(&self, out: &mut Vec<u8>, words: &[u8]) {
        status(out, self.count as i64, words);
    }

    /// Ends it with the words of its first line, which are written first.
    pub fn end(self, out: &mut Vec<u8>, words: &[u8]) {
        status(out, self.count as i64, words);
        out.extend_from_slice(&self.lines);
    }
}

/// The first line of a reply, and all of it where no lines follow.
pub fn status(out: &mut Vec<u8>, code: i64, words: &[u8]) {
    append_integer(out, code);
    out.push(b' ');
    append_in_a_line(out, words);
    out.push(b'\n');
}

/// What a client is told whose command failed.
pub fn error(out: &mut Vec<u8>, words: &[u8]) {
    status(out, -1, words);
}

/// A line's end within an error would be taken for the end of the reply.
fn append_in_a_line(out: &mut Vec<u8>, words: &[u8]) {
    let start = out.len();
    out.extend_from_slice(words);
    for byte in out.iter_mut().skip(start).filter(|byte| **byte == b'\n') {
        *byte = b' ';
    }
}

/// HELP.
pub fn help(out: &mut Vec<u8>, topic: Option<Command>) {
    let mut answer = Answer::default();
    let topic = topic.map(Command::entry).filter(|entry| !entry.help.is_empty());
    let Some(entry) = topic else {
        for entry in TABLE.iter().filter(|entry| !entry.help.is_empty()) {
            answer.line([entry.name, entry.operands].concat().as_bytes());
        }
        return answer.end(out, b"Command overview");
    };
    answer.line(["Usage: ", entry.name, entry.operands].concat().as_bytes());
    answer.line(b"");
    entry.help.iter().for_each(|line| answer.line(line.as_bytes()));
    answer.line(b"");
    answer.end(out, ["Help for ", entry.name].concat().as_bytes());
}

/// A value of INFO.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// A double.
    Number(f64),
    /// A count.
    Count(u64),
    /// A text; it may be anything but a line's end.
    Text(&'a [u8]),
    /// A signed number.
    Integer(i64),
}

impl Answer {
    /// Adds a line of INFO.
    pub fn fact(&mut self, key: &str, value: Told<'_>) {
        let mut line = key.as_bytes().to_vec();
        match value {
            Told::Number(value) if value.is_nan() => line.extend_from_slice(b" 0 NaN"),
            Told::Number(value) => {
                line.extend_from_slice(b" 0 ");
                append_eleven_digits(&mut line, value);
            }
            Told::Count(count) => line.extend_from_slice(format!(" 1 {count}").as_bytes()),
            Told::Text(text) => {
                line.extend_from_slice(b" 2 ");
                append_in_a_line(&mut line, text);
            }
            Told::Integer(number) => line.extend_from_slice(format!(" 3 {number}").as_bytes()),
        }
        self.line(&line);
    }
}

/// Lines between the first of a fetch and its rows.
const HEAD_LINES: usize = 5;

/// The lines of FETCH and FETCHBIN before what is told of sources.
fn fetched_head(out: &mut Vec<u8>, lines: usize, series: &Series) {
    status(out, (HEAD_LINES + lines) as i64, b"Success");
    let Series { start_seconds, end_seconds, step_seconds, source_names, .. } = series;
    let head = format!(
        "FlushVersion: 1\nStart: {start_seconds}\nEnd: {end_seconds}\nStep: {step_seconds}\n\
         DSCount: {}\n",
        source_names.len()
    );
    out.extend_from_slice(head.as_bytes());
}

/// The reply to FETCH up to its rows.
pub fn fetched_text(out: &mut Vec<u8>, series: &Series) {
    fetched_head(out, series.rows() + 1, series);
    out.extend_from_slice(b"DSName:");
    for name in &series.source_names {
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
    }
    out.push(b'\n');
}

/// A row of the reply to FETCH: `%10lu: %0.17e ...`.
pub fn fetched_row(out: &mut Vec<u8>, seconds: i64, row: &[f64]) {
    const SEVENTEEN_DIGITS: FloatFormat = FloatFormat::exponent(17);
    let mut text = format!("{seconds:>10}:");
    for value in row {
        text.push(' ');
        SEVENTEEN_DIGITS.append(&mut text, *value);
    }
    text.push('\n');
    out.extend_from_slice(text.as_bytes());
}

/// The reply to FETCHBIN up to its columns.
pub fn fetched_binary(out: &mut Vec<u8>, series: &Series) {
    fetched_head(out, series.source_names.len(), series);
}

/// What stands before the doubles of a column of FETCHBIN; a line's end follows them.
pub fn fetched_column(out: &mut Vec<u8>, name: &str, rows: usize) {
    out.extend_from_slice(format!("DSName-{name}: BinaryData {rows} 8 LITTLE\n").as_bytes());
}

fn append_integer(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(number.to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use rrd::Series;

    use super::{Answer, Told, error, fetched_row, fetched_text, help};
    use crate::server::Command;
    use crate::{Fact, Reply, Status, fetched};

    #[test]
    fn counts_its_lines() {
        let mut answer = Answer::default();
        answer.line(b"a");
        answer.line(b"b");
        let mut out = Vec::new();
        answer.end(&mut out, b"updates pending");
        error(&mut out, b"two\nlines");
        assert_eq!(out, b"2 updates pending\na\nb\n-1 two lines\n");
    }

    #[test]
    fn help_has_as_many_lines_as_it_says() {
        for topic in [None, Some(Command::Update), Some(Command::Wrote), Some(Command::Tune)] {
            let mut out = Vec::new();
            help(&mut out, topic);
            let mut input = &out[..];
            let status = Status::read(&mut input).unwrap();
            Reply::read(status, &mut input).unwrap();
            assert!(input.is_empty(), "{topic:?}");
        }
    }

    #[test]
    fn what_is_written_is_what_our_client_reads() {
        let mut answer = Answer::default();
        answer.fact("step", Told::Count(300));
        answer.fact("xff", Told::Number(0.5));
        answer.fact("max", Told::Number(f64::NAN));
        answer.fact("min", Told::Number(f64::NEG_INFINITY));
        answer.fact("filename", Told::Text(b"b c"));
        answer.fact("n", Told::Integer(-5));
        let mut out = Vec::new();
        answer.end(&mut out, b"Info");
        let mut input = &out[..];
        let status = Status::read(&mut input).unwrap();
        let reply = Reply::read(status, &mut input).unwrap();
        let expected = ["step 1 300", "xff 0 5.0000000000e-01", "max 0 NaN", "min 0 -inf"];
        assert_eq!(reply.lines[..4], expected);
        assert_eq!(reply.lines[4..], ["filename 2 b c", "n 3 -5"]);
        assert!(reply.lines.iter().all(|line| Fact::parse(line).is_ok()));
        let series = Series {
            tick: rrd::Tick::SECOND,
            start_seconds: 60,
            end_seconds: 180,
            step_seconds: 60,
            source_names: vec!["a".into(), "b".into()],
            values: vec![rrd::UNKNOWN, 0.1, 2.5, f64::INFINITY],
        };
        let mut out = Vec::new();
        fetched_text(&mut out, &series);
        series.iter().for_each(|(seconds, row)| fetched_row(&mut out, seconds, row));
        let text = String::from_utf8(out.clone()).unwrap();
        assert!(text.ends_with("       180: 2.50000000000000000e+00 inf\n"), "{text}");
        let mut input = &out[..];
        let status = Status::read(&mut input).unwrap();
        let read = fetched::read_text(&status, &mut input).unwrap();
        assert_eq!(format!("{read:?}"), format!("{series:?}"));
    }
}
