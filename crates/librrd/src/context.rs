//! The error of each thread.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int};

const LIBRARY_ERROR_BYTES: usize = 256;
const ERROR_BYTES: usize = 4096;

/// `rrd_context_t`.
#[repr(C)]
pub(crate) struct Context {
    library_error: [c_char; LIBRARY_ERROR_BYTES],
    error: [c_char; ERROR_BYTES],
}

thread_local! {
    // Plain bytes without a destructor: they can be read until the thread is gone.
    static CONTEXT: UnsafeCell<Context> = const {
        UnsafeCell::new(Context { library_error: [0; _], error: [0; _] })
    };
}

/// Keeps the words of an error for `rrd_get_error`; what is too long is cut.
pub(crate) fn set_error(words: &str) {
    let context = rrd_get_context();
    // SAFETY: the context is this thread's, and no reference to it lives while we write.
    let error = unsafe { &mut (*context).error };
    let text = words.bytes().take(ERROR_BYTES - 1).take_while(|byte| *byte != 0);
    let ended = text.chain([0]);
    error.iter_mut().zip(ended).for_each(|(place, byte)| *place = byte.cast_signed());
}

/// The words of the thread's error.
pub(crate) fn error() -> String {
    // SAFETY: the text is this thread's own and always has its final zero.
    unsafe { CStr::from_ptr(rrd_get_error()) }.to_string_lossy().into_owned()
}

/// What `rrd_set_error` hands on from variadic.c.
#[unsafe(no_mangle)]
unsafe extern "C" fn gyre_librrd_keep_error(text: *const c_char) {
    // SAFETY: variadic.c hands the text that it has just written, with its final zero.
    let text = unsafe { CStr::from_ptr(text) };
    let context = rrd_get_context();
    // SAFETY: as in `set_error`.
    let error = unsafe { &mut (*context).error };
    let bytes = text.to_bytes_with_nul().iter().take(ERROR_BYTES);
    error.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte.cast_signed());
}

/// The calling thread's context; stays valid as long as the thread.
#[unsafe(no_mangle)]
extern "C" fn rrd_get_context() -> *mut Context {
    CONTEXT.with(UnsafeCell::get)
}

/// A context of the caller's own, to be given back by `rrd_free_context`.
#[unsafe(no_mangle)]
extern "C" fn rrd_new_context() -> *mut Context {
    // SAFETY: calloc has no conditions; all zeros are an empty context.
    unsafe { libc::calloc(1, size_of::<Context>()) }.cast()
}

/// Gives back what `rrd_new_context` gave.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_free_context(context: *mut Context) {
    // SAFETY: it came from calloc, or is null.
    unsafe { libc::free(context.cast()) }
}

/// Forgets the error.
#[unsafe(no_mangle)]
extern "C" fn rrd_clear_error() {
    set_error("");
}

/// Whether there is an error.
#[unsafe(no_mangle)]
extern "C" fn rrd_test_error() -> c_int {
    // SAFETY: as in `set_error`.
    let first = unsafe { (*rrd_get_context()).error[0] };
    c_int::from(first != 0)
}

/// The words of the error, empty where there is none. The same place for every error of a thread.
#[unsafe(no_mangle)]
extern "C" fn rrd_get_error() -> *mut c_char {
    // SAFETY: as in `set_error`; the place itself is not read.
    unsafe { (&raw mut (*rrd_get_context()).error).cast() }
}

/// The system's words for an error number.
#[unsafe(no_mangle)]
extern "C" fn rrd_strerror(error_number: c_int) -> *const c_char {
    // SAFETY: as above; strerror_r writes at most as many bytes as it is told that there are.
    unsafe {
        let place: *mut c_char = (&raw mut (*rrd_get_context()).library_error).cast();
        libc::strerror_r(error_number, place, LIBRARY_ERROR_BYTES);
        place
    }
}
