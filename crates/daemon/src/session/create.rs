//! CREATE.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use rrd::{Definition, Room, Timestamp};
use rrdcached::server::CreateRequest;
use rrdtool::create::Plan;
use store::{Existing, GoesOn, Making, NewDatabase};

use super::ask::RRD_ERROR;
use super::fetch::now_seconds;
use super::gathered::{Gathered, Order};
use super::whole::{WHOLE_VALUES_MAX, hold_values, values_of};
use super::{Session, Stop, words};
use crate::connection::Output;
use crate::shelf::Failure;

/// Databases that one CREATE takes rows over from.
const SOURCES_MAX: usize = 256;

/// A new database's last update lies this far back, so that the first sample may come at once.
const DEFAULT_AGE_SECONDS: i64 = 10;

/// So many definitions are remembered for a connection.
const LAST_DEFINITIONS: usize = 16;
/// Longer ones are not: what a connection remembers is in no budget.
const REMEMBERED_WORDS_BYTES_MAX: usize = 4096;
/// A definition, and the words that it was read from.
pub(super) struct LastDefinition {
    step_seconds: Option<u64>,
    words: Vec<Vec<u8>>,
    definition: Arc<Definition>,
}

impl Session<'_> {
    /// Whether a CREATE may wait for those that came with it. Not where databases are files: what a
    /// later line's path leads to depends on the files that are there.
    pub(super) fn can_be_gathered(&self, request: &CreateRequest<'_>) -> bool {
        let stands_alone = request.sources.is_empty() && request.template.is_none();
        stands_alone && !self.service.shelf.has_directories()
    }

    /// A CREATE is gathered, unless it is refused at once.
    pub(super) fn gather_create<'c>(
        &mut self,
        request: &CreateRequest<'c>,
        gathered: &mut Gathered<'c>,
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let written = request.path;
        let Ok(path) = self.service.paths.resolve(written) else {
            let words = words::denied(&self.spelled(written));
            return self.refuse(gathered, out, &words);
        };
        let definition = match self.definition(request, &path) {
            Ok(definition) => definition,
            Err(failure) => {
                let words = words::of_library(RRD_ERROR, &failure, &self.spelled(written));
                return self.refuse(gathered, out, &words);
            }
        };
        if gathered.updates_of(&path) {
            self.perform(gathered, out)?;
        }
        let start = request.start_seconds.unwrap_or_else(|| now_seconds() - DEFAULT_AGE_SECONDS);
        let order = Order::Create {
            definition,
            start: Timestamp::from_seconds(start),
            existing: self.existing(request),
        };
        let number = self.batch.as_ref().map_or(0, |batch| batch.line);
        gathered.add_create(&path, written, order, number);
        Ok(())
    }

    /// What a database is to hold that takes nothing over.
    fn definition(
        &mut self,
        request: &CreateRequest<'_>,
        path: &Path,
    ) -> Result<Arc<Definition>, Failure> {
        let is_same = |last: &&LastDefinition| {
            last.step_seconds == request.step_seconds
                && last.words.iter().map(Vec::as_slice).eq(request.definition.iter().copied())
        };
        if let Some(last) = self.last_definitions.iter().find(is_same) {
            return Ok(Arc::clone(&last.definition));
        }
        let specs = texts(&request.definition)?;
        let plan = Plan::new(&path.to_string_lossy(), request.step_seconds, None, &specs);
        let definition = Arc::new(plan?.definition);
        // When seasons are smoothed depends on the database's name.
        let depends_on_name = definition.archives.iter().any(|archive| archive.cf.is_forecast());
        let words_bytes = request.definition.iter().map(|word| word.len()).sum::<usize>();
        if !depends_on_name && words_bytes <= REMEMBERED_WORDS_BYTES_MAX {
            self.last_definitions.truncate(LAST_DEFINITIONS - 1);
            self.last_definitions.push_front(LastDefinition {
                step_seconds: request.step_seconds,
                words: request.definition.iter().map(|word| word.to_vec()).collect(),
                definition: Arc::clone(&definition),
            });
        }
        Ok(definition)
    }

    pub(super) fn create(&mut self, request: &CreateRequest<'_>, out: &mut Output<'_>) {
        let Some(path) = self.place(request.path, out) else { return };
        if let Err(words) = self.make_directories(&path) {
            return self.fail(out, &words);
        }
        let created = self.created(request, &path, &self.goes_on(out));
        match created {
            Ok(()) => self.succeed(out, words::CREATED),
            Err(failure) => {
                let words = words::of_library(RRD_ERROR, &failure, &self.spelled(request.path));
                self.fail(out, &words);
            }
        }
    }

    fn created(
        &self,
        request: &CreateRequest<'_>,
        path: &Path,
        goes_on: GoesOn<'_>,
    ) -> Result<(), Failure> {
        let shelf = &self.service.shelf;
        let mut share = self.service.wholes.share();
        let place = |kind: &str, written: &[u8]| {
            // rrdcached looks at these from its working directory, which is the base directory.
            let lost = || {
                let words = [b"Cannot open ", kind.as_bytes(), b" RRD ", written].concat();
                Failure::Rrd(String::from_utf8_lossy(&words).into_owned())
            };
            let path = self.service.paths.resolve(written).map_err(|_| lost())?;
            let outline = shelf.outline(&path).map_err(|_| lost())?;
            Ok::<_, Failure>((path, outline))
        };
        if request.sources.len() > SOURCES_MAX {
            return Err(Failure::Rrd(format!("-r: expected {SOURCES_MAX} databases at most")));
        }
        let mut past = Vec::new();
        let mut past_values: u64 = 0;
        for source in &request.sources {
            let (path, outline) = place("source", source)?;
            past_values = past_values.saturating_add(values_of(&outline.definition));
            hold_values(&mut share, past_values)?;
            past.push(shelf.whole(&path)?.1);
        }
        let template = request.template.map(|template| place("template", template)).transpose()?;
        let template = template.map(|(_, outline)| outline);
        let template_seconds = template.as_ref().map(|outline| outline.last_update.seconds);
        let template = template.map(|outline| outline.definition);
        let specs = texts(&request.definition)?;
        let name = path.to_string_lossy();
        let plan = Plan::new(&name, request.step_seconds, template, &specs)?;
        let latest = past.iter().map(|source| source.live.last_update.seconds).max();
        let start = request.start_seconds.or(latest).or(template_seconds);
        let start = start.unwrap_or_else(|| now_seconds() - DEFAULT_AGE_SECONDS);
        let start = Timestamp::from_seconds(start);
        let past = match past.is_empty() {
            true => None,
            // It is made in memory.
            false => {
                let values = past_values.saturating_add(values_of(&plan.definition));
                hold_values(&mut share, values)?;
                let made = plan.with_past(start, &past, &mut Room::of_bytes(WHOLE_VALUES_MAX * 8));
                Some(made.map_err(rrdtool::Failure::from)?)
            }
        };
        let new = NewDatabase { name: path, definition: &plan.definition, start };
        let existing = self.existing(request);
        let failed = shelf.make(&[Making { new, past: past.as_ref(), existing }], goes_on).pop();
        failed.map_or(Ok(()), |(_, failure)| Err(failure))
    }

    /// What becomes of a database that is there (`-O`).
    fn existing(&self, request: &CreateRequest<'_>) -> Existing {
        match request.keeps_existing || self.service.keeps_existing {
            true => Existing::Keep,
            false => Existing::Replace,
        }
    }

    /// Sees to the directory of a new file (`-R`).
    fn make_directories(&self, path: &Path) -> Result<(), Vec<u8>> {
        let Some(directory) = path.parent() else { return Ok(()) };
        if !self.service.shelf.has_directories() || directory.is_dir() {
            return Ok(());
        }
        let directory = directory.as_os_str().as_bytes();
        if !self.service.makes_directories {
            let hint = b": the daemon was not started with -R";
            return Err([b"No permission to recursively create: ", directory, hint].concat());
        }
        disk_directories(Path::new(OsStr::from_bytes(directory)))
    }
}

fn disk_directories(directory: &Path) -> Result<(), Vec<u8>> {
    std::fs::create_dir_all(directory).map_err(|error| {
        let words = rrdtool::system_words(&error);
        format!("Cannot create {}: {words}", directory.display()).into_bytes()
    })
}

fn texts<'a>(words: &[&'a [u8]]) -> Result<Vec<&'a str>, Failure> {
    let text = |word: &&'a [u8]| {
        let wrong = |_| {
            let word = String::from_utf8_lossy(word);
            Failure::Rrd(format!("expected UTF-8, found '{word}'"))
        };
        std::str::from_utf8(word).map_err(wrong)
    };
    words.iter().map(text).collect()
}
