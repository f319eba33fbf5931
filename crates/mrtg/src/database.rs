//! The round robin database that MRTG makes for a target in `LogFormat: rrdtool`.
//!
//! Two data sources, `ds0` (in) and `ds1` (out), and archives of AVERAGE, then MAX: one step, 30
//! minutes (only below an interval of 30 minutes), 2 hours, 1 day. This is known from running MRTG
//! and reading `rrdtool info`; `tests/live.rs` compares MRTG's databases with ours.

use rrd::{Archive, ConsolidationFunction, DataSource, Definition, SourceKind};

use crate::{Flag, Interval, Options, RowCounts, Settings};

/// MRTG's shortest heartbeat.
const SHORTEST_HEARTBEAT_SECONDS: u64 = 600;

/// Rows of the coarser archives, unless `RRDRowCount...` is set.
const DEFAULT_ROWS: u64 = 800;

/// The span of the finest archive in minutes, unless `RRDRowCount` is set.
const FINEST_ARCHIVE_MINUTES: f64 = 4000.0;

/// An xfiles factor of a half, in every archive.
const XFF: f64 = 0.5;

impl Settings {
    /// The definition that MRTG would create for a target with these settings.
    #[must_use]
    pub fn definition(&self) -> Definition {
        let interval = self.interval;
        let kind = source_kind(self.options);
        let [maximum_in, maximum_out] = self.abs_max.map_or(self.max_bytes, |both| [both, both]);
        Definition {
            tick: rrd::Tick::SECOND,
            step_seconds: interval.step_seconds(),
            sources: vec![
                data_source("ds0", kind, interval, maximum_in),
                data_source("ds1", kind, interval, maximum_out),
            ],
            archives: {
                let mut archives = archives(interval, self.rows);
                archives.extend(self.forecasts.iter().flat_map(|all| all.iter().cloned()));
                archives
            },
        }
    }
}

/// The definition that MRTG would create for a target without settings for it.
#[must_use]
pub fn definition(interval: Interval) -> Definition {
    let source = |name| data_source(name, SourceKind::Counter, interval, 0.0);
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: interval.step_seconds(),
        sources: ["ds0", "ds1"].map(source).into(),
        archives: archives(interval, RowCounts::default()),
    }
}

/// The kind of data source: GAUGE if `gauge` is set, else ABSOLUTE if `absolute` is, else DERIVE if
/// `derive` is, else COUNTER. `perminute` and `perhour` change only the graphs.
#[must_use]
pub fn source_kind(options: Options) -> SourceKind {
    if options.has(Flag::Gauge) {
        SourceKind::Gauge
    } else if options.has(Flag::Absolute) {
        SourceKind::Absolute
    } else if options.has(Flag::Derive) {
        SourceKind::Derive
    } else {
        SourceKind::Counter
    }
}

fn data_source(name: &str, kind: SourceKind, interval: Interval, maximum: f64) -> DataSource {
    DataSource {
        name: name.to_owned(),
        kind,
        heartbeat_seconds: (2 * interval.step_seconds()).max(SHORTEST_HEARTBEAT_SECONDS),
        // Zero also for DERIVE: MRTG treats every decrease as a reset.
        minimum: 0.0,
        maximum: if maximum == 0.0 { f64::NAN } else { maximum },
    }
}

pub(crate) fn archives(interval: Interval, rows: RowCounts) -> Vec<Archive> {
    let minutes = interval.minutes();
    let finest = (FINEST_ARCHIVE_MINUTES / minutes) as u64;
    let mut spans = vec![(1, rows.step.unwrap_or(finest))];
    if minutes < 30.0 {
        spans.push((steps_in(30.0, minutes), rows.half_hour.unwrap_or(DEFAULT_ROWS)));
    }
    spans.push((steps_in(120.0, minutes), rows.two_hours.unwrap_or(DEFAULT_ROWS)));
    spans.push((steps_in(1440.0, minutes), rows.day.unwrap_or(DEFAULT_ROWS)));
    let functions = [ConsolidationFunction::Average, ConsolidationFunction::Max];
    functions
        .into_iter()
        .flat_map(|cf| spans.iter().map(move |span| (cf, *span)))
        .map(|(cf, (pdp_per_row, rows))| Archive::plain(cf, rows, pdp_per_row, XFF))
        .collect()
}

/// Whole steps in a span, rounded down as MRTG does: a "30 minute" row of a 7 minute interval is
/// 28 minutes long.
fn steps_in(span_minutes: f64, interval_minutes: f64) -> u64 {
    (span_minutes / interval_minutes) as u64
}

/// The arguments that make `rrdtool create` build this definition, after the file name.
#[must_use]
pub fn create_arguments(definition: &Definition) -> Vec<String> {
    let bound = |limit: f64| {
        if limit.is_nan() { "U".to_owned() } else { limit.to_string() }
    };
    let mut arguments = vec!["--step".to_owned(), definition.step_seconds.to_string()];
    arguments.extend(definition.sources.iter().map(|source| {
        let (minimum, maximum) = (bound(source.minimum), bound(source.maximum));
        let DataSource { name, kind, heartbeat_seconds, .. } = source;
        format!("DS:{name}:{kind}:{heartbeat_seconds}:{minimum}:{maximum}")
    }));
    arguments.extend(definition.archives.iter().map(|archive| {
        let Archive { cf, rows, pdp_per_row, xff, .. } = archive;
        format!("RRA:{cf}:{xff}:{pdp_per_row}:{rows}")
    }));
    arguments
}
