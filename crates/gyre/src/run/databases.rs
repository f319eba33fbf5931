//! The databases of a configuration: made where they are missing, kept where they are not.

use std::io;
use std::path::Path;
use std::sync::Arc;

use mrtg::{Configuration, Target};
use rrd::{DataSource, Definition, Timestamp};
use store::{Error, Store};

/// A database starts this long before the present, as one that rrdtool makes.
const START_BEFORE_SECONDS: i64 = 10;

/// A target's database.
#[derive(Clone, Debug)]
pub(super) struct Database {
    /// Its name in the store.
    pub(super) name: Arc<str>,
    /// When it was updated last; none if it is new.
    pub(super) last_update: Option<Timestamp>,
}

/// The database of each target, or why it has none; and remarks for the operator.
pub(super) struct Databases {
    pub(super) of_target: Vec<Result<Database, Arc<str>>>,
    /// How many are new.
    pub(super) made: usize,
    pub(super) remarks: Vec<String>,
}

/// Makes what is missing. One file that cannot be made or read spoils its own target alone.
pub(super) fn prepare(configuration: &Configuration, store: &dyn Store, now: i64) -> Databases {
    let mut remarks = Vec::new();
    let of_target = configuration.targets.iter().map(|target| {
        if target.unsupported.is_some() {
            return Err("it is not measured".into());
        }
        let prepared = prepare_one(configuration, target, store, now);
        prepared.map_err(|error| Arc::from(error.to_string())).and_then(|(database, remark)| {
            remarks.extend(remark.map(|remark| format!("{}: {remark}", target.position)));
            // Samples of two readings would not fit.
            database.ok_or_else(|| "its database has not two data sources".into())
        })
    });
    let of_target: Vec<_> = of_target.collect();
    let is_new = |database: &&Result<Database, _>| {
        database.as_ref().is_ok_and(|database: &Database| database.last_update.is_none())
    };
    let made = of_target.iter().filter(is_new).count();
    for (target, database) in configuration.targets.iter().zip(&of_target) {
        if let (Err(why), None) = (database, target.unsupported) {
            remarks.push(format!("{}: target {}: {why}", target.position, target.name));
        }
    }
    Databases { of_target, made, remarks }
}

/// The name of a target's database in a store that stands in for the configuration's LogDir.
fn name(configuration: &Configuration, target: &Target) -> Arc<str> {
    let path = &target.rrd_path;
    let below = path.strip_prefix(&configuration.globals.log_dir).unwrap_or(path);
    below.to_string_lossy().into()
}

fn prepare_one(
    configuration: &Configuration,
    target: &Target,
    store: &dyn Store,
    now: i64,
) -> Result<(Option<Database>, Option<String>), Error> {
    let name = name(configuration, target);
    let wanted = target.definition(configuration.globals.interval);
    match store.describe(&name) {
        Ok((found, live)) => {
            let remark = difference(&wanted, &found).map(|difference| {
                format!("{name} is kept as it is, although the configuration asks for {difference}")
            });
            let fits = found.sources.len() == wanted.sources.len();
            let database = Database { name, last_update: Some(live.last_update) };
            Ok((fits.then_some(database), remark))
        }
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            store.create(&name, &wanted, Timestamp::from_seconds(now - START_BEFORE_SECONDS))?;
            Ok((Some(Database { name, last_update: None }), None))
        }
        Err(error) => Err(error),
    }
}

/// What the configuration asks for and the file has not.
fn difference(wanted: &Definition, found: &Definition) -> Option<String> {
    if wanted.step_seconds != found.step_seconds {
        return Some(format!(
            "a step of {} s, where the file has {} s",
            wanted.step_seconds, found.step_seconds
        ));
    }
    if wanted.sources.len() != found.sources.len() {
        return Some("two data sources".to_owned());
    }
    let differs = |(wanted, found): &(&DataSource, &DataSource)| !same_source(wanted, found);
    if let Some((wanted, _)) = wanted.sources.iter().zip(&found.sources).find(differs) {
        let DataSource { name, kind, heartbeat_seconds, minimum, maximum } = wanted;
        return Some(format!("DS:{name}:{kind}:{heartbeat_seconds}:{minimum}:{maximum}"));
    }
    (wanted.archives != found.archives).then(|| "other archives".to_owned())
}

/// An absent limit is not a number, and equal to none, itself included.
fn same_source(left: &DataSource, right: &DataSource) -> bool {
    let same = |left: f64, right: f64| left == right || left.is_nan() && right.is_nan();
    left.name == right.name
        && left.kind == right.kind
        && left.heartbeat_seconds == right.heartbeat_seconds
        && same(left.minimum, right.minimum)
        && same(left.maximum, right.maximum)
}

/// Makes sure that the directory of the store is there.
///
/// # Errors
/// It is not, and cannot be made.
pub(super) fn make_directory(directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)
}
