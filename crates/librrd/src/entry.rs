//! The way in: a call from C becomes a `Result`, and never a panic that crosses into C.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context;

/// Why a call failed, as `rrd_get_error` tells it.
pub(crate) type Failure = String;

/// Does the work of a call. What failed is kept as the thread's error, and `failed` returned.
pub(crate) fn call<T>(failed: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    // Nothing that outlives the call is left half done: the thread's error is replaced whole.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    match outcome.unwrap_or_else(|_| Err("internal error, please report it".into())) {
        Ok(value) => value,
        Err(words) => {
            context::set_error(&words);
            failed
        }
    }
}

/// The same for a call that answers 0 or -1.
pub(crate) fn status(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    call(-1, || work().map(|()| 0))
}
