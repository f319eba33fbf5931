//! The databases of a configuration: missing ones are made, existing ones are kept.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mrtg::{Configuration, Settings, Target};
use rrd::{DataSource, Definition, Timestamp};
use store::{Error, Making, NewDatabase, Outline, Store};

use super::database_names::DatabaseNames;
use super::itself::series::is_own;

/// A new database starts this long before the present, as with rrdtool.
const START_BEFORE_SECONDS: i64 = 10;

/// Databases made in one call: a definition takes a kilobyte as long as it is needed.
const MADE_AT_ONCE: usize = 10_000;

/// A target's database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Database {
    /// The time of the last update, in seconds since 1970; `None` if the database is new.
    pub(super) last_update_seconds: Option<i64>,
}

/// For each target its database, or why it has none; and remarks for the operator.
pub(super) struct Databases {
    pub(super) of_target: Vec<Result<Database, Arc<str>>>,
    /// The number of new databases.
    pub(super) made: usize,
    pub(super) remarks: Vec<String>,
}

/// Makes the databases that are missing. If one cannot be made or read, only its own target fails.
///
/// `keeps_elsewhere`: databases are not kept where MRTG would keep its files.
pub(super) fn prepare(
    configuration: &Configuration,
    names: &DatabaseNames,
    store: &dyn Store,
    keeps_elsewhere: bool,
    now: i64,
) -> Databases {
    let mut remarks = Vec::new();
    let start = Timestamp::from_seconds(now - START_BEFORE_SECONDS);
    let mut of_target = Vec::with_capacity(configuration.targets.len());
    let mut wanted = Wanted::of(names);
    for targets in configuration.targets.chunks(MADE_AT_ONCE) {
        let found = targets.iter().map(|target| match target.unsupported {
            Some(_) => Found::Failed("it is not measured".into()),
            None => find(&mut wanted, target, store, &mut remarks),
        });
        of_target.extend(make_missing(found.collect(), store, start));
    }
    let is_new = |database: &&Result<Database, _>| {
        database.as_ref().is_ok_and(|database: &Database| database.last_update_seconds.is_none())
    };
    let made = of_target.iter().filter(is_new).count();
    let targets = configuration.targets.iter().zip(&of_target);
    let made_anew = targets.filter(|(_, database)| keeps_elsewhere && is_new(database));
    let log_dir = &configuration.globals.log_dir;
    let anew: Vec<_> = made_anew.filter(|(target, _)| wanted.has_file(target, log_dir)).collect();
    if let Some((target, _)) = anew.first() {
        remarks.push(format!(
            "{} databases are new although MRTG's directory has files of them, the first {}; `gyre \
             import` takes such files over",
            anew.len(),
            target.rrd_path().display()
        ));
    }
    for (target, database) in configuration.targets.iter().zip(&of_target) {
        if let (Err(why), None) = (database, target.unsupported) {
            remarks.push(format!("{}: target {}: {why}", target.position, target.name));
        }
    }
    Databases { of_target, made, remarks }
}

/// What databases are wanted: most targets share one of few settings.
pub(super) struct Wanted<'c> {
    names: &'c DatabaseNames,
    definitions: HashMap<*const Settings, Arc<Definition>>,
    /// Whether a directory is there: where it is not, no file needs to be looked for.
    directories: HashMap<PathBuf, bool>,
}

impl<'c> Wanted<'c> {
    pub(super) fn of(names: &'c DatabaseNames) -> Self {
        Self { names, definitions: HashMap::new(), directories: HashMap::new() }
    }

    fn definition(&mut self, target: &Target) -> Arc<Definition> {
        let definition = self.definitions.entry(Arc::as_ptr(&target.settings));
        definition.or_insert_with(|| target.settings.definition().into()).clone()
    }

    /// Whether the target has a file below `root`, which stands for LogDir.
    pub(super) fn has_file(&mut self, target: &Target, root: &Path) -> bool {
        let file = root.join(&*self.names.name(target));
        let directories = &mut self.directories;
        let has_directory =
            file.parent().is_some_and(|directory| match directories.get(directory) {
                Some(known) => *known,
                None => {
                    let is_there = directory.is_dir();
                    directories.insert(directory.to_path_buf(), is_there);
                    is_there
                }
            });
        has_directory && file.is_file()
    }
}

