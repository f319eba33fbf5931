//! The file that says where a database is, as TOML.
//!
//! ```toml
//! [database]
//! kind = "postgresql"          # or "mariadb", "sqlite"
//! host = "db.example.org"      # or socket = "/run/postgresql"; for SQLite file = "rows.sqlite"
//! name = "gyre"
//! user = "gyre"
//! port = 5433
//! password_file = "password"   # or password_env = "GYRE_PASSWORD"
//! tls = "verify"               # or "off", on sockets and loopback alone, where it is usual
//! ca_file = "authority.pem"    # otherwise the authorities that this machine trusts
//! connect_seconds = 10         # deadlines
//! call_seconds = 60
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use sqlring::Dialect;
use toml::Spanned;

use super::password::{FileFault, Password};
use super::problem::{AddressError, Problem};
use super::{Address, Deadlines, Place, Reach, Server, Tls};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    database: Spanned<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Spanned<Kind>,
    file: Option<Spanned<PathBuf>>,
    socket: Option<Spanned<PathBuf>>,
    host: Option<Spanned<String>>,
    port: Option<Spanned<u16>>,
    name: Option<Spanned<String>>,
    user: Option<Spanned<String>>,
    password_file: Option<Spanned<PathBuf>>,
    password_env: Option<Spanned<String>>,
    tls: Option<Spanned<TlsWord>>,
    ca_file: Option<Spanned<PathBuf>>,
    connect_seconds: Option<Spanned<u32>>,
    call_seconds: Option<Spanned<u32>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Sqlite,
    MariaDb,
    Postgresql,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum TlsWord {
    Verify,
    Off,
}

/// A problem, and where in the text it is.
type Placed = (Range<usize>, Problem);

