//! The ring store by its names.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use disk::GoesOn;
use rrd::fetch::Query;
use rrd::tune::{Edited, Tuning};
use rrd::{DataSource, Definition, Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{
    Adopt, AtOnce, Edit, Error, Existing, Follow, Inspect, Making, NamePattern, NamesPage, Outline,
    Refused, RowsSince, Store, TakeImage, TakeRows, Update, Wanted, Watch, memory_room,
};
use store::{
    Adoptee, SourceTuning, StoreReport, Unmade, Verified, edited_whole, resized, with_cells,
};

use super::RingStore;

impl Store for RingStore {
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        let (mut failures, mut first) = (Vec::new(), 0);
        for run in new.chunk_by(|left, right| left.past.is_none() && right.past.is_none()) {
            match run {
                [Making { new, past: Some(past), existing, .. }] => {
                    let made = self.restore(new.name, past, *existing, goes_on);
                    failures.extend(made.err().map(|error| (first, error)));
                }
                _ => {
                    let failed = self.engine().make_all_while(run, goes_on).into_iter();
                    failures.extend(failed.map(|(nth, error)| (first + nth, error)));
                }
            }
            first += run.len();
        }
        self.follower().made(new, &failures);
        failures
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let refused = self.engine().update(batch);
        self.follower().updated(batch);
        refused
    }

    fn update_at_once(&self, batch: &[Update<'_>]) -> AtOnce {
        let at_once = self.engine().update_at_once(batch);
        self.follower().updated(batch);
        at_once
    }

    fn acknowledges_on_disk(&self) -> bool {
        self.engine().acknowledges_on_disk()
    }

    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused> {
        let taken = self.engine().update_watched(update, watch);
        self.follower().updated(std::slice::from_ref(update));
        taken
    }

    fn outline(&self, name: &Path) -> Result<Outline, Error> {
        self.engine().outline(text(name)?)
    }

    fn header(&self, name: &Path) -> Result<Header, Error> {
        self.engine().header(text(name)?)
    }

    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error> {
        self.engine().fetch(text(name)?, query)
    }

    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error> {
        self.engine().fetch_stretch(text(name)?, query)
    }

    fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> Result<(), Error> {
        let _: ControlFlow<()> = self.engine().fetch_many(wanted, take);
        Ok(())
    }

    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.engine().rows_since(text(name)?, mark_seconds)
    }

    /// The file that the database would be, taken apart.
    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error> {
        self.engine().departures().one(text(name)?)?.whole()
    }

    /// What an imported file had of its own, row pointers and all, is in it.
    fn image(&self, name: &Path) -> Result<Vec<u8>, Error> {
        self.engine().departures().one(text(name)?)?.file_bytes()
    }

    /// Tiles that databases share are read once.
    fn images(&self, names: &[String], take: &mut TakeImage<'_>) -> Result<(), Error> {
        let departures = self.engine().departures();
        for party in departures.found(names, |name, error| take(name, Err(error))) {
            departures.leave(&party, |name, left| {
                take(name, left.and_then(|left| left.file_bytes()));
            })?;
        }
        Ok(())
    }

    fn snapshot(&self, name: &Path) -> Result<Snapshot, Error> {
        self.engine().snapshot(text(name)?)
    }

    fn has(&self, name: &Path) -> bool {
        text(name).is_ok_and(|name| self.engine().has(name))
    }

    fn edit(&self, name: &Path, edit: &Edit<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        let done = self.edit_untold(name, edit, goes_on);
        self.follower().edited(name, edit, &done);
        done
    }

    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        self.engine().names_from(pattern, from, limit)
    }

    fn sync(&self) -> Result<(), Error> {
        self.engine().sync()
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }

    fn adopts(&self) -> Option<&dyn Adopt> {
        Some(self)
    }

    fn follow(&self, follow: Arc<dyn Follow>) -> bool {
        self.follower().set(follow)
    }
}

