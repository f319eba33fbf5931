//! The statements of the feed on ring tables.

use crate::{Dialect, RESERVED_SECONDS, Ring};

/// What an insertion of rows says of slots that are taken: the newer row wins, repeats do nothing.
#[must_use]
pub fn on_conflict(dialect: Dialect, ring: Ring) -> String {
    const VALUES: [&str; 4] = ["average", "minimum", "maximum", "last"];
    let table = ring.table();
    match dialect {
        Dialect::Sqlite | Dialect::Postgres => {
            let set = VALUES.map(|column| format!("{column} = excluded.{column}")).join(", ");
            format!(
                "ON CONFLICT (block, series, slot) DO UPDATE SET time = excluded.time, {set} \
                 WHERE excluded.time > {table}.time"
            )
        }
        Dialect::MariaDb => {
            // Assignments count from left to right, so the time is the last.
            let set = VALUES.map(|column| {
                format!("{column} = IF(VALUES(time) > time, VALUES({column}), {column})")
            });
            format!(
                "ON DUPLICATE KEY UPDATE {}, time = GREATEST(time, VALUES(time))",
                set.join(", ")
            )
        }
    }
}

/// Deletes the rows of series `>= ?` and `< ?` in block `?`.
#[must_use]
pub fn delete_series_of_block(ring: Ring) -> String {
    format!("DELETE FROM {} WHERE block = ? AND series >= ? AND series < ?", ring.table())
}

/// All rows of series `>= ?` and `< ?` in block `?`, in the order of series and slots, without
/// reserved slots.
#[must_use]
pub fn rows_of_block(ring: Ring) -> String {
    format!(
        "SELECT series, slot, time, average, minimum, maximum, last FROM {} WHERE block = ? AND \
         series >= ? AND series < ? AND time > {RESERVED_SECONDS} ORDER BY series, slot",
        ring.table()
    )
}
