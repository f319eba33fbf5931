//! Makes the index of a catalogue, in the background if it is large.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::target_index::TargetIndex;
use crate::Catalogue;

/// The index of so many targets is made while the first request waits for it: some milliseconds.
const AT_ONCE: usize = 3000;

/// The index of the present catalogue.
#[derive(Debug, Default)]
pub(crate) struct Finder(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The catalogue whose index is made or being made.
    of: Weak<Catalogue>,
    made: Option<Arc<TargetIndex>>,
}

impl Finder {
    /// The index of a catalogue; `None` while it is being made, and if the texts are too many for
    /// one.
    pub(crate) fn ready(self: &Arc<Self>, catalogue: &Arc<Catalogue>) -> Option<Arc<TargetIndex>> {
        let mut state = self.lock();
        if !state.is_of(catalogue) {
            *state = State { of: Arc::downgrade(catalogue), made: None };
            let begun = match catalogue.count() <= AT_ONCE {
                true => {
                    state.made = TargetIndex::new(catalogue).ok().map(Arc::new);
                    true
                }
                false => self.make_apart(Arc::clone(catalogue)),
            };
            if !begun {
                *state = State::default(); // the next one who searches tries again
            }
        }
        state.made.clone()
    }

    /// Whether the system gave a thread for it.
    fn make_apart(self: &Arc<Self>, catalogue: Arc<Catalogue>) -> bool {
        let finder = Arc::clone(self);
        let thread = std::thread::Builder::new().name("gyre-find".to_owned());
        let made = thread.spawn(move || {
            let made = TargetIndex::new(&catalogue).ok().map(Arc::new);
            let mut state = finder.lock();
            // A reload may have brought another catalogue meanwhile.
            if state.is_of(&catalogue) {
                state.made = made;
            }
        });
        made.is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A catalogue that is gone keeps its address until this is forgotten: no other has it.
    fn is_of(&self, catalogue: &Arc<Catalogue>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(catalogue))
    }
}
