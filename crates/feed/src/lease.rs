//! One feeder at a time.
//!
//! A feeder counts the epoch up when it begins, and every transaction of its asks whether the epoch
//! is still its own. So what an older one has under way is refused by the database itself. A lock
//! besides keeps a second one from beginning: it goes with its holder, or with its connection.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use disk::{File, HeldLock, Mode};
use sqlclient::{Address, Connection, Value};
use sqlring::Dialect;

use crate::Error;
use crate::ask::ask_one;

/// The number of PostgreSQL's lock: "gyrefeed". Its locks are of a database each.
const LOCK_NUMBER: i64 = 0x6779_7265_6665_6564;
/// Takes MariaDB's lock, whose name holds for all databases of the server.
const MARIADB_LOCK: &str = "SELECT GET_LOCK(CONCAT('gyre_feed ', MD5(DATABASE())), 0)";
/// Ends the session of a feeder whose network fell silent, so that its lock is free again. A feeder
/// that lives shows it more often.
const MARIADB_IDLE: &str = "SET SESSION wait_timeout = 300";
const POSTGRES_IDLE: [&str; 2] =
    ["SET idle_in_transaction_session_timeout = '300s'", "SET idle_session_timeout = '300s'"];

/// The right to feed.
pub(crate) struct Lease {
    epoch: i64,
    /// SQLite's lock: of a file beside the database's.
    _file: Option<HeldLock>,
}

impl Lease {
    /// Takes the right to feed.
    ///
    /// # Errors
    /// [`Error::Taken`].
    pub(crate) fn take(
        address: &Address,
        connection: &mut dyn Connection,
        feeder: &str,
    ) -> Result<Self, Error> {
        let file = lock(address, connection)?;
        let values = [Value::Text(feeder.into()), Value::Integer(now_seconds())];
        connection.begin()?;
        connection.execute(
            "UPDATE gyre_feed SET epoch = epoch + 1, beats = beats + 1, feeder = ?, \
             beat_seconds = ? WHERE id = 1",
            &values,
        )?;
        let epoch = ask_one(connection, "SELECT epoch FROM gyre_feed WHERE id = 1", &[])?;
        connection.commit()?;
        match epoch.as_deref() {
            Some([Value::Integer(epoch)]) => Ok(Self { epoch: *epoch, _file: file }),
            _ => Err(Error::NotCreated),
        }
    }

    /// To be called in each transaction: makes sure that no other feeder has begun.
    ///
    /// # Errors
    /// [`Error::Superseded`].
    pub(crate) fn hold(&self, connection: &mut dyn Connection) -> Result<(), Error> {
        let changed = connection.execute(
            "UPDATE gyre_feed SET beats = beats + 1, beat_seconds = ? WHERE id = 1 AND epoch = ?",
            &[Value::Integer(now_seconds()), Value::Integer(self.epoch)],
        )?;
        if changed == 1 { Ok(()) } else { Err(Error::Superseded) }
    }
}

fn lock(address: &Address, connection: &mut dyn Connection) -> Result<Option<HeldLock>, Error> {
    let answer = match connection.dialect() {
        Dialect::Sqlite => return lock_file(address, connection).map(Some),
        Dialect::MariaDb => {
            connection.execute(MARIADB_IDLE, &[])?;
            ask_one(connection, MARIADB_LOCK, &[])?
        }
        Dialect::Postgres => {
            for sql in POSTGRES_IDLE {
                // PostgreSQL 13 does not know the second.
                let _ = connection.execute(sql, &[]);
            }
            let sql = "SELECT CASE WHEN pg_try_advisory_lock(?) THEN 1 ELSE 0 END";
            ask_one(connection, sql, &[Value::Integer(LOCK_NUMBER)])?
        }
    };
    match answer.as_deref() {
        Some([Value::Integer(1)]) => Ok(None),
        _ => Err(taken(connection)),
    }
}

/// SQLite locks its file for a transaction at most, so another file beside it is locked.
fn lock_file(address: &Address, connection: &mut dyn Connection) -> Result<HeldLock, Error> {
    let mut path = address.file().map(|file| file.as_os_str().to_owned()).unwrap_or_default();
    path.push("-feeder");
    let failed = |error| Error::Lock { path: PathBuf::from(&path), error };
    let file = match File::create(Path::new(&path)) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            File::open(Path::new(&path), Mode::Update)
        }
        created => created,
    };
    let file = file.map_err(failed)?;
    match file.try_lock(Mode::Update).map_err(failed)? {
        true => Ok(HeldLock::of(file)),
        false => Err(taken(connection)),
    }
}

/// Who feeds, as the table says.
fn taken(connection: &mut dyn Connection) -> Error {
    let feeder = ask_one(connection, "SELECT feeder FROM gyre_feed WHERE id = 1", &[]);
    match feeder.ok().flatten().as_deref() {
        Some([Value::Text(feeder)]) => Error::Taken { feeder: feeder.clone() },
        _ => Error::Taken { feeder: "another process".into() },
    }
}

pub(crate) fn now_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
