//! Opening a whole store by several threads.
//!
//! ```text
//!   catalogue   read ---- checked by redb ----.
//!                   '-- names, checkpoints ----+-- log -- ...
//!   log         its segments, outlines -------'
//! ```
//!
//! redb checks all of the catalogue, which takes as long as loading the names. So the names are
//! loaded meanwhile without redb, page by page, each page checked against the checksum that the one
//! before has of it. They count only if redb has opened the file with the same roots of their
//! tables; else they are loaded once more, from redb. Of the log nothing is changed before the
//! catalogue was found in order.

use std::sync::{Arc, mpsc};

use disk::Medium;
use journal::SeenSegments;
use store::Error;

use super::RingOptions;
use super::load::{Bodies, Extent, Loading};
use super::parts::Parts;
use super::recover::{Before, go_on, load, remembered};
use super::warm::warm_outlines;
use crate::catalogue::{Catalogue, CatalogueError};

/// Opens a whole store, of which nothing is given up.
///
/// # Errors
/// As [`open`](super::recover::open).
pub(super) fn open_side_by_side<M: Medium<File: 'static>>(
    medium: Arc<M>,
    options: RingOptions,
) -> Result<Parts<M>, Error> {
    let Some((names, options)) = names_alone(&*medium, options) else {
        // There is something to be mended first, or to be told.
        let catalogue = Catalogue::open(&medium)?;
        return super::recover::open(medium, options, catalogue, Extent::All);
    };
    let before = std::thread::scope(|scope| {
        let (tell_read, read) = mpsc::channel();
        let checking = scope.spawn(|| {
            Catalogue::open_telling(&medium, move || {
                let _ = tell_read.send(()); // the receiver waits for it
            })
        });
        let seeing = scope.spawn(|| {
            let seen = SeenSegments::of(&medium, &options.journal);
            warm_outlines(&*medium);
            seen
        });
        // Where the file cannot be read, the thread that checks it tells why.
        let _ = read.recv();
        let loaded = load(&medium, &options, (&names, Extent::All), Bodies::Later);
        let catalogue = checking.join().expect("what panics in it is an error")?;
        let loading = loading_of(&catalogue, (names, loaded), &medium, &options)?;
        let seen = seeing.join().expect("no look at the log panics")?;
        Ok::<_, Error>(Before { catalogue, loading, seen: Some(seen) })
    })?;
    go_on(medium, options, before, Extent::All)
}

/// The catalogue for its names alone, and the options that it remembers; `None` if it cannot be
/// read so.
fn names_alone<M: Medium<File: 'static>>(
    medium: &M,
    options: RingOptions,
) -> Option<(Catalogue, RingOptions)> {
    let names = Catalogue::open_in_part(medium).ok()?;
    let options = remembered(&names, options).ok()?;
    Some((names, options))
}

/// What was loaded without redb, if redb has opened the same; else what redb has.
fn loading_of<M: Medium<File: 'static>>(
    catalogue: &Catalogue,
    (names, loaded): (Catalogue, Result<Loading, Error>),
    medium: &Arc<M>,
    options: &RingOptions,
) -> Result<Loading, Error> {
    match loaded {
        Ok(loading) if is_still(&names, medium).unwrap_or(false) => Ok(loading),
        _ => load(medium, options, (catalogue, Extent::All), Bodies::Later),
    }
}

/// Whether the catalogue's file, which redb has opened meanwhile, has the same databases: redb goes
/// back to the commit before where the last one is damaged, and says so in the file.
fn is_still<M: Medium<File: 'static>>(
    names: &Catalogue,
    medium: &Arc<M>,
) -> Result<bool, CatalogueError> {
    Ok(names.has_what(&Catalogue::open_in_part(medium)?))
}

#[cfg(test)]
mod tests {
    use disk::{AnyMedium, MemoryMedium};
    use rrd::Timestamp;

    use super::{Arc, Catalogue, RingOptions, is_still, names_alone};
    use crate::Engine;

    fn options() -> RingOptions {
        RingOptions { replay_threads: 0, ..RingOptions::default() }
    }

    /// The file of a store with one database more, left as a process that was killed leaves it.
    fn killed(medium: &AnyMedium, name: &str) {
        let engine = match Engine::open_store(medium.clone(), options()) {
            Ok(engine) => engine,
            Err(_) => Engine::create_store(medium.clone(), options()).unwrap(),
        };
        let definition = rrd::spec::definition(60, ["DS:x:GAUGE:120:U:U", "RRA:MAX:0.5:1:10"]);
        engine.create(name, &definition.unwrap(), Timestamp::from_seconds(1_600_000_000)).unwrap();
        engine.end().unwrap(); // the catalogue has it
        std::mem::forget(engine);
    }

    #[test]
    fn names_that_were_loaded_meanwhile_count_after_a_kill() {
        let medium = AnyMedium::of(MemoryMedium::default());
        killed(&medium, "a");
        let (names, _) = names_alone(&medium, options()).unwrap();
        let medium = Arc::new(medium);
        let catalogue = Catalogue::open(&medium).unwrap();
        assert!(is_still(&names, &medium).unwrap());
        drop(catalogue);
        killed(&medium, "b");
        assert!(!is_still(&names, &medium).unwrap(), "another commit");
    }
}
