//! Changes of a database that are no updates, in a file and in a ring store.

use std::path::Path;

use rrd::refill::{self, RowChange};
use rrd::{DataSource, Definition, LiveState, Snapshot, UNKNOWN};
use rrdfile::layout::RowIndex;
use rrdfile::{Header, Version};
use store::journal::record::Tuning;
use store::{Error, RrdFile, Store as _};

use crate::databases::InRing;
use crate::memory;
use crate::permissions::Before;
use crate::session::{Failure, words_of, words_of_new_file};

/// What of a database is changed in place.
#[derive(Clone, Debug)]
pub struct Edited {
    /// What it holds.
    pub definition: Definition,
    /// Its live state.
    pub live: LiveState,
    /// Whether more than heartbeats and limits changed.
    pub is_deep: bool,
    /// Rows that became unknown: of these archives, those of these sources.
    pub forgotten: Vec<(usize, usize)>,
}

impl Edited {
    fn new(definition: &Definition, live: &LiveState) -> Self {
        let (definition, live) = (definition.clone(), live.clone());
        Self { definition, live, is_deep: false, forgotten: Vec::new() }
    }
}

/// What goes wrong is what `work` says or, outside, what the file says.
pub(crate) fn edit_file(
    file: &mut RrdFile,
    work: &impl Fn(&mut Edited) -> Result<(), Failure>,
) -> Result<Result<(), Failure>, Error> {
    let mut edited = Edited::new(&file.header().definition, &file.header().live);
    let done = work(&mut edited);
    // Rows first, and last the state that tells of it.
    for &(archive, source) in &edited.forgotten {
        file.forget(archive, source)?;
    }
    file.edit(|header| {
        // Below 0003 a higher version would move everything.
        if header.version.has_micros() {
            header.version = header.version.max(Version::of(&edited.definition));
        }
        (header.definition, header.live) = (edited.definition, edited.live);
    })?;
    Ok(done)
}

pub(crate) fn edit_in_ring(
    ring: &InRing,
    work: &impl Fn(&mut Edited) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let told = |error| words_of(&ring.at_path(error));
    let (definition, live) = ring.store.describe(&ring.name).map_err(told)?;
    let mut edited = Edited::new(&definition, &live);
    let done = work(&mut edited);
    if edited.is_deep {
        rework_in_ring(ring, &|old| Ok(edited_whole(old, work)))?;
    } else {
        let tunings = tunings(&definition, &edited.definition);
        let mut tuned = tunings.iter().map(|tuning| ring.store.tune(&ring.name, tuning));
        tuned.try_for_each(|tuned| tuned.map_err(told))?;
    }
    done
}

/// What changes in heartbeats and limits.
fn tunings(old: &Definition, new: &Definition) -> Vec<Tuning> {
    let fields = |source: &DataSource| {
        (source.heartbeat_seconds, source.minimum.to_bits(), source.maximum.to_bits())
    };
    let sources = (0..).zip(old.sources.iter().zip(&new.sources));
    let changed = sources.filter(|(_, (old, new))| fields(old) != fields(new));
    let tuning = |(source, (_, new)): (u32, (&DataSource, &DataSource))| Tuning {
        source,
        heartbeat_seconds: new.heartbeat_seconds,
        minimum: new.minimum,
        maximum: new.maximum,
    };
    changed.map(tuning).collect()
}

fn edited_whole(old: &Snapshot, work: &impl Fn(&mut Edited) -> Result<(), Failure>) -> Snapshot {
    let mut edited = Edited::new(&old.definition, &old.live);
    let _ = work(&mut edited); // what it did counts; its failure was told before
    let mut rows = old.rows.clone();
    let sources = old.definition.sources.len();
    for (archive, source) in edited.forgotten {
        rows[archive].iter_mut().skip(source).step_by(sources).for_each(|value| *value = UNKNOWN);
    }
    Snapshot { definition: edited.definition, live: edited.live, rows }
}

pub(crate) fn rework_file(
    file: &RrdFile,
    path: &str,
    work: &impl Fn(&Snapshot) -> Result<Snapshot, Failure>,
) -> Result<(), Failure> {
    let old = file.snapshot().map_err(|error| words_of(&error))?;
    let new = work(&old)?;
    file.replace_with(&new).map_err(|error| words_of_new_file(&error, path))
}

pub(crate) fn rework_in_ring(
    ring: &InRing,
    work: &impl Fn(&Snapshot) -> Result<Snapshot, Failure>,
) -> Result<(), Failure> {
    let reworked = ring.store.engine().remake(&ring.name, |old| work(old).map_err(Refused::Work));
    reworked.map_err(|refused| match refused {
        Refused::Work(words) => words,
        Refused::Store(error) => words_of(&ring.at_path(error)),
    })
}

/// Why a database stayed as it was.
enum Refused {
    Work(Failure),
    Store(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// Writes what becomes of a file to another. Rows keep their slots.
pub(crate) fn resize_file(
    file: &RrdFile,
    archive: usize,
    change: RowChange,
    result: &Path,
) -> Result<(), Failure> {
    let old = file.snapshot().map_err(|error| words_of(&error))?;
    let new = resized(old, archive, change)?;
    let rows = new.definition.archives.iter().map(|archive| archive.rows);
    let slots = file.header().newest_rows.iter().zip(rows);
    let newest_rows = slots.map(|(slot, rows)| RowIndex(slot.0.min(rows - 1))).collect();
    let header = Header::new(new.definition, new.live, newest_rows);
    let mut header = header.ok_or("the file would be larger than a file can be")?;
    header.version = header.version.max(file.header().version);
    let before = Before::of(result);
    store::write_file(result, &header, &new.rows)
        .map_err(|error| words_of_new_file(&error, &result.to_string_lossy()))?;
    before.after_restore(result).map_err(|error| crate::system_words(&error))
}

pub(crate) fn resized(
    old: Snapshot,
    archive: usize,
    change: RowChange,
) -> Result<Snapshot, Failure> {
    if archive >= old.definition.archives.len() {
        return Err("no such RRA in this RRD".into());
    }
    let resized = refill::resize(old, archive, change, &mut memory::room());
    resized.map_err(|error| error.to_string())
}
