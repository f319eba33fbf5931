//! `rrd_fetch` and `rrd_fetch_r`.

use std::ffi::{c_char, c_int, c_ulong};

use libc::time_t;
use rrd::fetch::Query;
use rrd::{NoWholeSeconds, Series, UNKNOWN};
use rrdtool::{Failure, fetch};

use crate::entry::status;
use crate::words::{self, CommandLine};
use crate::{memory, session};

/// Where a caller wants a series: the stretch that the rows cover, the step, and lists that then
/// belong to the caller.
pub(crate) struct SeriesPlaces {
    pub(crate) start: *mut time_t,
    pub(crate) end: *mut time_t,
    pub(crate) step: *mut c_ulong,
    pub(crate) column_count: *mut c_ulong,
    pub(crate) column_names: *mut *mut *mut c_char,
    pub(crate) values: *mut *mut f64,
}

impl SeriesPlaces {
    /// Hands a series over, as an answer of `who`.
    ///
    /// # Errors
    /// It does not count whole seconds, and nothing is handed over.
    ///
    /// librrd's array has a row more than it fills, and Ruby's module reads that row. Ours has it
    /// too, with unknown values.
    ///
    /// # Safety
    /// All places may be written.
    pub(crate) unsafe fn fill(
        &self,
        who: &'static str,
        series: &Series,
    ) -> Result<(), NoWholeSeconds> {
        series.tick.check_whole_seconds(who)?;
        let names = series.source_names.iter().map(String::as_bytes);
        let row_beyond = std::iter::repeat_n(UNKNOWN, series.source_names.len());
        // SAFETY: as the caller promises.
        unsafe {
            self.start.write(series.start_seconds);
            self.end.write(series.end_seconds);
            self.step.write(series.step_seconds);
            self.column_count.write(series.source_names.len() as c_ulong);
            self.column_names.write(memory::texts(names));
            self.values.write(memory::array_and(&series.values, row_beyond));
        }
        Ok(())
    }
}

/// The rows of a stretch of time: the words of `rrdtool fetch`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_fetch(
    argc: c_int,
    argv: *const *const c_char,
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
        let series = session::on_line(&line, fetch::series)?;
        let places = SeriesPlaces { start, end, step, column_count, column_names, values };
        // SAFETY: the caller hands places for all that it asks for.
        Ok(unsafe { places.fill("rrd_fetch", &series) }?)
    })
}

/// The same of a file: start, end and step say what is wished for, and then what was found.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_fetch_r(
    file: *const c_char,
    cf: *const c_char,
    start: *mut time_t,
    end: *mut time_t,
    step: *mut c_ulong,
    column_count: *mut c_ulong,
    column_names: *mut *mut *mut c_char,
    values: *mut *mut f64,
) -> c_int {
    status(|| {
        // SAFETY: the caller hands two texts, and has set what it wishes for.
        let (file, cf, start_seconds, end_seconds, step_seconds) = unsafe {
            let file = words::required(file, "the file's name")?;
            (file, words::required(cf, "the consolidation function")?, *start, *end, *step)
        };
        let cf = cf.parse().map_err(|()| Failure::unknown_cf(cf))?;
        let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds };
        let series = session::with(|session| session.databases.fetch(file, &query))?;
        let places = SeriesPlaces { start, end, step, column_count, column_names, values };
        // SAFETY: the caller hands places for all that it asks for.
        Ok(unsafe { places.fill("rrd_fetch_r", &series) }?)
    })
}
