//! The commands about samples that wait for their files.

use std::sync::atomic::Ordering;

use rrdcached::server::Answer;
use store::Flushed;

use super::turn::Turn;
use super::{Stop, words};
use crate::log::Level;
use crate::shelf::Failure;

/// FLUSH.
pub(super) fn flush(turn: &mut Turn<'_, '_, '_>, written: &[u8]) {
    turn.service.counters.flushes_received.fetch_add(1, Ordering::Relaxed);
    let Some(path) = turn.place(written) else { return };
    let spelled = turn.spelled(written);
    match turn.service.shelf.flush(&path) {
        Ok(Flushed::Written) => {
            turn.succeed(&[b"Successfully flushed ", &spelled[..], b"."].concat());
        }
        Ok(Flushed::Nothing) => {
            turn.succeed(&[b"Nothing to flush: ", &spelled[..], b"."].concat());
        }
        Err(failure) => turn.fail(&words::of_flush(&failure, &spelled)),
    }
}

/// FLUSHALL.
pub(super) fn flush_all(turn: &mut Turn<'_, '_, '_>) {
    turn.service.log.say(Level::Debug, "Received FLUSHALL");
    turn.service.shelf.flush_all();
    turn.succeed(b"Started flush.");
}

/// PENDING.
pub(super) fn pending(turn: &mut Turn<'_, '_, '_>, written: &[u8]) -> Result<(), Stop> {
    let path = turn.service.paths.resolve(written);
    let values = path.map(|path| turn.service.shelf.pending(&path)).unwrap_or_default();
    let mut answer = Answer::default();
    values.iter().for_each(|value| answer.line(value.as_bytes()));
    turn.tell(&answer, b"updates pending")
}

/// FORGET.
pub(super) fn forget(turn: &mut Turn<'_, '_, '_>, written: &[u8]) {
    let Some(path) = turn.place(written) else { return };
    match turn.service.shelf.forget(&path) {
        Ok(()) => turn.succeed(b"Gone!"),
        Err(Failure::Missing) => turn.fail(b"No such file or directory"),
        Err(failure) => turn.fail(&words::of_update(&failure, &turn.spelled(written))),
    }
}

/// QUEUE.
pub(super) fn queue(turn: &mut Turn<'_, '_, '_>) -> Result<(), Stop> {
    let mut answer = Answer::default();
    let gathering = turn.service.turn_to_queue();
    for (values, path) in turn.service.shelf.queue() {
        answer.line(&[values.to_string().as_bytes(), b" ", &path].concat());
    }
    drop(gathering);
    turn.tell(&answer, b"in queue.")
}

/// SUSPEND.
pub(super) fn suspend(turn: &mut Turn<'_, '_, '_>, written: &[u8]) {
    let path = turn.service.paths.resolve(written).map_err(|_| Failure::Missing);
    let done = path.and_then(|path| turn.service.shelf.suspend(&path));
    suspended(turn, written, done, [b" suspended", b" already suspended"]);
}

/// RESUME.
pub(super) fn resume(turn: &mut Turn<'_, '_, '_>, written: &[u8]) {
    let path = turn.service.paths.resolve(written).map_err(|_| Failure::Missing);
    let done = path.and_then(|path| turn.service.shelf.resume(&path));
    suspended(turn, written, done, [b" resumed", b" not suspended"]);
}

/// Tells what became of a SUSPEND or RESUME.
fn suspended(
    turn: &mut Turn<'_, '_, '_>,
    written: &[u8],
    done: Result<bool, Failure>,
    [changed, unchanged]: [&[u8]; 2],
) {
    let spelled = turn.spelled(written);
    match done {
        Ok(true) => turn.succeed(&[&spelled, changed].concat()),
        Ok(false) => turn.succeed(&[&spelled, unchanged].concat()),
        Err(Failure::Missing) => {
            turn.fail(&[&spelled[..], b" - No such file or directory"].concat());
        }
        Err(failure) => turn.fail(&words::of_update(&failure, &spelled)),
    }
}

/// SUSPENDALL.
pub(super) fn suspend_all(turn: &mut Turn<'_, '_, '_>) {
    let count = turn.service.shelf.suspend_all();
    turn.succeed(format!("{count} rrds suspend").as_bytes());
}

/// RESUMEALL.
pub(super) fn resume_all(turn: &mut Turn<'_, '_, '_>) {
    let count = turn.service.shelf.resume_all();
    turn.succeed(format!("{count} rrds resumed").as_bytes());
}
