//! Packs the names of a poll into requests.
//!
//! ```text
//! sysUpTime.0 | ifName.7 ifHCInOctets.7 ifHCOutOctets.7 | ifName.9 ifHCInOctets.9 …
//! ```
//!
//! Every datagram begins with sysUpTime.0, so that a restart between two datagrams is noticed. The
//! counters of an interface are in the same datagram as the property that identifies it. Interfaces
//! with the same columns become rows of one table, which GETBULK asks for in few bytes.

use crate::cell_name::CellName;
use crate::chunk::{Ask, Chunk};
use crate::group::{Cell, Group};
use snmp::{Names, Oid, TableNames, mib};
use std::collections::BTreeMap;

/// How much an answer may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Bindings, sysUpTime included.
    pub(crate) bindings_max: usize,
    /// Rows of a table.
    pub(crate) rows_max: usize,
    /// Bytes of all bindings.
    pub(crate) bytes_max: usize,
}

/// Bytes of a binding besides its name and the contents of its value: tags and lengths.
const BINDING_BYTES: usize = 6;
/// Bytes of the contents of a counter of 64 bits: its sign needs one.
const COUNTER_BYTES: usize = 9;
/// Bytes of a name that verifies, at most nearly always.
const TEXT_BYTES: usize = 24;

/// Packs groups into requests. Without groups there is one request for sysUpTime.0 only.
/// If the device tells when it last made or removed an interface, each request asks for that, too.
pub(crate) fn pack(groups: Vec<Group>, room: Room, watches_table: bool) -> Vec<Chunk> {
    let (tables, singles) = tables(groups);
    let mut chunks = Vec::new();
    for (columns, rows) in tables {
        pack_table(&columns, &rows, room, watches_table, &mut chunks);
    }
    let mut list = List::new(room, watches_table);
    for group in singles {
        list.push(group, &mut chunks);
    }
    if !list.is_empty() || chunks.is_empty() {
        chunks.push(list.into_chunk());
    }
    chunks
}

/// The groups with the same columns, in order of their rows, and those that are no rows.
fn tables(groups: Vec<Group>) -> (BTreeMap<Vec<Oid>, Vec<Group>>, Vec<Group>) {
    let mut tables: BTreeMap<Vec<Oid>, Vec<Group>> = BTreeMap::new();
    let mut singles = Vec::new();
    for group in groups {
        match group.columns() {
            Some(columns) => tables.entry(columns).or_default().push(group),
            None => singles.push(group),
        }
    }
    for rows in tables.values_mut() {
        rows.sort_by_key(|group| group.row);
        // An interface may be referred to by two properties.
        let mut distinct: Vec<Group> = Vec::with_capacity(rows.len());
        for group in rows.drain(..) {
            match distinct.last() {
                Some(last) if last.row == group.row => singles.push(group),
                _ => distinct.push(group),
            }
        }
        *rows = distinct;
        if let [_] = rows[..] {
            singles.append(rows);
        }
    }
    tables.retain(|_, rows| !rows.is_empty());
    (tables, singles)
}

/// What each request begins with.
fn heads(watches_table: bool) -> (Vec<Oid>, Vec<Ask>) {
    let mut names = vec![mib::SYS_UP_TIME];
    let mut asks = vec![Ask::Uptime];
    if watches_table {
        names.push(mib::IF_TABLE_LAST_CHANGE);
        asks.push(Ask::TableChange);
    }
    (names, asks)
}

