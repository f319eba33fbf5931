use serde::{Deserialize, Serialize};

/// What an option of `tune` changes in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TuneOption {
    /// The longest silence of a data source: `NAME:SECONDS`.
    Heartbeat,
    /// The lowest rate that is believed: `NAME:RATE` or `NAME:U`.
    Minimum,
    /// The highest rate that is believed: `NAME:RATE` or `NAME:U`.
    Maximum,
    /// How readings become rates: `NAME:KIND`.
    SourceKind,
    /// What a data source is called: `OLD:NEW`.
    SourceName,
    /// Deviations above the forecast that FAILURES allows.
    DeltaAbove,
    /// Deviations below the forecast that FAILURES allows.
    DeltaBelow,
    /// Values that FAILURES looks back upon.
    FailureWindow,
    /// Violations in that window that make a failure.
    FailureThreshold,
    /// How fast the forecast's intercept follows.
    Alpha,
    /// How fast the forecast's slope follows.
    Beta,
    /// How fast seasonal coefficients follow.
    Gamma,
    /// How fast seasonal deviations follow.
    GammaDeviation,
    /// The share of a season that SEASONAL smooths over.
    SmoothingWindow,
    /// The share of a season that DEVSEASONAL smooths over.
    SmoothingWindowDeviation,
    /// Forgets what forecasting learnt of the data source of this name.
    AberrantReset,
    /// Seconds of a finer step. It counts beside a change of structure only.
    Step,
}
