//! Sockets that listen.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};

use intake::Protocol;
use rustix::net::sockopt;

/// Where senders of a protocol send to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// The protocol.
    pub protocol: Protocol,
    /// The address; port 0 stands for a free one.
    pub address: SocketAddr,
}

/// What carries a protocol's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Connections.
    Tcp,
    /// Datagrams.
    Udp,
}

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The system refuses it.
    #[error("listening on {} for {} over {transport}: {}",
        .at.address, .at.protocol, disk::system_words(cause))]
    Socket {
        /// Which one.
        at: Listening,
        /// Whether it is that of connections or of datagrams.
        transport: Transport,
        /// Why.
        cause: io::Error,
    },
    /// The protocol has no socket of its own.
    #[error("listening on {} for {}: expected a protocol that does not come by HTTP",
        .0.address, .0.protocol)]
    Http(Listening),
    /// The system refuses a thread, or what it waits by.
    #[error("starting to listen to agents: {}", disk::system_words(.0))]
    Thread(io::Error),
}

impl fmt::Display for Transport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
        })
    }
}

/// Connections that wait to be accepted; the kernel cuts it to what it allows.
pub(crate) const BACKLOG: usize = 4096;
/// Datagrams that wait in the kernel while others are stored.
pub(crate) const RECEIVE_BUFFER_BYTES: usize = 8 << 20;
/// How often a free port is looked for that is free for connections and datagrams.
const PORTS_TRIED_MAX: usize = 16;

/// The sockets of an address.
#[derive(Debug)]
pub(crate) struct Sockets {
    pub(crate) protocol: Protocol,
    pub(crate) tcp: Option<TcpListener>,
    pub(crate) udp: Option<UdpSocket>,
}

impl Sockets {
    /// # Errors
    /// [`ListenError`].
    pub(crate) fn open(at: Listening) -> Result<Self, ListenError> {
        let mut tried = 1;
        loop {
            match Self::open_once(at) {
                Err(ListenError::Socket { cause, .. })
                    if at.address.port() == 0
                        && cause.kind() == io::ErrorKind::AddrInUse
                        && tried < PORTS_TRIED_MAX =>
                {
                    tried += 1;
                }
                done => return done,
            }
        }
    }

    fn open_once(at: Listening) -> Result<Self, ListenError> {
        let protocol = at.protocol;
        let (has_tcp, has_udp) = match protocol {
            Protocol::Graphite | Protocol::Statsd => (true, true),
            Protocol::Pickle => (true, false),
            Protocol::Influx | Protocol::Collectd => (false, true),
            Protocol::RemoteWrite => return Err(ListenError::Http(at)),
        };
        let failed = |transport| move |cause| ListenError::Socket { at, transport, cause };
        let tcp = has_tcp.then(|| tcp(at.address)).transpose().map_err(failed(Transport::Tcp))?;
        let same = tcp.as_ref().map(TcpListener::local_addr).transpose();
        let address = same.map_err(failed(Transport::Tcp))?.unwrap_or(at.address);
        let udp = has_udp.then(|| udp(address)).transpose().map_err(failed(Transport::Udp))?;
        Ok(Self { protocol, tcp, udp })
    }

    /// Where it listens, with the port that it got.
    pub(crate) fn listening(&self) -> Option<Listening> {
        let of_tcp = self.tcp.as_ref().map(TcpListener::local_addr);
        let address = of_tcp.or_else(|| self.udp.as_ref().map(UdpSocket::local_addr));
        address?.ok().map(|address| Listening { protocol: self.protocol, address })
    }
}

fn tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpListener::bind(address)?;
    socket.set_nonblocking(true)?;
    // It listens already: a kernel that refuses leaves it as it is.
    let _ = rustix::net::listen(&socket, BACKLOG as i32);
    Ok(socket)
}

fn udp(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    // Only an administrator may exceed the system's limit; others get the limit.
    if sockopt::set_socket_recv_buffer_size_force(&socket, RECEIVE_BUFFER_BYTES).is_err() {
        sockopt::set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER_BYTES)?;
    }
    // A kernel that does not count what it drops leaves it uncounted.
    let _ = nix::sys::socket::setsockopt(&socket, nix::sys::socket::sockopt::RxqOvfl, &1);
    Ok(socket)
}
