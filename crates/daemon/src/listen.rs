//! Sockets: where they are, and how they come to be.

use std::io;
use std::net::{TcpListener, ToSocketAddrs as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use listenfd::ListenFd;

use crate::connection::{self, Stream};
use crate::options::Refused;
use crate::process::privileges;
use crate::session::Permissions;

/// The port of an address that names none.
const DEFAULT_PORT: u16 = 42217;
/// Connections that wait to be accepted; the kernel cuts it to what it allows.
const BACKLOG: i32 = 4096;
/// The socket's mode where its group is chosen.
const GROUP_MODE: u32 = 0o760;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A socket in the file system.
    Unix(PathBuf),
    /// A port; of every interface where the host is empty.
    Network { host: String, port: u16 },
}

/// A socket to be made.
#[derive(Clone, Debug)]
pub(crate) struct Listening {
    pub(crate) address: Address,
    pub(crate) permissions: Permissions,
    pub(crate) group: Option<String>,
    pub(crate) mode: Option<u32>,
}

impl Default for Listening {
    fn default() -> Self {
        let address = Address::Unix("/tmp/rrdcached.sock".into());
        Self { address, permissions: Permissions::ALL, group: None, mode: None }
    }
}

impl Address {
    /// Reads what `-l` says. A host with more than one colon is a number of IPv6, unless brackets
    /// stand around it.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(path.into()));
        }
        if text.starts_with('/') {
            return Ok(Self::Unix(text.into()));
        }
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let closed = rest.split_once(']');
                let (host, tail) = closed.ok_or_else(|| format!("Malformed address: {text}"))?;
                let port = tail.strip_prefix(':');
                if port.is_none() && !tail.is_empty() {
                    return Err(format!("Garbage after address: {tail}"));
                }
                (host, port)
            }
            None => match text.split_once(':') {
                Some((host, port)) if !port.contains(':') => (host, Some(port)),
                _ => (text, None),
            },
        };
        let wrong = |port| format!("expected the number of a port, found '{port}'");
        let port = port.map(|port| port.parse().map_err(|_| wrong(port))).transpose()?;
        Ok(Self::Network { host: host.into(), port: port.unwrap_or(DEFAULT_PORT) })
    }
}

/// A socket that connections come to.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) socket: Socket,
    pub(crate) permissions: Permissions,
    /// The file that goes when the socket goes.
    pub(crate) file: Option<PathBuf>,
}

/// The socket itself.
#[derive(Debug)]
pub(crate) enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Socket {
    /// The next connection.
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix(listener) => {
                listener.accept().map(|(stream, _)| connection::Socket::Unix(stream).into())
            }
            Self::Tcp(listener) => {
                listener.accept().map(|(stream, _)| connection::Socket::Tcp(stream).into())
            }
        }
    }

    /// Wakes the thread that waits in [`Socket::accept`]; it gets an error.
    pub(crate) fn end(&self) {
        // One that cannot be ended ends with the process.
        let _ = match self {
            Self::Unix(listener) => rustix::net::shutdown(listener, rustix::net::Shutdown::Both),
            Self::Tcp(listener) => rustix::net::shutdown(listener, rustix::net::Shutdown::Both),
        };
    }
}

/// The sockets that systemd hands over.
///
/// # Errors
/// One of them is none that listens for connections.
pub(crate) fn handed_over(permissions: Permissions) -> Result<Vec<Listener>, Refused> {
    let mut fds = ListenFd::from_env();
    let wrong = |error: io::Error| Refused::new(1, format!("a socket of systemd's: {error}"));
    let mut listeners = Vec::new();
    for nth in 0..fds.len() {
        let socket = match fds.take_unix_listener(nth) {
            Ok(found) => found.map(Socket::Unix),
            Err(_) => fds.take_tcp_listener(nth).map_err(wrong)?.map(Socket::Tcp),
        };
        listeners.extend(socket.map(|socket| Listener { socket, permissions, file: None }));
    }
    Ok(listeners)
}

