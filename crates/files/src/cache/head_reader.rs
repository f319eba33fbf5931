//! What a file is like now.

use std::path::Path;
use std::sync::Arc;

use disk::Stamp;
use store::{Error, Locking};

use super::clock::Second;
use super::entry::Known;
use super::opened_ahead::OpenedAhead;
use super::pending::{End, Pending};
use super::shape::{SampleChecker, Shape, Shapes};
use crate::rrd_file::Opened;
use crate::{Access, RrdFile};

/// Looks at one file after the other, without a lock. Most are of the definition of the one before,
/// which is not decoded again then.
#[derive(Debug, Default)]
pub(super) struct HeadReader {
    before: Option<(RrdFile, Arc<Shape>)>,
    checker: SampleChecker,
    ahead: OpenedAhead,
}

/// A file that is looked at.
pub(super) struct Seen<'a> {
    pub(super) file: &'a RrdFile,
    stamp: Stamp,
    shape: Arc<Shape>,
    /// Room to take samples into it.
    pub(super) checker: &'a mut SampleChecker,
}

impl Seen<'_> {
    pub(super) fn known(&self, looked: Second) -> Known {
        let sources = self.shape.sources(&self.file.header().live);
        Known { shape: Arc::clone(&self.shape), sources, stamp: self.stamp, looked }
    }
}

impl HeadReader {
    /// One that can be told of so many files before it looks at them.
    pub(super) fn looking_ahead(files_max: usize) -> Self {
        Self { ahead: OpenedAhead::of(files_max), ..Self::default() }
    }

    /// Opens files that are looked at next, in this order, and reads their heads all at once. To
    /// be done while their entries are held.
    pub(super) fn open_ahead<'a>(&mut self, paths: impl Iterator<Item = &'a Path>) {
        self.ahead.open(paths);
    }

    pub(super) fn look_at(&mut self, path: &Path, shapes: &Shapes) -> Result<Seen<'_>, Error> {
        let opened = self.ahead.take(path).map_or_else(|| Opened::of(path), Ok)?;
        let stamp = opened.stamp;
        let (file, shape) = match self.before.take() {
            None => {
                let file = RrdFile::over(opened.file, path, Access::Update, Locking::None)?;
                let shape = shapes.of(file.header());
                (file, shape)
            }
            Some((mut file, shape)) => {
                let is_alike = file.turn_to(path, opened)?;
                let shape = if is_alike { shape } else { shapes.of(file.header()) };
                (file, shape)
            }
        };
        let (file, shape) = self.before.insert((file, shape));
        Ok(Seen { file, stamp, shape: Arc::clone(shape), checker: &mut self.checker })
    }
}

/// Takes pending samples into a file's sources. Returns those that were taken.
pub(super) fn taken_anew(
    known: &mut Known,
    pending: &Pending,
    checker: &mut SampleChecker,
) -> Pending {
    checker.begin(&known.shape, &known.sources);
    let mut left = Pending::default();
    let mut readings = Vec::new();
    for (text, end) in pending.iter() {
        let sample = known.shape.reader.read_numbered(text, &mut readings);
        let taken = sample
            .is_ok_and(|time| checker.take(&rrd::Sample { time, readings: &readings }).is_ok());
        if taken {
            left.push(text);
            if end == End::Command {
                left.end_command(text);
            }
        }
    }
    checker.end(&mut known.sources);
    left
}
