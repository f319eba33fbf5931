//! Influx' line protocol.
//!
//! ```text
//! cpu,host=web1,core=0 idle=97.5,jobs=3i,up=true,note="text" 1700000000000000000
//! ```
//!
//! Each field is a series. A backslash stands before a comma, a space or an equals sign that is
//! part of a name. Texts are counted and left out; true and false are 1 and 0. Without a time, that
//! of arrival is meant. Source: "Line protocol" of InfluxDB's reference, version 2.

use std::borrow::Cow;

use crate::lines::{Lines, Wrong, each, place};
use crate::number::value;
use crate::sent::{Kind, Sent, Series, VALUE, Value};

/// The unit of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `ns`, `n`.
    #[default]
    Nanoseconds,
    /// `us`, `u`.
    Microseconds,
    /// `ms`.
    Milliseconds,
    /// `s`.
    Seconds,
    /// `m`.
    Minutes,
    /// `h`.
    Hours,
}

impl Precision {
    /// A unit as requests name it.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "ns" | "n" | "" => Self::Nanoseconds,
            "us" | "u" | "\u{b5}" => Self::Microseconds,
            "ms" => Self::Milliseconds,
            "s" => Self::Seconds,
            "m" => Self::Minutes,
            "h" => Self::Hours,
            _ => return None,
        })
    }

    fn micros(self, time: i64) -> Option<i64> {
        let factor = match self {
            Self::Nanoseconds => return Some(time.div_euclid(1000)),
            Self::Microseconds => 1,
            Self::Milliseconds => 1000,
            Self::Seconds => 1_000_000,
            Self::Minutes => 60_000_000,
            Self::Hours => 3_600_000_000,
        };
        time.checked_mul(factor)
    }
}

/// Reads lines; the last one may lack its end. What is wrong is counted, and the others are read.
pub fn read(bytes: &[u8], precision: Precision, sent: &mut dyn FnMut(&Sent<'_>)) -> Lines {
    let mut fields = Vec::new();
    each(bytes, line_end, |line, lines| {
        if line.len() > LINE_BYTES_MAX {
            let expected = "the end of a line after at most 64 KiB";
            return Err(Wrong { at: LINE_BYTES_MAX, expected });
        }
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let parts = Parts::of(line)?;
        let time_micros = parts.time(precision)?;
        parts.read_fields(&mut fields)?;
        for &Field { name, value } in &fields {
            let Some(value) = value else {
                lines.texts += 1;
                continue;
            };
            let series = Series::Influx { key: parts.key, field: name };
            sent(&Sent { series, time_micros, values: &[(VALUE, Kind::Gauge, value)] });
            lines.samples += 1;
        }
        Ok(())
    })
}

/// The most bytes of a line.
const LINE_BYTES_MAX: usize = 64 << 10;

/// How many bytes of lines are whole lines, at most about so many; one line at least.
#[must_use]
pub fn stretch(bytes: &[u8], bytes_max: usize) -> usize {
    let mut end = 0;
    while end < bytes.len() {
        let next = end + line_end(&bytes[end..]) + 1;
        if next > bytes_max && end > 0 {
            break;
        }
        end = next;
    }
    end.min(bytes.len())
}

/// Where the first line ends: at a newline that stands in no text of a field.
fn line_end(bytes: &[u8]) -> usize {
    let newline = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    match memchr::memchr(b'"', &bytes[..newline]) {
        None => newline,
        // A text that does not end within the longest line is none.
        Some(_) => end_behind_texts(&bytes[..bytes.len().min(LINE_BYTES_MAX)]).unwrap_or(newline),
    }
}

/// Quotation marks begin a text behind the equals sign of a field only. `None` if one does not end.
fn end_behind_texts(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut is_field, mut is_text, mut is_value) = (0, false, false, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' if is_text => is_text = false,
            b'"' if is_value => is_text = true,
            _ if is_text => (),
            b'\n' => return Some(at),
            b' ' => is_field = true,
            b'=' if is_field => is_value = true,
            b',' => is_value = false,
            _ => (),
        }
        at += 1;
    }
    (!is_text).then_some(bytes.len())
}

/// A field with its number; a text has none.
struct Field<'a> {
    name: &'a str,
    value: Option<Value<'a>>,
}

/// A line in its three parts.
struct Parts<'a> {
    line: &'a str,
    key: &'a str,
    fields: &'a str,
    time: &'a str,
}

impl<'a> Parts<'a> {
    fn of(line: &'a str) -> Result<Self, Wrong> {
        let Some((key, behind)) = parted(line, b' ') else {
            return Err(Wrong { at: line.len(), expected: "a space and fields behind the tags" });
        };
        if key.is_empty() || key.starts_with(',') {
            return Err(Wrong { at: 0, expected: "a measurement" });
        }
        let behind = behind.trim_ascii_start();
        let (fields, time) = behind.split_at(fields_end(behind));
        Ok(Self { line, key, fields, time: time.trim_ascii() })
    }

