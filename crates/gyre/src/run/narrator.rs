//! Reports each cycle to the operator, and ends the run after the last ones.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::Duration;

use ring::RingStore;
use signal_hook::iterator::Handle as SignalHandle;

use super::board::Board;
use super::cycle_event::cycle_event;
use super::event::{Event, LogFormat};
use super::keeping::Kept;
use super::status_line::{Paint, troubles};
use super::writer::Written;

/// Reports each cycle to the operator, and ends the run after the last cycle.
pub(super) struct Narrator {
    board: Arc<Board>,
    ring: Option<Arc<RingStore>>,
    /// The store's last problem that was reported, so that it is not repeated.
    told: RefCell<Option<String>>,
    /// The run ends when each interval has had so many cycles.
    cycles: Option<u64>,
    /// How many each has had.
    had: RefCell<HashMap<Duration, u64>>,
    end: SignalHandle,
    paint: Paint,
}

impl Narrator {
    pub(super) fn new(
        board: Arc<Board>,
        kept: &Kept,
        cycles: Option<u64>,
        end: SignalHandle,
    ) -> Self {
        let ring = kept.ring().cloned();
        let is_terminal = io::stderr().is_terminal()
            && std::env::var_os("NO_COLOR").is_none()
            && LogFormat::current() == LogFormat::Text;
        let (told, had) = (RefCell::default(), RefCell::default());
        let paint = Paint { is_terminal, has_intervals: false };
        Self { board, ring, told, cycles, had, end, paint }
    }

    pub(super) fn tell(&self, written: &Written) {
        let intervals = self.board.intervals();
        let paint = Paint { has_intervals: intervals.len() > 1, ..self.paint };
        cycle_event(written, paint).tell();
        self.board.cycle(written);
        let store = self.ring.as_ref().and_then(|ring| ring.engine().trouble());
        if let Some(ring) = &self.ring {
            self.board.store(ring.engine().report_so_far().databases, store.is_some());
        }
        let store = store.map(|trouble| format!("the store: {trouble}"));
        if let Some(trouble) = &store
            && *self.told.borrow() != store
        {
            Event::error("store in trouble", trouble).tell();
            self.told.replace(store.clone());
        }
        let interval = written.cycle.report.cycle.interval;
        self.board.trouble(interval, troubles(written).into_iter().chain(store).collect());
        if let Some(cycles) = self.cycles {
            let had = &mut *self.had.borrow_mut();
            *had.entry(interval).or_default() += 1;
            if intervals.iter().all(|each| had.get(each).is_some_and(|had| *had >= cycles)) {
                self.end.close();
            }
        }
    }
}
