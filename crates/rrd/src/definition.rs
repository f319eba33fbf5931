//! What a round robin database holds: its step, data sources (DS) and archives (RRA).

use std::fmt;
use std::str::FromStr;

/// The longest name of a data source, in bytes (`DS_NAM_SIZE` of the file format less its NUL).
pub const MAX_NAME_BYTES: usize = 19;

/// The definition of one round robin database.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Seconds between primary data points (PDP).
    pub step_seconds: u64,
    /// The data sources, in the order of the values of an update.
    pub sources: Vec<DataSource>,
    /// The archives, in file order.
    pub archives: Vec<Archive>,
}

/// One data source (DS).
#[derive(Clone, Debug, PartialEq)]
pub struct DataSource {
    /// Its name, 1 to [`MAX_NAME_BYTES`] bytes of `[A-Za-z0-9_-]`.
    pub name: String,
    /// How readings become rates.
    pub kind: SourceKind,
    /// The longest silence, in seconds, before the value becomes unknown.
    pub heartbeat_seconds: u64,
    /// The lowest rate believed, NaN for no limit.
    pub minimum: f64,
    /// The highest rate believed, NaN for no limit.
    pub maximum: f64,
}

/// How the readings of a data source become rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// The reading is the value.
    Gauge,
    /// An unsigned integer that only grows and wraps at 32 or 64 bits.
    Counter,
    /// The change a second, of either sign.
    Derive,
    /// A floating point counter.
    Dcounter,
    /// The change a second of a floating point reading.
    Dderive,
    /// A counter that is reset by every reading.
    Absolute,
}

impl SourceKind {
    /// Every kind, in the order of their first appearance in the format.
    pub const ALL: [Self; 6] =
        [Self::Counter, Self::Absolute, Self::Gauge, Self::Derive, Self::Dcounter, Self::Dderive];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gauge => "GAUGE",
            Self::Counter => "COUNTER",
            Self::Derive => "DERIVE",
            Self::Dcounter => "DCOUNTER",
            Self::Dderive => "DDERIVE",
            Self::Absolute => "ABSOLUTE",
        }
    }
}

/// One round robin archive (RRA): `rows` consolidated data points (CDP) of each source.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    /// The consolidation function (CF).
    pub cf: ConsolidationFunction,
    /// How many rows the ring holds.
    pub rows: u64,
    /// How many primary data points make one row.
    pub pdp_per_row: u64,
    /// The xfiles factor (xff): the share of unknown PDPs that still makes a known row, in [0, 1).
    pub xff: f64,
}

impl Archive {
    /// Seconds between two rows.
    #[must_use]
    pub fn row_seconds(&self, step_seconds: u64) -> u64 {
        self.pdp_per_row * step_seconds
    }
}

/// A consolidation function (CF).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsolidationFunction {
    /// The mean of the known PDPs.
    Average,
    /// The smallest PDP.
    Min,
    /// The largest PDP.
    Max,
    /// The last PDP.
    Last,
}

impl ConsolidationFunction {
    /// Every function.
    pub const ALL: [Self; 4] = [Self::Average, Self::Min, Self::Max, Self::Last];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Average => "AVERAGE",
            Self::Min => "MIN",
            Self::Max => "MAX",
            Self::Last => "LAST",
        }
    }
}

macro_rules! by_name {
    ($type:ty) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = ();

            fn from_str(name: &str) -> Result<Self, ()> {
                Self::ALL.into_iter().find(|each| each.name() == name).ok_or(())
            }
        }
    };
}

by_name!(SourceKind);
by_name!(ConsolidationFunction);
