//! Object identifiers as text: `1.3.6.1.2.1.1.3.0`, with an optional dot in front.

use super::{Oid, OidError, OidView};
use std::fmt;
use std::str::FromStr;

impl FromStr for Oid {
    type Err = OidError;

    fn from_str(text: &str) -> Result<Oid, OidError> {
        let numbers = text.strip_prefix('.').unwrap_or(text);
        let mut arcs = Vec::new();
        for number in numbers.split('.') {
            arcs.push(arc(number)?);
        }
        Oid::from_arcs(&arcs)
    }
}

fn arc(number: &str) -> Result<u32, OidError> {
    // `u32::from_str` would take a plus sign.
    let digits = !number.is_empty() && number.bytes().all(|octet| octet.is_ascii_digit());
    let parsed = if digits { number.parse().ok() } else { None };
    parsed.ok_or_else(|| OidError::NotANumber(number.to_owned()))
}

impl fmt::Display for OidView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, arc) in self.arcs().enumerate() {
            let dot = if position > 0 { "." } else { "" };
            write!(f, "{dot}{arc}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for OidView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.view())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.view())
    }
}
