//! `rrd_create` and its kin, and `rrd_restore`.

use std::ffi::{c_char, c_int, c_ulong};

use libc::time_t;
use rrd::spec::Units;
use rrdtool::create::Order;
use store::Existing;

use crate::entry::status;
use crate::session;
use crate::words::{self, CommandLine, Words};

/// Makes a file: the words of `rrdtool create`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_create(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("create", &line))
}

/// Makes a file from its XML: the words of `rrdtool restore`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_restore(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("restore", &line))
}

/// Makes a file, or replaces it: `argv` are its data sources and archives.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_create_r(
    file: *const c_char,
    step_seconds: c_ulong,
    last_update: time_t,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    let (none, no_sources) = (std::ptr::null(), std::ptr::null());
    // SAFETY: the caller hands a file's name and `argc` words.
    unsafe { rrd_create_r2(file, step_seconds, last_update, 0, no_sources, none, argc, argv) }
}

/// Makes a file: `argv` are its data sources and archives. `sources`, up to a null, are files to
/// fill it from; `template` is one to take the definition of.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_create_r2(
    file: *const c_char,
    step_seconds: c_ulong,
    last_update: time_t,
    no_overwrite: c_int,
    sources: *const *const c_char,
    template: *const c_char,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: the caller hands `argc` words, and sources up to a null.
    let (specs, sources) = unsafe { (Words::all(argc, argv), Words::up_to_null(sources)) };
    status(|| {
        // SAFETY: the caller hands two names, the second of which may be null.
        let (file, template) =
            unsafe { (words::required(file, "the file's name")?, words::optional(template)?) };
        let order = Order {
            file,
            units: (step_seconds != 0).then(|| Units::of_seconds(step_seconds)),
            start: (last_update > 0).then_some(last_update),
            existing: if no_overwrite == 0 { Existing::Replace } else { Existing::Keep },
            sources: &sources.as_text()?,
            template,
            specs: &specs.as_text()?,
        };
        session::with(|session| order.fulfil(session))
    })
}
