//! What a file is like now.

use std::path::Path;
use std::sync::Arc;

use disk::Stamp;
use store::{Error, Locking};

use super::clock::Second;
use super::entry::Known;
use super::pending::{End, Pending};
use super::shape::{SampleChecker, Shape, Shapes};
use crate::{Access, RrdFile};

/// Looks at one file after the other, without a lock. Most are of the definition of the one before,
/// which is not decoded again then.
#[derive(Debug, Default)]
pub(super) struct HeadReader {
    before: Option<(RrdFile, Arc<Shape>)>,
    checker: SampleChecker,
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
    pub(super) fn look_at(&mut self, path: &Path, shapes: &Shapes) -> Result<Seen<'_>, Error> {
        let (file, stamp, shape) = match self.before.take() {
            None => {
                let file = RrdFile::open_locking(path, Access::Update, Locking::None)?;
                let stamp = file.stamp()?;
                let shape = shapes.of(file.header());
                (file, stamp, shape)
            }
            Some((mut file, shape)) => {
                let (stamp, is_alike) = file.turn_to(path)?;
                let shape = if is_alike { shape } else { shapes.of(file.header()) };
                (file, stamp, shape)
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
