//! A connection, and what it left unfinished.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use intake::Protocol;
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use senders::{graphite, pickle};

use crate::gathered::Gathered;
use crate::notice::Wrong;

/// Bytes that are read of a connection at once.
const READ_BYTES: usize = 256 << 10;
/// Bytes of a line without its end.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 10;

/// A connection of a sender.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: TcpStream,
    pub(crate) protocol: Protocol,
    pub(crate) from: SocketAddr,
    /// The last line or frame, which has no end so far.
    rest: Vec<u8>,
    /// When the rest began.
    pub(crate) unfinished_since: Option<Instant>,
    /// When something came last.
    pub(crate) heard: Instant,
    /// Whether a whole line or frame has come.
    pub(crate) has_sent: bool,
}

/// What reading a connection brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// So many bytes.
    Bytes(usize),
    Nothing,
    TheEnd,
}

impl Connection {
    /// # Errors
    /// The connection is gone already.
    pub(crate) fn new(
        socket: TcpStream,
        protocol: Protocol,
        from: SocketAddr,
        now: Instant,
    ) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        // Else one whose machine is gone would be open until it was idle for too long.
        rustix::net::sockopt::set_socket_keepalive(&socket, true)?;
        let (rest, unfinished_since) = (Vec::new(), None);
        Ok(Self { socket, protocol, from, rest, unfinished_since, heard: now, has_sent: false })
    }

    /// Bytes that it left unfinished.
    pub(crate) fn rest_bytes(&self) -> usize {
        self.rest.len()
    }

    /// Bytes that wait in the kernel.
    pub(crate) fn waiting_bytes(&self) -> usize {
        let waiting = rustix::io::ioctl_fionread(&self.socket);
        waiting.ok().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0)
    }

    /// Reads once, and adds whole lines or frames to what was gathered.
    ///
    /// # Errors
    /// What makes it useless to read on.
    pub(crate) fn read(&mut self, gathered: &mut Gathered, now: Instant) -> Result<Heard, Wrong> {
        let begin = gathered.bytes.len();
        gathered.bytes.reserve(READ_BYTES);
        let came = match rustix::io::read(&self.socket, spare_capacity(&mut gathered.bytes)) {
            Ok(0) => return self.end(),
            Ok(came) => came,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(Heard::Nothing),
            Err(_) => return self.end(),
        };
        self.heard = now;
        let done = self.part(gathered, begin);
        gathered.close_part(self.from);
        self.has_sent |= gathered.bytes.len() > begin;
        self.unfinished_since = match self.rest.is_empty() {
            true => None,
            // What it was is whole now: this is another one.
            false if gathered.bytes.len() > begin => Some(now),
            false => self.unfinished_since.or(Some(now)),
        };
        done.map(|()| Heard::Bytes(came))
    }

    fn end(&self) -> Result<Heard, Wrong> {
        if self.rest.is_empty() { Ok(Heard::TheEnd) } else { Err(Wrong::Unfinished) }
    }

    /// Leaves behind `begin` what is whole, and keeps the rest.
    fn part(&mut self, gathered: &mut Gathered, begin: usize) -> Result<(), Wrong> {
        let bytes = &mut gathered.bytes;
        if self.rest.is_empty() {
            let (whole, done) = self.whole(&bytes[begin..]);
            self.rest.extend_from_slice(&bytes[begin + whole..]);
            bytes.truncate(begin + whole);
            return done;
        }
        self.rest.extend_from_slice(&bytes[begin..]);
        bytes.truncate(begin);
        let (whole, done) = self.whole(&self.rest);
        bytes.extend_from_slice(&self.rest[..whole]);
        // In a room of its own: a whole read may have been there.
        self.rest = self.rest.split_off(whole);
        done
    }

    /// How many of these bytes are whole lines or frames, and whether more of them may become so.
    fn whole(&self, bytes: &[u8]) -> (usize, Result<(), Wrong>) {
        if self.protocol == Protocol::Pickle {
            return match pickle::whole_frames(bytes) {
                Ok(whole) => (whole, Ok(())),
                Err(wrong) => (wrong.offset_bytes, Err(Wrong::Pickle(wrong))),
            };
        }
        let whole = graphite::whole_lines(bytes);
        let long = Wrong::LongLine { bytes_max: LINE_BYTES_MAX };
        (whole, if bytes.len() - whole > LINE_BYTES_MAX { Err(long) } else { Ok(()) })
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
