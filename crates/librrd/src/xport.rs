//! `rrd_xport`.

use std::ffi::{c_char, c_int, c_ulong};

use libc::time_t;
use rrd::Series;
use rrdtool::xport;

use crate::entry::status;
use crate::fetch::SeriesPlaces;
use crate::session;
use crate::words::CommandLine;

/// Series and what is calculated from them as one table: the words of `rrdtool xport`. `unused` is
/// left alone.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_xport(
    argc: c_int,
    argv: *const *const c_char,
    _unused: *mut c_int,
    start: *mut time_t,
    end: *mut time_t,
    step: *mut c_ulong,
    column_count: *mut c_ulong,
    column_names: *mut *mut *mut c_char,
    values: *mut *mut f64,
) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| {
        let export = session::on_line(&line, xport::export)?;
        let table = Series {
            tick: export.tick,
            start_seconds: export.start_seconds,
            end_seconds: export.end_seconds,
            step_seconds: export.step_seconds,
            source_names: export.legends,
            values: export.values,
        };
        let places = SeriesPlaces { start, end, step, column_count, column_names, values };
        // SAFETY: the caller hands places for all that it asks for.
        Ok(unsafe { places.fill("rrd_xport", &table) }?)
    })
}
