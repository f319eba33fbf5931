//! What an operator is told.

use std::fmt;
use std::net::SocketAddr;

use intake::Protocol;
use senders::WrongLine;
use senders::collectd::WrongPacket;
use senders::pickle::WrongPickle;

/// What an operator is told. Each kind comes at most once a minute for each protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The store does not take samples.
    StoreFails {
        /// Whose samples.
        protocol: Protocol,
        /// Its words.
        error: String,
    },
    /// A single database takes none.
    DatabaseFails {
        /// Whose samples.
        protocol: Protocol,
        /// The store's words.
        error: String,
    },
    /// It takes them again.
    StoreTakesAgain {
        /// Samples that were lost in the meantime.
        lost: u64,
    },
    /// A sender sends what cannot be read.
    Misread {
        /// In which protocol.
        protocol: Protocol,
        /// Who.
        from: SocketAddr,
        /// The first place.
        wrong: Wrong,
    },
    /// The kernel dropped datagrams: they came faster than they were stored.
    DatagramsDropped {
        /// Of which protocol.
        protocol: Protocol,
        /// How many since the last time.
        datagrams: u64,
    },
    /// There are too many connections.
    ConnectionsFull {
        /// How many there may be.
        connections_max: usize,
    },
    /// The system refuses what a socket needs.
    Socket {
        /// The socket's protocol.
        protocol: Protocol,
        /// The system's words.
        error: String,
    },
}

/// What cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// A line.
    #[error("byte {} of a line: expected {}", .0.byte, .0.expected)]
    Line(WrongLine),
    /// A pickle, or a point in it.
    #[error("{0}")]
    Pickle(WrongPickle),
    /// A packet of collectd.
    #[error("{0}")]
    Packet(WrongPacket),
    /// A line that does not end.
    #[error("expected the end of a line after at most {bytes_max} bytes; the connection is closed")]
    LongLine {
        /// As many bytes may come before it.
        bytes_max: usize,
    },
    /// What came last has no end.
    #[error("expected the end of a line or frame before the connection's end")]
    Unfinished,
    /// Too much of all connections is unfinished, and this one has been so for the longest time.
    #[error("expected the end of a line or frame; there was no room to wait for it any longer")]
    Abandoned,
}

impl Notice {
    /// The protocol that it is about; `None` if it is about all of them.
    #[must_use]
    pub fn protocol(&self) -> Option<Protocol> {
        match self {
            Self::StoreFails { protocol, .. }
            | Self::DatabaseFails { protocol, .. }
            | Self::Misread { protocol, .. }
            | Self::DatagramsDropped { protocol, .. }
            | Self::Socket { protocol, .. } => Some(*protocol),
            Self::StoreTakesAgain { .. } | Self::ConnectionsFull { .. } => None,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StoreFails { protocol, error } => {
                write!(out, "{protocol}: the store takes no samples: {error}")
            }
            Self::DatabaseFails { protocol, error } => {
                write!(out, "{protocol}: a database takes no samples: {error}")
            }
            Self::StoreTakesAgain { lost } => {
                write!(out, "the store takes samples again; {lost} were lost")
            }
            Self::Misread { protocol, from, wrong } => {
                write!(out, "{protocol}: from {from}: {wrong}")
            }
            Self::DatagramsDropped { protocol, datagrams } => {
                write!(out, "{protocol}: {datagrams} datagrams came too fast, and were dropped")
            }
            Self::ConnectionsFull { connections_max } => {
                write!(out, "a sender was turned away: {connections_max} connections are open")
            }
            Self::Socket { protocol, error } => write!(out, "{protocol}: {error}"),
        }
    }
}
