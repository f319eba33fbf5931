//! The commands that need little more than a call.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use rrdcached::server::{Answer, Told, answer};
use rrdtool::FactValue;
use store::{Flushed, Outline};

use super::{Session, Stop, words};
use crate::connection::Output;
use crate::log::Level;
use crate::shelf::Failure;

/// What stands before the words of rrdtool's library.
pub(super) const RRD_ERROR: &str = "RRD Error: ";

impl Session<'_> {
    /// Where a path leads to; the client is told if it may not go there.
    pub(super) fn place(&mut self, written: &[u8], out: &mut Output<'_>) -> Option<PathBuf> {
        let place = self.service.paths.resolve(written).ok();
        if place.is_none() {
            self.fail(out, &words::denied(&self.spelled(written)));
        }
        place
    }

    pub(super) fn spelled(&self, written: &[u8]) -> Vec<u8> {
        self.service.paths.spelled(written)
    }

    pub(super) fn flush(&mut self, written: &[u8], out: &mut Output<'_>) {
        self.service.counters.flushes_received.fetch_add(1, Ordering::Relaxed);
        let Some(path) = self.place(written, out) else { return };
        let spelled = self.spelled(written);
        match self.service.shelf.flush(&path) {
            Ok(Flushed::Written) => {
                self.succeed(out, &[b"Successfully flushed ", &spelled[..], b"."].concat());
            }
            Ok(Flushed::Nothing) => {
                self.succeed(out, &[b"Nothing to flush: ", &spelled[..], b"."].concat());
            }
            Err(failure) => self.fail(out, &words::of_flush(&failure, &spelled)),
        }
    }

    pub(super) fn flush_all(&mut self, out: &mut Output<'_>) {
        self.service.log.say(Level::Debug, "Received FLUSHALL");
        self.service.shelf.flush_all();
        self.succeed(out, b"Started flush.");
    }

    pub(super) fn pending(&mut self, written: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
        let path = self.service.paths.resolve(written);
        let values = path.map(|path| self.service.shelf.pending(&path)).unwrap_or_default();
        let mut answer = Answer::default();
        values.iter().for_each(|value| answer.line(value.as_bytes()));
        self.tell(answer, b"updates pending", out)
    }

    pub(super) fn forget(&mut self, written: &[u8], out: &mut Output<'_>) {
        let Some(path) = self.place(written, out) else { return };
        match self.service.shelf.forget(&path) {
            Ok(()) => self.succeed(out, b"Gone!"),
            Err(Failure::Missing) => self.fail(out, b"No such file or directory"),
            Err(failure) => self.fail(out, &words::of_update(&failure, &self.spelled(written))),
        }
    }

    pub(super) fn queue(&mut self, out: &mut Output<'_>) -> Result<(), Stop> {
        let mut answer = Answer::default();
        let turn = self.service.turn_to_queue();
        for (values, path) in self.service.shelf.queue() {
            answer.line(&[values.to_string().as_bytes(), b" ", &path].concat());
        }
        drop(turn);
        self.tell(answer, b"in queue.", out)
    }

    pub(super) fn suspend(&mut self, written: &[u8], out: &mut Output<'_>) {
        let path = self.service.paths.resolve(written).map_err(|_| Failure::Missing);
        let done = path.and_then(|path| self.service.shelf.suspend(&path));
        self.suspended(written, done, [b" suspended", b" already suspended"], out);
    }

    pub(super) fn resume(&mut self, written: &[u8], out: &mut Output<'_>) {
        let path = self.service.paths.resolve(written).map_err(|_| Failure::Missing);
        let done = path.and_then(|path| self.service.shelf.resume(&path));
        self.suspended(written, done, [b" resumed", b" not suspended"], out);
    }

    fn suspended(
        &mut self,
        written: &[u8],
        done: Result<bool, Failure>,
        [changed, unchanged]: [&[u8]; 2],
        out: &mut Output<'_>,
    ) {
        let spelled = self.spelled(written);
        match done {
            Ok(true) => self.succeed(out, &[&spelled, changed].concat()),
            Ok(false) => self.succeed(out, &[&spelled, unchanged].concat()),
            Err(Failure::Missing) => {
                self.fail(out, &[&spelled[..], b" - No such file or directory"].concat());
            }
            Err(failure) => self.fail(out, &words::of_update(&failure, &spelled)),
        }
    }

    pub(super) fn suspend_all(&mut self, out: &mut Output<'_>) {
        let count = self.service.shelf.suspend_all();
        self.succeed(out, format!("{count} rrds suspend").as_bytes());
    }

    pub(super) fn resume_all(&mut self, out: &mut Output<'_>) {
        let count = self.service.shelf.resume_all();
        self.succeed(out, format!("{count} rrds resumed").as_bytes());
    }

    /// Tells that something of the library's failed.
    pub(super) fn fail_in_library(
        &mut self,
        failure: &Failure,
        written: &[u8],
        out: &mut Output<'_>,
    ) {
        self.fail(out, &words::of_library(RRD_ERROR, failure, &self.spelled(written)));
    }

    pub(super) fn info(&mut self, written: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
        let Some(path) = self.place(written, out) else { return Ok(()) };
        let header = match self.service.shelf.header(&path) {
            Ok(header) => header,
            Err(failure) => {
                self.fail_in_library(&failure, written, out);
                return Ok(());
            }
        };
        let spelled = self.spelled(written);
        let mut answer = Answer::default();
        for fact in rrdtool::info::of_header(&header, &spelled) {
            let told = match &fact.value {
                FactValue::Value(value) => Told::Number(*value),
                FactValue::Count(count) => Told::Count(*count),
                FactValue::Integer(number) => Told::Integer(i64::from(*number)),
                FactValue::Text(text) => Told::Text(text),
                FactValue::Blob(_) => continue, // only of an image
            };
            answer.fact(&fact.key, told);
        }
        self.tell(answer, &[b"Info for ", &spelled[..], b" follows"].concat(), out)
    }

    pub(super) fn first(&mut self, written: &[u8], index: i64, out: &mut Output<'_>) {
        let Some(path) = self.place(written, out) else { return };
        let Ok(index) = usize::try_from(index) else {
            return self.fail(out, format!("Invalid index specified ({index})").as_bytes());
        };
        let first = self.service.shelf.outline(&path).and_then(|outline| {
            let invalid = || Failure::Rrd("invalid rraindex number".into());
            let last = outline.last_update;
            rrdtool::first::of_archive(&outline.definition, last, index).ok_or_else(invalid)
        });
        match first {
            Ok(seconds) => answer::status(out.buffer(), 0, seconds.to_string().as_bytes()),
            Err(failure) => self.fail_in_library(&failure, written, out),
        }
    }

    /// The start of the step in which the last update was, as rrdcached tells it.
    pub(super) fn last(&mut self, written: &[u8], out: &mut Output<'_>) {
        let Some(path) = self.place(written, out) else { return };
        match self.service.shelf.outline(&path) {
            Ok(Outline { definition, last_update }) => {
                let last_seconds = last_update.seconds;
                let step_seconds = i64::try_from(definition.step_seconds).unwrap_or(1);
                let seconds = last_seconds - last_seconds % step_seconds.max(1);
                answer::status(out.buffer(), 0, seconds.to_string().as_bytes());
            }
            Err(failure) => self.fail_in_library(&failure, written, out),
        }
    }
}
