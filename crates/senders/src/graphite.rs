//! Graphite's plaintext protocol, as carbon takes it.
//!
//! ```text
//! servers.web1.load 0.25 1700000000
//! disk.used;rack=a1;server=web01 42 1700000000
//! ```
//!
//! The time is in seconds, perhaps with a fraction; -1 and `N` stand for the present. Source:
//! "Feeding In Your Data" of Graphite's manual, and carbon, which splits a line at any white space.

use crate::lines::{Lines, Wrong, each, newline, place};
use crate::number::{micros_of_seconds, value};
use crate::sent::{Kind, Sent, Series, VALUE};

pub use crate::lines::whole_lines;

/// Reads lines; the last one may lack its end. What is wrong is counted, and the others are read.
pub fn read(bytes: &[u8], sent: &mut dyn FnMut(&Sent<'_>)) -> Lines {
    each(bytes, newline, |line, lines| {
        if let Some(one) = parts(line)? {
            sent(&Sent {
                series: Series::Graphite(one.name),
                time_micros: one.time_micros,
                values: &[(VALUE, Kind::Gauge, one.value)],
            });
            lines.samples += 1;
        }
        Ok(())
    })
}

struct Parts<'a> {
    name: &'a str,
    value: crate::Value<'a>,
    time_micros: Option<i64>,
}

fn parts(line: &str) -> Result<Option<Parts<'_>>, Wrong> {
    let mut words = line.split_ascii_whitespace();
    let Some(name) = words.next() else { return Ok(None) };
    let missing = |expected| Wrong { at: line.len(), expected };
    let number = words.next().ok_or_else(|| missing("a value behind the name"))?;
    let time = words.next().ok_or_else(|| missing("a time behind the value"))?;
    if let Some(more) = words.next() {
        return Err(Wrong { at: place(line, more), expected: "name, value and time, and no more" });
    }
    let wrong = |word, expected| Wrong { at: place(line, word), expected };
    let value = value(number).ok_or_else(|| wrong(number, "a number as value"))?;
    let time_micros = match time {
        "-1" | "N" => None,
        time => {
            let micros = micros_of_seconds(time);
            Some(micros.ok_or_else(|| wrong(time, "a time in seconds since 1970"))?)
        }
    };
    Ok(Some(Parts { name, value, time_micros }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Lines) {
        let mut all = Vec::new();
        let lines = read(text.as_bytes(), &mut |sent| {
            let Series::Graphite(name) = sent.series else { panic!("{sent:?}") };
            all.push(format!("{name} {:?} {:?}", sent.values[0].2, sent.time_micros));
        });
        (all, lines)
    }

    #[test]
    fn lines_are_read() {
        let (all, lines) = shown("a.b 0.250 1700000000\r\n\nc;k=v\t1e3 1700000000.5\nd 1 -1");
        assert_eq!(
            all,
            [
                "a.b Text(\"0.250\") Some(1700000000000000)",
                "c;k=v Float(1000.0) Some(1700000000500000)",
                "d Text(\"1\") None"
            ]
        );
        assert_eq!((lines.samples, lines.wrong), (3, 0));
    }

    #[test]
    fn a_wrong_line_is_named_and_the_others_are_read() {
        let wrong = |text: &str| shown(text).1.first.map(|first| first.to_string());
        let text = "a 1 1\nb x 1\nc 1 1\nd 1";
        let (all, lines) = shown(text);
        assert_eq!((all.len(), lines.wrong), (2, 2));
        assert_eq!(wrong(text).as_deref(), Some("line 2, byte 3: expected a number as value"));
        assert_eq!(wrong("a").as_deref(), Some("line 1, byte 2: expected a value behind the name"));
        assert_eq!(
            wrong("a 1 1 1").as_deref(),
            Some("line 1, byte 7: expected name, value and time, and no more")
        );
        assert_eq!(
            wrong("a 1 1e99").as_deref(),
            Some("line 1, byte 5: expected a time in seconds since 1970")
        );
    }
}