    fn time(&self, precision: Precision) -> Result<Option<i64>, Wrong> {
        if self.time.is_empty() {
            return Ok(None);
        }
        let micros = self.time.parse().ok().and_then(|time| precision.micros(time));
        let at = place(self.line, self.time);
        micros.map(Some).ok_or(Wrong { at, expected: "a whole number as time" })
    }

    /// Reads the fields and looks at the tags, so that a line is taken whole or not at all.
    fn read_fields(&self, all: &mut Vec<Field<'a>>) -> Result<(), Wrong> {
        all.clear();
        let mut rest = self.fields;
        while let Some((name, behind)) = parted(rest, b'=') {
            if name.is_empty() {
                return Err(Wrong { at: place(self.line, name), expected: "a field's name" });
            }
            let (value, behind) = behind.split_at(value_end(behind));
            all.push(Field { name, value: self.number(value)? });
            rest = behind;
            match behind.strip_prefix(',') {
                Some(next) => rest = next,
                None => break,
            }
            if rest.is_empty() {
                rest = behind;
                break;
            }
        }
        if memchr::memchr(b',', self.key.as_bytes()).is_some() {
            self.check_tags()?;
        }
        if !rest.is_empty() || all.is_empty() {
            let expected = "fields NAME=VALUE between commas";
            return Err(Wrong { at: place(self.line, rest), expected });
        }
        Ok(())
    }

    /// The number of a field; `None` of a text.
    fn number(&self, value: &'a str) -> Result<Option<Value<'a>>, Wrong> {
        match of_field(value) {
            None if !is_text(value) => {
                let expected = "a number, true, false or a text in quotation marks";
                Err(Wrong { at: place(self.line, value), expected })
            }
            number => Ok(number),
        }
    }

    fn check_tags(&self) -> Result<(), Wrong> {
        let Some((_, mut rest)) = parted(self.key, b',') else { return Ok(()) };
        loop {
            let (tag, behind) = match parted(rest, b',') {
                Some((tag, behind)) => (tag, Some(behind)),
                None => (rest, None),
            };
            if parted(tag, b'=').is_none_or(|(name, value)| name.is_empty() || value.is_empty()) {
                return Err(Wrong { at: place(self.line, tag), expected: "a tag NAME=VALUE" });
            }
            match behind {
                Some(behind) => rest = behind,
                None => return Ok(()),
            }
        }
    }
}

/// Parts a text at the first such byte that no backslash stands before.
pub(crate) fn parted(text: &str, at: u8) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let found = from + memchr::memchr2(at, b'\\', bytes.get(from..)?)?;
        if bytes[found] == at {
            return Some((&text[..found], &text[found + 1..]));
        }
        // Of two, the second one stands before what follows.
        from = found + if bytes.get(found + 1) == Some(&b'\\') { 1 } else { 2 };
    }
}

/// A name without its backslashes.
pub(crate) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some(',' | '=' | ' ') if letter == '\\' => (),
            _ => out.push(letter),
        }
    }
    out.into()
}

/// Where the fields end: at a space that stands in no text, and behind no backslash.
fn fields_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut is_text) = (0, false);
    while let Some(found) = memchr::memchr3(b' ', b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        match bytes[at] {
            b' ' if !is_text => return at,
            b'"' => is_text = !is_text,
            b'\\' if is_text || bytes.get(at + 1) != Some(&b'\\') => at += 1,
            _ => (),
        }
        at += 1;
    }
    text.len()
}

/// Where a field's value ends: behind a text, or before the next comma.
fn value_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'"') {
        return memchr::memchr(b',', bytes).unwrap_or(bytes.len());
    }
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

fn is_text(value: &str) -> bool {
    value.len() > 1 && value.starts_with('"') && value.ends_with('"')
}

