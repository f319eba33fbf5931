//! Answers the calls of a client from a store.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use disk::GoesOn;
use ring::file::expect_fit;
use rrd::Snapshot;
use rrd::fetch::Query;
use rrd::tune::Tuning;
use rrdfile::Header;
use store::{ADOPTEES_MAX, Adoptee};
use store::{
    Edit, Error, Making, NAMES_AT_ONCE, NewDatabase, Outline, Refused, RowsSince, Store, Taken,
    Wanted,
};

use super::answer::{NAME_VALUES, Part, Rows, Watched};
use super::bytes::{Bytes, Name, of_header, of_outline, of_snapshot, outline, snapshot};
use super::call::{Adopted, New};
use super::fault::{Fault, Refusal};
use super::samples::Batch;
use super::{Answer, Call, Malformed};

/// An answer to many queries ends after this many values and those that were read together with
/// them; the client asks the remaining queries again.
pub const MANY_VALUES: usize = 128 << 10;
/// An answer with many databases ends after this many values.
const IMAGES_VALUES: u64 = 512 << 10;
/// The most bytes of rows in an answer about applied samples.
const WATCHED_BYTES_MAX: usize = 64 << 20;

/// Answers a call from a store. `goes_on` tells whether the client still waits; `progress` gets the
/// progress of a long call, in bytes done and bytes in all.
pub fn serve(
    store: &dyn Store,
    call: &Call<'_>,
    goes_on: GoesOn<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Answer<'static> {
    match call {
        Call::Make(new) => make(store, new, goes_on),
        Call::Update(batches) => update(store, batches),
        Call::UpdateWatched(batch) => update_watched(store, batch),
        Call::Tune { name, options, structure, called } => {
            let (options, structure) = (options.clone(), structure.clone());
            let tuning = Tuning { options, structure, called: *called };
            edit(store, name, &Edit::Tune(&tuning), goes_on)
        }
        Call::TuneSource(name, tuning) => edit(store, name, &Edit::Source(tuning), goes_on),
        Call::Resize { name, archive, change, result } => {
            let (archive, change, result) = (*archive, *change, &*result.0);
            edit(store, name, &Edit::Resize { archive, change, result }, goes_on)
        }
        Call::Cells(name, cells) => edit(store, name, &Edit::Cells(cells), goes_on),
        Call::Rename(name, to) => edit(store, name, &Edit::Rename(&to.0), goes_on),
        Call::Delete(name) => edit(store, name, &Edit::Delete, goes_on),
        Call::Restore { name, file, existing } => {
            let (whole, existing) = (read_whole(&name.0, file), *existing);
            let done = whole.and_then(|(_, whole)| {
                store.edit(&name.0, &Edit::Restore { whole: &whole, existing }, goes_on)
            });
            answered(done, &name.0, |()| Answer::Done)
        }
        Call::Sync => answered(store.sync(), Path::new(""), |()| Answer::Done),
        Call::Adopt(adopted) => adopt(store, adopted, goes_on),
        Call::Report | Call::Verify => inspect(store, call, progress),
        asked => ask(store, asked),
    }
}

/// Answers calls that change nothing.
fn ask(store: &dyn Store, call: &Call<'_>) -> Answer<'static> {
    let file = |file: Vec<u8>| Answer::File(Bytes(file.into()));
    match call {
        Call::Outline(name) => {
            let head = store.outline(&name.0).and_then(|outline| head(&name.0, &outline));
            answered(head, &name.0, Answer::Head)
        }
        Call::Header(name) => {
            answered(store.header(&name.0), &name.0, |header| Answer::Head(of_header(&header)))
        }
        Call::Fetch(name, query) => {
            answered(store.fetch(&name.0, query), &name.0, |series| Answer::Rows(series.into()))
        }
        Call::FetchStretch(name, query) => {
            let stretch = store.fetch_stretch(&name.0, query);
            answered(stretch, &name.0, |stretch| Answer::Rows(stretch.into()))
        }
        Call::FetchMany(wanted) => fetch_many(store, wanted),
        Call::RowsSince(name, mark_seconds) => {
            let rows = store.rows_since(&name.0, *mark_seconds);
            answered(rows.and_then(|rows| since(&name.0, rows)), &name.0, |answer| answer)
        }
        Call::Image(name) => answered(store.image(&name.0), &name.0, file),
        Call::Images(names) => images(store, names),
        Call::Snapshot(name) => {
            let too_large = || Error::TooLarge(name.0.to_path_buf());
            let snapshot = store.snapshot(&name.0);
            let bytes = snapshot.and_then(|it| of_snapshot(&it).ok_or_else(too_large));
            answered(bytes, &name.0, Answer::File)
        }
        Call::Has(name) => Answer::Is(store.has(&name.0)),
        Call::Names { pattern, from, limit } => {
            let limit = (*limit).clamp(1, NAMES_AT_ONCE);
            answered(store.names_from(pattern, from, limit), Path::new(""), Answer::Names)
        }
        Call::CameFrom(name, modified_nanos) => came_from(store, name, *modified_nanos),
        _ => unreachable!("the caller answers calls that change something"),
    }
}

fn came_from(store: &dyn Store, name: &str, modified_nanos: i64) -> Answer<'static> {
    let Some(store) = store.adopts() else { return expected_ring_store() };
    answered(store.came_from(name, modified_nanos), Path::new(name), Answer::CameFrom)
}

