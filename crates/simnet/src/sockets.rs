//! The sockets of all devices. They have the devices' port at every address of loopback, so that
//! thousands of devices need few sockets and many datagrams come with one system call. The kernel
//! tells the address that each datagram was sent to, and is told the one that an answer is from.

use nix::libc::in_pktinfo;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, MultiHeaders, SockaddrIn, recvmmsg, setsockopt,
    sockopt as nix_sockopt,
};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd as _;

/// The datagrams of one system call, at most.
pub(crate) const BATCH: usize = 64;
const DATAGRAM_BYTES_MAX: usize = 65_536;
/// Receive buffers in all: a collector may ask thousands of devices at once.
const BUFFERS_BYTES: usize = 8 << 20;
/// The most sockets, if the system allows each but a small buffer.
const SOCKETS_MAX: usize = 32;

/// A datagram to or from a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Route {
    /// The device's side.
    pub(crate) device: Ipv4Addr,
    /// The collector's.
    pub(crate) peer: SocketAddrV4,
}

/// The memory for many datagrams.
pub(crate) struct Mail {
    headers: MultiHeaders<SockaddrIn>,
    buffers: Vec<u8>,
}

/// Opens the sockets for a port.
pub(crate) fn open(port: u16) -> io::Result<Vec<UdpSocket>> {
    let mut sockets = vec![open_one(port, true)?];
    let mut buffers_bytes = sockopt::socket_recv_buffer_size(&sockets[0])?;
    while buffers_bytes < BUFFERS_BYTES && sockets.len() < SOCKETS_MAX {
        let socket = open_one(port, false)?;
        buffers_bytes += sockopt::socket_recv_buffer_size(&socket)?;
        sockets.push(socket);
    }
    Ok(sockets)
}

/// Opens a socket. The first one of a network must be alone with its port: then the others share
/// it, and the kernel spreads the datagrams.
fn open_one(port: u16, is_first: bool) -> io::Result<UdpSocket> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)?;
    // Datagrams from elsewhere have no address of loopback; this also keeps those out that were
    // sent to another address of this machine.
    let _ = setsockopt(&socket, nix_sockopt::BindToDevice, &"lo".into());
    setsockopt(&socket, nix_sockopt::Ipv4PacketInfo, &true)?;
    if sockopt::set_socket_recv_buffer_size_force(&socket, BUFFERS_BYTES).is_err() {
        sockopt::set_socket_recv_buffer_size(&socket, BUFFERS_BYTES)?;
    }
    if !is_first {
        sockopt::set_socket_reuseport(&socket, true)?;
    }
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    sockopt::set_socket_reuseport(&socket, true)?;
    Ok(socket.into())
}

impl Mail {
    pub(crate) fn new() -> Mail {
        let control = nix::cmsg_space!(in_pktinfo);
        let headers = MultiHeaders::preallocate(BATCH, Some(control));
        Mail { headers, buffers: vec![0; BATCH * DATAGRAM_BYTES_MAX] }
    }

    /// Passes datagrams that have arrived to `take`, at most [`BATCH`]. Returns how many.
    pub(crate) fn receive(
        &mut self,
        socket: &UdpSocket,
        mut take: impl FnMut(Route, &[u8]),
    ) -> usize {
        let parts = self.buffers.chunks_exact_mut(DATAGRAM_BYTES_MAX);
        let mut slices: Vec<[IoSliceMut<'_>; 1]> =
            parts.map(|part| [IoSliceMut::new(part)]).collect();
        let flags = MsgFlags::MSG_DONTWAIT;
        // An error means that there are no datagrams, or that an earlier answer was not delivered.
        let received = recvmmsg(socket.as_raw_fd(), &mut self.headers, &mut slices, flags, None);
        let Ok(received) = received else { return 0 };
        let mut count = 0;
        for message in received {
            count += 1;
            let control = message.cmsgs().ok().and_then(|mut all| all.next());
            if let (Some(ControlMessageOwned::Ipv4PacketInfo(info)), Some(peer), Some(content)) =
                (control, message.address, message.iovs().next())
            {
                let device = Ipv4Addr::from(u32::from_be(info.ipi_addr.s_addr));
                take(Route { device, peer: peer.into() }, content);
            }
        }
        count
    }
}
