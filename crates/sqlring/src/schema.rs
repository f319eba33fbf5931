//! The tables and views, as the statements that make and drop them.

use crate::names::NAME_CHARACTERS_MAX;
use crate::{Dialect, RESERVED_SECONDS, Ring};

/// The version of the schema.
pub const SCHEMA_VERSION: i64 = 1;

/// The columns of a ring table.
pub const RING_COLUMNS: [&str; 8] =
    ["block", "series", "slot", "time", "average", "minimum", "maximum", "last"];

/// The tables besides those of rings, in the order in which they are made.
pub const TABLES: [&str; 8] = [
    "gyre_feed",
    "gyre_layout",
    "gyre_database",
    "gyre_series",
    "gyre_part",
    "gyre_trash",
    "gyre_ring",
    "gyre_block",
];

/// The names of types in which the dialects differ.
struct Types {
    name: String,
    text: &'static str,
    bytes: &'static str,
    double: &'static str,
    /// Behind the closing bracket of a table.
    table: &'static str,
    /// Behind that of a table of rings.
    ring: &'static str,
}

impl Types {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Sqlite => Self {
                name: "TEXT".into(),
                text: "TEXT",
                bytes: "BLOB",
                // A column of type REAL would keep -0.0 as the integer 0.
                double: "",
                table: "",
                ring: " WITHOUT ROWID",
            },
            Dialect::MariaDb => Self {
                name: format!(
                    "VARCHAR({NAME_CHARACTERS_MAX}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
                ),
                text: "MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                bytes: "MEDIUMBLOB",
                double: "DOUBLE",
                table: " ENGINE=InnoDB",
                ring: " ENGINE=InnoDB",
            },
            Dialect::Postgres => Self {
                name: "TEXT COLLATE \"C\"".into(),
                text: "TEXT",
                bytes: "BYTEA",
                double: "DOUBLE PRECISION",
                table: "",
                // A cycle updates one slot in each block of slots: room for that makes new versions
                // of rows stay on their page, so that the table does not grow.
                ring: " WITH (fillfactor = 80)",
            },
        }
    }
}

/// Makes the tables besides those of rings.
#[must_use]
pub fn create_tables(dialect: Dialect) -> Vec<String> {
    let Types { name, text, bytes, table, .. } = Types::of(dialect);
    let index = if dialect == Dialect::MariaDb { ", KEY gyre_series_name (name)" } else { "" };
    let columns = [
        format!(
            "gyre_feed (id INTEGER NOT NULL PRIMARY KEY, version INTEGER NOT NULL, \
             selection {text} NOT NULL, epoch BIGINT NOT NULL, beats BIGINT NOT NULL, \
             beat_seconds BIGINT NOT NULL, feeder {text} NOT NULL, place {text} NOT NULL)"
        ),
        format!("gyre_layout (layout INTEGER NOT NULL PRIMARY KEY, description {text} NOT NULL)"),
        format!(
            "gyre_database (number INTEGER NOT NULL PRIMARY KEY, name {name} NOT NULL UNIQUE, \
             layout INTEGER NOT NULL, first_series INTEGER NOT NULL)"
        ),
        format!(
            "gyre_series (series INTEGER NOT NULL PRIMARY KEY, name {name} NOT NULL, \
             source {name} NOT NULL, kind {name} NOT NULL, step_seconds BIGINT NOT NULL{index})"
        ),
        format!("gyre_part (part INTEGER NOT NULL PRIMARY KEY, marks {bytes} NOT NULL)"),
        "gyre_trash (first_series INTEGER NOT NULL PRIMARY KEY, series INTEGER NOT NULL, \
         layout INTEGER NOT NULL)"
            .to_owned(),
        "gyre_ring (row_seconds BIGINT NOT NULL, slots BIGINT NOT NULL, \
         PRIMARY KEY (row_seconds, slots))"
            .to_owned(),
        "gyre_block (block INTEGER NOT NULL PRIMARY KEY)".to_owned(),
    ];
    let create = |columns| format!("CREATE TABLE IF NOT EXISTS {columns}{table}");
    let tables = columns.into_iter().map(create);
    // MySQL has no CREATE INDEX IF NOT EXISTS, but an index within the table.
    let index = (dialect != Dialect::MariaDb)
        .then(|| "CREATE INDEX IF NOT EXISTS gyre_series_name ON gyre_series (name)".to_owned());
    tables.chain(index).collect()
}

/// Makes the table and the view of a ring. Reserved slots are not shown.
#[must_use]
pub fn create_ring(dialect: Dialect, ring: Ring) -> Vec<String> {
    let Types { double, ring: end, .. } = Types::of(dialect);
    let (table, view, blocks) = (ring.table(), ring.view(), ring.blocks());
    let utc = match dialect {
        Dialect::Sqlite => "datetime(r.time, 'unixepoch')",
        // FROM_UNIXTIME ends in 2038, and has the zone of the session.
        Dialect::MariaDb => "TIMESTAMP('1970-01-01') + INTERVAL r.time SECOND",
        Dialect::Postgres => "to_timestamp(r.time) AT TIME ZONE 'UTC'",
    };
    let view_if = match dialect {
        Dialect::Sqlite => "VIEW IF NOT EXISTS",
        Dialect::MariaDb | Dialect::Postgres => "OR REPLACE VIEW",
    };
    vec![
        format!(
            "CREATE TABLE IF NOT EXISTS {table} (block INTEGER NOT NULL, series INTEGER NOT NULL, \
             slot INTEGER NOT NULL, time BIGINT NOT NULL, average {double}, minimum {double}, \
             maximum {double}, last {double}, PRIMARY KEY (block, series, slot)){end}"
        ),
        format!(
            "CREATE {view_if} {view} AS SELECT r.time AS time, {utc} AS utc, s.name AS name, \
             s.source AS source, r.average AS average, r.minimum AS minimum, r.maximum AS maximum, \
             r.last AS last, r.series AS series FROM gyre_series s JOIN gyre_block b ON \
             b.block < {blocks} JOIN {table} r ON r.block = b.block AND r.series = s.series AND \
             r.time > {RESERVED_SECONDS}"
        ),
    ]
}

/// The rows of `gyre_block` that a ring's view needs.
#[must_use]
pub const fn blocks_of(ring: Ring) -> std::ops::Range<u64> {
    0..ring.blocks()
}

/// Drops the table and the view of a ring.
#[must_use]
pub fn drop_ring(ring: Ring) -> Vec<String> {
    vec![
        format!("DROP VIEW IF EXISTS {}", ring.view()),
        format!("DROP TABLE IF EXISTS {}", ring.table()),
    ]
}

/// Drops all other tables. The table that says what is fed goes last, so that a drop that was cut
/// short can be repeated.
#[must_use]
pub fn drop_tables() -> Vec<String> {
    TABLES.iter().rev().map(|table| format!("DROP TABLE IF EXISTS {table}")).collect()
}
