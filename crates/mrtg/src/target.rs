//! One target: what is measured, how it is kept, and what its page says.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{
    Direction, Expression, Legends, Number, Options, Periods, PollIndex, Position, Unsupported,
};

/// A `Target[name]` with everything that was said about it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name, in lower case, unique within the configuration.
    pub name: String,
    /// The line that first mentions it.
    pub position: Position,
    /// What is measured.
    pub expression: Expression,
    /// Why it is not measured; `None` if it is.
    pub unsupported: Option<Unsupported>,
    /// `MaxBytes1` and `MaxBytes2`, else `MaxBytes`: the expected maxima in units per second.
    pub max_bytes: [f64; 2],
    /// `AbsMax`: the rate that nothing real exceeds, for both directions.
    pub abs_max: Option<f64>,
    /// `Title`.
    pub title: Arc<str>,
    /// `PageTop`, which is HTML written by the operator; its `\n` are line breaks already.
    pub page_top: Option<Arc<str>>,
    /// `Options`.
    pub options: Options,
    /// `SetEnv`: pairs of name and value; cfgmaker writes MRTG_INT_IP and MRTG_INT_DESCR.
    pub environment: Vec<(String, String)>,
    /// Every legend, defaults filled in; shared by the targets that have only defaults.
    pub legends: Arc<Legends>,
    /// `Unscaled`: graphs whose axis reaches to `MaxBytes` always.
    pub unscaled: Periods,
    /// `WithPeak`: graphs that also draw the maxima.
    pub with_peak: Periods,
    /// `Suppress`: graphs that are left out.
    pub suppress: Periods,
    /// `kilo`: 1000 or 1024.
    pub kilo: f64,
    /// `kMG`: the prefixes of growing powers of `kilo`; MRTG's default is none, k, M, G.
    pub kmg: Arc<[String]>,
    /// `Factor`: every number shown is multiplied by it.
    pub factor: f64,
    /// `XSize`: the width of a graph in pixels, 400 by default.
    pub width_pixels: u32,
    /// `YSize`: the height, 100 by default.
    pub height_pixels: u32,
    /// `RRDRowCount` and its kin.
    pub rows: RowCounts,
    /// `Directory`, with one slash at its end, or empty.
    pub directory: Arc<str>,
    /// The `.rrd` file: `LogDir`, `Directory` and the name, put together as MRTG does: an absolute
    /// `Directory` still lies below `LogDir`.
    pub rrd_path: PathBuf,
}

/// `RRDRowCount`, `RRDRowCount30m`, `RRDRowCount2h`, `RRDRowCount1d`, where they are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowCounts {
    /// Rows of one step each; else 4000 minutes' worth.
    pub step: Option<u64>,
    /// Rows of 30 minutes; else 800.
    pub half_hour: Option<u64>,
    /// Rows of two hours; else 800.
    pub two_hours: Option<u64>,
    /// Rows of a day; else 800.
    pub day: Option<u64>,
}

impl Target {
    /// The reading to hand to the round robin database for one direction, `None` for unknown.
    ///
    /// As MRTG does, a value is rounded to an integer (halves to even) unless
    /// `Options[]: gauge` is set. Any unknown operand, and division by zero, make it unknown; the
    /// two directions are calculated independently of each other. The result may be negative
    /// (after a subtraction): a COUNTER cannot take that, and the caller must store it as unknown.
    pub fn reading(
        &self,
        direction: Direction,
        value: impl FnMut(PollIndex, Direction) -> Option<Number>,
    ) -> Option<Number> {
        let number = self.expression.evaluate(direction, value)?;
        let keeps_decimals = self.options.has(crate::Flag::Gauge);
        Some(if keeps_decimals { number } else { number.rounded() })
    }
}
