//! What an opening has to know of a segment of the log: where each group's records stand, and the
//! records that change names.
//!
//! ```text
//!   varint groups;  each: varint number, varint bytes of its runs, the runs
//!   varint records; each: varint position, varint bytes, the record
//! ```

use std::collections::BTreeMap;

use journal::{LogPosition, RawRecord, RecordPlace};
use logform::is_update;
use varint::{Cursor, RecordError, put_varint};

use super::super::world::group_of;
use super::pieces::Pieces;
use super::runs::{Run, Runs};
use crate::record::Event;

/// A longer outline costs more than it spares.
const BYTES_MAX: usize = 512 << 10;

/// An outline in the making.
#[derive(Debug, Default)]
pub(in super::super) struct OutlineBuilder {
    groups: BTreeMap<u32, Pieces>,
    records: Vec<u8>,
    count: u64,
    /// Something is there that an opening has to see in its place among all others.
    is_unfit: bool,
}

impl OutlineBuilder {
    pub(in super::super) fn see(
        &mut self,
        at: LogPosition,
        place: RecordPlace,
        record: &RawRecord<'_>,
    ) {
        self.groups.entry(group_of(record.rrd())).or_default().push(at, place, record);
        if is_update(record.kind()) {
            return;
        }
        match Event::decode(record) {
            Ok(Event::Create { .. } | Event::Delete | Event::Rename { .. }) => {
                self.count += 1;
                put_varint(at.0, &mut self.records);
                put_varint(record.bytes().len() as u64, &mut self.records);
                self.records.extend_from_slice(record.bytes());
            }
            // A definition that is tuned depends on what came before.
            Ok(Event::Tune(_)) | Err(_) => self.is_unfit = true,
            Ok(_) => {}
        }
    }

    /// The outline, if there is to be one.
    pub(in super::super) fn tell(self) -> Option<Vec<u8>> {
        let mut told = Vec::new();
        put_varint(self.groups.len() as u64, &mut told);
        for (group, mut pieces) in self.groups {
            let runs = pieces.complete().bytes();
            put_varint(u64::from(group), &mut told);
            put_varint(runs.len() as u64, &mut told);
            told.extend_from_slice(runs);
        }
        put_varint(self.count, &mut told);
        told.extend_from_slice(&self.records);
        (!self.is_unfit && told.len() <= BYTES_MAX).then_some(told)
    }
}

/// What an outline tells.
pub(super) struct Told<'a> {
    /// Runs of records, by groups.
    pub(super) groups: Vec<(u32, Vec<Run>)>,
    /// Records that change names.
    pub(super) records: Vec<(LogPosition, RawRecord<'a>)>,
}

impl<'a> Told<'a> {
    /// Reads an outline.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut cursor = Cursor::new(bytes);
        let mut told = Self { groups: Vec::new(), records: Vec::new() };
        for _ in 0..cursor.varint("a number of groups")? {
            let group = cursor.varint_u32("a group")?;
            let count = cursor.varint("bytes of runs")? as usize;
            let mut runs = Runs::from_bytes(cursor.take(count, "runs")?);
            let mut of_group = Vec::new();
            while let Some(run) = runs.next_run()? {
                of_group.push(run);
            }
            told.groups.push((group, of_group));
        }
        for _ in 0..cursor.varint("a number of records")? {
            let at = LogPosition(cursor.varint("a position")?);
            let count = cursor.varint("bytes of a record")? as usize;
            let record = RawRecord::parse(cursor.take(count, "a record")?)?;
            told.records.push((at, record));
        }
        Ok(told)
    }
}
