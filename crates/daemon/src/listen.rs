//! Sockets that clients connect to, and how they come to be.

use std::io;
use std::net::{TcpListener, ToSocketAddrs as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use guard::Exposed;
use listenfd::ListenFd;
use rrdcached::SocketName;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::address::Address;
use crate::encryption::Encryption;
use crate::process::group::{self, UnknownGroup};
use crate::session::Permissions;
use crate::sockets::Listening;
use crate::stream::{self, Stream};

/// Connections that wait to be accepted; the kernel cuts it to what it allows. The standard
/// library's queue is too short for a thousand clients at once.
const BACKLOG: i32 = 4096;
/// The socket's mode where its group is chosen.
const GROUP_MODE: u32 = 0o760;

/// A socket that connections come to.
#[derive(Debug)]
pub struct Listener {
    pub(crate) socket: Socket,
    pub(crate) permissions: Permissions,
    pub(crate) file: Option<SocketFile>,
}

/// The file of a Unix socket that was made here. It goes when the socket ends, or is dropped.
#[derive(Debug)]
pub(crate) struct SocketFile {
    pub(crate) path: PathBuf,
    /// Another daemon may have made it anew since.
    is_removed: AtomicBool,
}

impl SocketFile {
    fn remove(&self) {
        if !self.is_removed.swap(true, Ordering::Relaxed) {
            // Its directory may be one that we may no longer write.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The socket itself.
#[derive(Debug)]
pub(crate) enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
    Tls(TcpListener, Encryption),
}

/// Why there is no socket to listen on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The system refuses it.
    #[error("listening on {address}: {}", rrdtool::system_words(cause))]
    Socket {
        /// Where it should be.
        address: String,
        /// Why it is not.
        cause: io::Error,
    },
    /// A socket that systemd hands over is of another kind.
    #[error("a socket of systemd's: {}", rrdtool::system_words(.0))]
    HandedOver(io::Error),
    /// Its connections should be encrypted.
    #[error("listening on {0}: expected a certificate and its key (--tls-cert, --tls-key)")]
    NoCertificate(String),
    /// It should belong to a group that there is not.
    #[error(transparent)]
    Group(#[from] UnknownGroup),
}

impl Listener {
    /// A Unix socket that listens already; its maker removes its file.
    #[must_use]
    pub fn of_unix(socket: UnixListener, permissions: Permissions) -> Self {
        Self { socket: Socket::Unix(socket), permissions, file: None }
    }

    /// Makes the sockets of an address: a host may have several.
    ///
    /// # Errors
    /// Which address, and why.
    pub fn open(listening: &Listening) -> Result<Vec<Self>, ListenError> {
        match &listening.address {
            Address::Unix(path) => Ok(vec![open_unix(listening, path)?]),
            Address::Network { host, port, is_tls: false } => open_network(listening, host, *port),
            Address::Network { is_tls: true, .. } => {
                Err(ListenError::NoCertificate(listening.address.to_string()))
            }
        }
    }

    /// The same as [`Self::open_as_rrdcached`], encrypted where the address says so.
    ///
    /// # Errors
    /// Those of it; or there is no certificate.
    pub fn open_encrypted(
        listening: &Listening,
        encryption: Option<&Encryption>,
    ) -> Result<Vec<Self>, ListenError> {
        let (Some(encryption), Address::Network { host, port, is_tls: true }) =
            (encryption, &listening.address)
        else {
            return Self::open_as_rrdcached(listening);
        };
        let encrypted = |listener: Self| match listener.socket {
            Socket::Tcp(socket) => {
                Self { socket: Socket::Tls(socket, encryption.clone()), ..listener }
            }
            socket => Self { socket, ..listener },
        };
        let sockets = open_network(listening, host, *port)?;
        Ok(sockets.into_iter().map(encrypted).collect())
    }

    /// The same as rrdcached would: its clients, and rrdtool's, know of a path that is longer than
    /// the kernel takes only the beginning, so there is a socket there as well.
    ///
    /// # Errors
    /// Those of [`Listener::open`], if there is no socket at either place.
    pub fn open_as_rrdcached(listening: &Listening) -> Result<Vec<Self>, ListenError> {
        let whole = Self::open(listening);
        let Address::Unix(path) = &listening.address else { return whole };
        let Some(beginning) = rrdcached::cut_socket_path(path) else { return whole };
        let address = Address::Unix(beginning.into());
        match (whole, Self::open(&Listening { address, ..listening.clone() })) {
            (Ok(whole), Ok(beginning)) => Ok([whole, beginning].into_iter().flatten().collect()),
            (Ok(found), Err(error)) => {
                rrdtool::complain!("warning: rrdtool's clients will not connect: {error}");
                Ok(found)
            }
            (Err(_), Ok(found)) => Ok(found),
            (failed, Err(_)) => failed,
        }
    }

    /// Where it listens, as a client names it; a Unix socket that another made may not tell.
    #[must_use]
    pub fn address(&self) -> Option<String> {
        match (&self.socket, &self.file) {
            (Socket::Unix(_), Some(file)) => Some(format!("unix:{}", file.path.display())),
            (Socket::Unix(_), None) => None,
            (Socket::Tcp(socket), _) => socket.local_addr().ok().map(|found| found.to_string()),
            (Socket::Tls(socket, _), _) => {
                socket.local_addr().ok().map(|found| format!("tls:{found}"))
            }
        }
    }

    /// Where other machines reach it without a certificate of their own; `None` if none does.
    #[must_use]
    pub fn exposed(&self) -> Option<Exposed> {
        let socket = match &self.socket {
            Socket::Tcp(socket) => socket,
            Socket::Tls(socket, encryption) if !encryption.knows_clients() => socket,
            Socket::Tls(..) | Socket::Unix(_) => return None,
        };
        let address = socket.local_addr().ok()?;
        guard::is_exposed(address.ip()).then(|| Exposed(address.to_string()))
    }

    /// What encrypts its connections.
    pub(crate) fn encryption(&self) -> Option<&Encryption> {
        match &self.socket {
            Socket::Tls(_, encryption) => Some(encryption),
            _ => None,
        }
    }

    /// Takes no connection any more: the thread that waits for one gets an error.
    pub(crate) fn end(&self) {
        self.socket.end();
        self.file.iter().for_each(SocketFile::remove);
    }
}

impl Socket {
    /// The next connection.
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix(listener) => {
                listener.accept().map(|(stream, _)| stream::Socket::Unix(stream).into())
            }
            Self::Tcp(listener) => {
                listener.accept().map(|(stream, _)| stream::Socket::Tcp(stream).into())
            }
            Self::Tls(listener, encryption) => {
                let (outer, _) = listener.accept()?;
                Ok(encryption.decrypt(outer)?.into())
            }
        }
    }

    fn end(&self) {
        // One that cannot be ended ends with the process.
        let _ = match self {
            Self::Unix(listener) => rustix::net::shutdown(listener, rustix::net::Shutdown::Both),
            Self::Tcp(listener) | Self::Tls(listener, _) => {
                rustix::net::shutdown(listener, rustix::net::Shutdown::Both)
            }
        };
    }
}

/// The sockets that systemd hands over.
///
/// # Errors
/// One of them is none that listens for connections.
pub(crate) fn handed_over(permissions: Permissions) -> Result<Vec<Listener>, ListenError> {
    let mut fds = ListenFd::from_env();
    let mut listeners = Vec::new();
    for nth in 0..fds.len() {
        let socket = match fds.take_unix_listener(nth) {
            Ok(found) => found.map(Socket::Unix),
            Err(_) => fds.take_tcp_listener(nth).map_err(ListenError::HandedOver)?.map(Socket::Tcp),
        };
        listeners.extend(socket.map(|socket| Listener { socket, permissions, file: None }));
    }
    Ok(listeners)
}

fn open_network(
    listening: &Listening,
    host: &str,
    port: u16,
) -> Result<Vec<Listener>, ListenError> {
    let failed =
        |cause: io::Error| ListenError::Socket { address: listening.address.to_string(), cause };
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
        true => Err(failed(io::Error::other("no such host"))),
        false => Ok(bound),
    }
}

