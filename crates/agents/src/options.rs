//! What the sockets are to be like.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::collectd::Collectd;
use crate::notice::Notice;

/// Tells an operator. It must not wait: both threads call it.
pub type Tell = Arc<dyn Fn(&Notice) + Send + Sync>;

/// What the sockets are to be like.
#[derive(Clone)]
pub struct Options {
    /// Connections at the same time, of all protocols. Each takes one descriptor.
    pub connections_max: usize,
    /// A connection over which nothing came for so long is closed.
    pub idle_max: Duration,
    /// How long samples that came over TCP are kept and tried again while the store fails.
    pub patience: Duration,
    /// Whose packets of collectd are taken.
    pub collectd: Collectd,
    /// How often StatsD's values are summed up.
    pub statsd_interval: Duration,
    /// Tells an operator.
    pub tell: Tell,
}

impl Options {
    /// The usual ones.
    #[must_use]
    pub fn new(tell: Tell) -> Self {
        Self {
            connections_max: 1024,
            idle_max: Duration::from_secs(3600),
            patience: Duration::from_secs(60),
            collectd: Collectd::default(),
            statsd_interval: Duration::from_secs(10),
            tell,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connections_max, idle_max, patience, collectd, statsd_interval, tell: _ } = self;
        out.debug_struct("Options")
            .field("connections_max", connections_max)
            .field("idle_max", idle_max)
            .field("patience", patience)
            .field("collectd", &collectd.security)
            .field("statsd_interval", statsd_interval)
            .finish_non_exhaustive()
    }
}
