//! From an address to a connection.

use crate::address::{Address, Place};
use crate::{Connection, Error};

impl Address {
    /// Connects.
    ///
    /// # Errors
    /// Nobody answers in time, or the login is refused; the driver is not compiled in.
    pub fn connect(&self) -> Result<Box<dyn Connection>, Error> {
        match &self.place {
            #[cfg(feature = "sqlite")]
            Place::File { path, read_only } => {
                crate::sqlite::connect(path, *read_only, &self.deadlines)
            }
            #[cfg(feature = "mariadb")]
            Place::Server(server) if server.dialect == sqlring::Dialect::MariaDb => {
                crate::mariadb::connect(server, &self.deadlines)
            }
            #[cfg(feature = "postgres")]
            Place::Server(server) if server.dialect == sqlring::Dialect::Postgres => {
                crate::postgres::connect(server, &self.deadlines)
            }
            #[allow(unreachable_patterns, reason = "with all features there is no other")]
            _ => Err(Error::Unreachable(format!(
                "this program was built without {}",
                self.dialect()
            ))),
        }
    }
}