/// A field's number; `None` of a text, or of what is no value.
fn of_field(text: &str) -> Option<Value<'_>> {
    match text {
        "t" | "T" | "true" | "True" | "TRUE" => return Some(Value::Unsigned(1)),
        "f" | "F" | "false" | "False" | "FALSE" => return Some(Value::Unsigned(0)),
        _ => (),
    }
    if let Some(digits) = text.strip_suffix('i') {
        return digits.parse().ok().map(Value::Signed);
    }
    if let Some(digits) = text.strip_suffix('u') {
        return digits.parse().ok().map(Value::Unsigned);
    }
    let begins = text.bytes().next()?;
    (begins.is_ascii_digit() || matches!(begins, b'-' | b'+' | b'.')).then(|| value(text)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Lines) {
        let mut all = Vec::new();
        let lines = read(text.as_bytes(), Precision::Nanoseconds, &mut |sent| {
            let Series::Influx { key, field } = sent.series else { panic!("{sent:?}") };
            all.push(format!("{key}|{field}|{:?}|{:?}", sent.values[0].2, sent.time_micros));
        });
        (all, lines)
    }

    #[test]
    fn lines_are_read() {
        let text = concat!(
            r#"cpu,host=web1 idle=97.5,jobs=3i,n=7u,up=true,note="a, \" b=c" 1700000000000001999"#,
            "\n# a remark\n\n",
            r"my\ cpu,h=a\,b\ c x\=y=1e3",
        );
        let (all, lines) = shown(text);
        assert_eq!(
            all,
            [
                "cpu,host=web1|idle|Text(\"97.5\")|Some(1700000000000001)",
                "cpu,host=web1|jobs|Signed(3)|Some(1700000000000001)",
                "cpu,host=web1|n|Unsigned(7)|Some(1700000000000001)",
                "cpu,host=web1|up|Unsigned(1)|Some(1700000000000001)",
                r"my\ cpu,h=a\,b\ c|x\=y|Float(1000.0)|None",
            ]
        );
        assert_eq!((lines.samples, lines.texts, lines.wrong), (5, 1, 0));
    }

    #[test]
    fn a_wrong_line_is_taken_in_no_part() {
        let wrong = |text: &str| {
            let (all, lines) = shown(text);
            assert!(all.is_empty(), "{all:?}");
            lines.first.expect(text).to_string()
        };
        for (text, why) in [
            ("cpu", "line 1, byte 4: expected a space and fields behind the tags"),
            (",a=b x=1", "line 1, byte 1: expected a measurement"),
            (
                "cpu x=1,y=z",
                "line 1, byte 11: expected a number, true, false or a text in quotation marks",
            ),
            ("cpu x=1 later", "line 1, byte 9: expected a whole number as time"),
            ("cpu x=1,", "line 1, byte 8: expected fields NAME=VALUE between commas"),
            ("cpu x", "line 1, byte 5: expected fields NAME=VALUE between commas"),
            ("cpu,a x=1", "line 1, byte 5: expected a tag NAME=VALUE"),
            ("cpu,a= x=1", "line 1, byte 5: expected a tag NAME=VALUE"),
            ("cpu =1", "line 1, byte 5: expected a field's name"),
            (
                "cpu x=nan",
                "line 1, byte 7: expected a number, true, false or a text in quotation marks",
            ),
            (
                "cpu x=\"a",
                "line 1, byte 7: expected a number, true, false or a text in quotation marks",
            ),
        ] {
            assert_eq!(wrong(text), why, "{text}");
        }
    }

    #[test]
    fn a_newline_in_a_text_ends_no_line() {
        let text = "log msg=\"x\ncpu,host=a idle=0\ny\",n=5i 7\nb,q=\" v=1\nc m=\"open\nd v=2\n";
        let (all, lines) = shown(text);
        let names = ["log|n|Signed(5)", "b,q=\"|v|Text(\"1\")", "d|v|Text(\"2\")"];
        assert!(all.iter().zip(names).all(|(found, name)| found.starts_with(name)), "{all:?}");
        // The text that does not end is wrong, and takes no other line with it.
        let first = lines.first.unwrap();
        assert_eq!((all.len(), lines.wrong, first.line), (3, 1, 5));
    }

    #[test]
    fn a_backslash_behind_another_stands_before_what_follows() {
        let (all, lines) = shown(r"a,path=C:\\ x v=1");
        assert_eq!((lines.wrong, all.len()), (0, 1), "{all:?}");
        let Some((key, field)) = all[0].split_once('|') else { panic!("{all:?}") };
        assert!(field.starts_with("v|"), "{field}");
        assert_eq!(unescaped(key), r"a,path=C:\ x");
    }

    #[test]
    fn stretches_are_whole_lines() {
        let text = "a v=1\nb m=\"\n\"\nc v=1";
        let ends: Vec<usize> =
            (0..text.len() + 2).map(|max| stretch(text.as_bytes(), max)).collect();
        assert_eq!((ends[0], ends[6], ends[13], ends[14], ends[text.len() + 1]), (6, 6, 6, 14, 19));
    }

    #[test]
    fn units_of_time_are_told() {
        for (word, micros) in
            [("ns", 0), ("u", 5), ("ms", 5000), ("s", 5_000_000), ("h", 18_000_000_000)]
        {
            let mut seen = None;
            let precision = Precision::of_word(word).unwrap();
            read(b"a v=1 5", precision, &mut |sent| seen = sent.time_micros);
            assert_eq!(seen, Some(micros), "{word}");
        }
        assert_eq!(Precision::of_word("d"), None);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let letters = b"a,= \\\"1i\n#t-.e\xff";
        let mut state = 1_u64;
        for _ in 0..200_000 {
            let mut text = Vec::new();
            for _ in 0..state % 24 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                text.push(letters[(state >> 33) as usize % letters.len()]);
            }
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15).rotate_left(17);
            read(&text, Precision::Seconds, &mut |sent| {
                let _ = sent.series.identity();
            });
        }
    }
}
