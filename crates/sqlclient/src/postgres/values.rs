//! Values to and from PostgreSQL, in its binary form.

use std::error::Error as StdError;

use bytes::BytesMut;
use jiff::civil;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::errors::told;
use super::misfit::Misfit;
use crate::{Error, Value};

type Outcome<T> = Result<T, Box<dyn StdError + Sync + Send>>;

/// A value on its way to a statement.
#[derive(Debug)]
pub(super) struct Bound<'a>(pub(super) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Outcome<IsNull> {
        let misfit = || Misfit { expected: kind.name().to_owned(), found: self.0.clone() };
        match (self.0, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT8) => number.to_sql(kind, out),
            (Value::Integer(number), &Type::INT4) => {
                i32::try_from(*number).map_err(|_| misfit())?.to_sql(kind, out)
            }
            (Value::Integer(number), &Type::INT2) => {
                i16::try_from(*number).map_err(|_| misfit())?.to_sql(kind, out)
            }
            (Value::Integer(number @ (0 | 1)), &Type::BOOL) => (*number == 1).to_sql(kind, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(kind, out),
            (Value::Text(text), _) if <&str as ToSql>::accepts(kind) => text.to_sql(kind, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            _ => Err(Box::new(misfit())),
        }
    }

    fn accepts(_: &Type) -> bool {
        true // what does not fit is told by `to_sql`
    }

    to_sql_checked!();
}

/// Reads a row's values.
pub(super) fn read_row(row: &Row, values: &mut Vec<Value>) -> Result<(), Error> {
    values.clear();
    for column in 0..row.len() {
        let value = row.try_get::<_, Option<Read>>(column).map_err(|error| told(&error))?;
        values.push(value.map_or(Value::Null, |Read(value)| value));
    }
    Ok(())
}

/// A value of a row.
struct Read(Value);

impl<'a> FromSql<'a> for Read {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Outcome<Self> {
        Ok(Self(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, raw)?.into()),
            Type::OID => Value::Integer(u32::from_sql(kind, raw)?.into()),
            Type::BOOL => Value::Integer(bool::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, raw)?),
            Type::FLOAT4 => Value::Real(f32::from_sql(kind, raw)?.into()),
            Type::NUMERIC => Value::Text(decimal(raw).ok_or("a numeric that is cut short")?),
            Type::TIMESTAMP => Value::Text(date(i64::from_sql(&Type::INT8, raw)?)?),
            Type::TIMESTAMPTZ => Value::Text(date(i64::from_sql(&Type::INT8, raw)?)? + "+00:00"),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            Type::VOID => Value::Null,
            _ if <&str as FromSql>::accepts(kind) => {
                Value::Text(<&str>::from_sql(kind, raw)?.to_owned())
            }
            _ => return Err(format!("type {kind}: cast it to a number or text").into()),
        }))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A date, of microseconds since the year 2000, as text.
fn date(microseconds: i64) -> Outcome<String> {
    let since = jiff::SignedDuration::from_micros(microseconds);
    let date = civil::date(2000, 1, 1).at(0, 0, 0, 0).checked_add(since)?;
    Ok(date.strftime("%Y-%m-%d %H:%M:%S%.f").to_string())
}

/// The sign's place says that a numeric is no number.
const NOT_A_NUMBER: u16 = 0xC000;
const INFINITE: u16 = 0xD000;
const NEGATIVE_INFINITE: u16 = 0xF000;
const NEGATIVE: u16 = 0x4000;
/// Decimal places of one digit to the base 10,000.
const PLACES_PER_DIGIT: usize = 4;

/// A numeric as text. Its binary form is four numbers of 16 bits (digits, weight, sign, decimal
/// places) and digits to the base 10,000, the first one worth 10,000^weight.
fn decimal(raw: &[u8]) -> Option<String> {
    let mut words = raw.chunks_exact(2).map(|pair| Some(u16::from_be_bytes(pair.try_into().ok()?)));
    let mut next = || words.next().flatten();
    let (count, weight, sign, places) = (next()?, next()? as i16, next()?, usize::from(next()?));
    match sign {
        NOT_A_NUMBER => return Some("NaN".into()),
        INFINITE => return Some("Infinity".into()),
        NEGATIVE_INFINITE => return Some("-Infinity".into()),
        _ => {}
    }
    let digits: Vec<u16> = (0..count).map(|_| next()).collect::<Option<_>>()?;
    let digit = |at: i32| {
        let index = usize::try_from(i32::from(weight) - at).ok();
        index.and_then(|index| digits.get(index)).copied().unwrap_or(0)
    };
    let mut text = String::from(if sign == NEGATIVE { "-" } else { "" });
    let whole: String =
        (0..=i32::from(weight)).rev().map(|at| format!("{:04}", digit(at))).collect();
    let whole = whole.trim_start_matches('0');
    text += if whole.is_empty() { "0" } else { whole };
    if places > 0 {
        let last = -(places.div_ceil(PLACES_PER_DIGIT) as i32);
        let behind: String = (last..0).rev().map(|at| format!("{:04}", digit(at))).collect();
        text.push('.');
        text += behind.get(..places)?;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::decimal;

    fn raw(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn numerics_become_their_text() {
        assert_eq!(decimal(&raw(&[0, 0, 0, 0])).as_deref(), Some("0"));
        assert_eq!(decimal(&raw(&[2, 1, 0, 0, 1, 2])).as_deref(), Some("10002"));
        assert_eq!(decimal(&raw(&[1, 1, 0, 0, 3])).as_deref(), Some("30000"));
        assert_eq!(decimal(&raw(&[2, 0, 0x4000, 2, 12, 3400])).as_deref(), Some("-12.34"));
        assert_eq!(decimal(&raw(&[1, 0xFFFE, 0, 8, 5])).as_deref(), Some("0.00000005"));
        assert_eq!(decimal(&raw(&[0, 0, 0xC000, 0])).as_deref(), Some("NaN"));
    }

    #[test]
    fn a_numeric_that_is_cut_short_is_none() {
        assert_eq!(decimal(&raw(&[2, 0, 0, 0, 1])), None);
        assert_eq!(decimal(&[0]), None);
    }
}
