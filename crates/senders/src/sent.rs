//! A sample as an agent sends it.

/// A sample of a series: one value, or one for each source of a database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent<'a> {
    /// Whose it is.
    pub series: Series<'a>,
    /// When it was taken, microseconds since 1970; `None` if the time of arrival is meant.
    pub time_micros: Option<i64>,
    /// Name of the source, what kind of number it is, and the number.
    pub values: &'a [(&'a str, Kind, Value<'a>)],
}

/// The name of the source where a series has one value only.
pub const VALUE: &str = "value";

/// A series as a protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series<'a> {
    /// Graphite's `a.b.c`, or `name;tag=value;tag=value`.
    Graphite(&'a str),
    /// `measurement,tag=value` as it stands in the line, escapes and all, and a field's name.
    Influx {
        /// Measurement and tags.
        key: &'a str,
        /// The field, escapes and all.
        field: &'a str,
    },
    /// Names and values of labels, the name of the metric among them as `__name__`.
    Labels(&'a [(&'a str, &'a str)]),
    /// A database of collectd.
    Collectd {
        /// The host.
        host: &'a str,
        /// The plugin and its instance, which may be empty.
        plugin: (&'a str, &'a str),
        /// The type and its instance, which may be empty.
        kind: (&'a str, &'a str),
    },
}

/// How a series' name becomes that of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A path: dots become slashes.
    Path,
    /// A name and labels.
    Labelled,
    /// A path with slashes already: collectd's names of files.
    File,
}

/// What kind of number a value is; the names are those of rrdtool's data sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number as it is.
    Gauge,
    /// A counter that wraps.
    Counter,
    /// A counter that may fall.
    Derive,
    /// A counter that is set to zero when it is read.
    Absolute,
}

/// A value as a protocol writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Decimal digits, with a sign in front and a point among them at most.
    Text(&'a str),
    /// A floating point number; a NaN is unknown.
    Float(f64),
    /// An integer without a sign.
    Unsigned(u64),
    /// An integer.
    Signed(i64),
}

/// Stands between texts of a key: no UTF-8 has it.
const END: u8 = 0xff;

impl Series<'_> {
    /// How long its key is, about.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        match self {
            Self::Graphite(name) => name.len(),
            Self::Influx { key, field } => key.len() + field.len(),
            Self::Labels(labels) => {
                labels.iter().map(|(name, value)| name.len() + value.len()).sum()
            }
            Self::Collectd { host, plugin, kind } => {
                [host, plugin.0, plugin.1, kind.0, kind.1].iter().map(|text| text.len()).sum()
            }
        }
    }

    /// Appends bytes that are the same for the same series of the same protocol only, without
    /// looking for tags or escapes. One whose tags come in another order has another key.
    pub fn write_key(&self, key: &mut Vec<u8>) {
        let mut parts = |kind: u8, texts: &[&str]| {
            key.push(kind);
            for text in texts {
                key.extend_from_slice(text.as_bytes());
                key.push(END);
            }
        };
        match self {
            Self::Graphite(name) => parts(b'G', &[name]),
            Self::Influx { key, field } => parts(b'I', &[key, field]),
            Self::Labels(labels) => {
                parts(b'L', &[]);
                labels.iter().for_each(|(name, value)| parts(b'l', &[name, value]));
            }
            Self::Collectd { host, plugin, kind } => {
                parts(b'C', &[host, plugin.0, plugin.1, kind.0, kind.1]);
            }
        }
    }
}
