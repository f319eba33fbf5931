//! What can go wrong between a client and its daemon.

use std::io;

use crate::system_words::system_words;
use crate::{AddressError, LINE_BYTES_MAX, ReplyError, Unresolved};

/// Why a daemon did not do what it was asked. The words are rrdtool's where it has some.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is none.
    #[error("Unable to connect to rrdcached: {0}")]
    Address(#[from] AddressError),
    /// No host of that name, or no such port.
    #[error(
        "Unable to connect to rrdcached: failed to resolve address '{host}' (port {port}): {reason}"
    )]
    Unresolved {
        /// The host as it was written.
        host: String,
        /// The port as it was written.
        port: String,
        /// What the resolver says.
        reason: Unresolved,
    },
    /// No daemon listens there.
    #[error("Unable to connect to rrdcached: {}", system_words(.0))]
    Connect(io::Error),
    /// A request without a connection ([`crate::Shared`] alone has that).
    #[error("not connected to rrdcached")]
    NotConnected,
    /// A path that leads nowhere, for a daemon that is told whole ones.
    #[error("realpath({path}): {}", system_words(.source))]
    RealPath {
        /// The path as it was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A path that a daemon elsewhere cannot know.
    #[error("absolute path names not allowed when talking to a remote daemon")]
    AbsolutePath,
    /// A word that no line can carry.
    #[error("'{0}' cannot be sent to rrdcached")]
    Word(String),
    /// A command that does not fit into a line.
    #[error(
        "{command} would take {needed_bytes} bytes, and rrdcached takes {LINE_BYTES_MAX} in a line"
    )]
    TooLong {
        /// The command's first word.
        command: String,
        /// What the line would have had up to the word that did not fit, its end included.
        needed_bytes: usize,
    },
    /// The daemon answered with a negative number.
    #[error("rrdcached@{address}: {message}")]
    Refused {
        /// Whom we asked, as it was written.
        address: String,
        /// The daemon's words.
        message: String,
    },
    /// The connection broke while we asked.
    #[error("rrdcached@{address}: {action} failed: {}", system_words(.source))]
    Lost {
        /// Whom we asked.
        address: String,
        /// What we were at.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The answer makes no sense.
    #[error("rrdcached@{address}: {source}")]
    Reply {
        /// Whom we asked.
        address: String,
        /// What was expected and found.
        source: ReplyError,
    },
}

impl Error {
    /// Whether there never was a connection: rrdtool's reading verbs then look at the file
    /// themselves before they complain.
    #[must_use]
    pub fn is_unconnected(&self) -> bool {
        matches!(self, Self::Address(_) | Self::Unresolved { .. } | Self::Connect(_))
    }
}
