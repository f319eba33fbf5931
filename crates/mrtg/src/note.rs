//! Remarks to the operator about a usable configuration.

use std::path::PathBuf;

use crate::{Position, Unsupported};

/// What is wrong with a file of `LoadMIBs`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MibProblem {
    /// It cannot be read.
    #[error("{}: cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// It is longer than any MIB.
    #[error("{}: expected at most {bytes_max} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        bytes_max: usize,
    },
    /// All files together have more names than are kept.
    #[error("{}: there are too many names, some are left out", path.display())]
    TooManyNames {
        /// The file that has one too many.
        path: PathBuf,
    },
    /// It is not understood to its end.
    #[error("{}:{line}: expected {expected}; what follows is not read", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u32,
        /// What was expected there.
        expected: &'static str,
    },
}

/// A remark, which the caller prints once after reading.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Note {
    /// A key of the HTML pages that MRTG itself writes; only its first use is reported.
    #[error("{position}: {key} is for the HTML pages that MRTG writes; it changes nothing here")]
    OfPages {
        /// The key, or a word of `Options`.
        key: String,
        /// The place of its first use.
        position: Position,
    },
    /// A key of HTML pages, which `gyre pages` uses; only its first use is reported.
    #[error("{position}: {key} is for HTML pages: `gyre pages` uses it, nothing else of gyre does")]
    OfStaticPages {
        /// The key, or a word of `Options`.
        key: String,
        /// The place of its first use.
        position: Position,
    },
    /// A key that needs nothing done; only its first use is reported.
    #[error("{position}: {key} has nothing to do: {why}")]
    Moot {
        /// The key, or a word of `Options`.
        key: String,
        /// The place of its first use.
        position: Position,
        /// Why not.
        why: &'static str,
    },
    /// A file of `LoadMIBs` that cannot be read to its end.
    #[error("{position}: LoadMIBs: {problem}")]
    Mib {
        /// The place of `LoadMIBs`.
        position: Position,
        /// The file, and what is wrong.
        problem: MibProblem,
    },
    /// `LogFormat: rateup`, explicit or by default: gyre writes round robin databases nevertheless.
    #[error(
        "{place}: LogFormat is rateup, gyre keeps round robin databases, as with LogFormat: rrdtool"
    )]
    Rateup {
        /// The place of the setting, or the main file.
        place: String,
    },
    /// A continuation line after a global key. MRTG ignores it, and so does gyre.
    #[error("{position}: {key} cannot be continued on a second line, which is ignored")]
    ContinuedGlobal {
        /// The key, in lower case.
        key: String,
        /// The continuation line.
        position: Position,
    },
    /// A target that is valid but is not measured.
    #[error("{position}: target {target} is not measured: {reason}")]
    NotPolled {
        /// Its name.
        target: String,
        /// The place of its `Target`.
        position: Position,
        /// The unsupported feature.
        reason: Unsupported,
    },
    /// A limit that is more or less than a number. MRTG takes it, and so does gyre.
    #[error("{position}: {key}: `{text}` counts as {number}, as for MRTG")]
    LimitReadAs {
        /// The key with its target.
        key: String,
        /// The text.
        text: String,
        /// What it counts as.
        number: f64,
        /// Where it stands.
        position: Position,
    },
    /// An address, but no ThreshMailServer that would take mail for it.
    #[error("{position}: {key}: no mail is sent, because there is no ThreshMailServer")]
    NoMailServer {
        /// The key with its target.
        key: String,
        /// Where it stands.
        position: Position,
    },
    /// An IPv6 address while IPv6 is off: MRTG skips such a host, and a collector that honours
    /// [`crate::Agent::ipv4_only`] must, too.
    #[error(
        "{position}: target {target} names an IPv6 address, but EnableIPv6 is not yes (or IPv4Only is): it is skipped"
    )]
    Ipv6Off {
        /// Its name.
        target: String,
        /// The place of its `Target`.
        position: Position,
    },
}

impl Note {
    /// Whether this remark makes another one superfluous: both are about the same key, of which only
    /// the first use is reported.
    pub(crate) fn stands_for(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::OfPages { key, .. }, Self::OfPages { key: again, .. })
            | (Self::OfStaticPages { key, .. }, Self::OfStaticPages { key: again, .. })
            | (Self::Moot { key, .. }, Self::Moot { key: again, .. }) => key == again,
            _ => false,
        }
    }
}
