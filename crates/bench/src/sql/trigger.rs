//! The rival: a table that a trigger makes a ring, by a counter in a table of one row. It is the
//! one of a known article on MySQL as a round robin database, with InnoDB, whose commits are
//! durable.
//!
//! Its ring is one for all attributes, and its trigger counts on a row being a call.

use std::time::{Duration, Instant};

use sqlclient::{BulkInsert, ColumnType, Connection, Value};

use super::server::Database;

/// Rows that the table is to keep.
pub(super) const ROWS: u64 = 25_920;
/// Rows of a call in the second way.
const MANY: usize = 500;
const ATTRIBUTES: u64 = 100_000;

/// How one way went.
pub(super) struct Way {
    /// Rows a second.
    pub(super) rate: f64,
    pub(super) sent: u64,
    pub(super) rows_left: u64,
}

/// Both ways.
pub(super) struct Ways {
    pub(super) one: Way,
    pub(super) many: Way,
}

const TABLES: [&str; 4] = [
    "DROP TABLE IF EXISTS statistic_rrd, statistic_rrd_key",
    "CREATE TABLE statistic_rrd (
        rrd_key INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
        attribute_key INT UNSIGNED NOT NULL DEFAULT 0,
        start_utime INT UNSIGNED NOT NULL DEFAULT 0,
        end_utime INT UNSIGNED DEFAULT NULL,
        logging_interval INT UNSIGNED NOT NULL DEFAULT 0,
        value BIGINT UNSIGNED NOT NULL DEFAULT 0,
        UNIQUE KEY (attribute_key, start_utime),
        KEY start_time (start_utime)) ENGINE=InnoDB",
    "CREATE TABLE statistic_rrd_key (rrd_key BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) \
     ENGINE=InnoDB",
    "INSERT INTO statistic_rrd_key VALUES (0)",
];

const TRIGGER: &str = "CREATE TRIGGER statistic_rrd_ins BEFORE INSERT ON statistic_rrd FOR EACH ROW
    BEGIN
        SET @rrd_key = 0;
        SET @rows = 25920;
        IF NEW.rrd_key = 0 THEN
            SELECT rrd_key + 1 FROM statistic_rrd_key INTO @rrd_key;
            SET NEW.rrd_key = @rrd_key;
        END IF;
        IF (NEW.rrd_key % @rows) THEN
            SET NEW.rrd_key = NEW.rrd_key % @rows;
        ELSE
            SET NEW.rrd_key = @rows;
        END IF;
        UPDATE statistic_rrd_key SET rrd_key = NEW.rrd_key;
    END";

pub(super) fn measure(database: &Database, seconds: u64) -> Result<Ways, String> {
    let mut connection = database.connect()?;
    let mut way = |rows| -> Result<Way, String> {
        TABLES.iter().try_for_each(|sql| execute(&mut *connection, sql, &[]).map(drop))?;
        fill(&mut *connection)?;
        execute(&mut *connection, TRIGGER, &[])?;
        send(&mut *connection, rows, Duration::from_secs(seconds))
    };
    Ok(Ways { one: way(1)?, many: way(MANY)? })
}

/// The first time round, without the trigger.
fn fill(connection: &mut dyn Connection) -> Result<(), String> {
    let columns = ["rrd_key", "attribute_key", "start_utime", "logging_interval", "value"];
    let rows = (1..=ROWS).flat_map(|key| [key, key, 1, 300, key].map(integer));
    let rows: Vec<Value> = rows.collect();
    let types = [ColumnType::BigInt; 5];
    let insert =
        BulkInsert { table: "statistic_rrd", columns: &columns, types: &types, conflict: "" };
    connection.write_rows(&insert, &rows).map_err(|error| error.to_string())
}

fn send(connection: &mut dyn Connection, many: usize, time: Duration) -> Result<Way, String> {
    let row = "(?, ?, NULL, 100, 123456789)";
    let sql = format!(
        "REPLACE INTO statistic_rrd (attribute_key, start_utime, end_utime, logging_interval, \
         value) VALUES {}",
        vec![row; many].join(", ")
    );
    let (mut sent, begun) = (0, Instant::now());
    while begun.elapsed() < time {
        let rows = (sent..sent + many as u64).flat_map(|nth| {
            [integer(chance::first(nth) % ATTRIBUTES), integer(1_780_000_000 + nth / 1000)]
        });
        execute(connection, &sql, &rows.collect::<Vec<_>>())?;
        sent += many as u64;
    }
    let rate = sent as f64 / begun.elapsed().as_secs_f64();
    let mut rows_left = 0;
    let mut take = |row: &[Value]| {
        if let [Value::Integer(count)] = row {
            rows_left = count.unsigned_abs();
        }
        std::ops::ControlFlow::Continue(())
    };
    let counted = connection.query("SELECT COUNT(*) FROM statistic_rrd", &[], &mut take);
    counted.map_err(|error| error.to_string())?;
    Ok(Way { rate, sent, rows_left })
}

fn execute(connection: &mut dyn Connection, sql: &str, values: &[Value]) -> Result<u64, String> {
    connection.execute(sql, values).map_err(|error| error.to_string())
}

fn integer(number: u64) -> Value {
    Value::Integer(number as i64)
}
