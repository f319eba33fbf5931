//! Archives (RRA): what is kept of the primary data points, how densely and for how long.

use std::fmt;
use std::str::FromStr;

use crate::{MAX_PERCENTILE_PDPS, Percent};

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
    /// What only a forecasting archive has.
    pub parameters: Parameters,
}

impl Archive {
    /// An archive that consolidates and does not forecast.
    ///
    /// # Panics
    /// If `cf` forecasts.
    #[must_use]
    pub fn plain(cf: ConsolidationFunction, rows: u64, pdp_per_row: u64, xff: f64) -> Self {
        assert!(!cf.is_forecast());
        Self { cf, rows, pdp_per_row, xff, parameters: Parameters::None }
    }

    /// Seconds between two rows.
    #[must_use]
    pub fn row_seconds(&self, step_seconds: u64) -> u64 {
        self.pdp_per_row * step_seconds
    }
}

/// A consolidation function (CF). Its tag is a byte by itself: updates look at it for every cell.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ConsolidationFunction {
    /// The mean of the known PDPs.
    Average,
    /// The smallest PDP.
    Min,
    /// The largest PDP.
    Max,
    /// The last PDP.
    Last,
    /// The value that additive Holt-Winters forecasting expects.
    HwPredict,
    /// The value that multiplicative Holt-Winters forecasting expects.
    MhwPredict,
    /// The seasonal coefficients of a forecast: a ring of one season.
    Seasonal,
    /// The seasonal deviations from a forecast: a ring of one season.
    DevSeasonal,
    /// The deviation that is expected.
    DevPredict,
    /// 1 where too many of the last values lay outside of what was expected, else 0.
    Failures,
    /// The standard deviation of the known PDPs, as of all there are and not of a sample. Ring
    /// stores alone have it.
    Stdev,
    /// A percentile of the known PDPs, by nearest rank: one of them. Ring stores alone have it.
    /// Each archive says which; a query may leave it open (`None`).
    Percentile(Option<Percent>),
}

impl ConsolidationFunction {
    /// The functions of `.rrd` files.
    pub const OF_FILES: [Self; 10] = [
        Self::Average,
        Self::Min,
        Self::Max,
        Self::Last,
        Self::HwPredict,
        Self::MhwPredict,
        Self::Seasonal,
        Self::DevSeasonal,
        Self::DevPredict,
        Self::Failures,
    ];

    /// The functions of which a row follows from one number for all of its PDPs so far.
    pub const PLAIN: [Self; 4] = [Self::Average, Self::Min, Self::Max, Self::Last];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Average => "AVERAGE",
            Self::Min => "MIN",
            Self::Max => "MAX",
            Self::Last => "LAST",
            Self::HwPredict => "HWPREDICT",
            Self::MhwPredict => "MHWPREDICT",
            Self::Seasonal => "SEASONAL",
            Self::DevSeasonal => "DEVSEASONAL",
            Self::DevPredict => "DEVPREDICT",
            Self::Failures => "FAILURES",
            Self::Stdev => "STDEV",
            Self::Percentile(_) => PERCENTILE,
        }
    }

    /// Whether it belongs to forecasting and aberrant behaviour detection.
    #[must_use]
    pub const fn is_forecast(self) -> bool {
        use ConsolidationFunction as Cf;
        match self {
            Cf::Average | Cf::Min | Cf::Max | Cf::Last | Cf::Stdev | Cf::Percentile(_) => false,
            Cf::HwPredict
            | Cf::MhwPredict
            | Cf::Seasonal
            | Cf::DevSeasonal
            | Cf::DevPredict
            | Cf::Failures => true,
        }
    }

    /// Whether a row follows from how its PDPs are spread: until it ends, more of them than one
    /// number has to be kept ([`crate::RowSoFar`]).
    #[must_use]
    pub const fn is_spread(self) -> bool {
        matches!(self, Self::Stdev | Self::Percentile(_))
    }

    /// Whether a row of it can have so many PDPs.
    #[must_use]
    pub const fn takes(self, pdp_per_row: u64) -> bool {
        match self {
            Self::Stdev => pdp_per_row > 1,
            Self::Percentile(_) => pdp_per_row > 1 && pdp_per_row <= MAX_PERCENTILE_PDPS,
            _ => pdp_per_row > 0,
        }
    }

    /// Which percentile it is, if it is one and says so.
    #[must_use]
    pub const fn percent(self) -> Option<Percent> {
        match self {
            Self::Percentile(percent) => percent,
            _ => None,
        }
    }

    /// Whether its archives are the rings of one season, which updates read and smooth.
    #[must_use]
    pub const fn is_seasonal(self) -> bool {
        matches!(self, Self::Seasonal | Self::DevSeasonal)
    }
}

/// The name of all percentiles; which one follows it, as in `PERCENTILE95`.
const PERCENTILE: &str = "PERCENTILE";

/// The word that a query has for it: `AVERAGE`, `PERCENTILE95`.
impl fmt::Display for ConsolidationFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Percentile(Some(percent)) => percent.fmt(f),
            _ => Ok(()),
        }
    }
}

impl FromStr for ConsolidationFunction {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name.strip_prefix(PERCENTILE) {
            Some("") => Ok(Self::Percentile(None)),
            Some(percent) => Ok(Self::Percentile(Some(percent.parse().map_err(drop)?))),
            None => {
                let mut all = Self::OF_FILES.into_iter().chain([Self::Stdev]);
                all.find(|each| each.name() == name).ok_or(())
            }
        }
    }
}

/// The longest window of FAILURES.
pub const MAX_FAILURE_WINDOW: u64 = 28;

/// What only a forecasting archive has. Archives refer to each other by their position in the
/// definition; a file may hold any number there, even one that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameters {
    /// Nothing: all that do not forecast.
    None,
    /// Of HWPREDICT and MHWPREDICT.
    Predict {
        /// How fast the intercept follows, in (0, 1).
        alpha: f64,
        /// How fast the slope follows, in [0, 1].
        beta: f64,
        /// The position of the archive with the seasonal coefficients.
        seasonal: u64,
        /// The season's rows as the create command gave them; nothing reads it.
        period: f64,
    },
    /// Of SEASONAL and DEVSEASONAL.
    Seasonal {
        /// How fast coefficients or deviations follow, in (0, 1).
        gamma: f64,
        /// The share of a season that the smoother averages over.
        smoothing_window: f64,
        /// Whether the window counts: files before version 0004 average over 0.05, whatever
        /// stands there.
        window_given: bool,
        /// The position of the archive with the forecast.
        predict: u64,
        /// The slot at which a smoothing falls due.
        smooth_slot: u64,
    },
    /// Of DEVPREDICT.
    DevPredict {
        /// The position of the archive with the deviations.
        deviations: u64,
    },
    /// Of FAILURES.
    Failures {
        /// How many deviations above the forecast a value may lie.
        delta_above: f64,
        /// How many deviations below the forecast a value may lie.
        delta_below: f64,
        /// The position of the archive with the deviations.
        deviations: u64,
        /// How many values are looked back upon, at most [`MAX_FAILURE_WINDOW`].
        window: u64,
        /// How many violations within the window make a failure.
        threshold: u64,
    },
}

impl Parameters {
    /// The position of the archive that it refers to: 0 where it refers to none, as the field of
    /// a file then is.
    #[must_use]
    pub const fn reference(&self) -> u64 {
        match *self {
            Self::None => 0,
            Self::Predict { seasonal, .. } => seasonal,
            Self::Seasonal { predict, .. } => predict,
            Self::DevPredict { deviations } | Self::Failures { deviations, .. } => deviations,
        }
    }
}
