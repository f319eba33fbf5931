//! How targets are stored and shown. Most targets of a site share one of few settings.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{Interval, Legends, Options, PageKeys, Periods, Thresholds};

/// The keys of a target that say how it is stored and shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `gyre*Interval`, else `Interval`: how often it is polled, and the step of its database.
    pub interval: Interval,
    /// `MaxBytes1` and `MaxBytes2`, else `MaxBytes`: the expected maxima in units per second.
    pub max_bytes: [f64; 2],
    /// `gyre*MaxBytes`: whether the maxima follow the speed of the interface, as soon as it is known.
    pub follows_speed: [bool; 2],
    /// `AbsMax`: a higher rate is not believed, in either direction.
    pub abs_max: Option<f64>,
    /// `Options`.
    pub options: Options,
    /// All legends with defaults.
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
    /// The keys of its HTML page; `None` if it has none of them.
    pub page: Option<Arc<PageKeys>>,
    /// `Directory`, with one slash at its end, or empty.
    pub directory: Arc<str>,
    /// `LogDir` and `Directory`: what stands before the name in the path of the `.rrd` file.
    pub path_before_name: Arc<[u8]>,
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

/// The settings that were met last.
#[derive(Default)]
pub(crate) struct Shared(VecDeque<Arc<Settings>>);

impl Shared {
    /// The most settings to compare with.
    const MAX: usize = 32;

    /// These settings, shared with targets that have the same.
    pub(crate) fn of(&mut self, settings: Settings) -> Arc<Settings> {
        if let Some(known) = self.0.iter().find(|known| ***known == settings) {
            return known.clone();
        }
        let settings = Arc::new(settings);
        self.0.truncate(Self::MAX - 1);
        self.0.push_front(settings.clone());
        settings
    }
}
