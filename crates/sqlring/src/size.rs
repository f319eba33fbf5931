//! What rows take on disk.

use crate::Dialect;

/// Bytes of a row with four values, keys and free room of pages included, in a table that went
/// round once. `cargo xtask bench sql` measures them.
#[must_use]
pub const fn row_bytes(dialect: Dialect) -> u64 {
    match dialect {
        Dialect::Sqlite => 64,
        Dialect::MariaDb => 82,
        Dialect::Postgres => 138,
    }
}
