//! Where the database of a name is, by the options of libdbi's drivers.

use std::path::{Path, PathBuf};

use sqlclient::{Address, Dialect, Password, Reach, Server, Tls};

use crate::error::SqlError;
use crate::path::SqlPath;

/// Where Debian's servers and libdbi have their files.
const MARIADB_SOCKET: &str = "/run/mysqld/mysqld.sock";
const POSTGRES_SOCKETS: &str = "/run/postgresql";
const SQLITE_DIRECTORY: &str = "/var/lib/libdbi/sqlite3";

pub(crate) fn address(asked: &SqlPath<'_>) -> Result<Address, SqlError> {
    match asked.driver {
        "sqlite3" => {
            let name = needed(asked, "sqlite3", "dbname")?;
            let directory = asked.option("sqlite3_dbdir").unwrap_or(SQLITE_DIRECTORY);
            Ok(Address::sqlite_read_only(&Path::new(directory).join(name)))
        }
        "mysql" => server(asked, "mysql", Dialect::MariaDb),
        "pgsql" => server(asked, "pgsql", Dialect::Postgres),
        other => Err(SqlError::Driver(other.to_owned())),
    }
}

/// As with libdbi, the connection is not encrypted.
fn server(
    asked: &SqlPath<'_>,
    driver: &'static str,
    dialect: Dialect,
) -> Result<Address, SqlError> {
    let user = asked.option("username").map(str::to_owned);
    let user = user.or_else(|| std::env::var("USER").ok());
    Ok(Address::server(Server {
        dialect,
        reach: reach(asked, dialect)?,
        database: needed(asked, driver, "dbname")?.to_owned(),
        user: user.ok_or(SqlError::Missing { driver, option: "username" })?,
        password: asked.option("password").map(|text| Password::new(text.to_owned())),
        tls: Tls::Off,
    }))
}

/// The host, or a socket: for MariaDB also with `localhost`, for PostgreSQL a host that is a path.
fn reach(asked: &SqlPath<'_>, dialect: Dialect) -> Result<Reach, SqlError> {
    let host = asked.option("host");
    let port = match asked.option("port") {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| SqlError::Port(text.to_owned()))?),
    };
    let socket = asked.option("mysql_unix_socket").map(PathBuf::from);
    Ok(match (dialect, host) {
        (Dialect::MariaDb, None | Some("localhost")) => {
            Reach::Socket(socket.unwrap_or_else(|| MARIADB_SOCKET.into()))
        }
        (_, None) => Reach::Socket(postgres_socket(POSTGRES_SOCKETS, port)),
        (Dialect::Postgres, Some(host)) if host.starts_with('/') => {
            Reach::Socket(postgres_socket(host, port))
        }
        (_, Some(host)) => Reach::Network { host: host.to_owned(), port },
    })
}

fn postgres_socket(directory: &str, port: Option<u16>) -> PathBuf {
    let directory = Path::new(directory);
    match port {
        None => directory.to_owned(),
        Some(port) => directory.join(format!(".s.PGSQL.{port}")),
    }
}

fn needed<'a>(
    asked: &'a SqlPath<'_>,
    driver: &'static str,
    option: &'static str,
) -> Result<&'a str, SqlError> {
    asked.option(option).ok_or(SqlError::Missing { driver, option })
}
