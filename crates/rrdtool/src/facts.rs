//! What `info`, `updatev` and `graphv` tell: named values.

use rrd::{InSeconds, Tick};

use crate::number::{append_count, append_known, append_whole};

/// One named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Its name, as `ds[in].min`.
    pub key: String,
    /// What it is.
    pub value: FactValue,
}

/// The value of a [`Fact`], of the types that librrd's `rrd_info_t` has.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// A double; unknown is NaN.
    Value(f64),
    /// An unsigned count.
    Count(u64),
    /// A signed number.
    Integer(i32),
    /// A text; as it stands in files it may be anything but NUL.
    Text(Vec<u8>),
    /// A time of a database that does not count whole seconds.
    Time(InSeconds),
    /// Bytes, as those of an image.
    Blob(Vec<u8>),
}

impl Fact {
    /// A named double.
    #[must_use]
    pub fn value(key: impl Into<String>, value: f64) -> Self {
        Self { key: key.into(), value: FactValue::Value(value) }
    }

    /// A named count.
    #[must_use]
    pub fn count(key: impl Into<String>, count: u64) -> Self {
        Self { key: key.into(), value: FactValue::Count(count) }
    }

    /// A named time, counted in ticks: of whole seconds it is a count.
    #[must_use]
    pub fn time(key: impl Into<String>, ticks: u64, tick: Tick) -> Self {
        let value = match tick.is_second() {
            true => FactValue::Count(ticks),
            false => FactValue::Time(tick.told_span(ticks)),
        };
        Self { key: key.into(), value }
    }

    /// A named signed number.
    #[must_use]
    pub fn integer(key: impl Into<String>, number: i32) -> Self {
        Self { key: key.into(), value: FactValue::Integer(number) }
    }

    /// A named text.
    #[must_use]
    pub fn text(key: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self { key: key.into(), value: FactValue::Text(text.into()) }
    }
}

/// Appends `key = value` lines, as rrdtool prints them.
pub(crate) fn append(out: &mut Vec<u8>, facts: &[Fact]) {
    for Fact { key, value } in facts {
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b" = ");
        match value {
            FactValue::Value(value) => append_known(out, *value),
            FactValue::Count(count) => append_count(out, *count, 0),
            FactValue::Time(time) => out.extend_from_slice(time.to_string().as_bytes()),
            FactValue::Integer(number) => append_whole(out, i64::from(*number)),
            FactValue::Text(text) => {
                out.push(b'"');
                out.extend_from_slice(text);
                out.push(b'"');
            }
            // Its bytes follow, and no end of a line.
            FactValue::Blob(bytes) => {
                out.extend_from_slice(b"BLOB_SIZE:");
                append_whole(out, i64::try_from(bytes.len()).unwrap_or(i64::MAX));
                out.push(b'\n');
                out.extend_from_slice(bytes);
                continue;
            }
        }
        out.push(b'\n');
    }
}
