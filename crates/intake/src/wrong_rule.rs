//! What can be wrong about settings.

use rrd::spec::SpecError;

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WrongRule {
    /// A rule, counted from 1.
    #[error("[[layout]] {nth}: {why}")]
    Rule {
        /// Which one.
        nth: usize,
        /// What is wrong about it.
        why: Box<Self>,
    },
    /// The text is no TOML, or not of this form.
    #[error("{0}")]
    Form(String),
    /// Nothing is taken.
    #[error(
        "expected `http = true` or the address of a protocol, as in graphite = \"127.0.0.1:2003\""
    )]
    Nobody,
    /// Packets are to be signed, and nobody can.
    #[error("collectd_security: expected collectd_users, a file of those who may send")]
    Users,
    /// StatsD's values would never be summed up.
    #[error("statsd_interval_seconds: expected at least a second")]
    Interval,
    /// It is too long, or empty.
    #[error("{text:?}: expected a name, in which * stands for a part and ** for anything")]
    Pattern {
        /// The pattern.
        text: String,
    },
    /// The layout makes no database.
    #[error("{0}")]
    Layout(#[from] SpecError),
    /// A rule that drops has a layout, too.
    #[error("expected either `drop = true` or a layout, found both")]
    Both,
}
