//! Another layout for a database that lives: sources and archives come and go, rings grow and
//! shrink.

use disk::Medium;
use rrd::live::LastReading;
use rrd::{Archive, Definition, LiveState, Snapshot, UNKNOWN};
use store::Adoptee;
use store::Error;

use super::{Adopter, Coming, Origin, Seen};
use crate::file::Foreign;

/// An update that comes just then makes the work be done again. So many in a row is no accident.
const ATTEMPTS_MAX: usize = 100;

impl<M: Medium<File: 'static>> Adopter<'_, M> {
    /// Gives a database another definition. Sources are the same that have the same name, archives
    /// those that have the same function and PDPs a row, in their order. What stays keeps its rows,
    /// the newest where they become fewer; new rows are unknown. Updates go on meanwhile, and none
    /// is lost.
    ///
    /// # Errors
    /// [`Error::Unfit`] if the step is another one; those of [`Adopter::adopt`]. The database is
    /// then as it was.
    pub(in crate::engine) fn reshape(
        &self,
        name: &str,
        definition: &Definition,
    ) -> Result<(), Error> {
        let reason = "its step cannot be changed";
        self.remake(name, |old| {
            reshaped(old, definition)
                .ok_or_else(|| Error::Unfit { name: name.into(), reason: reason.into() })
        })
    }

    /// Puts what `make` makes of a database in its place. Updates go on meanwhile, and none is
    /// lost: where one came just then, `make` is asked again. What a file that it came from had of
    /// its own is forgotten, but for its age.
    ///
    /// # Errors
    /// Those of `make`, and of [`Adopter::adopt`]. The database is then as it was.
    pub(in crate::engine) fn remake<E: From<Error>>(
        &self,
        name: &str,
        make: impl Fn(&Snapshot) -> Result<Snapshot, E>,
    ) -> Result<(), E> {
        for _ in 0..ATTEMPTS_MAX {
            let seen = self.see(name)?;
            let snapshot = make(&self.reader.snapshot(name)?)?;
            let foreign =
                self.foreign(seen.rrd)?.as_deref().and_then(Foreign::modified_in).map(
                    |modified_nanos| Foreign { modified_nanos, ..Foreign::default() }.encode(),
                );
            let adoptee = Adoptee { name: name.into(), snapshot, foreign };
            let shared = adoptee.is_shared();
            let origins = [Origin { seen, shifts: None }];
            let coming = Coming { shared, origins: &origins, can_wait: false, goes_on: &|| true };
            if self.take_in(&[adoptee], &coming)?.done {
                return Ok(());
            }
        }
        let reason = "it is updated all the time";
        Err(Error::Unfit { name: name.into(), reason: reason.into() }.into())
    }

    fn see(&self, name: &str) -> Result<Seen, Error> {
        let world = self.registry.world();
        let (rrd, _) = world.place_of(name)?;
        Seen::of(&world, rrd).ok_or_else(|| Error::missing(name))
    }
}

/// A database in another layout; `None` if the steps differ.
fn reshaped(old: &Snapshot, definition: &Definition) -> Option<Snapshot> {
    if old.definition.step_seconds != definition.step_seconds {
        return None;
    }
    let of_source: Vec<Option<usize>> = definition
        .sources
        .iter()
        .map(|new| old.definition.sources.iter().position(|each| each.name == new.name))
        .collect();
    let of_archive = kept_archives(&old.definition.archives, &definition.archives);
    let mut live = LiveState::fresh(definition, old.live.last_update);
    let sources = definition.sources.iter().zip(&of_source).zip(&mut live.sources);
    for ((new, kept), state) in sources {
        let Some(kept) = *kept else { continue };
        *state = old.live.sources[kept];
        if old.definition.sources[kept].kind != new.kind {
            state.last_reading = LastReading::UNKNOWN; // no difference between two kinds
        }
    }
    let (count, old_count) = (of_source.len(), old.definition.sources.len());
    let mut rows = Vec::with_capacity(of_archive.len());
    for (nth, kept) in of_archive.iter().enumerate() {
        let cells = &mut live.cells[nth * count..][..count];
        let new_rows = definition.archives[nth].rows as usize;
        let Some(kept) = *kept else {
            rows.push(vec![UNKNOWN; new_rows * count]);
            continue;
        };
        for (place, kept_source) in of_source.iter().enumerate() {
            let Some(source) = *kept_source else { continue };
            let old = old.live.rows_so_far.get(kept * old_count + source);
            if let (Some(row), Some(old)) = (live.rows_so_far.get_mut(nth * count + place), old) {
                row.clone_from(old);
            }
        }
        for (cell, kept_source) in cells.iter_mut().zip(&of_source) {
            match kept_source {
                Some(source) => *cell = old.live.cells[kept * old_count + source],
                // Its rows are unknown, and so is the newest.
                None => (cell.primary, cell.secondary) = (UNKNOWN, UNKNOWN),
            }
        }
        rows.push(resized(&old.rows[kept], old_count, new_rows, &of_source));
    }
    Some(Snapshot { definition: definition.clone(), live, rows })
}

/// For each new archive the old one that it goes on with.
fn kept_archives(old: &[Archive], new: &[Archive]) -> Vec<Option<usize>> {
    let mut taken = vec![false; old.len()];
    let mut keep = |archive: &Archive| {
        let same =
            |each: &Archive| (each.cf, each.pdp_per_row) == (archive.cf, archive.pdp_per_row);
        let kept = (0..old.len()).find(|nth| !taken[*nth] && same(&old[*nth]))?;
        taken[kept] = true;
        Some(kept)
    };
    new.iter().map(&mut keep).collect()
}

/// The newest rows, of the sources that stay.
fn resized(
    rows: &[f64],
    old_count: usize,
    new_rows: usize,
    of_source: &[Option<usize>],
) -> Vec<f64> {
    let old_rows = rows.len() / old_count;
    let unknown_rows = new_rows.saturating_sub(old_rows);
    let mut resized = vec![UNKNOWN; unknown_rows * of_source.len()];
    for row in rows.chunks_exact(old_count).skip(old_rows.saturating_sub(new_rows)) {
        resized.extend(of_source.iter().map(|kept| kept.map_or(UNKNOWN, |kept| row[kept])));
    }
    resized
}
