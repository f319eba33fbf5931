//! A target: what is measured, how it is stored, and the settings of its page.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{
    Direction, Expression, Legends, Number, Options, Periods, PollIndex, Position, Thresholds,
    Unsupported,
};

/// A `Target[name]` with all its keys.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name, in lower case, unique within the configuration.
    pub name: String,
    /// The line that first mentions it.
    pub position: Position,
    /// The expression that is measured.
    pub expression: Expression,
    /// Why it is not measured; `None` if it is measured.
    pub unsupported: Option<Unsupported>,
    /// `MaxBytes1` and `MaxBytes2`, else `MaxBytes`: the expected maxima in units per second.
    pub max_bytes: [f64; 2],
    /// `AbsMax`: a higher rate is not believed, in either direction.
    pub abs_max: Option<f64>,
    /// `Title`.
    pub title: Arc<str>,
    /// `PageTop`: the operator's HTML, in which `\n` is already replaced by line breaks.
    pub page_top: Option<Arc<str>>,
    /// `Options`.
    pub options: Options,
    /// `SetEnv`: pairs of name and value; cfgmaker writes MRTG_INT_IP and MRTG_INT_DESCR.
    pub environment: Vec<(String, String)>,
    /// All legends with defaults; shared by targets that set none.
    pub legends: Arc<Legends>,
    /// `Unscaled`: graphs whose axis always reaches to `MaxBytes`.
    pub unscaled: Periods,
    /// `WithPeak`: graphs that also draw the maxima.
    pub with_peak: Periods,
    /// `Suppress`: graphs that are left out.
    pub suppress: Periods,
    /// `kilo`: 1000 or 1024.
    pub kilo: f64,
    /// `kMG`: the prefixes for the powers of `kilo`; MRTG's default is none, k, M, G.
    pub kmg: Arc<[String]>,
    /// `Factor`: every shown number is multiplied by it.
    pub factor: f64,
    /// `XSize`: the width of a graph in pixels, 400 by default.
    pub width_pixels: u32,
    /// `YSize`: the height, 100 by default.
    pub height_pixels: u32,
    /// `RRDRowCount` and its kin.
    pub rows: RowCounts,
    /// `RRDHWRRAs`: the archives behind MRTG's own that forecast; `None` for none.
    pub forecasts: Option<Arc<[rrd::Archive]>>,
    /// What is watched of its values; `None` for nothing.
    pub thresholds: Option<Arc<Thresholds>>,
    /// `Directory`, with one slash at its end, or empty.
    pub directory: Arc<str>,
    /// The path of the `.rrd` file: `LogDir`, `Directory` and the name, concatenated as in MRTG, so
    /// an absolute `Directory` is still below `LogDir`.
    pub rrd_path: PathBuf,
}

/// `RRDRowCount`, `RRDRowCount30m`, `RRDRowCount2h`, `RRDRowCount1d`, if they are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowCounts {
    /// Rows of one step; by default, as many as 4000 minutes have.
    pub step: Option<u64>,
    /// Rows of 30 minutes; 800 by default.
    pub half_hour: Option<u64>,
    /// Rows of two hours; 800 by default.
    pub two_hours: Option<u64>,
    /// Rows of a day; 800 by default.
    pub day: Option<u64>,
}

impl Target {
    /// The reading for one direction to store in the round robin database; `None` for unknown.
    ///
    /// As in MRTG, a value is rounded to an integer (halves to even) unless `Options[]: gauge` is
    /// set. It is unknown if an operand is unknown or on division by zero; the two directions are
    /// independent. The result may be negative after a subtraction. A COUNTER cannot take that, so
    /// the caller must store it as unknown.
    pub fn reading(
        &self,
        direction: Direction,
        value: impl FnMut(PollIndex, Direction) -> Option<Number>,
    ) -> Option<Number> {
        self.rounding(self.expression.evaluate(direction, value))
    }

    /// What [`Self::reading`] makes of a calculated value.
    #[must_use]
    pub fn rounding(&self, number: Option<Number>) -> Option<Number> {
        let keeps_decimals = self.options.has(crate::Flag::Gauge);
        number.map(|number| if keeps_decimals { number } else { number.rounded() })
    }
}
