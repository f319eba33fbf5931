//! Reports each cycle to the operator, and ends the run after the last one.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    cycles_left: Option<AtomicU64>,
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
        let cycles_left = cycles.map(Into::into);
        let told = RefCell::default();
        Self { board, ring, told, cycles_left, end, paint: Paint { is_terminal } }
    }

    pub(super) fn tell(&self, written: &Written) {
        cycle_event(written, self.paint).tell();
        self.board.cycle(written);
        let store = self.ring.as_ref().and_then(|ring| ring.engine().trouble());
        if let Some(ring) = &self.ring {
            self.board.store(ring.report().databases, store.is_some());
        }
        let store = store.map(|trouble| format!("the store: {trouble}"));
        if let Some(trouble) = &store
            && *self.told.borrow() != store
        {
            Event::error("store in trouble", trouble).tell();
            self.told.replace(store.clone());
        }
        self.board.trouble(troubles(written).into_iter().chain(store).collect());
        if let Some(left) = &self.cycles_left
            && left.fetch_sub(1, Ordering::Relaxed) == 1
        {
            self.end.close();
        }
    }
}
