//! What a round robin database holds: its step, data sources (DS) and archives.

use std::fmt;
use std::str::FromStr;

use crate::expression::Expression;
use crate::{Archive, ConsolidationFunction, Parameters, Tick};

/// The longest name of a data source, in bytes (`DS_NAM_SIZE` of the file format less its NUL).
pub const MAX_NAME_BYTES: usize = 19;

/// The definition of one round robin database.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The unit of all its times: where it is not a second, step and heartbeats are ticks, and so
    /// are the moments of its live state and rows.
    pub tick: Tick,
    /// Seconds between primary data points (PDP).
    pub step_seconds: u64,
    /// The data sources, in the order of the values of an update.
    pub sources: Vec<DataSource>,
    /// The archives, in file order.
    pub archives: Vec<Archive>,
}

impl Definition {
    /// The version of the file format that the definition needs: 5 for a DCOUNTER or DDERIVE, 4
    /// for MHWPREDICT or where a smoothing window was given, else 3.
    #[must_use]
    pub fn format_version(&self) -> u32 {
        let floating =
            |source: &DataSource| matches!(source.kind, SourceKind::Dcounter | SourceKind::Dderive);
        let forecast = |archive: &Archive| {
            archive.cf == ConsolidationFunction::MhwPredict
                || matches!(archive.parameters, Parameters::Seasonal { window_given: true, .. })
        };
        match () {
            () if self.sources.iter().any(floating) => 5,
            () if self.archives.iter().any(forecast) => 4,
            () => 3,
        }
    }

    /// Chooses the slots at which seasons are smoothed by the name of the database, as rrdtool
    /// does: many files shall not be smoothed all at once. Archives before the position `first`
    /// have theirs.
    pub fn spread_smoothing(&mut self, name: &str, first: usize) {
        // Fowler, Noll and Vo's hash, FNV-1: its numbers of 32 bits in words of 64.
        const BASIS: u64 = 0x811c_9dc5;
        const PRIME: u64 = 0x0100_0193;
        let hash = |hash: u64, byte: u8| hash.wrapping_mul(PRIME) ^ u64::from(byte);
        let hash = name.bytes().fold(BASIS, hash);
        for archive in self.archives.iter_mut().skip(first) {
            if let Parameters::Seasonal { smooth_slot, .. } = &mut archive.parameters {
                *smooth_slot = hash % archive.rows.max(1);
            }
        }
    }

    /// Whether an archive has [`Parameters`]: the live state is then told by more than its cells.
    #[must_use]
    pub fn has_forecasts(&self) -> bool {
        self.archives.iter().any(|archive| archive.cf.is_forecast())
    }

    /// Whether an archive's rows follow from how their PDPs are spread (STDEV, PERCENTILE): the
    /// live state then has [`crate::RowSoFar`] beside its cells.
    #[must_use]
    pub fn has_spreads(&self) -> bool {
        self.archives.iter().any(|archive| archive.cf.is_spread())
    }
}

/// One data source (DS).
#[derive(Clone, Debug, PartialEq)]
pub struct DataSource {
    /// Its name, 1 to [`MAX_NAME_BYTES`] bytes of `[A-Za-z0-9_-]`.
    pub name: String,
    /// How readings become rates.
    pub kind: SourceKind,
    /// The longest silence, in seconds, before the value becomes unknown; 0 for COMPUTE.
    pub heartbeat_seconds: u64,
    /// The lowest rate believed, NaN for no limit; NaN for COMPUTE.
    pub minimum: f64,
    /// The highest rate believed, NaN for no limit; NaN for COMPUTE.
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
    /// Never read: calculated from the sources before it.
    Compute(Expression),
}

impl SourceKind {
    /// Every kind that takes readings, in the order of their first appearance in the format.
    pub const OF_READINGS: [Self; 6] =
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
            Self::Compute(_) => "COMPUTE",
        }
    }

    /// Whether an update has a reading for such a source.
    #[must_use]
    pub const fn takes_readings(self) -> bool {
        !matches!(self, Self::Compute(_))
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Of the kinds that take readings: COMPUTE is nothing without its expression.
impl FromStr for SourceKind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::OF_READINGS.into_iter().find(|each| each.name() == name).ok_or(())
    }
}
