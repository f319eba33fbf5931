//! What the tables say of a feed.

use sqlclient::{Address, Connection, Value};
use sqlring::{Dialect, Ring, Selection};

use crate::Error;
use crate::ask::ask_one;
use crate::load;

/// The state of a feed.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Status {
    /// What is fed.
    pub selection: Selection,
    /// Databases that are fed.
    pub databases: usize,
    /// Databases whose rows are still to be deleted, since they are gone or began anew.
    pub trash: usize,
    /// The rings.
    pub rings: Vec<RingStatus>,
    /// Who feeds, or fed last.
    pub feeder: String,
    /// When it last wrote, in seconds since 1970; 0 for never.
    pub beat_seconds: i64,
    /// How often the feeding began.
    pub epoch: i64,
    /// The newest update that was fed, in seconds since 1970; 0 for none.
    pub newest_seconds: i64,
    /// Databases of which nothing was fed.
    pub databases_unfed: usize,
    /// Bytes of the tables; of SQLite of the whole file.
    pub bytes: u64,
}

/// The table of a ring.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RingStatus {
    /// The ring.
    #[serde(flatten)]
    pub ring: Ring,
    /// Its table.
    pub table: String,
    /// Its view.
    pub view: String,
}

/// Asks a database for the state of its feed.
///
/// # Errors
/// [`Error::NotCreated`]; the database fails.
pub fn status(address: &Address) -> Result<Status, Error> {
    let mut connection = address.connect()?;
    let connection = &mut *connection;
    let selection = load::selection(connection)?;
    let marks = load::marks(connection)?;
    let databases = count(connection, "SELECT COUNT(*) FROM gyre_database")?;
    let trash = count(connection, "SELECT COUNT(*) FROM gyre_trash")?;
    let rings = load::rings(connection)?;
    let sql = "SELECT feeder, beat_seconds, epoch FROM gyre_feed WHERE id = 1";
    let row = ask_one(connection, sql, &[])?.ok_or(Error::NotCreated)?;
    let (feeder, beat_seconds, epoch) = match &row[..] {
        [Value::Text(feeder), Value::Integer(beat_seconds), Value::Integer(epoch)] => {
            (feeder.clone(), *beat_seconds, *epoch)
        }
        _ => {
            let expected = "a feeder, its last sign and an epoch".to_owned();
            return Err(Error::Foreign { table: "gyre_feed", expected });
        }
    };
    let bytes = bytes(connection, &rings)?;
    let rings = rings.into_iter();
    let rings = rings.map(|ring| RingStatus { table: ring.table(), view: ring.view(), ring });
    let fed = marks.iter().filter(|mark| mark.seconds > 0);
    let newest_seconds = fed.clone().map(|mark| mark.seconds).max().unwrap_or(0);
    Ok(Status {
        selection,
        databases,
        trash,
        rings: rings.collect(),
        feeder,
        beat_seconds,
        epoch,
        newest_seconds,
        databases_unfed: databases.saturating_sub(fed.count()),
        bytes,
    })
}

fn count(connection: &mut dyn Connection, sql: &str) -> Result<usize, Error> {
    Ok(usize::try_from(number(connection, sql, &[])?).unwrap_or(0))
}

fn number(connection: &mut dyn Connection, sql: &str, values: &[Value]) -> Result<i64, Error> {
    Ok(match ask_one(connection, sql, values)?.as_deref() {
        Some([Value::Integer(number)]) => *number,
        _ => 0,
    })
}

fn bytes(connection: &mut dyn Connection, rings: &[Ring]) -> Result<u64, Error> {
    let bytes = match connection.dialect() {
        Dialect::Sqlite => {
            number(connection, "PRAGMA page_count", &[])?
                * number(connection, "PRAGMA page_size", &[])?
        }
        Dialect::MariaDb => number(
            connection,
            "SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS SIGNED) FROM \
             information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'gyre\\_%'",
            &[],
        )?,
        Dialect::Postgres => {
            let tables = sqlring::TABLES.iter().map(|table| (*table).to_owned());
            let mut sum = 0;
            for table in tables.chain(rings.iter().map(Ring::table)) {
                let sql = "SELECT pg_total_relation_size(to_regclass(?))";
                sum += number(connection, sql, &[Value::Text(table)])?;
            }
            sum
        }
    };
    Ok(u64::try_from(bytes).unwrap_or(0))
}