fn pack_table(
    columns: &[Oid],
    groups: &[Group],
    room: Room,
    watches_table: bool,
    chunks: &mut Vec<Chunk>,
) {
    let (scalars, head_asks) = heads(watches_table);
    let verifications = usize::from(groups.iter().any(|group| group.verification.is_some()));
    let index_bytes = groups.iter().filter_map(|group| group.row).map(arc_bytes).max().unwrap_or(0);
    let names_bytes: usize =
        columns.iter().map(|column| column.as_bytes().len() + index_bytes + BINDING_BYTES).sum();
    let values_bytes = verifications * TEXT_BYTES + (columns.len() - verifications) * COUNTER_BYTES;
    let row_bytes = names_bytes + values_bytes;
    let rows_max = (room.bindings_max.saturating_sub(scalars.len()) / columns.len())
        .min(room.bytes_max / row_bytes)
        .min(room.rows_max)
        .max(1);
    // Equal parts: two datagrams of 24 rows, not one of 26 and one of 22.
    let rows_a_chunk = groups.len().div_ceil(groups.len().div_ceil(rows_max));
    for part in groups.chunks(rows_a_chunk) {
        let mut asks = head_asks.clone();
        for group in part {
            asks.extend(group.verification.iter().map(|(_, id)| Ask::Verification(*id)));
            asks.extend(group.cells.iter().map(|cell| Ask::of(&cell.variables)));
        }
        let table = TableNames {
            scalars: scalars.clone().into(),
            columns: columns.into(),
            rows: part.iter().filter_map(|group| group.row).collect(),
        };
        chunks.push(Chunk { names: Names::Table(table).into(), asks: asks.into() });
    }
}

/// A request that names each value.
struct List {
    room: Room,
    names: Vec<Oid>,
    asks: Vec<Ask>,
    bytes: usize,
    watches_table: bool,
}

impl List {
    fn new(room: Room, watches_table: bool) -> Self {
        let (names, asks) = heads(watches_table);
        // Room for a verification and a value, too.
        let room = Room { bindings_max: room.bindings_max.max(names.len() + 2), ..room };
        Self { room, names, asks, bytes: 0, watches_table }
    }

    fn is_empty(&self) -> bool {
        self.names.len() == 1 + usize::from(self.watches_table)
    }

    fn into_chunk(self) -> Chunk {
        Chunk { names: Names::Each(self.names.into()).into(), asks: self.asks.into() }
    }

    /// Adds a group; what does not fit with the names before goes to a request of its own.
    fn push(&mut self, group: Group, chunks: &mut Vec<Chunk>) {
        let Group { row, verification, cells } = group;
        let verification = verification.as_ref();
        let bytes: usize = cells.iter().map(|cell| bytes_of(&cell.name)).sum();
        let bindings = cells.len() + usize::from(verification.is_some());
        if !self.is_empty() && !self.has_room(bindings, bytes + TEXT_BYTES) {
            self.start_anew(chunks);
        }
        self.verify(row, verification);
        for cell in cells {
            if !self.is_empty() && !self.has_room(1, bytes_of(&cell.name)) {
                self.start_anew(chunks);
                self.verify(row, verification);
            }
            self.ask(row, &cell);
        }
    }

    fn has_room(&self, bindings: usize, bytes: usize) -> bool {
        let Room { bindings_max, bytes_max, .. } = self.room;
        self.names.len() + bindings <= bindings_max && self.bytes + bytes <= bytes_max
    }

    fn start_anew(&mut self, chunks: &mut Vec<Chunk>) {
        chunks.push(std::mem::replace(self, Self::new(self.room, self.watches_table)).into_chunk());
    }

    fn verify(
        &mut self,
        row: Option<u32>,
        verification: Option<&(CellName, crate::interfaces::InterfaceId)>,
    ) {
        if let Some((name, id)) = verification
            && let Ok(oid) = name.whole(row)
        {
            self.names.push(oid);
            self.asks.push(Ask::Verification(*id));
            self.bytes += bytes_of(name) + TEXT_BYTES;
        }
    }

    fn ask(&mut self, row: Option<u32>, cell: &Cell) {
        let Ok(oid) = cell.name.whole(row) else { return };
        if oid == mib::SYS_UP_TIME {
            self.asks[0] = Ask::of(&cell.variables);
            return;
        }
        self.bytes += bytes_of(&cell.name);
        self.names.push(oid);
        self.asks.push(Ask::of(&cell.variables));
    }
}

/// The bytes of a number in a name: seven bits in each.
fn arc_bytes(arc: u32) -> usize {
    (u32::BITS - arc.leading_zeros()).max(1).div_ceil(7) as usize
}