/// Answers queries until the answer is large enough; what was read by then is in it, too.
fn fetch_many(store: &dyn Store, wanted: &[(Name<'_>, Query)]) -> Answer<'static> {
    let wanted = wanted.iter().map(|(name, query)| Wanted { name: &name.0, query: *query });
    let wanted: Vec<_> = wanted.collect();
    let (mut parts, mut values) = (Vec::new(), 0);
    let done = store.fetch_many(&wanted, &mut |position, answer| {
        let part = Part::of(position, answer, wanted[position].name);
        values += part.values();
        parts.push(part);
        if values < MANY_VALUES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    answered(done, Path::new(""), |()| Answer::Many(parts))
}

/// How many of the named databases, from the first on, go into one answer, and how many values they
/// have together.
pub fn images_at_once(store: &dyn Store, names: &[Name<'_>]) -> (usize, u64) {
    let mut values: u64 = 0;
    for (nth, name) in names.iter().enumerate() {
        if values >= IMAGES_VALUES {
            return (nth, values);
        }
        // A database that cannot be read gives a short error.
        let definition = store.outline(&name.0).map(|outline| outline.definition);
        let of_one = definition.map_or(0, |definition| {
            let rows = definition.archives.iter().map(|archive| archive.rows).sum::<u64>();
            rows.saturating_mul(definition.sources.len() as u64)
        });
        values = values.saturating_add(of_one).saturating_add(NAME_VALUES);
    }
    (names.len(), values)
}

fn images(store: &dyn Store, names: &[Name<'_>]) -> Answer<'static> {
    let (count, _) = images_at_once(store, names);
    let names: Vec<String> =
        names[..count].iter().map(|name| name.0.to_string_lossy().into_owned()).collect();
    let mut found: HashMap<String, Result<Bytes<'static>, Fault<'static>>> = HashMap::new();
    let done = store.images(&names, &mut |name, image| {
        let image = image.map(|bytes| Bytes(bytes.into()));
        found.insert(name.into(), image.map_err(|error| Fault::of(error, Path::new(name))));
    });
    let missing = |name: &String| Err(Fault::of(Error::missing(name), Path::new(name)));
    let of = |name: &String| found.remove(name).unwrap_or_else(|| missing(name));
    answered(done, Path::new(""), |()| Answer::Files(names.iter().map(of).collect()))
}

fn since(name: &Path, since: RowsSince) -> Result<Answer<'static>, Error> {
    let RowsSince { definition, last_update, archives } = since;
    let head = head(name, &Outline { definition, last_update })?;
    Ok(Answer::Since(head, archives.into_iter().map(|rows| rows.map(Rows::from)).collect()))
}

fn answered<T>(
    done: Result<T, Error>,
    name: &Path,
    answer: impl FnOnce(T) -> Answer<'static>,
) -> Answer<'static> {
    done.map_or_else(|error| Answer::Failed(Fault::of(error, name)), answer)
}

fn edit(
    store: &dyn Store,
    name: &Name<'_>,
    edit: &Edit<'_>,
    goes_on: GoesOn<'_>,
) -> Answer<'static> {
    answered(store.edit(&name.0, edit, goes_on), &name.0, |()| Answer::Done)
}

/// The error for a part of a call that cannot be decoded.
fn misread(name: &Path) -> impl FnOnce(Malformed) -> Error {
    move |malformed| Error::Unread { name: name.into(), what: malformed.to_string() }
}

fn read_whole(name: &Path, file: &Bytes<'_>) -> Result<(Header, Snapshot), Error> {
    snapshot(file).map_err(misread(name))
}

fn head(name: &Path, outline: &Outline) -> Result<Bytes<'static>, Error> {
    let head = of_outline(&outline.definition, outline.last_update);
    head.ok_or_else(|| Error::TooLarge(name.into()))
}

/// A decoded new database.
struct Read<'c> {
    new: &'c New<'c>,
    outline: Outline,
    past: Option<Snapshot>,
}

impl<'c> Read<'c> {
    fn of(new: &'c New<'c>) -> Result<Self, Error> {
        let name = &*new.name.0;
        let past = new.past.as_ref().map(|past| read_whole(name, past)).transpose()?;
        let outline = outline(&new.head).map_err(misread(name))?;
        Ok(Self { new, outline, past: past.map(|(_, past)| past) })
    }

    fn making(&self) -> Making<'_> {
        let (name, definition) = (&*self.new.name.0, &self.outline.definition);
        let new = NewDatabase { name, definition, start: self.new.start };
        Making { past: self.past.as_ref(), existing: self.new.existing, ..Making::new(new) }
    }
}

fn make(store: &dyn Store, new: &[New<'_>], goes_on: GoesOn<'_>) -> Answer<'static> {
    let read = new.iter().map(Read::of).collect::<Result<Vec<_>, _>>();
    // Our client always writes valid parts. If one is not, nothing of the call is executed.
    let read = match read {
        Ok(read) => read,
        Err(error) => return Answer::Failed(Fault::of(error, Path::new(""))),
    };
    let making: Vec<_> = read.iter().map(Read::making).collect();
    let failed = store.make(&making, goes_on).into_iter();
    let refusal = |(position, error): (usize, Error)| {
        Refusal::of(position, Refused { error, taken: 0 }, making[position].new.name)
    };
    Answer::Refused(failed.map(refusal).collect())
}

fn update(store: &dyn Store, batches: &[Batch<'_>]) -> Answer<'static> {
    if let Some(refused) = batches.iter().find_map(odd) {
        return refused;
    }
    let refused = Batch::with_all(batches, |updates| store.update(updates)).into_iter();
    let refusal = |(position, refused)| Refusal::of(position, refused, &batches[position].name.0);
    Answer::Refused(refused.map(refusal).collect())
}

/// The refusal of readings by value with an invalid text.
fn odd(batch: &Batch<'_>) -> Option<Answer<'static>> {
    let text = batch.odd_text()?;
    let name = &*batch.name.0;
    let malformed = Malformed::new("the text of a reading", format_args!("found {text:?}"));
    Some(Answer::Failed(Fault::of(misread(name)(malformed), name)))
}

fn update_watched(store: &dyn Store, batch: &Batch<'_>) -> Answer<'static> {
    if let Some(refused) = odd(batch) {
        return refused;
    }
    let name = &*batch.name.0;
    let (mut head, mut samples, mut size_bytes) = (None, Vec::new(), 0);
    let mut watch = |taken: &Taken<'_>| {
        head.get_or_insert_with(|| of_outline(taken.definition, taken.before));
        let sample = Watched::of(taken);
        size_bytes += sample.size_bytes();
        // Applied samples cannot be taken back. If the rows are too many for an answer, it tells
        // only the number of samples.
        if size_bytes <= WATCHED_BYTES_MAX {
            samples.push(sample);
        }
    };
    let done = Batch::with_all(std::slice::from_ref(batch), |updates| {
        updates.iter().try_for_each(|update| store.update_watched(update, &mut watch))
    });
    if size_bytes > WATCHED_BYTES_MAX {
        let what = "taken, but what it made final is too much for one answer".into();
        return Answer::Failed(Fault::of(Error::Unread { name: name.into(), what }, name));
    }
    let refused = done.err().map(|refused| Refusal::of(0, refused, name));
    Answer::Watched { head: head.flatten(), samples, refused }
}

fn adopt(store: &dyn Store, adopted: &[Adopted<'_>], goes_on: GoesOn<'_>) -> Answer<'static> {
    let Some(store) = store.adopts() else { return expected_ring_store() };
    let done = adoptees(adopted).and_then(|adoptees| store.adopt(&adoptees, goes_on));
    answered(done, Path::new(""), |()| Answer::Done)
}

/// Decodes databases that can be members of one group.
fn adoptees(adopted: &[Adopted<'_>]) -> Result<Vec<Adoptee>, Error> {
    let adoptees = adopted.iter().map(adoptee).collect::<Result<Vec<_>, _>>()?;
    let is_group = (1..=ADOPTEES_MAX).contains(&adoptees.len())
        && adoptees.iter().all(|adoptee| adoptee.same_group(&adoptees[0]));
    if is_group {
        return Ok(adoptees);
    }
    let found = format_args!("found {} of several layouts, or too many", adoptees.len());
    Err(misread(Path::new(""))(Malformed::new("databases of one layout", found)))
}

fn adoptee(Adopted { name, file, foreign }: &Adopted<'_>) -> Result<Adoptee, Error> {
    let path = Path::new(name);
    let (header, snapshot) = read_whole(path, file)?;
    let foreign = foreign.as_ref().map(|foreign| foreign.0.to_vec());
    if let Some(foreign) = &foreign {
        expect_fit(name, &header, foreign)?;
    }
    Ok(Adoptee { name: (*name).into(), snapshot, foreign })
}

fn expected_ring_store() -> Answer<'static> {
    Answer::refused("expected a ring store")
}

fn inspect(
    store: &dyn Store,
    call: &Call<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Answer<'static> {
    let Some(store) = store.inspect() else { return expected_ring_store() };
    let answer = match call {
        Call::Report => store.report().map(Answer::Report),
        _ => store.verify(progress).map(Answer::Verified),
    };
    answered(answer, Path::new(""), |answer| answer)
}
