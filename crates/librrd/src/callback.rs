//! Series that the program itself gives, under names that begin with `cb//`.

use std::ffi::{CStr, CString, c_char, c_int, c_ulong};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::time_t;
use rrd::fetch::Query;
use rrd::{Series, Tick};
use rrdtool::Failure;

use crate::context;
use crate::numbers::CF_NAMES;

/// `rrd_fetch_cb_t`. What it hands out is from malloc and belongs to us.
type Callback = unsafe extern "C" fn(
    name: *const c_char,
    cf: c_int,
    start: *mut time_t,
    end: *mut time_t,
    step: *mut c_ulong,
    column_count: *mut c_ulong,
    column_names: *mut *mut *mut c_char,
    values: *mut *mut f64,
) -> c_int;

/// The program's callback, or null. One for all threads, as callers expect.
static CALLBACK: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// From here on `callback` answers for names that begin with `cb//`. Always 1.
#[unsafe(no_mangle)]
extern "C" fn rrd_fetch_cb_register(callback: Option<Callback>) -> c_int {
    let pointer = callback.map_or(null_mut(), |function| function as *mut ());
    CALLBACK.store(pointer, Ordering::Release);
    1
}

/// Where the callback puts its answer.
struct Answer {
    start: time_t,
    end: time_t,
    step: c_ulong,
    column_count: c_ulong,
    column_names: *mut *mut c_char,
    values: *mut f64,
}

/// How the program answers, if it has registered a callback.
pub(crate) fn registered() -> Option<rrdtool::FetchFromProgram> {
    (!CALLBACK.load(Ordering::Acquire).is_null()).then_some(series)
}

/// Asks the program for a series.
fn series(name: &str, query: &Query) -> Result<Series, Failure> {
    let pointer = CALLBACK.load(Ordering::Acquire);
    if pointer.is_null() {
        return Err("the program has withdrawn its callback".into());
    }
    // SAFETY: it is the function that the program registered.
    let callback: Callback = unsafe { std::mem::transmute(pointer) };
    let name = CString::new(name).map_err(Failure::of)?;
    let cf = CF_NAMES.iter().position(|known| *known == query.cf.name());
    let query = query.in_ticks(Tick::SECOND);
    let cf = cf.ok_or("the program's callback knows no function but those of .rrd files")?;
    let mut answer = Answer {
        start: query.start_seconds,
        end: query.end_seconds,
        step: query.step_seconds.max(1),
        column_count: 0,
        column_names: null_mut(),
        values: null_mut(),
    };
    // SAFETY: the program promised such a function; all places are ours.
    let code = unsafe {
        callback(
            name.as_ptr(),
            cf as c_int,
            &raw mut answer.start,
            &raw mut answer.end,
            &raw mut answer.step,
            &raw mut answer.column_count,
            &raw mut answer.column_names,
            &raw mut answer.values,
        )
    };
    if code == -1 {
        // A failure without words would pass for success in Perl's module.
        let words = Some(context::error()).filter(|words| !words.is_empty());
        return Err(words.map_or("the callback failed".into(), Failure::misuse));
    }
    // Other codes are success: Perl's module gives 1.
    // SAFETY: the callback says that it has set everything.
    unsafe { answer.into_series() }
}

impl Answer {
    /// # Safety
    /// The lists hold what the numbers say, and are from malloc.
    unsafe fn into_series(self) -> Result<Series, Failure> {
        let columns = self.column_count as usize;
        let stretch_seconds = self.end.saturating_sub(self.start);
        let rows = match i64::try_from(self.step) {
            Ok(step) if step > 0 && stretch_seconds >= 0 => (stretch_seconds / step) as usize,
            _ => return Err("the callback gave no stretch of time".into()),
        };
        if self.column_names.is_null() || self.values.is_null() {
            return Err("the callback gave no data".into());
        }
        // SAFETY: as the caller promises; each list is freed once.
        unsafe {
            let values = std::slice::from_raw_parts(self.values, rows * columns).to_vec();
            let names = std::slice::from_raw_parts(self.column_names, columns).to_vec();
            let source_names = names.iter().map(|name| take_text(*name)).collect();
            libc::free(self.values.cast());
            libc::free(self.column_names.cast());
            Ok(Series {
                tick: Tick::SECOND,
                start_seconds: self.start,
                end_seconds: self.end,
                step_seconds: self.step,
                source_names,
                values,
            })
        }
    }
}

/// # Safety
/// `text` is a text from malloc that nobody uses any more.
unsafe fn take_text(text: *mut c_char) -> String {
    // SAFETY: as the caller promises.
    unsafe {
        let taken = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        taken
    }
}
