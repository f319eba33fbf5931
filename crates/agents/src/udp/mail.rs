//! Many datagrams by one system call.

use std::io::IoSliceMut;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd as _;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg};

/// The most datagrams of one system call.
pub(crate) const BATCH: usize = 64;
/// The largest datagram that UDP carries.
const DATAGRAM_BYTES_MAX: usize = 65_535;

/// The memory for them.
pub(crate) struct Mail {
    buffers: Vec<u8>,
}

/// What one call brought.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// How many.
    pub(crate) datagrams: usize,
    /// How many the kernel has dropped of this socket in all; `None` if it did not say.
    pub(crate) dropped: Option<u32>,
}

impl Mail {
    pub(crate) fn new() -> Self {
        Self { buffers: vec![0; BATCH * DATAGRAM_BYTES_MAX] }
    }

    /// Passes datagrams that have arrived to `take`, at most [`BATCH`].
    pub(crate) fn receive(
        &mut self,
        socket: &UdpSocket,
        mut take: impl FnMut(SocketAddr, &[u8]),
    ) -> Received {
        // New each time: headers keep how much was told of the last datagrams, and the kernel tells
        // no more of the next ones.
        let control = nix::cmsg_space!(u32);
        let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(BATCH, Some(control));
        let parts = self.buffers.chunks_exact_mut(DATAGRAM_BYTES_MAX);
        let mut slices: Vec<[IoSliceMut<'_>; 1]> =
            parts.map(|part| [IoSliceMut::new(part)]).collect();
        let flags = MsgFlags::MSG_DONTWAIT;
        let mut received = Received::default();
        // An error means that there are none.
        let all = recvmmsg(socket.as_raw_fd(), &mut headers, &mut slices, flags, None);
        for message in all.into_iter().flatten() {
            received.datagrams += 1;
            for control in message.cmsgs().into_iter().flatten() {
                if let ControlMessageOwned::RxqOvfl(dropped) = control {
                    received.dropped = Some(dropped);
                }
            }
            let from = message.address.as_ref().and_then(address);
            if let (Some(from), Some(content)) = (from, message.iovs().next()) {
                take(from, content);
            }
        }
        received
    }
}

fn address(raw: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = raw.as_sockaddr_in().map(|v4| SocketAddr::V4((*v4).into()));
    v4.or_else(|| Some(SocketAddr::V6((*raw.as_sockaddr_in6()?).into())))
}