/// Makes the sockets of an address: a host may have several.
///
/// # Errors
/// Which address, and why.
pub(crate) fn open(listening: &Listening) -> Result<Vec<Listener>, Refused> {
    match &listening.address {
        Address::Unix(path) => Ok(vec![open_unix(listening, path)?]),
        Address::Network { host, port } => open_network(listening, host, *port),
    }
}

fn open_network(listening: &Listening, host: &str, port: u16) -> Result<Vec<Listener>, Refused> {
    let failed = |error: io::Error| Refused::new(1, format!("listening on {host}:{port}: {error}"));
    let permissions = listening.permissions;
    let listener = |socket: TcpListener| {
        deepen(&socket);
        Listener { socket: Socket::Tcp(socket), permissions, file: None }
    };
    if host.is_empty() {
        // The one takes connections of either family, where the machine has both.
        let both =
            TcpListener::bind(("::", port)).or_else(|_| TcpListener::bind(("0.0.0.0", port)));
        return both.map(|socket| vec![listener(socket)]).map_err(failed);
    }
    let addresses = (host, port).to_socket_addrs().map_err(failed)?;
    let bound = addresses.map(|address| TcpListener::bind(address).map(listener));
    let bound = bound.collect::<io::Result<Vec<Listener>>>().map_err(failed)?;
    match bound.is_empty() {
        true => Err(Refused::new(1, format!("listening on {host}:{port}: no such host"))),
        false => Ok(bound),
    }
}

/// The standard library's queue is too short for a thousand clients at once.
fn deepen(socket: &impl AsFd) {
    // It listens already: a kernel that refuses leaves it as it is.
    let _ = rustix::net::listen(socket, BACKLOG);
}

fn open_unix(listening: &Listening, path: &Path) -> Result<Listener, Refused> {
    let failed = |error: io::Error| {
        Refused::new(
            1,
            format!("listening on {}: {}", path.display(), rrdtool::system_words(&error)),
        )
    };
    let group = listening.group.as_deref().map(privileges::group).transpose()?;
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    let mode = listening.mode.or(group.map(|_| GROUP_MODE));
    // Until its mode is set nobody else may connect.
    let mask = mode.map(|_| rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177)));
    let socket = bind(path);
    if let Some(mask) = mask {
        rustix::process::umask(mask);
    }
    let socket = socket.map_err(failed)?;
    deepen(&socket);
    if group.is_some() {
        chown(path, None, group).map_err(failed)?;
    }
    if let Some(mode) = mode {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(failed)?;
    }
    let (socket, file) = (Socket::Unix(socket), Some(path.into()));
    Ok(Listener { socket, permissions: listening.permissions, file })
}

fn is_socket(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

/// A socket whose daemon is gone gives way; one that somebody answers on does not, nor does a file
/// that is no socket.
fn bind(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_socket(path) => {
            let left = UnixStream::connect(path);
            if left.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
                std::fs::remove_file(path)?;
                return UnixListener::bind(path);
            }
            Err(error)
        }
        bound => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_are_those_of_rrdcached() {
        let network = |host: &str, port| Ok(Address::Network { host: host.into(), port });
        for (text, address) in [
            ("unix:/a", Ok(Address::Unix("/a".into()))),
            ("/a:5", Ok(Address::Unix("/a:5".into()))),
            ("", network("", 42217)),
            (":5", network("", 5)),
            ("localhost", network("localhost", 42217)),
            ("localhost:5", network("localhost", 5)),
            ("10.0.0.1:5", network("10.0.0.1", 5)),
            ("::1", network("::1", 42217)),
            ("[::1]", network("::1", 42217)),
            ("[::1]:5", network("::1", 5)),
        ] {
            assert_eq!(Address::parse(text), address, "{text}");
        }
        for text in ["[::1", "[::1]5", "a:b", "a:70000", "[a]:"] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