impl RingStore {
    fn edit_untold(&self, name: &Path, edit: &Edit<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        match *edit {
            Edit::Tune(tuning) => self.tune(name, tuning),
            Edit::Source(tuning) => self.engine().tune(text(name)?, tuning),
            Edit::Resize { archive, change, .. } => {
                self.remake(name, |old| Ok(resized(old.clone(), archive, change)?))
            }
            Edit::Cells(cells) => self.remake(name, |old| with_cells(old, cells)),
            Edit::Rename(to) => self.engine().rename(text(name)?, new_text(to)?),
            Edit::Delete => self.engine().delete(text(name)?),
            Edit::Restore { whole, existing } => self.restore(name, whole, existing, goes_on),
        }
    }

    fn restore(
        &self,
        name: &Path,
        whole: &Snapshot,
        existing: Existing,
        goes_on: GoesOn<'_>,
    ) -> Result<(), Error> {
        if existing == Existing::Keep && self.has(name) {
            return Err(Error::Exists(name.into()));
        }
        self.engine().restore_while(new_text(name)?, whole, goes_on)
    }

    /// Heartbeats and limits change in place, by the log; all else takes the database anew.
    fn tune(&self, name: &Path, tuning: &Tuning<'_>) -> Result<(), Error> {
        let text = text(name)?;
        let (definition, live) = self.engine().describe(text)?;
        let mut edited = Edited::new(&definition, &live);
        let done = tuning.edit(&mut edited);
        if edited.is_deep {
            self.remake(name, |old| Ok(edited_whole(old, tuning)))?;
        } else {
            let changes = source_tunings(&definition, &edited.definition);
            changes.iter().try_for_each(|change| self.engine().tune(text, change))?;
        }
        done.map_err(Error::edit(name))?;
        let called = self.root().join(name);
        let change = tuning.change(&called.to_string_lossy()).map_err(Error::edit(name))?;
        match change {
            None => Ok(()),
            Some(change) => self.remake(name, |old| Ok(change.apply(old, &mut memory_room())?)),
        }
    }

    fn remake(
        &self,
        name: &Path,
        make: impl Fn(&Snapshot) -> Result<Snapshot, rrd::tune::TuneError>,
    ) -> Result<(), Error> {
        let make = |old: &Snapshot| make(old).map_err(Unmade::Refused);
        let remade = self.engine().remake(text(name)?, make);
        remade.map_err(|unmade| unmade.told(name))
    }
}

/// What changes in heartbeats and limits.
fn source_tunings(old: &Definition, new: &Definition) -> Vec<SourceTuning> {
    let fields = |source: &DataSource| {
        (source.heartbeat_seconds, source.minimum.to_bits(), source.maximum.to_bits())
    };
    let sources = (0..).zip(old.sources.iter().zip(&new.sources));
    let changed = sources.filter(|(_, (old, new))| fields(old) != fields(new));
    let tuning = |(source, (_, new)): (u32, (&DataSource, &DataSource))| SourceTuning {
        source,
        heartbeat_seconds: new.heartbeat_seconds,
        minimum: new.minimum,
        maximum: new.maximum,
    };
    changed.map(tuning).collect()
}

/// A name as the catalogue has it; none there is anything but UTF-8.
fn text(name: &Path) -> Result<&str, Error> {
    name.to_str().ok_or_else(|| Error::missing(name))
}

fn new_text(name: &Path) -> Result<&str, Error> {
    name.to_str().ok_or_else(|| Error::Name(name.to_string_lossy().into()))
}

impl Adopt for RingStore {
    fn adopt(&self, adoptees: &[Adoptee], goes_on: GoesOn<'_>) -> Result<(), Error> {
        self.engine().adopt_while(adoptees, goes_on)?;
        adoptees.iter().for_each(|adoptee| self.follower().replaced(Path::new(&adoptee.name)));
        Ok(())
    }

    fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error> {
        self.engine().came_from(name, modified_nanos)
    }

    /// A full group of MRTG's databases.
    fn bytes_at_once(&self) -> usize {
        384 << 20
    }
}

impl Inspect for RingStore {
    fn report(&self) -> Result<StoreReport, Error> {
        // What it holds of the attics is known once they were read.
        self.engine().check_attics()?;
        Ok(Self::report(self))
    }

    fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Verified, Error> {
        self.engine().verify(progress)
    }
}
