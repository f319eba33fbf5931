//! A database of one of the three kinds, with its files in the benchmark's directory.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sqlclient::{Connection, Dialect};
use testbed::ProcessCounters;

use crate::store::Tables;

/// A database, which is removed when this is dropped.
pub(super) enum Database {
    Sqlite(PathBuf),
    MariaDb(Box<oracle::MariaDb>),
    Postgres(Box<oracle::Postgres>),
}

impl Database {
    /// Makes one, with further options if it is a server; `None` if its program is missing.
    pub(super) fn make(
        dialect: Dialect,
        inside: &Path,
        options: &[&str],
    ) -> Result<Option<Self>, String> {
        // PostgreSQL runs as a user of its own, who has to enter the directory.
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(inside, open).map_err(|error| error.to_string())?;
        let (what, reach) = ("the benchmark's rows of that database", oracle::Reach::Socket);
        Ok(match dialect {
            Dialect::Sqlite => Some(Self::Sqlite(inside.join("rings.sqlite"))),
            Dialect::MariaDb => oracle::MariaDb::start_below(inside, what, reach, options)
                .map(|server| Self::MariaDb(server.into())),
            Dialect::Postgres => oracle::Postgres::start_below(inside, what, reach, options)
                .map(|server| Self::Postgres(server.into())),
        })
    }

    /// Where its tables are.
    pub(super) fn tables(&self) -> Tables {
        match self {
            Self::Sqlite(path) => Tables::Sqlite(path.clone()),
            Self::MariaDb(server) => Tables::MariaDb(server.socket()),
            Self::Postgres(server) => Tables::Postgres(server.socket()),
        }
    }

    pub(super) fn connect(&self) -> Result<Box<dyn Connection>, String> {
        self.tables().address().connect().map_err(|error| error.to_string())
    }

    /// Kills a server as a power cut would.
    pub(super) fn kill9(&mut self) {
        match self {
            Self::Sqlite(_) => {}
            Self::MariaDb(server) => server.kill9(),
            Self::Postgres(server) => server.kill9(),
        }
    }

    /// Starts it again.
    pub(super) fn restart(&mut self) {
        match self {
            Self::Sqlite(_) => {}
            Self::MariaDb(server) => server.restart(),
            Self::Postgres(server) => server.restart(),
        }
    }

    /// Processor time of its processes: 0 for SQLite, which runs within the benchmark's.
    pub(super) fn processor_seconds(&self) -> f64 {
        let processes = match self {
            Self::Sqlite(_) => Vec::new(),
            Self::MariaDb(server) => server.processes(),
            Self::Postgres(server) => server.processes(),
        };
        // One that ends meanwhile counts as a child of the first.
        let counters = processes.into_iter().filter_map(|it| ProcessCounters::of(it).ok());
        counters.map(|it| it.user_seconds + it.system_seconds + it.children_seconds).sum()
    }

    /// The bytes of a table with its keys, or of the whole file.
    pub(super) fn bytes(&self, table: &str) -> Result<u64, String> {
        let told = match self {
            Self::Sqlite(path) => {
                let file = std::fs::metadata(path).map_err(|error| error.to_string())?;
                return Ok(file.len());
            }
            Self::MariaDb(server) => server.run(&format!(
                "SELECT FILE_SIZE FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME = \
                 '{}/{table}'",
                oracle::DATABASE_NAME
            )),
            Self::Postgres(server) => {
                server.run(&format!("SELECT pg_total_relation_size('{table}')"))
            }
        };
        told.trim().parse().map_err(|_| format!("expected the size of {table}, found {told:?}"))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Servers remove their own directories.
        if let Self::Sqlite(path) = self {
            for end in ["", "-wal", "-shm", "-feeder"] {
                let mut path = path.clone().into_os_string();
                path.push(end);
                let _ = std::fs::remove_file(path); // it may never have been made
            }
        }
    }
}
