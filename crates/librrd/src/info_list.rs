//! `rrd_info_t`: a list of keys and values, each element from malloc.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_ulong};
use std::ptr::null_mut;

use rrd::cformat::FloatFormat;
use rrdtool::{Fact, FactValue};

use crate::memory;
use crate::stream::{self, Stream};

/// `rrd_info_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Info {
    key: *mut c_char,
    kind: c_int,
    value: RawValue,
    next: *mut Info,
}

/// `rrd_infoval_t`: which of them it is, the element's kind says.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union RawValue {
    count: c_ulong,
    value: f64,
    text: *mut c_char,
    integer: c_int,
    blob: Blob,
}

/// `rrd_blob_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Blob {
    size: c_ulong,
    bytes: *mut c_uchar,
}

const VALUE: c_int = 0;
const COUNT: c_int = 1;
const TEXT: c_int = 2;
const INTEGER: c_int = 3;
const BLOB: c_int = 4;

/// A value with memory of its own, as `rrd_info_push` takes it over.
fn to_raw(value: &FactValue) -> (c_int, RawValue) {
    match value {
        FactValue::Value(value) => (VALUE, RawValue { value: *value }),
        // A double would round it, and Python's module drops doubles.
        FactValue::Time(time) => {
            (TEXT, RawValue { text: memory::text(time.to_string().as_bytes()) })
        }
        FactValue::Count(count) => (COUNT, RawValue { count: *count }),
        FactValue::Text(text) => (TEXT, RawValue { text: memory::text(text) }),
        FactValue::Integer(integer) => (INTEGER, RawValue { integer: *integer }),
        FactValue::Blob(bytes) => {
            let blob = Blob { size: bytes.len() as c_ulong, bytes: memory::array(bytes) };
            (BLOB, RawValue { blob })
        }
    }
}

/// A list that grows at its end. It belongs to nobody until it is handed to a caller.
pub(crate) struct InfoList {
    first: *mut Info,
    last: *mut Info,
}

impl InfoList {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self { first: null_mut(), last: null_mut() }
    }

    /// A list that goes on behind an element of somebody else's.
    ///
    /// # Safety
    /// `last` is null or an element as [`rrd_info_push`] makes it.
    pub(crate) const unsafe fn behind(last: *mut Info) -> Self {
        Self { first: last, last }
    }

    /// Appends elements.
    pub(crate) fn extend(&mut self, facts: &[Fact]) {
        for Fact { key, value } in facts {
            let (kind, value) = to_raw(value);
            let key = memory::text(key.as_bytes());
            // SAFETY: `last` is null or the end of this list; key and value are new, from malloc.
            self.last = unsafe { rrd_info_push(self.last, key, kind, value) };
            if self.first.is_null() {
                self.first = self.last;
            }
        }
    }

    /// Hands the list to a caller, who gives it back by `rrd_info_free`.
    pub(crate) const fn into_raw(self) -> *mut Info {
        self.first
    }
}

/// Appends an element behind `last`, or begins a list where that is null. Key and value then belong
/// to the list.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_info_push(
    last: *mut Info,
    key: *mut c_char,
    kind: c_int,
    value: RawValue,
) -> *mut Info {
    let element = memory::array(&[Info { key, kind, value, next: null_mut() }]);
    if !last.is_null() {
        // SAFETY: the caller hands the end of a list.
        unsafe { (*last).next = element };
    }
    element
}

/// Gives back a list with all that is in it.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_info_free(first: *mut Info) {
    let mut next = first;
    while !next.is_null() {
        // SAFETY: the caller hands a list, each element of which came from malloc and is freed
        // once.
        unsafe {
            let element = *next;
            libc::free(element.key.cast());
            match element.kind {
                TEXT => libc::free(element.value.text.cast()),
                BLOB => libc::free(element.value.blob.bytes.cast()),
                _ => {}
            }
            libc::free(next.cast());
            next = element.next;
        }
    }
}

/// Prints a list as `rrdtool info` does, to C's standard output.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_info_print(first: *const Info) {
    let mut next = first;
    let mut out = Vec::new();
    while !next.is_null() {
        // SAFETY: the caller hands a list; what each value is, its kind says.
        unsafe {
            append_line(&mut out, &*next);
            next = (*next).next;
        }
    }
    stream::write(Stream::StandardOutput, &out);
}

/// # Safety
/// The element's key is a text, and its value what its kind says.
unsafe fn append_line(out: &mut Vec<u8>, element: &Info) {
    // SAFETY: as the caller promises.
    let key = unsafe { CStr::from_ptr(element.key) };
    out.extend_from_slice(key.to_bytes());
    out.extend_from_slice(b" = ");
    // SAFETY: as the caller promises.
    unsafe {
        match element.kind {
            VALUE if element.value.value.is_nan() => out.extend_from_slice(b"NaN"),
            VALUE => {
                let text = FloatFormat::exponent(10).text(element.value.value);
                out.extend_from_slice(text.as_bytes());
            }
            COUNT => out.extend_from_slice(element.value.count.to_string().as_bytes()),
            INTEGER => out.extend_from_slice(element.value.integer.to_string().as_bytes()),
            TEXT => {
                out.push(b'"');
                out.extend_from_slice(CStr::from_ptr(element.value.text).to_bytes());
                out.push(b'"');
            }
            _ => {
                let Blob { size, bytes } = element.value.blob;
                out.extend_from_slice(format!("BLOB_SIZE:{size}\n").as_bytes());
                out.extend_from_slice(std::slice::from_raw_parts(bytes, size as usize));
                return;
            }
        }
    }
    out.push(b'\n');
}
