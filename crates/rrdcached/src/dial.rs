//! Sockets: getting a connection, and whether it still stands.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use dns_lookup::{AddrInfoHints, SockType};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::time::Timespec;

use crate::security::{Encrypted, encrypt};
use crate::{Address, Error, SocketName, Unresolved, cut_socket_path};

/// How long a host may take to answer a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How long a daemon may take to say something. A flush waits for the disk behind the whole queue:
/// rrdtool's client waits without end, and what took minutes must still succeed.
const ANSWER_PATIENCE: Duration = Duration::from_secs(300);

/// A connected socket.
#[derive(Debug)]
pub(crate) enum Socket {
    Unix(UnixStream),
    Network(TcpStream),
    Encrypted(Box<Encrypted>),
}

impl Socket {
    pub(crate) fn connect(address: &Address) -> Result<Self, Error> {
        let socket = match address {
            Address::Unix(path) => Self::Unix(connect_unix(path).map_err(Error::Connect)?),
            Address::Network { host, port, .. } => Self::Network(connect_network(host, port)?),
        };
        socket.set_patience().map_err(Error::Connect)?;
        match (socket, address) {
            (Self::Network(stream), Address::Network { host, is_tls: true, .. }) => {
                let encrypted = encrypt(host, stream).map_err(Error::Connect)?;
                Ok(Self::Encrypted(Box::new(encrypted)))
            }
            (socket, _) => Ok(socket),
        }
    }

    /// Whether nobody reads a secret on its way that is sent here.
    pub(crate) fn is_private(&self) -> bool {
        match self {
            Self::Unix(_) | Self::Encrypted(_) => true,
            Self::Network(stream) => {
                stream.peer_addr().is_ok_and(|peer| peer.ip().to_canonical().is_loopback())
            }
        }
    }

    /// Whether nothing has happened since the last reply. A daemon that ended, or one that
    /// answers unasked, is not to be spoken to.
    pub(crate) fn is_quiet(&self) -> bool {
        let mut watched = [PollFd::from_borrowed_fd(self.as_fd(), PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut watched, Some(&at_once)), Ok(0))
    }

    fn set_patience(&self) -> io::Result<()> {
        let patience = Some(ANSWER_PATIENCE);
        match self {
            Self::Unix(stream) => {
                stream.set_read_timeout(patience)?;
                stream.set_write_timeout(patience)
            }
            Self::Network(stream) => set_patience(stream, patience),
            Self::Encrypted(stream) => set_patience(&stream.sock, patience),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Network(stream) => stream.as_fd(),
            Self::Encrypted(stream) => stream.sock.as_fd(),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(buffer),
            Self::Network(stream) => stream.read(buffer),
            Self::Encrypted(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(buffer),
            Self::Network(stream) => stream.write(buffer),
            Self::Encrypted(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Encrypted(stream) => stream.flush(),
            Self::Unix(_) | Self::Network(_) => Ok(()), // nothing gathers on the way
        }
    }
}

fn set_patience(stream: &TcpStream, patience: Option<Duration>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(patience)?;
    stream.set_write_timeout(patience)
}

fn connect_unix(path: &Path) -> io::Result<UnixStream> {
    // An empty path would be a socket without a name, on which no daemon listens.
    if path.as_os_str().is_empty() {
        return Err(Errno::CONNREFUSED.into());
    }
    let whole = SocketName::of(path).and_then(|name| UnixStream::connect(name.path()));
    match (whole, cut_socket_path(path)) {
        // A daemon of rrdtool's listens where the path was cut.
        (Err(_), Some(beginning)) => UnixStream::connect(beginning),
        (outcome, _) => outcome,
    }
}

fn connect_network(host: &str, port: &str) -> Result<TcpStream, Error> {
    let mut refused = io::Error::from(Errno::ADDRNOTAVAIL);
    for address in resolve(host, port)? {
        match TcpStream::connect_timeout(&address, CONNECT_PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => refused = error,
        }
    }
    Err(Error::Connect(refused))
}

fn resolve(host: &str, port: &str) -> Result<Vec<SocketAddr>, Error> {
    let unresolved = |reason| Error::Unresolved { host: host.into(), port: port.into(), reason };
    let streams = AddrInfoHints { socktype: SockType::Stream.into(), ..AddrInfoHints::default() };
    let found = dns_lookup::getaddrinfo(Some(host), Some(port), Some(streams));
    let found = found.map_err(|error| unresolved(Unresolved { number: error.error_num() }))?;
    let addresses = found.map(|found| Ok(found?.sockaddr));
    addresses.collect::<io::Result<_>>().map_err(Error::Connect)
}
