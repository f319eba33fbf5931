//! Records how the kernel serves updates, by the reference's method: evict the file, update it,
//! then record the resident pages.
//!
//! So a record has more than the pages that the update needs: also those of readahead and of large
//! folios.

mod engine;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use capacity::recording::write_down;
use capacity::replay::Method;
use capacity::scenario::Scenario;
use capacity::trace::{Access, Shape, Touch};
use capacity::trace_text::{Line, Runs};
use files::{Io, Transfer};
use pagecache::Pages;
use rrd::{Definition, LiveState, Timestamp};
use rrdfile::Header;
use rrdfile::layout::RowIndex;

use super::failure::Failure;
use super::listener::Listener;
use engine::Engine;

const NAME: &str = "gyre-simulate-record";

/// A file that exists in a directory during the recording.
pub(super) struct Record {
    directory: PathBuf,
    updater: Updater,
    definition: Definition,
    scenario: Scenario,
}

/// The updater of the file.
pub(super) enum Updater {
    /// gyre itself, with this kind of I/O.
    Gyre(Io),
    /// A program with rrdtool's pipe mode.
    Program(PathBuf),
}

impl Updater {
    /// gyre, with the reads and writes of this method, with or without advice of random access.
    pub(super) fn gyre(method: Method, advice: bool) -> Self {
        let transfer = match method {
            // A prefetch reads the same pages, only earlier.
            Method::Pwrite | Method::Prefetch => Transfer::Positioned,
            Method::Stream => Transfer::Buffered,
            Method::Mapping => Transfer::Mapped,
        };
        Self::Gyre(Io { transfer, advice })
    }
}

impl Record {
    /// Prepares the file of a scenario in a directory.
    pub(super) fn new(
        directory: PathBuf,
        updater: Updater,
        definition: Definition,
        scenario: Scenario,
    ) -> Result<Self, Failure> {
        let (page_bytes, kernel) =
            (scenario.fleet.groups()[0].shape.page_bytes(), disk::page_bytes());
        if page_bytes != kernel as u64 {
            return Err(Failure::PageBytes { kernel, page_bytes });
        }
        Ok(Self { directory, updater, definition, scenario })
    }

    /// Records every update.
    pub(super) fn tell(&self, listener: &mut dyn Listener) -> Result<(), Failure> {
        let Scenario { fleet, warming_seconds, counted_seconds, .. } = &self.scenario;
        let shape = &fleet.groups()[0].shape;
        let start_seconds = fleet.next_turn().1 - shape.step_seconds();
        let file = TemporaryFile::new(&self.directory)?;
        self.create(&file.path, start_seconds)?;
        let mut engine = Engine::new(&self.updater, &file.path, &self.definition)?;
        let named = Failure::file(&file.path);
        let mut pages = Pages::open(&file.path).map_err(&named)?;
        listener.files(&self.scenario.files().ok_or(Failure::TracePages)?)?;
        let steps = (warming_seconds + counted_seconds) / shape.step_seconds();
        for nth in 0..steps {
            if nth == warming_seconds / shape.step_seconds() {
                listener.line(Line::Count)?;
            }
            let now_seconds = start_seconds + (nth + 1) * shape.step_seconds();
            pages.evict().map_err(&named)?;
            engine.update(now_seconds)?;
            listener.line(Line::Cycle(now_seconds))?;
            let runs = runs(shape, pages.came().map_err(&named)?);
            listener.line(Line::Update { file: 0, runs: runs.as_slice() })?;
        }
        Ok(())
    }

    /// Makes the file, with its rings at the positions of the scenario.
    fn create(&self, path: &Path, start_seconds: u64) -> Result<(), Failure> {
        let start = Timestamp::from_seconds(start_seconds.cast_signed());
        let live = LiveState::fresh(&self.definition, start);
        let newest_rows = self.scenario.fleet.newest_rows(0, 0).iter().map(|row| RowIndex(*row));
        let header = Header::new(self.definition.clone(), live, newest_rows.collect());
        let header = header.ok_or(Failure::TooLarge)?;
        let sources = self.definition.sources.len();
        let unknown = |rows: u64| vec![rrd::UNKNOWN; rows as usize * sources];
        let rows: Vec<Vec<f64>> =
            self.definition.archives.iter().map(|archive| unknown(archive.rows)).collect();
        Ok(files::write_file(path, &header, &rows)?)
    }
}

/// The runs of resident pages.
fn runs(shape: &Shape, resident: &[bool]) -> Runs {
    let (mut pages, mut runs) = (Vec::new(), Runs::default());
    let is_resident = |page: u32| resident.get(page as usize).is_some_and(|is| *is);
    write_down(shape, is_resident, &mut pages);
    pages.into_iter().for_each(|page| runs.push(Touch { page, access: Access::Read }));
    runs
}

/// A file with an unused name, removed when this is dropped.
struct TemporaryFile {
    path: PathBuf,
}

impl TemporaryFile {
    fn new(directory: &Path) -> Result<Self, Failure> {
        let mut name = OsString::from(NAME);
        name.push(format!("-{}.rrd", std::process::id()));
        let path = directory.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(Failure::InTheWay(path));
        }
        Ok(Self { path })
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // it may never have been made
    }
}
