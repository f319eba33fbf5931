//! Texts that callers hand in.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int};

use crate::entry::Failure;

/// The words of a command line.
pub(crate) struct Words<'a>(Vec<&'a CStr>);

impl<'a> Words<'a> {
    /// `argc` words at `argv`, the first one, which is the command's name, left out.
    ///
    /// # Safety
    /// `argv` holds that many texts with a final zero, which stay valid and unchanged during the call.
    pub(crate) unsafe fn after_name(argc: c_int, argv: *const *const c_char) -> Self {
        // SAFETY: as the caller promises.
        let Self(mut words) = unsafe { Self::all(argc, argv) };
        if !words.is_empty() {
            words.remove(0);
        }
        Self(words)
    }

    /// All `argc` words at `argv`.
    ///
    /// # Safety
    /// As for [`Words::after_name`].
    pub(crate) unsafe fn all(argc: c_int, argv: *const *const c_char) -> Self {
        let count = if argv.is_null() { 0 } else { usize::try_from(argc).unwrap_or(0) };
        // SAFETY: the caller promises so many pointers, each to a text or, at an early end, null.
        let words =
            (0..count).map(|nth| unsafe { *argv.add(nth) }).take_while(|word| !word.is_null());
        // SAFETY: each is a text with a final zero.
        Self(words.map(|word| unsafe { CStr::from_ptr(word) }).collect())
    }

    /// The words at `list`, the last of which is followed by null. A null list is empty.
    ///
    /// # Safety
    /// As for [`Words::after_name`], up to the null.
    pub(crate) unsafe fn up_to_null(list: *const *const c_char) -> Self {
        // SAFETY: as the caller promises: `all` stops at the null.
        unsafe { Self::all(c_int::MAX, list) }
    }

    /// The words as text.
    ///
    /// # Errors
    /// If one is not UTF-8: as a file's name it would lead elsewhere than was meant.
    pub(crate) fn as_text(&self) -> Result<Vec<&'a str>, Failure> {
        self.0.iter().map(|word| as_text(word)).collect()
    }

    /// The words as text, with replacement characters for what is none: a graph's legend may hold anything.
    pub(crate) fn as_any_text(&self) -> Vec<Cow<'a, str>> {
        self.0.iter().map(|word| word.to_string_lossy()).collect()
    }
}

/// A text that must be there.
///
/// # Safety
/// `text` is null, or has a final zero and stays valid and unchanged during the call.
pub(crate) unsafe fn required<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    // SAFETY: as the caller promises.
    let text = unsafe { optional(text) }?;
    text.ok_or_else(|| format!("{what} is missing"))
}

/// A text, or `None` for null.
///
/// # Safety
/// As for [`required`].
pub(crate) unsafe fn optional<'a>(text: *const c_char) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not null, and has a final zero.
    as_text(unsafe { CStr::from_ptr(text) }).map(Some)
}

fn as_text(text: &CStr) -> Result<&str, Failure> {
    text.to_str().map_err(|_| format!("expected UTF-8, found '{}'", text.to_string_lossy()))
}
