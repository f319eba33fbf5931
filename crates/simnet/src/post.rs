//! Sends many answers with one system call, each from the address of its own device.
//!
//! nix's `sendmmsg` gives all datagrams of a call the same control messages, and rustix's knows none
//! that name the sender's address. So this file makes the call itself.

use crate::delivery::Letter;
use nix::libc;
use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd as _;

/// The answers of one system call, at most.
const BATCH: usize = 64;

/// What became of answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) sent: u64,
    /// The system refused these.
    pub(crate) unsent: u64,
}

/// The control message that says which address a datagram is from.
#[repr(C)]
struct Origin {
    header: libc::cmsghdr,
    info: libc::in_pktinfo,
}

// The padding between the two is that of CMSG_DATA, and that behind them that of CMSG_SPACE.
const INFO_BYTES: u32 = size_of::<libc::in_pktinfo>() as u32;
#[expect(unsafe_code)] // libc has them as unsafe functions, though they calculate only
// SAFETY: they read no memory.
const _: () = unsafe {
    assert!(size_of::<Origin>() == libc::CMSG_SPACE(INFO_BYTES) as usize);
    let info_end = std::mem::offset_of!(Origin, info) + size_of::<libc::in_pktinfo>();
    assert!(info_end == libc::CMSG_LEN(INFO_BYTES) as usize);
};

/// Sends answers in their order. One that the system refuses, because its peer is gone or the queue
/// is full, delays no other.
pub(crate) fn send(socket: &UdpSocket, letters: &[&Letter]) -> Sent {
    let mut done = Sent::default();
    let mut rest = letters;
    while !rest.is_empty() {
        let (batch, _) = rest.split_at(rest.len().min(BATCH));
        let passed = match send_batch(socket, batch) {
            Ok(sent) if sent > 0 => {
                done.sent += sent as u64;
                sent
            }
            // The first one was refused; the others were not tried.
            Ok(_) | Err(_) => {
                done.unsent += 1;
                1
            }
        };
        rest = rest.get(passed..).unwrap_or_default();
    }
    done
}

/// One call of `sendmmsg(2)`. Returns how many of the first answers were sent.
fn send_batch(socket: &UdpSocket, letters: &[&Letter]) -> io::Result<usize> {
    let mut origins: Vec<Origin> = letters.iter().map(|letter| origin(letter)).collect();
    let mut peers: Vec<libc::sockaddr_in> = letters.iter().map(|letter| peer(letter)).collect();
    let mut contents: Vec<libc::iovec> = letters.iter().map(|letter| content(letter)).collect();
    let parts = origins.iter_mut().zip(&mut peers).zip(&mut contents);
    let mut headers: Vec<libc::mmsghdr> =
        parts.map(|((origin, peer), content)| header(origin, peer, content)).collect();
    let (first, count) = (headers.as_mut_ptr(), headers.len() as libc::c_uint);
    #[expect(unsafe_code)] // see the head of this file
    // SAFETY: the headers point to origins, peers and contents, each of which is a vector that
    // outlives the call and does not grow; the contents point to the letters, which are borrowed.
    let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), first, count, libc::MSG_DONTWAIT as _) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

fn origin(letter: &Letter) -> Origin {
    let device = libc::in_addr { s_addr: u32::from(letter.route.device).to_be() };
    let unset = libc::in_addr { s_addr: 0 };
    let info = libc::in_pktinfo { ipi_ifindex: 0, ipi_spec_dst: device, ipi_addr: unset };
    #[expect(unsafe_code)] // some systems have padding in it that cannot be named
    // SAFETY: all zeros are a valid header of a control message.
    let mut header: libc::cmsghdr = unsafe { std::mem::zeroed() };
    header.cmsg_len = (std::mem::offset_of!(Origin, info) + size_of_val(&info)) as _;
    header.cmsg_level = libc::IPPROTO_IP;
    header.cmsg_type = libc::IP_PKTINFO;
    Origin { header, info }
}

fn peer(letter: &Letter) -> libc::sockaddr_in {
    let peer = letter.route.peer;
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: peer.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(*peer.ip()).to_be() },
        sin_zero: [0; 8],
    }
}

fn content(letter: &Letter) -> libc::iovec {
    // The kernel only reads what is sent.
    let start = letter.datagram.as_ptr().cast_mut().cast();
    libc::iovec { iov_base: start, iov_len: letter.datagram.len() }
}

/// The header of one datagram; it points to its parts.
fn header(
    origin: &mut Origin,
    peer: &mut libc::sockaddr_in,
    content: &mut libc::iovec,
) -> libc::mmsghdr {
    #[expect(unsafe_code)] // some systems have padding in it that cannot be named
    // SAFETY: all zeros are a valid header of a datagram: one without an address and contents.
    let mut header: libc::mmsghdr = unsafe { std::mem::zeroed() };
    header.msg_hdr.msg_name = std::ptr::from_mut(peer).cast();
    header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    header.msg_hdr.msg_iov = content;
    header.msg_hdr.msg_iovlen = 1;
    header.msg_hdr.msg_control = std::ptr::from_mut(origin).cast();
    header.msg_hdr.msg_controllen = size_of::<Origin>() as _;
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::{Route, open};
    use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
    use std::time::Duration;

    /// Each answer comes from its own device, in order, over several calls; those for port 0, which
    /// the system refuses, take no other with them.
    #[test]
    fn refused_answers_delay_no_other() {
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let sockets = open(port).unwrap();
        let collector = UdpSocket::bind("127.0.0.1:0").unwrap();
        collector.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let SocketAddr::V4(good) = collector.local_addr().unwrap() else { unreachable!() };
        let bad = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
        let is_refused = |number: u8| matches!(number, 0 | 7 | 8 | 100 | 149);
        let device = |number| Ipv4Addr::new(127, 16, 3, number);
        let letter = |number| {
            let peer = if is_refused(number) { bad } else { good };
            let route = Route { device: device(number), peer };
            Letter { route, datagram: vec![number; usize::from(number)] }
        };
        let letters: Vec<Letter> = (0..150).map(letter).collect();
        let sent = send(&sockets[0], &letters.iter().collect::<Vec<_>>());
        assert_eq!(sent, Sent { sent: 145, unsent: 5 });
        let mut buffer = [0; 200];
        for number in (0..150).filter(|number| !is_refused(*number)) {
            let (bytes, from) = collector.recv_from(&mut buffer).unwrap();
            assert_eq!(&buffer[..bytes], vec![number; usize::from(number)]);
            assert_eq!(from, SocketAddr::from((device(number), port)));
        }
    }
}
