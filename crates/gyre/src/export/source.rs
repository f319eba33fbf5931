//! Where exported databases are read from: the store itself, or the process that has it open.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ring::RingStore;
use ring::file::{Departure, Party};
use rrd::{BeyondFiles, Snapshot};
use rrdtool::{Failure, Session};
use store::{Error, NamePattern, Store};

use super::image::Image;

/// How many names are looked up in one call.
const NAMES_AT_ONCE: usize = 64;

/// The databases to export, in parties: all databases of a party are taken in one call.
pub(super) enum Source {
    /// This process has the store open. It reads the tiles of a party once for all its databases.
    Own(Arc<RingStore>, Vec<Party>),
    Asked(Arc<dyn Store>, Vec<Vec<String>>),
}

impl Source {
    /// Finds the databases with these names or patterns in the store of a directory; all of them if
    /// there are no names.
    ///
    /// # Errors
    ///
    /// There is no such store, or no database matches a name or pattern.
    pub(super) fn find(
        session: &mut Session,
        root: &str,
        names: Option<&[String]>,
    ) -> Result<Self, Failure> {
        let store = session.databases.store_at(root)?;
        let names = names.map(|names| meant(&*store, root, names)).transpose()?;
        if let Some(ring) = session.databases.own_store(root)? {
            let parties = match &names {
                None => ring.engine().departures().all(),
                Some(names) => ring.engine().departures().of(names)?,
            };
            return Ok(Self::Own(ring, parties));
        }
        let names = match names {
            None => store.names("")?,
            Some(names) => {
                let missing = names.iter().find(|name| !store.has(Path::new(name)));
                match missing {
                    Some(name) => {
                        return Err(Error::NoSuchDatabase { name: name.into() }.into());
                    }
                    None => names,
                }
            }
        };
        let parties = names.chunks(NAMES_AT_ONCE).map(<[String]>::to_vec).collect();
        Ok(Self::Asked(store, parties))
    }

    /// The number of databases.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Own(_, parties) => parties.iter().map(Party::count).sum(),
            Self::Asked(_, parties) => parties.iter().map(Vec::len).sum(),
        }
    }

    /// Reads one party and calls `take` with each name and file; of databases with ticks below a
    /// second, with what is whole seconds if that is wanted. Returns false when no party is left.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub(super) fn take(
        &self,
        nth: usize,
        whole_seconds: bool,
        mut take: impl FnMut(&str, Result<Image, Failure>),
    ) -> Result<bool, Error> {
        match self {
            Self::Own(ring, parties) => {
                let Some(party) = parties.get(nth) else { return Ok(false) };
                ring.engine().departures().leave(
                    party,
                    |name, left: Result<Departure, Error>| {
                        let image =
                            left.map_err(Failure::from).and_then(|left| {
                                match whole_seconds && !left.snapshot.definition.tick.is_second() {
                                    true => Image::of_whole_seconds(name, &left.snapshot),
                                    false => Ok(left.file_bytes().map(Image::whole)?),
                                }
                            });
                        take(name, image);
                    },
                )?;
            }
            Self::Asked(store, parties) => {
                let Some(names) = parties.get(nth) else { return Ok(false) };
                let mut of_ticks = Vec::new();
                store.images(names, &mut |name, image| match image {
                    // The database was deleted after its name was looked up.
                    Err(error) if error.is_missing() => {}
                    Err(Error::BeyondFiles { source: BeyondFiles::Tick(_), .. })
                        if whole_seconds =>
                    {
                        of_ticks.push(name.to_owned());
                    }
                    image => take(name, image.map(Image::whole).map_err(Failure::from)),
                })?;
                for name in of_ticks {
                    let database = store.snapshot(Path::new(&name)).map_err(Failure::from);
                    take(&name, database.and_then(|it| Image::of_whole_seconds(&name, &it)));
                }
            }
        }
        Ok(true)
    }
}

/// The names of the databases that words select, in order; of all without words.
///
/// # Errors
///
/// There is no such store, or no database matches a name or pattern.
pub(super) fn names_of(
    session: &mut Session,
    root: &str,
    words: Option<&[String]>,
) -> Result<Vec<String>, Failure> {
    let store = session.databases.store_at(root)?;
    let Some(words) = words else { return Ok(store.names("")?) };
    let names = meant(&*store, root, words)?;
    match names.iter().find(|name| !store.has(Path::new(name))) {
        Some(name) => Err(Error::NoSuchDatabase { name: name.into() }.into()),
        None => Ok(names),
    }
}

/// Reads whole databases.
pub(super) enum Reader {
    Own(Arc<RingStore>),
    Asked(Arc<dyn Store>),
}

impl Reader {
    /// From the store of a directory.
    ///
    /// # Errors
    ///
    /// There is none.
    pub(super) fn of(session: &mut Session, root: &str) -> Result<Self, Failure> {
        Ok(match session.databases.own_store(root)? {
            Some(ring) => Self::Own(ring),
            None => Self::Asked(session.databases.store_at(root)?),
        })
    }

    /// Reads the databases of some names. Databases that lie together are read together, so that
    /// they come in another order.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub(super) fn read(
        &self,
        names: &[String],
        take: &mut dyn FnMut(&str, Result<Snapshot, Error>),
    ) -> Result<(), Error> {
        match self {
            Self::Own(ring) => {
                for party in ring.engine().departures().of(names)? {
                    ring.engine().departures().leave(&party, |name, left| {
                        take(name, left.map(|left| left.snapshot));
                    })?;
                }
            }
            Self::Asked(store) => {
                names.iter().for_each(|name| take(name, store.snapshot(Path::new(name))));
            }
        }
        Ok(())
    }
}

/// The databases that words select. A word is the name of a database, or else a pattern.
fn meant(store: &dyn Store, root: &str, words: &[String]) -> Result<Vec<String>, Failure> {
    let mut names = BTreeSet::new();
    for word in words {
        if !rrdtool::list::is_pattern(word) || store.has(Path::new(word)) {
            names.insert(word.clone());
            continue;
        }
        let found = store.names_like(&NamePattern::meant(word))?;
        if found.is_empty() {
            return Err(Failure::misuse(format!("{root}: no name is like {word}")));
        }
        names.extend(found);
    }
    Ok(names.into_iter().collect())
}
