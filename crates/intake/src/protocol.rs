//! The protocols of agents.

use std::fmt;

use crate::counts::Counts;

/// A protocol by which samples come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Graphite's lines.
    Graphite,
    /// Graphite's pickles.
    Pickle,
    /// Influx' lines.
    Influx,
    /// Prometheus' remote write.
    RemoteWrite,
    /// collectd's packets.
    Collectd,
    /// StatsD's lines.
    Statsd,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Graphite,
        Self::Pickle,
        Self::Influx,
        Self::RemoteWrite,
        Self::Collectd,
        Self::Statsd,
    ];

    /// Its name, as a word of settings and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Graphite => "graphite",
            Self::Pickle => "pickle",
            Self::Influx => "influx",
            Self::RemoteWrite => "remote_write",
            Self::Collectd => "collectd",
            Self::Statsd => "statsd",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What became of the samples of each protocol.
#[derive(Debug, Default)]
pub struct Tallies([Counts; Protocol::ALL.len()]);

impl Tallies {
    /// Those of a protocol.
    #[must_use]
    pub fn of(&self, protocol: Protocol) -> &Counts {
        &self.0[protocol as usize]
    }
}
