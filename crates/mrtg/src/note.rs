//! What the operator should be told although the configuration is usable.

use crate::{Position, Unsupported};

/// A remark, for the caller to print once after reading.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Note {
    /// A key MRTG knows and gyre does not use yet; reported at its first appearance only.
    #[error("{position}: {key} is not yet used")]
    NotYetUsed {
        /// The key.
        key: &'static str,
        /// Its first appearance.
        position: Position,
    },
    /// `LogFormat: rateup`, spelt out or by default: gyre writes round robin databases all the
    /// same.
    #[error(
        "{place}: LogFormat is rateup, gyre keeps round robin databases, as with LogFormat: rrdtool"
    )]
    Rateup {
        /// Where it is set, or the main file if it is not.
        place: String,
    },
    /// A continuation line below a global key. MRTG drops it, and so does gyre.
    #[error("{position}: {key} cannot be continued on a second line, which is ignored")]
    ContinuedGlobal {
        /// The key, in lower case.
        key: String,
        /// The continuation line.
        position: Position,
    },
    /// A target that is understood but will not be measured.
    #[error("{position}: target {target} is not measured: {reason}")]
    NotPolled {
        /// Its name.
        target: String,
        /// Where its `Target` stands.
        position: Position,
        /// What stands in the way.
        reason: Unsupported,
    },
    /// An IPv6 address literal while IPv6 is off: MRTG skips such a host, and so must a collector
    /// that honours [`crate::Agent::ipv4_only`].
    #[error(
        "{position}: target {target} names an IPv6 address, but EnableIPv6 is not yes (or IPv4Only is): it is skipped"
    )]
    Ipv6Off {
        /// Its name.
        target: String,
        /// Where its `Target` stands.
        position: Position,
    },
}
