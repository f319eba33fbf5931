//! The three databases, each empty.

use std::path::{Path, PathBuf};

use oracle::{MariaDb, Postgres};
use sqlclient::Address;
use tempfile::TempDir;

/// A database for one test.
pub(crate) enum Server {
    Sqlite(TempDir),
    MariaDb(MariaDb),
    Postgres(Postgres),
}

const WHAT: &str = "feeding tables from rings";

impl Server {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    pub(crate) fn mariadb() -> Option<Self> {
        Some(Self::MariaDb(MariaDb::start(WHAT)?))
    }

    pub(crate) fn postgres() -> Option<Self> {
        Some(Self::Postgres(Postgres::start(WHAT)?))
    }

    /// Its socket; SQLite has none.
    pub(crate) fn socket(&self) -> Option<PathBuf> {
        match self {
            Self::Sqlite(_) => None,
            Self::MariaDb(server) => Some(server.socket()),
            Self::Postgres(server) => {
                let name = format!(".s.PGSQL.{}", server.socket_port());
                Some(server.socket().join(name))
            }
        }
    }

    /// Its address, as a configuration says it.
    pub(crate) fn address(&self) -> Address {
        self.address_by(self.socket())
    }

    /// Its address, for another user with the same password.
    pub(crate) fn address_of(&self, user: &str) -> Address {
        self.address_with(self.socket(), oracle::DATABASE_NAME, user)
    }

    /// The address of another database of the server.
    pub(crate) fn address_in(&self, database: &str) -> Address {
        self.address_with(self.socket(), database, oracle::DATABASE_USER)
    }

    /// Its address over another socket that leads to it.
    pub(crate) fn address_by(&self, socket: Option<PathBuf>) -> Address {
        self.address_with(socket, oracle::DATABASE_NAME, oracle::DATABASE_USER)
    }

    fn address_with(&self, socket: Option<PathBuf>, database: &str, user: &str) -> Address {
        let kind = match self {
            Self::Sqlite(directory) => return Address::sqlite(&directory.path().join("t.sqlite")),
            Self::MariaDb(_) => "mariadb",
            Self::Postgres(_) => "postgresql",
        };
        let socket = socket.expect("a server has a socket");
        let text = format!(
            "[database]\nkind = \"{kind}\"\nsocket = \"{}\"\nname = \"{database}\"\nuser = \"{user}\"\n\
             password_env = \"SECRET\"\n",
            socket.display(),
        );
        let environment = |name: &str| {
            assert_eq!(name, "SECRET");
            Some(oracle::DATABASE_PASSWORD.to_owned())
        };
        Address::read(&text, Path::new("test.toml"), &environment).unwrap()
    }

    /// Kills it and starts it again; SQLite has no process.
    pub(crate) fn kill_and_restart(&mut self) {
        match self {
            Self::Sqlite(_) => {}
            Self::MariaDb(server) => {
                server.kill9();
                server.restart();
            }
            Self::Postgres(server) => {
                server.kill9();
                server.restart();
            }
        }
    }

    /// Ends the connections of all clients, in the middle of whatever they do.
    pub(crate) fn cut_connections(&self) {
        match self {
            Self::Sqlite(_) => {}
            Self::MariaDb(server) => {
                let sql = format!("KILL USER {}", oracle::DATABASE_USER);
                server.run(&sql);
            }
            Self::Postgres(server) => {
                server.run(&format!(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{}' \
                     AND pid <> pg_backend_pid()",
                    oracle::DATABASE_USER
                ));
            }
        }
    }
}
