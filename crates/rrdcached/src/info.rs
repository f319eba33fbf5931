//! INFO: a key, a kind and a value in each line.

use crate::ReplyError;

/// One line of a description.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it is about: `step`, `ds[a].type`, `rra[0].cf`.
    pub key: String,
    /// What it is.
    pub value: FactValue,
}

/// A value, of the kinds that rrdtool knows.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// Kind 0. The daemon writes ten digits after the point.
    Number(f64),
    /// Kind 1.
    Count(u64),
    /// Kind 2.
    Text(String),
    /// Kind 3.
    Integer(i64),
    /// Kind 4, which tells its size alone.
    Blob(u64),
}

impl Fact {
    /// Reads a line.
    ///
    /// # Errors
    /// Where it is of another form.
    pub fn parse(line: &str) -> Result<Self, ReplyError> {
        let wrong = || ReplyError::unexpected("a key, a kind and a value", line);
        let mut parts = line.splitn(3, ' ');
        let (Some(key), Some(kind)) = (parts.next(), parts.next()) else { return Err(wrong()) };
        let text = parts.next().unwrap_or_default();
        let value = match kind {
            "0" => FactValue::Number(number(text).ok_or_else(wrong)?),
            "1" => FactValue::Count(text.parse().map_err(|_| wrong())?),
            "2" => FactValue::Text(text.into()),
            "3" => FactValue::Integer(text.parse().map_err(|_| wrong())?),
            "4" => FactValue::Blob(text.parse().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        Ok(Self { key: key.into(), value })
    }
}

/// A number as C prints it; every NaN is rrdtool's unknown value.
pub(crate) fn number(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    Some(if number.is_nan() { rrd::UNKNOWN } else { number })
}

#[cfg(test)]
mod tests {
    use super::{Fact, FactValue};

    #[test]
    fn reads_every_kind() {
        for (line, key, value) in [
            ("step 1 300", "step", FactValue::Count(300)),
            ("rra[0].xff 0 5.0000000000e-01", "rra[0].xff", FactValue::Number(0.5)),
            ("ds[a].cdef 2 a,2,*", "ds[a].cdef", FactValue::Text("a,2,*".into())),
            ("filename 2 /a b", "filename", FactValue::Text("/a b".into())),
            ("ds[a].last_ds 2 ", "ds[a].last_ds", FactValue::Text(String::new())),
            ("x 3 -5", "x", FactValue::Integer(-5)),
            ("image 4 17", "image", FactValue::Blob(17)),
        ] {
            assert_eq!(Fact::parse(line).unwrap(), Fact { key: key.into(), value });
        }
        let unknown = Fact::parse("ds[a].max 0 NaN").unwrap();
        assert!(matches!(unknown.value, FactValue::Number(value)
            if value.to_bits() == rrd::UNKNOWN.to_bits()));
    }

    #[test]
    fn refuses_other_lines() {
        for line in ["", "step", "step 1", "step 1 x", "step 9 1", "step 1 -1", "xff 0 0.5x"] {
            assert!(Fact::parse(line).is_err(), "{line}");
        }
    }
}
