//! Where a database is, and who asks it.

mod password;
mod problem;
mod file;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlring::Dialect;

pub use password::Password;
pub use problem::{AddressError, Problem};

/// Where a database is. It shows no password, whether by `Display` or by `Debug`.
#[derive(Clone, Debug)]
pub struct Address {
    pub(crate) place: Place,
    pub(crate) deadlines: Deadlines,
}

#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "sqlite"), allow(dead_code, reason = "no driver reads it"))]
pub(crate) enum Place {
    /// A file of SQLite's.
    File { path: PathBuf, read_only: bool },
    /// A server.
    Server(Server),
}

/// How long calls may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Connecting, with the login.
    pub connect: Duration,
    /// Each other call.
    pub call: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), call: Duration::from_secs(60) }
    }
}

/// A database of a server.
#[derive(Clone, Debug)]
pub struct Server {
    /// MariaDB or PostgreSQL.
    pub dialect: Dialect,
    /// The way to it.
    pub reach: Reach,
    /// The name of the database.
    pub database: String,
    /// Who asks.
    pub user: String,
    /// The user's password, if it has one.
    pub password: Option<Password>,
    /// Whether the connection is encrypted.
    pub tls: Tls,
}

/// The way to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A Unix socket; for PostgreSQL also the directory that it lies in.
    Socket(PathBuf),
    /// A host, and a port other than the usual one.
    Network {
        /// Its name or address.
        host: String,
        /// The port.
        port: Option<u16>,
    },
}

/// Whether a connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tls {
    /// It is not.
    Off,
    /// It is, and the server's certificate must be for its name, from an authority of this file or
    /// else of this machine.
    Verify {
        /// The authorities, in PEM.
        ca_file: Option<PathBuf>,
    },
}

impl Address {
    /// A file of SQLite's that is written to. It is made if there is none.
    #[must_use]
    pub fn sqlite(path: &Path) -> Self {
        let place = Place::File { path: path.into(), read_only: false };
        Self { place, deadlines: Deadlines::default() }
    }

    /// A file of SQLite's that is only read, and must be there.
    #[must_use]
    pub fn sqlite_read_only(path: &Path) -> Self {
        let place = Place::File { path: path.into(), read_only: true };
        Self { place, deadlines: Deadlines::default() }
    }

    /// A database of a server.
    #[must_use]
    pub fn server(server: Server) -> Self {
        Self { place: Place::Server(server), deadlines: Deadlines::default() }
    }

    /// The same with other deadlines.
    #[must_use]
    pub fn within(self, deadlines: Deadlines) -> Self {
        Self { deadlines, ..self }
    }

    /// Which SQL is spoken there.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match &self.place {
            Place::File { .. } => Dialect::Sqlite,
            Place::Server(server) => server.dialect,
        }
    }

    /// The file, if it is one of SQLite's.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File { path, .. } => Some(path),
            Place::Server(_) => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.dialect())?;
        match &self.place {
            Place::File { path, .. } => write!(f, "{}", path.display()),
            Place::Server(server) => match &server.reach {
                Reach::Socket(path) => write!(f, "{} at {}", server.database, path.display()),
                Reach::Network { host, port: None } => write!(f, "{} at {host}", server.database),
                Reach::Network { host, port: Some(port) } => {
                    write!(f, "{} at {host}:{port}", server.database)
                }
            },
        }
    }
}

impl Reach {
    /// Whether what goes this way stays on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self {
            Self::Socket(_) => true,
            Self::Network { host, .. } => {
                let address = host.parse::<std::net::IpAddr>();
                host == "localhost" || address.is_ok_and(|address| address.is_loopback())
            }
        }
    }
}
