//! `SnmpOptions` and `SnmpOptions[]`: `name => number, name => 'text', ...`.

use std::time::Duration;

use crate::text::{decode, trim};

/// The options of an SNMP session in a configuration. The fields `:timeout:retries:backoff` of an
/// agent take precedence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnmpOptions {
    /// `timeout`: how long to wait for the first answer.
    pub timeout: Option<Duration>,
    /// `retries`: the number of attempts, including the first.
    pub retries: Option<u32>,
    /// `backoff`: the factor by which the timeout grows from one attempt to the next.
    pub backoff: Option<f64>,
    /// `default_max_repetitions`: the rows of a GETBULK.
    pub max_repetitions: Option<u32>,
    /// Names of other options, including those of SNMPv3, which gyre does not use yet. Their values
    /// may be secrets and are not kept.
    pub others: Vec<String>,
}

impl SnmpOptions {
    /// Parses the value; `None` if it is not a list of pairs.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let mut options = Self::default();
        for pair in split_unquoted(value) {
            let pair = trim(pair);
            if !pair.is_empty() {
                options.set(pair)?;
            }
        }
        Some(options)
    }

    fn set(&mut self, pair: &[u8]) -> Option<()> {
        let arrow = pair.windows(2).position(|two| two == b"=>")?;
        let name = unquote(trim(pair.get(..arrow)?))?;
        let value = unquote(trim(pair.get(arrow + 2..)?))?;
        let number = std::str::from_utf8(value).ok().and_then(finite);
        match name {
            b"timeout" => self.timeout = Some(Duration::try_from_secs_f64(number?).ok()?),
            b"retries" => self.retries = Some(whole(number?)?),
            b"backoff" => self.backoff = Some(number?),
            b"default_max_repetitions" => self.max_repetitions = Some(whole(number?)?),
            other => self.others.push(decode(other)),
        }
        Some(())
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number))
        .then_some(number as u32)
}

/// The parts between commas outside of quotes.
fn split_unquoted(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quote = None;
    value.split(move |byte| {
        match (quote, *byte) {
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
        quote.is_none() && *byte == b','
    })
}

/// A bare word or number unchanged, a quoted one without its quotes.
fn unquote(value: &[u8]) -> Option<&[u8]> {
    match value {
        [] => None,
        [open @ (b'\'' | b'"'), inner @ .., close] => (open == close).then_some(inner),
        bare => Some(bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_quoted_text_are_read() {
        let options =
            SnmpOptions::parse(b"retries => 2, timeout=>'1.5', username => 'a,b', backoff => 2,")
                .unwrap();
        assert_eq!(options.retries, Some(2));
        assert_eq!(options.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(options.backoff, Some(2.0));
        assert_eq!(options.others, ["username"]);
    }

    #[test]
    fn other_forms_are_refused() {
        for wrong in ["retries", "retries => ", "=> 2", "timeout => x", "timeout => -1"] {
            assert_eq!(SnmpOptions::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
