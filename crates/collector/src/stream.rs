//! A connection to a device that is asked over TCP (RFC 3430): messages follow one another, and
//! their own lengths say where one ends.

use disk::system_words;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with};
use snmp::{DecodeError, message_bytes};
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

/// The most messages that an agent may send without a question before them.
const UNASKED_MAX: u32 = 256;

/// A connection, or one that is being made.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) socket: TcpStream,
    pub(crate) peer: SocketAddr,
    is_connected: bool,
    outgoing: Vec<u8>,
    /// The beginning of a message that is not whole.
    incoming: Vec<u8>,
    /// Messages that came since the last question.
    unasked: u32,
}

/// Why a connection is at its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    #[error("tcp: cannot connect: {}", system_words(.0))]
    Connect(io::Error),
    #[error("tcp: the connection broke: {}", system_words(.0))]
    Broken(io::Error),
    #[error("tcp: the agent closed the connection")]
    Closed,
    #[error("tcp: the agent closed the connection {bytes} bytes into a message")]
    ClosedWithin { bytes: usize },
    #[error("tcp: what the agent sends cannot be read: {0}")]
    Unreadable(#[from] DecodeError),
    #[error("tcp: the agent sent more than {UNASKED_MAX} messages that nobody asked for")]
    Unasked,
}

impl StreamError {
    /// Whether the agent may do so between two polls.
    pub(crate) fn is_orderly(&self) -> bool {
        match self {
            Self::Closed | Self::Broken(_) => true,
            Self::Connect(_) | Self::ClosedWithin { .. } | Self::Unreadable(_) | Self::Unasked => {
                false
            }
        }
    }
}

impl Stream {
    /// Begins to connect.
    pub(crate) fn to(peer: SocketAddr) -> Result<Self, StreamError> {
        let family = if peer.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let made = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP));
        let socket = made.map_err(|errno| StreamError::Connect(errno.into()))?;
        let is_connected = match connect(&socket, &peer) {
            Ok(()) => true,
            Err(Errno::INPROGRESS) => false,
            Err(errno) => return Err(StreamError::Connect(errno.into())),
        };
        let socket = TcpStream::from(socket);
        // Questions are short, and nothing follows that they could wait for.
        let _ = socket.set_nodelay(true);
        let (outgoing, incoming) = (Vec::new(), Vec::new());
        Ok(Self { socket, peer, is_connected, outgoing, incoming, unasked: 0 })
    }

    /// Whether to wait until it can be written to.
    pub(crate) fn wants_to_write(&self) -> bool {
        !self.is_connected || !self.outgoing.is_empty()
    }

    /// Sends a message, at once as far as there is room.
    pub(crate) fn send(&mut self, message: &[u8]) -> Result<(), StreamError> {
        self.unasked = 0;
        self.outgoing.extend_from_slice(message);
        self.flush()
    }

    /// The system says that there is something to do. Passes messages that are whole to `take`.
    pub(crate) fn serve(
        &mut self,
        buffer: &mut [u8],
        take: impl FnMut(&[u8]),
    ) -> Result<(), StreamError> {
        if !self.is_connected {
            if let Some(error) = self.socket.take_error().map_err(StreamError::Connect)? {
                return Err(StreamError::Connect(error));
            }
            self.is_connected = self.socket.peer_addr().is_ok();
        }
        if self.is_connected {
            self.flush()?;
            self.read(buffer, take)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StreamError> {
        while self.is_connected && !self.outgoing.is_empty() {
            match self.socket.write(&self.outgoing) {
                Ok(written) => drop(self.outgoing.drain(..written)),
                Err(error) if is_for_later(&error) => return Ok(()),
                Err(error) => return Err(StreamError::Broken(error)),
            }
        }
        Ok(())
    }

    /// Reads once: an agent that never ends must not keep others waiting.
    fn read(&mut self, buffer: &mut [u8], take: impl FnMut(&[u8])) -> Result<(), StreamError> {
        match self.socket.read(buffer) {
            Ok(0) => Err(match self.incoming.len() {
                0 => StreamError::Closed,
                bytes => StreamError::ClosedWithin { bytes },
            }),
            Ok(count) => self.split(buffer.get(..count).unwrap_or_default(), take),
            Err(error) if is_for_later(&error) => Ok(()),
            Err(error) => Err(StreamError::Broken(error)),
        }
    }

    fn split(&mut self, brought: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), StreamError> {
        let mut bytes = std::mem::take(&mut self.incoming);
        bytes.extend_from_slice(brought);
        let mut rest = &bytes[..];
        while let Some(length) = message_bytes(rest)?
            && let Some((message, after)) = rest.split_at_checked(length)
        {
            self.unasked += 1;
            if self.unasked > UNASKED_MAX {
                return Err(StreamError::Unasked);
            }
            take(message);
            rest = after;
        }
        self.incoming = rest.to_vec();
        Ok(())
    }
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
