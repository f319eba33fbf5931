//! Texts that callers hand in.

use rrdtool::Failure;
use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int};

/// A list of words.
pub(crate) struct Words<'a>(Vec<&'a CStr>);

/// A command line: the command as its caller calls it, and the words after that.
pub(crate) struct CommandLine<'a> {
    name: String,
    words: Words<'a>,
}

impl<'a> CommandLine<'a> {
    /// `argc` words at `argv`.
    ///
    /// # Safety
    /// As for [`Words::all`].
    pub(crate) unsafe fn read(argc: c_int, argv: *const *const c_char) -> Self {
        // SAFETY: as the caller promises.
        let Words(mut words) = unsafe { Words::all(argc, argv) };
        let name = if words.is_empty() { c"" } else { words.remove(0) };
        Self { name: name.to_string_lossy().into_owned(), words: Words(words) }
    }

    /// The words after the name.
    pub(crate) const fn words(&self) -> &Words<'a> {
        &self.words
    }

    /// The command as its caller calls it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl<'a> Words<'a> {
    /// `argc` words at `argv`.
    ///
    /// # Safety
    /// `argv` holds that many texts with a final zero, which stay valid and unchanged during the
    /// call.
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
    /// As for [`Words::all`], up to the null.
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

    /// The words as text, with replacement characters for what is none: a graph's legend may hold
    /// anything.
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
    text.ok_or_else(|| Failure::misuse(format!("{what} is missing")))
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
    let foreign = || format!("expected UTF-8, found '{}'", text.to_string_lossy());
    text.to_str().map_err(|_| Failure::misuse(foreign()))
}
