//! One file after the other, on every core.

use std::borrow::Cow;
use std::fs::Metadata;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use disk::{File, Mode, Moment};
use rrdfile::{Architecture, to_current};
use rrdtool::Failure;

use super::targets::Job;
use crate::on_every_core::on_every_core;

/// How long a file is waited for whose lock another program holds.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

/// What became of a file, and which machine wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It was translated.
    Converted(Architecture),
    /// It needed no change, and was copied to where it was wanted.
    Copied,
    /// It needed no change.
    Left,
}

pub(super) type Outcome = Result<Done, Failure>;

/// Does the jobs; one that fails stops no other. Returns what became of each, in their order.
pub(super) fn convert(jobs: &[Job]) -> Vec<Outcome> {
    let outcomes = Mutex::new(jobs.iter().map(|_| None).collect::<Vec<_>>());
    on_every_core("convert", jobs.len(), |queue| {
        while let Some((nth, job)) = queue.next().and_then(|nth| Some((nth, jobs.get(nth)?))) {
            let outcome = one(job).map_err(Failure::at(job.source.display()));
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[nth] = Some(outcome);
            queue.did(1);
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.into_iter().map(|outcome| outcome.expect("every job was done")).collect()
}

fn one(job: &Job) -> Outcome {
    // A link stays one: what it leads to is replaced.
    let source = job.source.canonicalize()?;
    // No lock yet: an update of rrdtool's fails where it cannot have its own at once.
    let mut bytes = Vec::new();
    backup::read_whole(&source, &mut bytes, Moment::now)?;
    let metadata = std::fs::metadata(&source)?;
    let is_left =
        matches!(to_current(&bytes), Ok(native) if matches!(native.bytes, Cow::Borrowed(_)));
    // Held until the new file is there, so that no update is lost in between.
    let _held = match job.target.is_none() && !is_left {
        true => {
            let file = locked(&source, Mode::Update)?;
            bytes = read(&file)?;
            Some(file)
        }
        false => None,
    };
    let native = to_current(&bytes).map_err(Failure::of)?;
    native.header().map_err(Failure::of)?;
    let is_same = matches!(native.bytes, Cow::Borrowed(_));
    match (&job.target, is_same) {
        (None, true) => Ok(Done::Left),
        (None, false) => {
            disk::replace_like(&source, &[&native.bytes], &metadata)?;
            Ok(Done::Converted(native.architecture))
        }
        (Some(target), _) => {
            write_new(target, &native.bytes, &metadata)?;
            Ok(if is_same { Done::Copied } else { Done::Converted(native.architecture) })
        }
    }
}

fn write_new(target: &Path, bytes: &[u8], model: &Metadata) -> Result<(), Failure> {
    let written =
        disk::create_parents(target).and_then(|()| disk::create_like(target, &[bytes], model));
    written.map_err(Failure::system(format!("creating {}: ", target.display())))
}

/// Opens a file once no program updates it.
fn locked(path: &Path, mode: Mode) -> Result<File, Failure> {
    let file = File::open(path, mode)?;
    match file.lock_within(mode, LOCK_PATIENCE)? {
        true => Ok(file),
        false => Err("another process holds its lock".into()),
    }
}

fn read(file: &File) -> std::io::Result<Vec<u8>> {
    let mut bytes = disk::zeroed(file.len_bytes()?)?;
    let read = file.read_at(&mut bytes, 0)?;
    bytes.truncate(read);
    Ok(bytes)
}
