//! Memory that callers give back with `free`.

use std::alloc::{Layout, handle_alloc_error};
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

/// A copy of some values, from malloc. Where there is no memory the process ends, as with all of
/// Rust's.
pub(crate) fn array<T: Copy>(values: &[T]) -> *mut T {
    array_and(values, std::iter::empty())
}

/// A copy of some values and of those that follow, from malloc.
pub(crate) fn array_and<T: Copy>(
    values: &[T],
    following: impl ExactSizeIterator<Item = T>,
) -> *mut T {
    let count = values.len() + following.len();
    let place: *mut T = allocate(count);
    // SAFETY: the new memory has room for all values, and nothing else knows it yet.
    unsafe {
        place.copy_from_nonoverlapping(values.as_ptr(), values.len());
        for (nth, value) in (values.len()..count).zip(following) {
            place.add(nth).write(value);
        }
    }
    place
}

/// Room for values, from malloc.
fn allocate<T>(count: usize) -> *mut T {
    let Ok(layout) = Layout::array::<T>(count) else { handle_alloc_error(Layout::new::<T>()) };
    // At least a byte: a null pointer would mean that there is nothing.
    // SAFETY: malloc has no conditions, and aligns for every type of C.
    let place: *mut T = unsafe { libc::malloc(layout.size().max(1)) }.cast();
    if place.is_null() {
        handle_alloc_error(layout);
    }
    place
}

/// A copy of a text with a final zero, from malloc.
pub(crate) fn text(text: &[u8]) -> *mut c_char {
    let ended: Vec<u8> = text.iter().copied().chain([0]).collect();
    array(&ended).cast()
}

/// A list of texts: an array from malloc of texts from malloc.
pub(crate) fn texts<'a>(list: impl IntoIterator<Item = &'a [u8]>) -> *mut *mut c_char {
    let list: Vec<*mut c_char> = list.into_iter().map(text).collect();
    array(&list)
}

/// The same with a null at its end.
pub(crate) fn texts_and_null<'a>(list: impl IntoIterator<Item = &'a [u8]>) -> *mut *mut c_char {
    let list: Vec<*mut c_char> = list.into_iter().map(text).chain([null_mut()]).collect();
    array(&list)
}

/// Gives back what any of the library's functions handed out.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_freemem(memory: *mut c_void) {
    // SAFETY: the caller hands what came from malloc, or null.
    unsafe { libc::free(memory) }
}
