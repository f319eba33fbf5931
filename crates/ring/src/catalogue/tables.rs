//! The tables of the catalogue.

use journal::LogPosition;
use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

use super::entry::Meta;
use super::error::Failure;
use super::{CatalogueError, FORMAT};

/// Numbers of the store as a whole.
pub(super) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// Small values of others.
pub(super) const NAMED: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("named");
pub(super) const DEFINITIONS: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("definitions");
pub(super) const GROUPS: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("groups");
pub(super) const RRDS: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("rrds");
// Names are bytes to redb: it would panic over a text that is none.
pub(super) const NAMES: TableDefinition<'_, &[u8], u32> = TableDefinition::new("names");
pub(super) const FOREIGN: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("foreign");

/// Keys of [`META`].
mod key {
    pub(super) const FORMAT: &str = "format";
    pub(super) const APPLIED: &str = "applied";
    pub(super) const FLUSH_CYCLES: &str = "flush_cycles";
    pub(super) const TILE_ROWS_MAX: &str = "tile_rows_max";
    pub(super) const SEGMENT_BYTES: &str = "journal.segment_bytes";
    pub(super) const BLOCK_BYTES: &str = "journal.block_bytes";
    pub(super) const SEGMENTS: &str = "journal.segments";
}

/// Every table, open for one transaction.
pub(super) struct Tables<'a> {
    pub(super) meta: Table<'a, &'static str, u64>,
    pub(super) named: Table<'a, &'static str, &'static [u8]>,
    pub(super) definitions: Table<'a, u32, &'static [u8]>,
    pub(super) groups: Table<'a, u32, &'static [u8]>,
    pub(super) rrds: Table<'a, u32, &'static [u8]>,
    pub(super) names: Table<'a, &'static [u8], u32>,
    pub(super) foreign: Table<'a, u32, &'static [u8]>,
}

impl<'a> Tables<'a> {
    /// Opens them; those that do not exist are made.
    pub(super) fn open(transaction: &'a WriteTransaction) -> Result<Self, redb::TableError> {
        Ok(Self {
            meta: transaction.open_table(META)?,
            named: transaction.open_table(NAMED)?,
            definitions: transaction.open_table(DEFINITIONS)?,
            groups: transaction.open_table(GROUPS)?,
            rrds: transaction.open_table(RRDS)?,
            names: transaction.open_table(NAMES)?,
            foreign: transaction.open_table(FOREIGN)?,
        })
    }

    /// Writes the numbers of a new store.
    pub(super) fn put_meta(&mut self, meta: &Meta) -> Result<(), redb::StorageError> {
        let numbers = [
            (key::FORMAT, FORMAT),
            (key::APPLIED, 0),
            (key::FLUSH_CYCLES, meta.flush_cycles.into()),
            (key::TILE_ROWS_MAX, meta.tile_rows_max.into()),
            (key::SEGMENT_BYTES, meta.segment_bytes),
            (key::BLOCK_BYTES, meta.block_bytes),
            (key::SEGMENTS, meta.segments.into()),
        ];
        for (key, number) in numbers {
            self.meta.insert(key, number)?;
        }
        Ok(())
    }

    pub(super) fn put_applied(&mut self, applied: LogPosition) -> Result<(), redb::StorageError> {
        self.meta.insert(key::APPLIED, applied.0).map(drop)
    }
}

/// [`META`], from wherever it is read.
pub(super) trait Numbers {
    /// The number of that name.
    fn number(&self, name: &'static str) -> Result<Option<u64>, Failure>;
}

impl<T: ReadableTable<&'static str, u64>> Numbers for T {
    fn number(&self, name: &'static str) -> Result<Option<u64>, Failure> {
        Ok(self.get(name)?.map(|number| number.value()))
    }
}

/// Says whether a program of this version can read the store.
pub(super) fn check_format(numbers: &impl Numbers) -> Result<(), Failure> {
    match number(numbers, key::FORMAT)? {
        FORMAT => Ok(()),
        found => Err(CatalogueError::Version { expected: FORMAT, found }.into()),
    }
}

pub(super) fn applied(numbers: &impl Numbers) -> Result<LogPosition, Failure> {
    number(numbers, key::APPLIED).map(LogPosition)
}

pub(super) fn meta(numbers: &impl Numbers) -> Result<Meta, Failure> {
    Ok(Meta {
        flush_cycles: small(numbers, key::FLUSH_CYCLES)?,
        tile_rows_max: small(numbers, key::TILE_ROWS_MAX)?,
        segment_bytes: number(numbers, key::SEGMENT_BYTES)?,
        block_bytes: number(numbers, key::BLOCK_BYTES)?,
        segments: small(numbers, key::SEGMENTS)?,
    })
}

fn number(numbers: &impl Numbers, key: &'static str) -> Result<u64, Failure> {
    numbers
        .number(key)?
        .ok_or_else(|| Failure::Value(format!("meta: expected {key}, found nothing")))
}

fn small<T: TryFrom<u64>>(numbers: &impl Numbers, key: &'static str) -> Result<T, Failure> {
    let number = number(numbers, key)?;
    let out_of_range = |_| Failure::Value(format!("meta: {key} is {number}"));
    T::try_from(number).map_err(out_of_range)
}