/// The state of a target's database.
enum Found {
    There(Database),
    Missing(Arc<str>, Arc<Definition>),
    Failed(Arc<str>),
}

fn find(
    wanted: &mut Wanted<'_>,
    target: &Target,
    store: &dyn Store,
    remarks: &mut Vec<String>,
) -> Found {
    let name = wanted.names.name(target);
    let wanted = wanted.definition(target);
    match store.outline(Path::new(&*name)) {
        Ok(Outline { definition: found, .. }) if is_own(&found) => {
            Found::Failed("its database is one in which a run measures itself".into())
        }
        Ok(Outline { definition: found, last_update }) => {
            remarks.extend(difference(&wanted, &found, target.settings.follows_speed).map(|difference| {
                format!(
                    "{}: {name} is kept as it is, although the configuration asks for {difference}",
                    target.position
                )
            }));
            match found.sources.len() == wanted.sources.len() {
                true => Found::There(Database { last_update_seconds: Some(last_update.seconds) }),
                // A sample has two readings, so other databases cannot take it.
                false => Found::Failed("its database has not two data sources".into()),
            }
        }
        Err(error) if error.is_missing() => Found::Missing(name, wanted),
        Err(error) => Found::Failed(error.to_string().into()),
    }
}

/// Makes missing databases in one call, so that a store can wait for the disk once.
fn make_missing(
    found: Vec<Found>,
    store: &dyn Store,
    start: Timestamp,
) -> Vec<Result<Database, Arc<str>>> {
    let missing = found.iter().filter_map(|found| match found {
        Found::Missing(name, definition) => {
            Some(Making::new(NewDatabase { name: Path::new(&**name), definition, start }))
        }
        _ => None,
    });
    let missing: Vec<Making<'_>> = missing.collect();
    // Two targets may share a database: then the first made it for both.
    let failures = store.make(&missing, &|| true).into_iter();
    let failures = failures.filter(|(_, error)| !matches!(error, Error::Exists(_)));
    let mut failures: HashMap<usize, Error> = failures.collect();
    let outcomes: Vec<_> = (0..missing.len()).map(|nth| failures.remove(&nth)).collect();
    let mut outcomes = outcomes.into_iter();
    let of_target = found.into_iter().map(|found| match found {
        Found::There(database) => Ok(database),
        Found::Failed(why) => Err(why),
        Found::Missing(..) => match outcomes.next().flatten() {
            Some(error) => Err(error.to_string().into()),
            None => Ok(Database { last_update_seconds: None }),
        },
    });
    of_target.collect()
}

/// The first thing that the configuration asks for and the database does not have, in words.
///
/// Maxima that follow the speed of an interface are not compared.
fn difference(wanted: &Definition, found: &Definition, follows: [bool; 2]) -> Option<String> {
    if (wanted.tick, wanted.step_seconds) != (found.tick, found.step_seconds) {
        return Some(format!(
            "a step of {} s, where the database has {} s",
            wanted.step_in_seconds(),
            found.step_in_seconds()
        ));
    }
    if wanted.sources.len() != found.sources.len() {
        return Some("two data sources".to_owned());
    }
    let differs = |(nth, (wanted, found)): &(usize, (&DataSource, &DataSource))| {
        !same_source(wanted, found, follows.get(*nth) == Some(&true))
    };
    let mut both = wanted.sources.iter().zip(&found.sources).enumerate();
    if let Some((_, (wanted, _))) = both.find(differs) {
        let DataSource { name, kind, heartbeat_seconds, minimum, maximum } = wanted;
        return Some(format!("DS:{name}:{kind}:{heartbeat_seconds}:{minimum}:{maximum}"));
    }
    (wanted.archives != found.archives).then(|| "other archives".to_owned())
}

/// Compares two sources. An absent limit is a NaN; two absent limits are treated as equal.
fn same_source(left: &DataSource, right: &DataSource, maximum_follows: bool) -> bool {
    let same = |left: f64, right: f64| left == right || left.is_nan() && right.is_nan();
    left.name == right.name
        && left.kind == right.kind
        && left.heartbeat_seconds == right.heartbeat_seconds
        && same(left.minimum, right.minimum)
        && (maximum_follows || same(left.maximum, right.maximum))
}

/// Makes sure that the directory of the store is there.
///
/// # Errors
/// It is not, and cannot be made.
pub(super) fn make_directory(directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)
}
