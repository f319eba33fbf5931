//! One UDP socket for each address family, shared by all devices. Many datagrams are sent and
//! received with one system call.

use crate::scheduler::Outgoing;
use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg, sendmmsg};
use rustix::event::{PollFd, PollFlags};
use rustix::net::sockopt;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd as _;

/// The receive buffer, for answers that arrive while the loop is busy.
const RECEIVE_BUFFER_BYTES: usize = 8 << 20;

/// The largest datagram that UDP carries.
const DATAGRAM_BYTES_MAX: usize = 65_535;

/// The most datagrams of one system call.
pub(crate) const BATCH: usize = 64;

/// The sockets.
#[derive(Debug)]
pub(crate) struct Sockets {
    v4: UdpSocket,
    /// `None` if the system has no IPv6.
    v6: Option<UdpSocket>,
}

/// The memory for many datagrams; it stays with the thread that made it. A header keeps what the
/// last call left in it, so each use has its own.
pub(crate) struct Mail {
    outgoing: MultiHeaders<SockaddrStorage>,
    incoming_v4: MultiHeaders<SockaddrStorage>,
    incoming_v6: MultiHeaders<SockaddrStorage>,
    buffers: Vec<u8>,
}

/// Why datagrams could not be sent.
pub(crate) enum NotSent {
    /// The kernel's queue is full.
    Full,
    /// The system refuses the first one.
    Refused(io::Error),
}

impl Mail {
    pub(crate) fn new() -> Self {
        let headers = || MultiHeaders::preallocate(BATCH, None);
        Self {
            outgoing: headers(),
            incoming_v4: headers(),
            incoming_v6: headers(),
            buffers: vec![0; BATCH * DATAGRAM_BYTES_MAX],
        }
    }
}

impl Sockets {
    pub(crate) fn open() -> io::Result<Self> {
        let v4 = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let v6 = UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).ok();
        for socket in [Some(&v4), v6.as_ref()].into_iter().flatten() {
            socket.set_nonblocking(true)?;
            // Only an administrator may exceed the system's limit; others get the limit.
            if sockopt::set_socket_recv_buffer_size_force(socket, RECEIVE_BUFFER_BYTES).is_err() {
                sockopt::set_socket_recv_buffer_size(socket, RECEIVE_BUFFER_BYTES)?;
            }
        }
        Ok(Self { v4, v6 })
    }

    /// Sends the first datagrams that are for one address family, at most [`BATCH`]. Returns how
    /// many.
    pub(crate) fn send(&self, all: &[Outgoing], mail: &mut Mail) -> Result<usize, NotSent> {
        let Some(first) = all.first() else { return Ok(0) };
        let socket = match first.to {
            SocketAddr::V4(_) => Some(&self.v4),
            SocketAddr::V6(_) => self.v6.as_ref(),
        };
        let unsupported = || NotSent::Refused(io::ErrorKind::Unsupported.into());
        let socket = socket.ok_or_else(unsupported)?;
        let same = all.iter().take(BATCH);
        let same = same.take_while(|other| other.to.is_ipv4() == first.to.is_ipv4());
        let mut addresses = Vec::with_capacity(BATCH);
        let mut contents = Vec::with_capacity(BATCH);
        for outgoing in same {
            addresses.push(Some(SockaddrStorage::from(outgoing.to)));
            contents.push([IoSlice::new(&outgoing.datagram)]);
        }
        let flags = MsgFlags::empty();
        let sent =
            sendmmsg(socket.as_raw_fd(), &mut mail.outgoing, &contents, &addresses, [], flags);
        match sent {
            Ok(sent) => Ok(sent.count()),
            Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => Err(NotSent::Full),
            Err(error) => Err(NotSent::Refused(error.into())),
        }
    }

    /// Passes datagrams that have arrived to `take`, at most [`BATCH`] of each family. Returns
    /// whether there may be more.
    pub(crate) fn receive(&self, mail: &mut Mail, mut take: impl FnMut(SocketAddr, &[u8])) -> bool {
        let mut has_more = false;
        let Mail { incoming_v4, incoming_v6, buffers, .. } = mail;
        for (socket, headers) in [(Some(&self.v4), incoming_v4), (self.v6.as_ref(), incoming_v6)] {
            let Some(socket) = socket else { continue };
            let parts = buffers.chunks_exact_mut(DATAGRAM_BYTES_MAX);
            let mut slices: Vec<[IoSliceMut<'_>; 1]> =
                parts.map(|part| [IoSliceMut::new(part)]).collect();
            let flags = MsgFlags::MSG_DONTWAIT;
            // Errors are about datagrams sent before, such as to a port without a listener. The
            // timeouts of those requests handle them.
            let Ok(received) = recvmmsg(socket.as_raw_fd(), headers, &mut slices, flags, None)
            else {
                continue;
            };
            let mut count = 0;
            for message in received {
                count += 1;
                let from = message.address.as_ref().and_then(address);
                let content = message.iovs().next();
                if let (Some(from), Some(content)) = (from, content) {
                    take(from, content);
                }
            }
            has_more |= count == BATCH;
        }
        has_more
    }

    /// The events to wait for: answers, and room to send if `wants_to_send`.
    pub(crate) fn poll_fds(&self, wants_to_send: bool) -> Vec<PollFd<'_>> {
        let mut flags = PollFlags::IN;
        flags.set(PollFlags::OUT, wants_to_send);
        let sockets = [Some(&self.v4), self.v6.as_ref()].into_iter().flatten();
        sockets.map(|socket| PollFd::new(socket, flags)).collect()
    }
}

fn address(raw: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = raw.as_sockaddr_in().map(|v4| SocketAddr::V4((*v4).into()));
    v4.or_else(|| Some(SocketAddr::V6((*raw.as_sockaddr_in6()?).into())))
}
