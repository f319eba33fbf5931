//! The bytes of an `.rrd` file and the database that they are.

use std::path::Path;
use std::sync::Arc;

use livestate::seasons::seasonal_archives;
use rrd::{Definition, LiveState, SeasonalRing, Snapshot};
use rrdfile::layout::{Layout, RowIndex};
use rrdfile::{FormatError, Header, to_current, values};
use store::Adoptee;
use store::Error;

use super::foreign::{Foreign, ForeignFault, patches};

/// More than this behind the rows is no accident; the catalogue is not the place for it.
const TRAILING_BYTES_MAX: usize = 1 << 20;

/// The database that the bytes of an `.rrd` file are, under a name. `modified_nanos` says when the
/// file was changed last, 0 if that is not known.
///
/// # Errors
/// [`Error::Format`], and [`Error::Unfit`] where much follows the rows.
pub fn adoptee(name: &str, bytes: &[u8], modified_nanos: i64) -> Result<Adoptee, Error> {
    // One of another architecture, or older than 0003, comes in as what `gyre convert` makes of it.
    let native = to_current(bytes).map_err(Error::format(Path::new(name)))?;
    let header = native.header().map_err(Error::format(Path::new(name)))?;
    let bytes = &native.bytes[..];
    let (header_bytes, file_bytes) = (header.layout.header_bytes(), header.layout.file_bytes());
    let (head, _) = bytes.split_at(header_bytes);
    let trailing = &bytes[file_bytes as usize..];
    if trailing.len() > TRAILING_BYTES_MAX {
        let reason = "more than a MiB follows its rows";
        return Err(Error::Unfit { name: name.into(), reason: reason.into() });
    }
    let rows =
        (0..header.definition.archives.len()).map(|archive| rows_of(&header, archive, bytes));
    let rows = rows.collect();
    let rings =
        seasonal_archives(&header.definition).map(|archive| ring_of(&header, archive, bytes));
    let rings = rings.collect();
    let Header { definition, mut live, newest_rows, .. } = header;
    live.forecast.rings = rings;
    let too_large = || FormatError::RowsEnd { expected_bytes: u64::MAX, found_bytes: file_bytes };
    // As gyre would write it: what differs is foreign.
    let ours = Header::new(definition, live, newest_rows)
        .ok_or_else(|| Error::format(Path::new(name))(too_large()))?;
    let ours_bytes = ours.encode().map_err(Error::unwritable(Path::new(name)))?;
    let foreign = Foreign {
        modified_nanos,
        turns: turns_of(&ours),
        patches: patches(&ours_bytes, head),
        trailing: trailing.to_vec(),
    };
    let snapshot = Snapshot { definition: ours.definition, live: ours.live, rows };
    Ok(Adoptee { name: name.into(), snapshot, foreign: Some(foreign.encode()) })
}

/// The rows of an archive, oldest first.
fn rows_of(header: &Header, archive: usize, bytes: &[u8]) -> Vec<f64> {
    let layout = &header.layout;
    let row_count = layout.rows(archive);
    let start = layout.row_offset(archive, RowIndex(0)) as usize;
    let size = (row_count * layout.row_bytes()) as usize;
    let oldest = header.newest_rows[archive].advance(1, row_count);
    let split = (oldest.0 * layout.row_bytes()) as usize;
    let (tail, head) = bytes[start..start + size].split_at(split);
    let mut rows = Vec::with_capacity(size / size_of::<f64>());
    rows.extend(values(head));
    rows.extend(values(tail));
    rows
}

/// The same rows as the live state has them, in the order of slots.
fn ring_of(header: &Header, archive: usize, bytes: &[u8]) -> SeasonalRing {
    let layout = &header.layout;
    let start = layout.row_offset(archive, RowIndex(0)) as usize;
    let size = (layout.rows(archive) * layout.row_bytes()) as usize;
    let newest_slot = header.newest_rows[archive].0;
    SeasonalRing { archive, newest_slot, values: values(&bytes[start..start + size]).collect() }
}