fn deepen(socket: &impl AsFd) {
    // It listens already: a kernel that refuses leaves it as it is.
    let _ = rustix::net::listen(socket, BACKLOG);
}

fn open_unix(listening: &Listening, path: &Path) -> Result<Listener, ListenError> {
    let group = listening.group.as_deref().map(group::group).transpose()?;
    let mode = listening.mode.or(group.map(|_| GROUP_MODE));
    let made = make_unix(path, group, mode)
        .map_err(|cause| ListenError::Socket { address: listening.address.to_string(), cause })?;
    let file = SocketFile { path: path.into(), is_removed: AtomicBool::new(false) };
    let (socket, permissions) = (Socket::Unix(made), listening.permissions);
    Ok(Listener { socket, permissions, file: Some(file) })
}

/// A Unix socket of this path and mode. One whose process is gone gives way; one that is in use does
/// not, nor does a file that is no socket.
///
/// # Errors
///
/// `AddrInUse` if something else has the path; those of making a socket and its directory.
pub fn listen_at(path: &Path, mode: u32) -> io::Result<UnixListener> {
    make_unix(path, None, Some(mode))
}

/// A socket that is a file. No client may connect before it has its group and its mode, since it
/// does not listen until then.
fn make_unix(path: &Path, group: Option<u32>, mode: Option<u32>) -> io::Result<UnixListener> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory)?;
    }
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    bind(&socket, path)?;
    let opened =
        permit(path, group, mode).and_then(|()| Ok(rustix::net::listen(&socket, BACKLOG)?));
    if let Err(error) = opened {
        let _ = std::fs::remove_file(path); // the first error is the one to tell
        return Err(error);
    }
    Ok(socket.into())
}

fn permit(path: &Path, group: Option<u32>, mode: Option<u32>) -> io::Result<()> {
    if group.is_some() {
        chown(path, None, group)?;
    }
    match mode {
        Some(mode) => std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)),
        None => Ok(()),
    }
}

/// A socket whose daemon is gone gives way; one on which a daemon answers does not, nor does a file
/// that is no socket.
fn bind(socket: &impl AsFd, path: &Path) -> io::Result<()> {
    // By an empty path the kernel would choose a name that is no file.
    if path.as_os_str().is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let name = SocketName::of(path)?;
    let address = SocketAddrUnix::new(name.path())?;
    match rustix::net::bind(socket, &address).map_err(io::Error::from) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_socket(path) => {
            let left = UnixStream::connect(name.path());
            if left.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
                std::fs::remove_file(path)?;
                return Ok(rustix::net::bind(socket, &address)?);
            }
            Err(error)
        }
        bound => bound,
    }
}

fn is_socket(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}
