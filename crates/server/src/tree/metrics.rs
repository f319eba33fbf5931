//! What counts beside the databases, as metrics of Prometheus.

use crate::exposition::{Dialect, Exposition, Kind};
use crate::heard::{self, Heard};

/// A number of the process that serves the databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, without the suffix of counters.
    pub name: &'static str,
    /// What it counts.
    pub help: &'static str,
    /// Whether it only grows.
    pub is_counter: bool,
    /// The number.
    pub value: u64,
}

/// The text of all metrics; `program` is the name and version of the program.
pub(super) fn text(
    program: &str,
    metrics: &[Metric],
    heard: Option<&Heard>,
    dialect: Dialect,
) -> String {
    let mut out = Exposition::new(dialect);
    heard::build(&mut out, program);
    for Metric { name, help, is_counter, value } in metrics {
        let kind = if *is_counter { Kind::Counter } else { Kind::Gauge };
        out.single(kind, name, help, value);
    }
    if let Some(heard) = heard {
        heard::write(&mut out, heard);
    }
    out.end()
}
