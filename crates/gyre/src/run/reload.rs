//! Reads the configuration again while the run goes on.
//!
//! ```text
//!  this thread:       read, prepare, compare with the old one            free the old one
//!                                        │                                      ▲
//!  polling thread:  polls ───────────────▶ switch ── polls by the new plan ─────┘
//! ```
//!
//! The polling thread only switches, so no device misses a cycle, however long reading takes.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use collector::Handle;
use mrtg::{Configuration, Source};

use super::board::Board;
use super::event::Event;
use super::keeping::Kept;
use super::measurer::{Measurer, Outgoing};
use super::prepared::Prepared;
use super::settings::{ReadError, Settings};

/// What a reload needs of the run.
pub(super) struct Reloading<'a> {
    pub(super) settings: &'a Settings,
    pub(super) source: &'a dyn Source,
    pub(super) kept: &'a Kept,
    pub(super) board: &'a Arc<Board>,
    pub(super) handle: &'a Handle<Measurer>,
    /// The configuration in use.
    pub(super) in_use: Outgoing,
}

/// What the polling thread tells once it has switched.
struct Switched {
    /// How long it did not poll.
    paused: Duration,
    /// What was in use before.
    old: Box<dyn Send>,
}

impl Reloading<'_> {
    /// Reads the configuration again. If it has an error, nothing changes.
    pub(super) fn reload(&mut self) {
        let began = Instant::now();
        let read = match self.settings.read(self.source) {
            Ok(read) => read,
            Err(error) => return self.refuse(&error),
        };
        self.tell_of_another_directory(&read.configuration);
        let prepared = Prepared::new(read, self.kept, self.settings.notice.clone());
        let succession = self.in_use.succession(&prepared.measured);
        let (plan, sources) = ((*prepared.plan).clone(), prepared.sources);
        let intervals = plan.intervals.clone();
        let (devices, targets) = (plan.devices.len(), prepared.catalogue.count());
        self.in_use = Outgoing::of(&prepared.measured);
        self.board.set_layouts(prepared.layouts);
        let (switched, wait) = channel();
        let (board, catalogue) = (self.board.clone(), Arc::new(prepared.catalogue));
        let (measured, remarks) = (prepared.measured, prepared.remarks);
        self.handle.reload(plan, move |measurer| {
            let began = Instant::now();
            let catalogue = board.show(catalogue, &intervals, &sources);
            board.remark(remarks);
            let measured = measurer.adopt(measured, &succession);
            // If nobody waits any more, the old configuration is freed here.
            let old: Box<dyn Send> = Box::new((catalogue, measured, succession));
            let _ = switched.send(Switched { paused: began.elapsed(), old });
        });
        // If polling has ended, so has its end of the channel.
        let Ok(Switched { paused, old }) = wait.recv() else { return };
        let (took, paused) = (began.elapsed().as_secs_f64(), paused.as_secs_f64());
        drop(old);
        self.board.reloaded(true);
        Event::info("reload", format_args!("the configuration is read anew: {devices} devices"))
            .with("devices", devices)
            .with("targets", targets)
            .with("seconds", took)
            .with("polling_paused_seconds", paused)
            .tell();
    }

    fn refuse(&self, error: &ReadError) {
        let words = format!("the configuration stays as it was: {error}");
        Event::error("reload refused", words).with("reason", error.to_string()).tell();
        self.board.reloaded(false);
        self.board.remark(vec![format!("The configuration could not be reloaded: {error}")]);
    }

    fn tell_of_another_directory(&self, read: &Configuration) {
        let (kept, log_dir) = (self.kept, &read.globals.log_dir);
        if self.settings.keeping.directory.is_none() && *log_dir != kept.log_dir {
            let (root, wanted) = (kept.root.display(), log_dir.display());
            let words = format!("databases stay in {root} until a restart; it is now {wanted}");
            Event::warning("directory changed", words)
                .with("directory", root.to_string())
                .with("wanted", wanted.to_string())
                .tell();
        }
    }
}
