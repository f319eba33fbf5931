//! The way in: a call from C becomes a `Result`, and never a panic that crosses into C.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rrdtool::{Failure, Wording};

use crate::context;

/// Does the work of a call. What failed is kept as the thread's error, in rrdtool's words, and
/// `failed` returned.
pub(crate) fn call<T>(failed: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    // Nothing that outlives the call is left half done: the thread's error is replaced whole.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    match outcome.unwrap_or_else(|_| Err("internal error, please report it".into())) {
        Ok(value) => value,
        Err(failure) => {
            context::set_error(&failure.in_words(Wording::Rrdtool));
            failed
        }
    }
}

/// The same for a call that answers 0 or -1.
pub(crate) fn status(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    call(-1, || work().map(|()| 0))
}
