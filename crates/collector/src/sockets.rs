//! One UDP socket for each address family, shared by all devices.

use rustix::event::{PollFd, PollFlags};
use rustix::net::sockopt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The receive buffer, for answers that arrive while the loop is busy.
const RECEIVE_BUFFER_BYTES: usize = 8 << 20;

/// The largest datagram that UDP carries.
const DATAGRAM_BYTES_MAX: usize = 65_535;

/// The sockets.
#[derive(Debug)]
pub(crate) struct Sockets {
    v4: UdpSocket,
    /// `None` if the system has no IPv6.
    v6: Option<UdpSocket>,
    buffer: Vec<u8>,
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
        Ok(Self { v4, v6, buffer: vec![0; DATAGRAM_BYTES_MAX] })
    }

    /// Sends a datagram. `WouldBlock` means that the kernel's queue is full.
    pub(crate) fn send(&self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        let socket = match to {
            SocketAddr::V4(_) => &self.v4,
            SocketAddr::V6(_) => self.v6.as_ref().ok_or(io::ErrorKind::Unsupported)?,
        };
        socket.send_to(datagram, to).map(drop)
    }

    /// Passes every datagram that has arrived to `take`, at most `most` of each family.
    pub(crate) fn receive(&mut self, most: usize, mut take: impl FnMut(SocketAddr, &[u8])) {
        for socket in [Some(&self.v4), self.v6.as_ref()].into_iter().flatten() {
            for _ in 0..most {
                // Errors are about datagrams sent before, such as to a port without a listener. The
                // timeouts of those requests handle them.
                match socket.recv_from(&mut self.buffer) {
                    Ok((length, from)) => take(from, &self.buffer[..length]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(_) => {}
                }
            }
        }
    }

    /// The events to wait for: answers, and room to send if `wants_to_send`.
    pub(crate) fn poll_fds(&self, wants_to_send: bool) -> Vec<PollFd<'_>> {
        let mut flags = PollFlags::IN;
        flags.set(PollFlags::OUT, wants_to_send);
        let sockets = [Some(&self.v4), self.v6.as_ref()].into_iter().flatten();
        sockets.map(|socket| PollFd::new(socket, flags)).collect()
    }
}
