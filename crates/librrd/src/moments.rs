//! When: `rrd_first`, `rrd_last`, `rrd_lastupdate` and what they tell of a file.

use std::ffi::{c_char, c_int, c_ulong};

use libc::time_t;
use rrdtool::Failure;
use rrdtool::{first, last};

use crate::entry::{call, status};
use crate::words::{self, CommandLine};
use crate::{memory, session};

/// When the oldest row ends, -1 on failure: the words of `rrdtool first`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_first(argc: c_int, argv: *const *const c_char) -> time_t {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    call(-1, || session::on_line(&line, first::seconds))
}

/// The same of an archive of a file.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_first_r(file: *const c_char, archive_index: c_int) -> time_t {
    call(-1, || {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        // No archive has an index below 0, as none has the greatest.
        let index = usize::try_from(archive_index).unwrap_or(usize::MAX);
        session::with(|session| first::of(session, file, index))
    })
}

/// When the last update was, -1 on failure: the words of `rrdtool last`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_last(argc: c_int, argv: *const *const c_char) -> time_t {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    call(-1, || session::on_line(&line, last::seconds))
}

/// The same of a file.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_last_r(file: *const c_char) -> time_t {
    call(-1, || {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        let (definition, live) = session::with(|session| session.databases.describe(file))?;
        definition.tick.check_whole_seconds("rrd_last_r").map_err(Failure::from)?;
        Ok::<_, Failure>(live.last_update.seconds)
    })
}

/// Prints the readings of the last update: the words of `rrdtool lastupdate`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_lastupdate(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("lastupdate", &line))
}

/// When the last update of a file was, and its readings as texts. The lists belong to the caller.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_lastupdate_r(
    file: *const c_char,
    last_update: *mut time_t,
    source_count: *mut c_ulong,
    source_names: *mut *mut *mut c_char,
    readings: *mut *mut *mut c_char,
) -> c_int {
    status(|| -> Result<(), Failure> {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        let (definition, live) = session::with(|session| session.databases.describe(file))?;
        definition.tick.check_whole_seconds("rrd_lastupdate_r")?;
        let names = definition.sources.iter().map(|source| source.name.as_bytes());
        let texts: Vec<_> = live.sources.iter().map(|source| source.last_reading.text()).collect();
        // SAFETY: the caller hands four places.
        unsafe {
            last_update.write(live.last_update.seconds);
            source_count.write(definition.sources.len() as c_ulong);
            source_names.write(memory::texts(names));
            readings.write(memory::texts(texts.iter().map(|text| &**text)));
        }
        Ok(())
    })
}