impl Address {
    /// Reads the text of a file. Relative paths in it begin at the file's directory.
    ///
    /// # Errors
    /// The first mistake, with file and line.
    pub fn read(
        text: &str,
        file: &Path,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, AddressError> {
        let directory = file.parent().unwrap_or(Path::new(""));
        let document = toml::from_str::<Document>(text).map_err(|error| {
            let problem = Problem::Syntax(crate::error::one_line(error.message()));
            (error.span().unwrap_or_default(), problem)
        });
        let read = document.and_then(|document| {
            let whole = document.database.span();
            Reader { table: document.database.into_inner(), whole, directory, environment }.read()
        });
        read.map_err(|(span, problem)| AddressError {
            file: file.into(),
            line: line_of(text, span.start),
            problem,
        })
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

struct Reader<'a> {
    table: Table,
    whole: Range<usize>,
    directory: &'a Path,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    fn read(&self) -> Result<Address, Placed> {
        let place = match self.table.kind.get_ref() {
            Kind::Sqlite => self.sqlite()?,
            Kind::MariaDb => Place::Server(self.server(Dialect::MariaDb)?),
            Kind::Postgresql => Place::Server(self.server(Dialect::Postgres)?),
        };
        Ok(Address { place, deadlines: self.deadlines()? })
    }

    fn sqlite(&self) -> Result<Place, Placed> {
        let table = &self.table;
        let needless = [
            span("socket", &table.socket),
            span("host", &table.host),
            span("port", &table.port),
            span("name", &table.name),
            span("user", &table.user),
            span("password_file", &table.password_file),
            span("password_env", &table.password_env),
            span("tls", &table.tls),
            span("ca_file", &table.ca_file),
        ];
        self.refuse(needless.into_iter().flatten().next())?;
        let file = self.needed("file", &table.file)?;
        if file.get_ref().as_os_str().is_empty() {
            return Err((file.span(), Problem::Empty("file")));
        }
        Ok(Place::File { path: self.directory.join(file.get_ref()), read_only: false })
    }

    fn server(&self, dialect: Dialect) -> Result<Server, Placed> {
        self.refuse(span("file", &self.table.file))?;
        let reach = self.reach(dialect)?;
        Ok(Server {
            dialect,
            tls: self.tls(&reach)?,
            database: self.text("name", &self.table.name)?,
            user: self.text("user", &self.table.user)?,
            password: self.password()?,
            reach,
        })
    }

    fn reach(&self, dialect: Dialect) -> Result<Reach, Placed> {
        let Table { socket, host, port, .. } = &self.table;
        match (socket, host) {
            (Some(socket), Some(_)) => {
                Err((socket.span(), Problem::Both { key: "socket", other: "host" }))
            }
            (Some(socket), None) => {
                if let Some(port) = port {
                    return Err((port.span(), Problem::Both { key: "port", other: "socket" }));
                }
                if socket.get_ref().as_os_str().is_empty() {
                    return Err((socket.span(), Problem::Empty("socket")));
                }
                Ok(Reach::Socket(self.directory.join(socket.get_ref())))
            }
            (None, Some(_)) => {
                let port = port.as_ref().map(|port| *port.get_ref());
                Ok(Reach::Network { host: self.text("host", host)?, port })
            }
            (None, None) => {
                let kind = dialect.name();
                Err((self.whole.clone(), Problem::Missing { kind, key: "host` or `socket" }))
            }
        }
    }

    fn tls(&self, reach: &Reach) -> Result<Tls, Placed> {
        let Table { tls, ca_file, .. } = &self.table;
        let asked = tls.as_ref().map(|word| *word.get_ref());
        let is_off = asked.map_or(reach.is_local() && ca_file.is_none(), |w| w == TlsWord::Off);
        match (tls, ca_file) {
            (Some(word), _) if is_off && !reach.is_local() => {
                let Reach::Network { host, .. } = reach else { return Ok(Tls::Off) };
                Err((word.span(), Problem::Unencrypted { host: host.clone() }))
            }
            (Some(word), _) if !is_off && matches!(reach, Reach::Socket(_)) => {
                let problem = Problem::Needless { kind: "a socket", key: "tls" };
                Err((word.span(), problem))
            }
            (_, Some(file)) if is_off => Err((file.span(), Problem::UselessAuthority)),
            (_, Some(file)) if matches!(reach, Reach::Socket(_)) => {
                Err((file.span(), Problem::Needless { kind: "a socket", key: "ca_file" }))
            }
            _ if is_off => Ok(Tls::Off),
            (_, file) => {
                let ca_file = file.as_ref().map(|file| self.directory.join(file.get_ref()));
                Ok(Tls::Verify { ca_file })
            }
        }
    }

    fn password(&self) -> Result<Option<Password>, Placed> {
        let Table { password_file, password_env, .. } = &self.table;
        match (password_file, password_env) {
            (None, None) => Ok(None),
            (Some(file), Some(_)) => {
                let problem = Problem::Both { key: "password_file", other: "password_env" };
                Err((file.span(), problem))
            }
            (Some(file), None) => {
                let path = self.directory.join(file.get_ref());
                let read = Password::of_file(&path);
                read.map(Some).map_err(|fault| (file.span(), problem_of(fault, path)))
            }
            (None, Some(variable)) => {
                let name = variable.get_ref();
                let found = (self.environment)(name).filter(|text| !text.is_empty());
                let missing = || (variable.span(), Problem::NoVariable(name.clone()));
                found.map(|text| Some(Password::new(text))).ok_or_else(missing)
            }
        }
    }

    fn deadlines(&self) -> Result<Deadlines, Placed> {
        let usual = Deadlines::default();
        let read = |key, asked: &Option<Spanned<u32>>, usual| match asked {
            None => Ok(usual),
            Some(seconds) if *seconds.get_ref() == 0 => {
                Err((seconds.span(), Problem::Deadline(key)))
            }
            Some(seconds) => Ok(Duration::from_secs(u64::from(*seconds.get_ref()))),
        };
        Ok(Deadlines {
            connect: read("connect_seconds", &self.table.connect_seconds, usual.connect)?,
            call: read("call_seconds", &self.table.call_seconds, usual.call)?,
        })
    }

    fn kind(&self) -> &'static str {
        match self.table.kind.get_ref() {
            Kind::Sqlite => Dialect::Sqlite.name(),
            Kind::MariaDb => Dialect::MariaDb.name(),
            Kind::Postgresql => Dialect::Postgres.name(),
        }
    }

    fn needed<'b, T>(
        &self,
        key: &'static str,
        value: &'b Option<Spanned<T>>,
    ) -> Result<&'b Spanned<T>, Placed> {
        let missing = || (self.whole.clone(), Problem::Missing { kind: self.kind(), key });
        value.as_ref().ok_or_else(missing)
    }

    fn text(&self, key: &'static str, value: &Option<Spanned<String>>) -> Result<String, Placed> {
        let found = self.needed(key, value)?;
        match found.get_ref().is_empty() {
            true => Err((found.span(), Problem::Empty(key))),
            false => Ok(found.get_ref().clone()),
        }
    }

    fn refuse(&self, found: Option<Found>) -> Result<(), Placed> {
        found.map_or(Ok(()), |Found { key, span }| {
            Err((span, Problem::Needless { kind: self.kind(), key }))
        })
    }
}

/// A key that is there.
struct Found {
    key: &'static str,
    span: Range<usize>,
}

fn span<T>(key: &'static str, value: &Option<Spanned<T>>) -> Option<Found> {
    value.as_ref().map(|value| Found { key, span: value.span() })
}

fn problem_of(fault: FileFault, path: PathBuf) -> Problem {
    match fault {
        FileFault::System(error) => Problem::File { path, error },
        FileFault::Open(mode) => Problem::OpenToOthers { path, mode },
        FileFault::Empty => Problem::NoPassword { path },
    }
}
