//! C's streams: what the library prints must come in turn with what its caller prints.

use libc::FILE;

unsafe extern "C" {
    static stdout: *mut FILE;
}

/// Where text goes.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    /// C's `stdout`.
    StandardOutput,
    /// A stream of the caller's.
    Other(*mut FILE),
}

/// Writes bytes; whether all were taken.
pub(crate) fn write(stream: Stream, bytes: &[u8]) -> bool {
    let file = match stream {
        // SAFETY: the C library sets it before any of our functions can be called.
        Stream::StandardOutput => unsafe { stdout },
        Stream::Other(file) => file,
    };
    // SAFETY: the stream is open, and the bytes are as many as we say.
    unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), file) == bytes.len() }
}
