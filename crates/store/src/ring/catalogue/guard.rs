//! Calls into redb that end in an error where redb panics.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::CatalogueError;
use super::error::Failure;

/// Whether redb has panicked: its locks may be poisoned then and nothing it says counts.
#[derive(Debug, Default)]
pub(super) struct Guard {
    broken: AtomicBool,
}

/// Marks what runs inside a guarded call but is the caller's own: its panics are no damage.
#[derive(Debug, Default)]
pub(super) struct Callers {
    running: Cell<bool>,
}

impl Callers {
    pub(super) fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        self.running.set(true);
        let done = work();
        self.running.set(false);
        done
    }
}

impl Guard {
    /// Runs `work` unless redb panicked before.
    pub(super) fn run<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Callers) -> Result<T, Failure>,
    ) -> Result<T, CatalogueError> {
        if self.broken.load(Ordering::Acquire) {
            return Err(CatalogueError::Unusable { action });
        }
        self.run_always(action, work)
    }

    /// Runs `work`, whatever was before.
    pub(super) fn run_always<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Callers) -> Result<T, Failure>,
    ) -> Result<T, CatalogueError> {
        let callers = Callers::default();
        // redb asserts what it reads: a page that rotted since it was checked makes it panic. One
        // damaged catalogue must not take down a process that still has samples to write.
        match catch_unwind(AssertUnwindSafe(|| work(&callers))) {
            Ok(result) => result.map_err(|failure| failure.into_error(action)),
            Err(panic) => {
                self.broken.store(true, Ordering::Release);
                if callers.running.get() {
                    resume_unwind(panic);
                }
                let what = format!("redb panicked: {}", message(panic.as_ref()));
                Err(CatalogueError::Damaged { action, what })
            }
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}
