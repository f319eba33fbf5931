//! Numbers: read as rrdtool reads them, unknown, infinite, random.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong};
use std::ptr::null;

use rrd::cformat::FloatFormat;
use rrd::number::{Parsed, UNKNOWN, parse};
use rrd::spec;
use rrdtool::Failure;

use crate::{context, entry, words};

/// The unknown value.
#[unsafe(no_mangle)]
extern "C" fn rrd_set_to_DNAN() -> f64 {
    UNKNOWN
}

/// Infinity.
#[unsafe(no_mangle)]
extern "C" fn rrd_set_to_DINF() -> f64 {
    f64::INFINITY
}

/// A number of at least 0, different from call to call and process to process.
#[unsafe(no_mangle)]
extern "C" fn rrd_random() -> c_long {
    use std::hash::{BuildHasher as _, RandomState};
    // The C library's own random() goes no further; each new state has a key of its own.
    let random = RandomState::new().hash_one(()) & 0x7fff_ffff;
    random as c_long
}

/// The number at the start of a text, 0 where there is none; `*end` is then left alone. Only digits
/// count: `rrd_strtodbl` knows `nan` and `inf` too.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_strtod(text: *const c_char, end: *mut *const c_char) -> f64 {
    // SAFETY: the caller hands a text and a place, or null for either.
    unsafe {
        let Ok(Some(read)) = words::optional(text) else { return 0.0 };
        let (number, rest) = match parse(read) {
            Parsed::Nothing => return 0.0,
            _ if is_word(read) => return 0.0,
            Parsed::Whole(number) => (number, 0),
            Parsed::Partial(number, rest) => (number, rest.len()),
        };
        if !end.is_null() {
            *end = text.add(read.len() - rest);
        }
        number
    }
}

/// Reads a number into `*value`: 2 for a whole text, 1 where something is left over, 0 for no
/// number. For the latter two an error is set, if `error` says how it begins.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_strtodbl(
    text: *const c_char,
    end: *mut *const c_char,
    value: *mut f64,
    error: *const c_char,
) -> c_uint {
    // SAFETY: the caller hands texts and places; `end` and `error` may be null.
    unsafe {
        let Ok(Some(read)) = words::optional(text) else { return 0 };
        let (code, number, used, complaint) = match parse(read) {
            Parsed::Whole(number) if is_word(read) => (2, number, 0, None),
            Parsed::Whole(number) => (2, number, read.len(), None),
            Parsed::Partial(number, rest) => {
                let shown = FloatFormat::fixed(6).text(number).to_string();
                let words = format!("Converted '{read}' to {shown}, but cannot convert '{rest}'");
                (1, number, read.len() - rest.len(), Some(words))
            }
            Parsed::Nothing => (0, 0.0, 0, Some(format!("Cannot convert '{read}' to float"))),
        };
        if !end.is_null() {
            *end = text.add(used);
        }
        *value = number;
        if let Some(words) = complaint
            && !error.is_null()
        {
            let place = CStr::from_ptr(error).to_string_lossy();
            context::set_error(&format!("{place} - {words}"));
        }
        code
    }
}

/// Whether it begins as one of the words for numbers that have no digits.
fn is_word(text: &str) -> bool {
    let word = text.strip_prefix('-').unwrap_or(text);
    word.get(..3)
        .is_some_and(|word| word.eq_ignore_ascii_case("nan") || word.eq_ignore_ascii_case("inf"))
}

/// The greatest common divisor of some numbers, the last of which is followed by 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_lcd(numbers: *const c_long) -> c_long {
    let (mut divisor, mut next) = (0, numbers);
    // SAFETY: the caller hands numbers up to and with a 0.
    unsafe {
        while *next != 0 {
            divisor = common_divisor(divisor, *next);
            next = next.add(1);
        }
    }
    divisor
}

fn common_divisor(mut one: c_long, mut other: c_long) -> c_long {
    while other != 0 {
        (one, other) = (other, one.wrapping_rem(other));
    }
    one
}

/// The index that C programs know a consolidation function by, -1 with an error for what is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_cf_conv(name: *const c_char) -> c_int {
    entry::call(-1, || {
        // SAFETY: the caller hands a text.
        let name = unsafe { words::required(name, "the consolidation function") }?;
        let found = CF_NAMES.iter().position(|known| *known == name);
        let index = found.ok_or_else(|| Failure::unknown_cf(name))?;
        Ok(index as c_int)
    })
}

/// `enum cf_en` in its order.
pub(crate) const CF_NAMES: [&str; 10] = [
    "AVERAGE",
    "MIN",
    "MAX",
    "LAST",
    "HWPREDICT",
    "SEASONAL",
    "DEVPREDICT",
    "DEVSEASONAL",
    "FAILURES",
    "MHWPREDICT",
];

/// A duration such as `5m` in steps; a number without a unit counts steps. Null, or what is wrong.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_scaled_duration(
    text: *const c_char,
    step_seconds: c_ulong,
    steps: *mut c_ulong,
) -> *const c_char {
    // SAFETY: the caller hands a text.
    let Ok(Some(text)) = (unsafe { words::optional(text) }) else {
        return c"value must be (suffixed) positive number".as_ptr();
    };
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return c"value must be (suffixed) positive number".as_ptr();
    }
    if step_seconds == 0 {
        return c"INTERNAL ERROR: Zero divisor".as_ptr();
    }
    match spec::duration(text, step_seconds) {
        Ok(count) => {
            // SAFETY: the caller hands a place.
            unsafe { *steps = count };
            null()
        }
        Err(reason) => duration_fault(reason).as_ptr(),
    }
}

/// The same words where they stay: callers keep the pointer.
fn duration_fault(reason: &str) -> &'static CStr {
    const FAULTS: [&CStr; 5] = [
        c"value must be (suffixed) positive number",
        c"value has trailing garbage",
        c"value must be positive",
        c"value would truncate when scaled",
        c"value would overflow when scaled",
    ];
    let known = FAULTS.into_iter().find(|fault| fault.to_bytes() == reason.as_bytes());
    known.unwrap_or(c"value is no duration")
}
