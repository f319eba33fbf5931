//! The databases whose SQL is spoken.

use std::fmt;

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SQLite, embedded.
    Sqlite,
    /// MariaDB and MySQL.
    MariaDb,
    /// PostgreSQL.
    Postgres,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Sqlite, Self::MariaDb, Self::Postgres];

    /// The name as people write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::MariaDb => "MariaDB",
            Self::Postgres => "PostgreSQL",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
