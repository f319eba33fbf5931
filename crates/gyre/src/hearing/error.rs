//! Why samples of agents cannot be taken.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use agents::{CollectdError, ListenError};
use intake::{Protocol, WrongRule};
use rrdtool::system_words;

/// Why samples of agents cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IntakeError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {}", .path.display(), system_words(.cause))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The file is wrong.
    #[error("{}: {wrong}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        wrong: WrongRule,
    },
    /// A file that it names is wrong.
    #[error(transparent)]
    Collectd(#[from] CollectdError),
    /// HTTP has nowhere to come to.
    #[error("`http = true` is for samples beside web pages: there are none")]
    NoPages,
    /// Others reach a socket, and its protocol does not say who sends.
    #[error(
        "{protocol} at {address}: others than users of this machine reach it, and nobody is asked \
         there who they are: listen at 127.0.0.1, or let everybody in by --insecure{}",
        if *.protocol == Protocol::Collectd { ", or say collectd_security" } else { "" }
    )]
    Exposed {
        /// The protocol.
        protocol: Protocol,
        /// Where.
        address: SocketAddr,
    },
    /// The system refuses a socket.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The system refuses a thread.
    #[error("reading the file: {}", system_words(.0))]
    Thread(io::Error),
    /// The system has no random numbers.
    #[error("random numbers: {0}")]
    Random(getrandom::Error),
}
