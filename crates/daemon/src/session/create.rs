//! CREATE.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rrd::{Definition, Room, Snapshot, Timestamp};
use rrdcached::server::CreateRequest;
use rrdtool::create::{Plan, last_second};
use store::{Existing, GoesOn, Making, NewDatabase, Outline};

use super::fetch::now_seconds;
use super::gathered::Order;
use super::last_definitions::texts;
use super::turn::{RRD_ERROR, Turn};
use super::whole::{WHOLE_VALUES_MAX, hold_values, values_of};
use super::words;
use crate::limits::Share;
use crate::service::Service;
use crate::shelf::Failure;

/// Databases that one CREATE takes rows over from.
const SOURCES_MAX: usize = 256;

/// A new database's last update lies this far back, so that the first sample may come at once.
const DEFAULT_AGE_SECONDS: i64 = 10;

/// Whether a CREATE may wait for those that came with it. Not where databases are files: what a
/// later line's path leads to depends on the files that are there.
pub(super) fn can_be_gathered(service: &Service, request: &CreateRequest<'_>) -> bool {
    let stands_alone = request.sources.is_empty() && request.template.is_none();
    stands_alone && !service.shelf.has_directories()
}

/// What a CREATE that is gathered is to do.
pub(super) fn order(
    service: &Service,
    request: &CreateRequest<'_>,
    definition: Arc<Definition>,
) -> Order {
    let start = request.start_seconds.unwrap_or_else(|| now_seconds() - DEFAULT_AGE_SECONDS);
    Order::Create {
        start: Timestamp::from_seconds(rrd::Tick::SECOND.to_floor(start, definition.tick)),
        definition,
        existing: existing(service, request),
    }
}

/// CREATE.
pub(super) fn create(turn: &mut Turn<'_, '_, '_>, request: &CreateRequest<'_>) {
    let Some(path) = turn.place(request.path) else { return };
    if let Err(words) = make_directories(turn.service, &path) {
        return turn.fail(&words);
    }
    let created = created(turn.service, request, &path, &turn.service.goes_on(turn.out));
    match created {
        Ok(()) => turn.succeed(words::CREATED),
        Err(failure) => {
            let words = words::of_library(RRD_ERROR, &failure, &turn.spelled(request.path));
            turn.fail(&words);
        }
    }
}

fn created(
    service: &Service,
    request: &CreateRequest<'_>,
    path: &Path,
    goes_on: GoesOn<'_>,
) -> Result<(), Failure> {
    let mut share = service.wholes.share();
    let taken_over = TakenOver::read(service, request, &mut share)?;
    let template = request.template.map(|template| place(service, "template", template));
    let template = template.transpose()?.map(|placed| placed.outline);
    let template_seconds = template
        .as_ref()
        .map(|outline| outline.definition.tick.moment(outline.last_update).seconds);
    let template = template.map(|outline| outline.definition);
    let specs = texts(&request.definition)?;
    let plan = Plan::new(&path.to_string_lossy(), request.units, template, &specs)?;
    let start = request.start_seconds.or(taken_over.last_seconds()).or(template_seconds);
    let start = start.unwrap_or_else(|| now_seconds() - DEFAULT_AGE_SECONDS);
    let start = plan.start(start);
    let past = taken_over.into_new(&plan, start, &mut share)?;
    let new = NewDatabase { name: path, definition: &plan.definition, start };
    let existing = existing(service, request);
    let making = Making { past: past.as_ref(), existing, ..Making::new(new) };
    let failed = service.shelf.make(&[making], goes_on).pop();
    failed.map_or(Ok(()), |(_, failure)| Err(failure))
}

/// A database that a CREATE names beside the new one.
struct Placed {
    path: PathBuf,
    outline: Outline,
}

/// Finds a database of a kind that a CREATE names.
fn place(service: &Service, kind: &str, written: &[u8]) -> Result<Placed, Failure> {
    // rrdcached looks at these from its working directory, which is the base directory.
    let lost = || {
        let words = [b"Cannot open ", kind.as_bytes(), b" RRD ", written].concat();
        Failure::Rrd(String::from_utf8_lossy(&words).into_owned())
    };
    let path = service.paths.resolve(written).map_err(|_| lost())?;
    let outline = service.shelf.outline(&path).map_err(|_| lost())?;
    Ok(Placed { path, outline })
}

/// The databases whose rows a new one takes over.
#[derive(Default)]
struct TakenOver {
    databases: Vec<Snapshot>,
    /// How many values they have together.
    values: u64,
}

impl TakenOver {
    /// Reads them into memory, which a share holds.
    fn read(
        service: &Service,
        request: &CreateRequest<'_>,
        share: &mut Share<'_>,
    ) -> Result<Self, Failure> {
        if request.sources.len() > SOURCES_MAX {
            return Err(Failure::Rrd(format!("-r: expected {SOURCES_MAX} databases at most")));
        }
        let mut read = Self::default();
        for source in &request.sources {
            let Placed { path, outline } = place(service, "source", source)?;
            read.values = read.values.saturating_add(values_of(&outline.definition));
            hold_values(share, read.values)?;
            read.databases.push(service.shelf.whole(&path)?.1);
        }
        Ok(read)
    }

    /// The latest of their last updates.
    fn last_seconds(&self) -> Option<i64> {
        self.databases.iter().map(last_second).max()
    }

    /// The new database with their rows; nothing where there are none.
    fn into_new(
        self,
        plan: &Plan,
        start: Timestamp,
        share: &mut Share<'_>,
    ) -> Result<Option<Snapshot>, Failure> {
        if self.databases.is_empty() {
            return Ok(None);
        }
        // It is made in memory.
        let values = self.values.saturating_add(values_of(&plan.definition));
        hold_values(share, values)?;
        let mut room = Room::of_bytes(WHOLE_VALUES_MAX * 8);
        let made = plan.with_past(start, &self.databases, &mut room);
        Ok(Some(made.map_err(rrdtool::Failure::from)?))
    }
}

/// What becomes of a database that is there (`-O`).
fn existing(service: &Service, request: &CreateRequest<'_>) -> Existing {
    match request.keeps_existing || service.keeps_existing {
        true => Existing::Keep,
        false => Existing::Replace,
    }
}

/// Sees to the directory of a new file (`-R`).
fn make_directories(service: &Service, path: &Path) -> Result<(), Vec<u8>> {
    let Some(directory) = path.parent() else { return Ok(()) };
    if !service.shelf.has_directories() || directory.is_dir() {
        return Ok(());
    }
    let directory = directory.as_os_str().as_bytes();
    if !service.makes_directories {
        let hint = b": the daemon was not started with -R";
        return Err([b"No permission to recursively create: ", directory, hint].concat());
    }
    disk_directories(Path::new(OsStr::from_bytes(directory)))
}

fn disk_directories(directory: &Path) -> Result<(), Vec<u8>> {
    std::fs::create_dir_all(directory).map_err(|error| {
        let words = rrdtool::system_words(&error);
        format!("Cannot create {}: {words}", directory.display()).into_bytes()
    })
}
