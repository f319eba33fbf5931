//! Converts files on every core.

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

/// How long to wait for a file that another program has locked.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

/// The result for a file, with the machine that wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// The file was translated.
    Converted(Architecture),
    /// The file needed no change, and was copied to the output directory.
    Copied,
    /// The file needed no change and stayed where it is.
    Left,
}

pub(super) type Outcome = Result<Done, Failure>;

/// Does the jobs. A job that fails does not stop the others. Returns the outcomes in the order of
/// the jobs.
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
    // A symbolic link stays a link: the file that it leads to is replaced.
    let source = job.source.canonicalize()?;
    // Read without a lock first: while a lock is held, an update by rrdtool fails at once.
    let mut bytes = Vec::new();
    backup::read_whole(&source, &mut bytes, Moment::now)?;
    let metadata = std::fs::metadata(&source)?;
    let is_left =
        matches!(to_current(&bytes), Ok(native) if matches!(native.bytes, Cow::Borrowed(_)));
    // The lock is held until the new file has its name, so that no update in between is lost.
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

/// Opens a file and locks it, waiting up to [`LOCK_PATIENCE`] while another program updates it.
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