/// How far each archive's slots are turned against the numbers of rows.
fn turns_of(header: &Header) -> Vec<u64> {
    let step_seconds = header.definition.step_seconds;
    let last_seconds = header.live.last_update.seconds;
    let archives = header.definition.archives.iter().zip(&header.newest_rows);
    let turn = |(archive, newest): (&rrd::Archive, &RowIndex)| {
        let number = newest_number(last_seconds, archive.row_seconds(step_seconds));
        (newest.0 + archive.rows - number % archive.rows) % archive.rows
    };
    archives.map(turn).collect()
}

/// The number of the newest row: rows are counted by their end.
fn newest_number(last_seconds: i64, row_seconds: u64) -> u64 {
    assert!(last_seconds >= 0, "nothing else is taken in");
    last_seconds.cast_unsigned() / row_seconds
}

/// Databases that leave together: members of one group whose tiles lie side by side.
#[derive(Clone, Debug)]
pub struct Party {
    pub(crate) group: u32,
    /// In ascending order.
    pub(crate) members: Vec<u16>,
    /// Until it has left.
    pub(crate) _stay: Stay,
}

/// As long as there is a second copy of it, no database is moved to another group for the store's
/// own ends: a reader that goes from group to group would miss it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stay(Arc<()>);

impl Stay {
    pub(crate) fn is_asked(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

impl Party {
    /// How many they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.members.len()
    }
}

/// A database that leaves.
#[derive(Clone, Debug)]
pub struct Departure {
    /// Its name.
    pub name: String,
    /// All of it.
    pub snapshot: Snapshot,
    /// For each archive, how far its row pointer lags behind time since it came here: a gap longer
    /// than the ring moves it once round and no further.
    pub shifts: Option<Vec<u64>>,
    /// What its file had that a snapshot has not; none if it was made here.
    pub foreign: Option<Vec<u8>>,
}

impl Departure {
    /// The head of its file and all of it. What no file can say is there all the same.
    ///
    /// # Errors
    /// As of [`Departure::file_bytes`].
    pub fn whole(self) -> Result<(Header, Snapshot), Error> {
        let Snapshot { definition, live, .. } = &self.snapshot;
        if definition.check_files_can_say().is_ok() {
            let bytes = self.file_bytes()?;
            return rrdfile::decode(&bytes).map_err(Error::format(self.name.as_ref()));
        }
        let (definition, live) = (definition.clone(), live.clone());
        let (shifts, foreign) = (self.shifts.as_deref(), self.foreign.as_deref());
        let mut header = header_of(&self.name, definition, live, shifts, foreign)?;
        // The rings are rows, as of a file that was read.
        header.live.forecast.rings.clear();
        let snapshot = Snapshot { live: header.live.clone(), ..self.snapshot };
        Ok((header, snapshot))
    }

