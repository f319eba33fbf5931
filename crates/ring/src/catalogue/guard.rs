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
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Runs `work` unless redb panicked before.
    pub(super) fn run<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Callers) -> Result<T, Failure>,
    ) -> Result<T, CatalogueError> {
        if self.is_broken() {
            return Err(CatalogueError::Unusable { action });
        }
        let callers = Callers::default();
        // redb asserts what it reads instead of checking it. One damaged catalogue must not take
        // down a process that still has samples to write.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_damage_and_the_end() {
        let guard = Guard::default();
        let error = guard.run::<()>("committing", |_| panic!("page {}", 7)).unwrap_err();
        assert_eq!(error.to_string(), "catalogue: committing: damaged: redb panicked: page 7");
        let error = guard.run("loading", |_| Ok(())).unwrap_err();
        assert!(matches!(error, CatalogueError::Unusable { action: "loading" }));
    }
}
