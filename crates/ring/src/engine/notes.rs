//! What the store has to tell without being asked.

use std::sync::PoisonError;

use tracing_mutex::stdsync::{Mutex, MutexGuard};

/// Takes a note, one line without its end.
pub(super) type TakeNote = Box<dyn Fn(&str) + Send>;

/// So many notes wait for a function that takes them.
const WAITING_MAX: usize = 100;

/// Notes, and the function that takes them.
#[derive(Default)]
pub(super) struct Notes(Mutex<Taking>);

#[derive(Default)]
struct Taking {
    take: Option<TakeNote>,
    /// The first ones that came before there was a function to take them.
    waiting: Vec<String>,
}

impl Notes {
    pub(super) fn say(&self, note: String) {
        let mut taking = self.taking();
        match &taking.take {
            Some(take) => take(&note),
            None if taking.waiting.len() < WAITING_MAX => taking.waiting.push(note),
            None => {}
        }
    }

    pub(super) fn give_to(&self, take: TakeNote) {
        let mut taking = self.taking();
        std::mem::take(&mut taking.waiting).iter().for_each(|note| take(note));
        taking.take = Some(take);
    }

    fn taking(&self) -> MutexGuard<'_, Taking> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