    /// The bytes of its file: what rrdtool would have made of the file that came, had it taken the
    /// same updates.
    ///
    /// # Errors
    /// [`Error::Damaged`] if what is foreign fits it not, [`Error::TooLarge`].
    pub fn file_bytes(&self) -> Result<Vec<u8>, Error> {
        let damaged = |fault| damaged(&self.name, &fault);
        let foreign = self.foreign.as_deref().map(Foreign::decode).transpose().map_err(damaged)?;
        let Snapshot { definition, live, .. } = &self.snapshot;
        let shifts = self.shifts.as_deref();
        let newest_rows =
            newest_rows(definition, live, shifts, foreign.as_ref()).map_err(damaged)?;
        let too_large = || Error::TooLarge(self.name.as_str().into());
        let bytes = rrdfile::encode(&self.snapshot, newest_rows);
        let mut bytes = bytes.map_err(Error::unwritable(self.name.as_ref()))?;
        if let Some(foreign) = foreign {
            let definition = &self.snapshot.definition;
            let rows = definition.archives.iter().map(|archive| archive.rows);
            let layout = Layout::new(definition.sources.len(), rows).ok_or_else(too_large)?;
            foreign.apply(layout.header_bytes(), &mut bytes).map_err(damaged)?;
        }
        Ok(bytes)
    }
}

/// The head of the file of a database: definition, live state, how far its row pointers lag behind
/// time, and what the file that came had of its own.
///
/// # Errors
/// [`Error::Damaged`] if what is foreign fits it not, [`Error::TooLarge`].
pub(crate) fn header_of(
    name: &str,
    definition: Definition,
    live: LiveState,
    shifts: Option<&[u64]>,
    foreign: Option<&[u8]>,
) -> Result<Header, Error> {
    let damaged = |fault| damaged(name, &fault);
    let foreign = foreign.map(Foreign::decode).transpose().map_err(damaged)?;
    let newest_rows = newest_rows(&definition, &live, shifts, foreign.as_ref()).map_err(damaged)?;
    let header = Header::new(definition, live, newest_rows);
    let header = header.ok_or_else(|| Error::TooLarge(name.into()))?;
    // One that became what no file can say has no use for what its file had.
    match foreign.filter(|_| header.definition.check_files_can_say().is_ok()) {
        None => Ok(header),
        Some(foreign) => with_foreign(name, &header, &foreign),
    }
}

/// A head as the file that came has it.
fn with_foreign(name: &str, header: &Header, foreign: &Foreign) -> Result<Header, Error> {
    let (header_bytes, file_bytes) = (header.layout.header_bytes(), header.layout.file_bytes());
    let mut bytes = header.encode().map_err(Error::unwritable(Path::new(name)))?;
    foreign.apply(header_bytes, &mut bytes).map_err(|fault| damaged(name, &fault))?;
    let file_bytes = file_bytes + (bytes.len() - header_bytes) as u64;
    bytes.truncate(header_bytes);
    Header::decode(&bytes, file_bytes).map_err(Error::format(Path::new(name)))
}

/// Refuses what is foreign to a database if that could not become a file with it.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Format`].
pub fn expect_fit(name: &str, header: &Header, foreign: &[u8]) -> Result<(), Error> {
    let foreign = Foreign::decode(foreign).map_err(|fault| damaged(name, &fault))?;
    if !foreign.turns.is_empty() && foreign.turns.len() != header.definition.archives.len() {
        return Err(damaged(name, &ForeignFault::Layout));
    }
    with_foreign(name, header, &foreign).map(drop)
}

fn damaged(name: &str, fault: &ForeignFault) -> Error {
    Error::Damaged { file: name.into(), offset_bytes: 0, what: fault.to_string() }
}

fn newest_rows(
    definition: &Definition,
    live: &LiveState,
    shifts: Option<&[u64]>,
    foreign: Option<&Foreign>,
) -> Result<Vec<RowIndex>, ForeignFault> {
    let archives = definition.archives.len();
    let zeros = vec![0; archives];
    let turns = foreign.map_or(&zeros, |foreign| &foreign.turns);
    // One that was changed in its layout keeps no turn.
    let turns = if turns.is_empty() { &zeros } else { turns };
    let shifts = shifts.unwrap_or(&zeros);
    if turns.len() != archives || shifts.len() != archives {
        return Err(ForeignFault::Layout);
    }
    let season = |nth: usize| live.forecast.rings.iter().find(|ring| ring.archive == nth);
    let newest = |nth: usize| {
        if let Some(ring) = season(nth) {
            return RowIndex(ring.newest_slot); // no other place counts for it
        }
        let archive = &definition.archives[nth];
        let row_seconds = archive.row_seconds(definition.step_seconds);
        let number = newest_number(live.last_update.seconds, row_seconds) % archive.rows;
        let back = archive.rows - shifts[nth] % archive.rows;
        // Each is below the number of rows, which a file's size bounds.
        RowIndex((number + turns[nth] % archive.rows + back) % archive.rows)
    };
    Ok((0..archives).map(newest).collect())
}
