//! SHIFT.

use super::element::{Quantity, Shift};
use super::element_parse::Script;
use super::fields::Fields;
use crate::Error;

impl Script {
    pub(super) fn shift(&mut self, fields: &mut Fields<'_>, whole: &str) -> Result<(), Error> {
        let refuse = |words: String| Err(Error::Element(words));
        let Some(name) = fields.next() else {
            return refuse("No argument for definition of vdef/rrd in SHIFT".into());
        };
        let Some(of) = self.position(&name) else {
            return refuse(format!("vname {name} not found"));
        };
        if !self.is_series(of) {
            return refuse(format!("Cannot shift a VDEF: '{name}' in line '{whole}'\n"));
        }
        let Some(offset) = fields.next() else {
            return refuse("No shift given".into());
        };
        let by = match self.position(&offset) {
            Some(position) if self.is_series(position) => {
                return refuse(format!(
                    "Offset cannot be a (C)DEF: '{offset}' in line '{whole}'\n"
                ));
            }
            Some(position) => Quantity::Of(position),
            None => Quantity::Number(seconds(&offset)?),
        };
        let definitions_before = self.definitions.len();
        self.shifts.push(Shift { of, by, definitions_before });
        Ok(())
    }
}

/// A decimal number. rrdtool takes whole ones only: whether a fraction has a meaning, the ticks of
/// the series tell.
fn seconds(text: &str) -> Result<f64, Error> {
    let digits = text.trim_start();
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<f64>() {
        Ok(seconds) if are_digits(whole) && are_digits(decimals) && !decimals.is_empty() => {
            Ok(seconds)
        }
        _ => Err(Error::Element(format!("error parsing number {text}"))),
    }
}
