//! What a program in back quotes prints: in, out, uptime and name, a line each.
//!
//! MRTG takes the first digits anywhere in the first two lines, with a sign before them, and with
//! one other character and more digits behind them: only a point, an `e`, or the `x` of a number to
//! the base 16 makes that a number.

use super::number::Number;
use super::poll::Direction;
use crate::text::{decode, excerpt, trim};

/// The four lines, understood as MRTG does.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramOutput {
    values: [Result<Option<Number>, NoNumber>; 2],
    /// The third line: how long the target has been up, in the program's own words.
    pub uptime: Option<String>,
    /// The fourth line: the target's name.
    pub name: Option<String>,
}

/// A line that should have a number and has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number or UNKNOWN on line {line}, found {found}")]
pub struct NoNumber {
    /// The line, counted from 1.
    pub line: usize,
    /// What it has, or that there is none.
    pub found: String,
}

impl ProgramOutput {
    /// Understands the output of a program.
    #[must_use]
    pub fn parse(output: &[u8]) -> Self {
        let mut lines = output.strip_suffix(b"\n").unwrap_or(output).split(|byte| *byte == b'\n');
        let mut next = || lines.next();
        let values = [value(1, next()), value(2, next())];
        let mut text = || next().map(|line| decode(trim(line))).filter(|text| !text.is_empty());
        Self { values, uptime: text(), name: text() }
    }

    /// The value for one direction; `None` if the program says UNKNOWN.
    ///
    /// # Errors
    ///
    /// The line has no number.
    pub fn value(&self, direction: Direction) -> Result<Option<Number>, &NoNumber> {
        let [incoming, outgoing] = &self.values;
        let value = match direction {
            Direction::In => incoming,
            Direction::Out => outgoing,
        };
        value.as_ref().map(|number| *number)
    }

    /// The first line that should have a number and has none.
    #[must_use]
    pub fn first_fault(&self) -> Option<&NoNumber> {
        self.values.iter().find_map(|value| value.as_ref().err())
    }
}

fn value(line: usize, text: Option<&[u8]>) -> Result<Option<Number>, NoNumber> {
    let Some(text) = text.map(trim).filter(|text| !text.is_empty()) else {
        return Err(NoNumber { line, found: "nothing".to_owned() });
    };
    if text == b"UNKNOWN" {
        return Ok(None);
    }
    number(text).map(Some).ok_or_else(|| NoNumber { line, found: format!("`{}`", excerpt(text)) })
}

/// The first number; `None` if there is none, or if what MRTG cuts out is none.
fn number(text: &[u8]) -> Option<Number> {
    let start = text.iter().position(u8::is_ascii_digit)?;
    let digits_from = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = start + digits_from(start);
    let more = digits_from(end + 1);
    if more > 0 {
        end += 1 + more;
    }
    let digits = std::str::from_utf8(text.get(start..end)?).ok()?;
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(sixteens) => u64::from_str_radix(sixteens, 16).ok()?.into(),
        None => Number::parse(digits)?,
    };
    let is_negative = start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'-');
    if is_negative { number.negate() } else { Some(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(line: &str) -> Result<Option<f64>, String> {
        let output = ProgramOutput::parse(format!("{line}\n7\n").as_bytes());
        let value = output.value(Direction::In).map_err(ToString::to_string);
        value.map(|number| number.map(Number::to_f64))
    }

    #[test]
    fn four_lines_are_read() {
        let output = ProgramOutput::parse(b"12\nUNKNOWN\n 3 days, 1:02 \nrouter\r\nmore\n");
        assert_eq!(output.value(Direction::In), Ok(Some(Number::from(12_u64))));
        assert_eq!(output.value(Direction::Out), Ok(None));
        assert_eq!(output.uptime.as_deref(), Some("3 days, 1:02"));
        assert_eq!(output.name.as_deref(), Some("router"));
        assert_eq!(output.first_fault(), None);
    }

    /// Each was given to Debian's mrtg, which stored the same.
    #[test]
    fn numbers_are_those_that_mrtg_sees() {
        for (line, number) in [
            ("42", 42.0),
            (" -7 ", -7.0),
            ("+5", 5.0),
            ("load: 0.25 now", 0.25),
            ("1.2.3", 1.2),
            ("12 ab", 12.0),
            ("3e2", 300.0),
            ("12e-5", 12.0),
            ("0x10", 16.0),
        ] {
            assert_eq!(first(line), Ok(Some(number)), "{line}");
        }
        for nonsense in ["", "up", "12 34", "1,000", "7x10", "12:30"] {
            let words = first(nonsense).unwrap_err();
            assert!(words.starts_with("expected a number or UNKNOWN on line 1, found "), "{words}");
        }
    }

    #[test]
    fn missing_lines_have_no_value() {
        for output in ["", "1", "1\n"] {
            let output = ProgramOutput::parse(output.as_bytes());
            let fault = output.value(Direction::Out).unwrap_err();
            assert_eq!((fault.line, fault.found.as_str()), (2, "nothing"));
            assert_eq!(output.uptime, None);
        }
    }
}