fn bytes_of(name: &CellName) -> usize {
    let (CellName::Column(oid) | CellName::Whole(oid)) = name;
    oid.as_bytes().len() + BINDING_BYTES + COUNTER_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { bindings_max: 20, rows_max: 100, bytes_max: 1300 };

    /// An interface with columns of a table.
    fn row(index: u32, columns: u32) -> Group {
        let mut group = Group { row: Some(index), ..Group::default() };
        for column in 0..columns {
            let oid = mib::IF_TABLE.extended(&[1, column + 1]).unwrap();
            group.add(CellName::Column(oid), index * 100 + column);
        }
        group
    }

    /// The same as whole names.
    fn whole(index: u32, values: u32) -> Group {
        let mut group = Group::default();
        for column in 0..values {
            let oid = mib::IF_TABLE.extended(&[1, column + 1, index]).unwrap();
            group.add(CellName::Whole(oid), index * 100 + column);
        }
        group
    }

    fn lengths(chunks: &[Chunk]) -> Vec<usize> {
        chunks.iter().map(|chunk| chunk.names.len()).collect()
    }

    fn asked(chunks: &[Chunk]) -> usize {
        let asks = chunks.iter().flat_map(|chunk| chunk.asks.iter());
        asks.map(|ask| match ask {
            Ask::Variable(_) => 1,
            Ask::Variables(all) => all.len(),
            Ask::Uptime | Ask::TableChange | Ask::Verification(_) => 0,
        })
        .sum()
    }

    #[test]
    fn groups_stay_together_and_each_datagram_begins_with_the_uptime() {
        let room = Room { bindings_max: 6, ..ROOM };
        let chunks = pack(vec![whole(1, 2), whole(2, 2), whole(3, 2)], room, false);
        assert_eq!(lengths(&chunks), [5, 3]);
        assert!(chunks.iter().all(|chunk| chunk.names.get(0) == Some(mib::SYS_UP_TIME)));
    }

    #[test]
    fn a_group_larger_than_a_datagram_is_split() {
        let chunks = pack(vec![whole(1, 7)], Room { bindings_max: 4, ..ROOM }, false);
        assert_eq!(lengths(&chunks), [4, 4, 2]);
        assert_eq!(asked(&chunks), 7);
        let chunks = pack(vec![whole(1, 7)], Room { bytes_max: 60, ..ROOM }, false);
        assert_eq!((lengths(&chunks), asked(&chunks)), (vec![3, 3, 3, 2], 7));
    }

    #[test]
    fn interfaces_with_the_same_columns_are_rows_of_a_table() {
        let groups = vec![row(3, 2), row(1, 2), row(2, 2), row(9, 1), row(2, 2)];
        let chunks = pack(groups, ROOM, false);
        let Names::Table(table) = &*chunks[0].names else { panic!("{chunks:?}") };
        assert_eq!((table.columns.len(), &table.rows[..]), (2, &[1, 2, 3][..]));
        assert_eq!(chunks[0].asks[1..3], [Ask::Variable(100), Ask::Variable(101)]);
        // The one with other columns, and the one that was named twice.
        assert_eq!((lengths(&chunks), asked(&chunks)), (vec![7, 4], 9));
    }

    #[test]
    fn a_table_larger_than_a_datagram_is_split_into_equal_parts() {
        let rows = |count: u32| (1..=count).map(|index| row(index, 2)).collect::<Vec<_>>();
        assert_eq!(lengths(&pack(rows(10), ROOM, false)), [11, 11]);
        let room = Room { bytes_max: 25 * 2 * 26, bindings_max: 200, ..ROOM };
        assert_eq!(lengths(&pack(rows(48), room, false)), [49, 49]);
        let room = Room { rows_max: 20, ..room };
        assert_eq!(lengths(&pack(rows(48), room, false)), [33, 33, 33]);
    }

    #[test]
    fn nothing_is_asked_twice() {
        let mut group = Group::default();
        group.add(CellName::Whole(mib::IF_NUMBER), 0);
        group.add(CellName::Whole(mib::SYS_UP_TIME), 1);
        group.add(CellName::Whole(mib::IF_NUMBER), 2);
        let chunks = pack(vec![group], ROOM, false);
        assert_eq!(lengths(&chunks), [2]);
        assert_eq!(chunks[0].asks[..], [Ask::Variable(1), Ask::Variables([0, 2].into())]);
    }

    #[test]
    fn a_device_of_which_nothing_is_known_is_asked_for_its_uptime() {
        assert_eq!(lengths(&pack(Vec::new(), ROOM, false)), [1]);
    }
}
