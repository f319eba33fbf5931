//! AT-style times in the shape that C programs hold: `rrd_time_value_t`.

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_long};
use std::ptr::null;

use libc::{time_t, tm};
use rrd::attime::{Day, Reference, TimeSpec};
use rrdtool::Session;
use rrdtool::{Failure, Wording};

use crate::entry;
use crate::{session, words};

unsafe extern "C" {
    fn tzset();
}

/// `rrd_time_value_t`: a time of the calendar, and seconds that are added. In a time that counts
/// from another, the fields of the calendar are added, too.
#[repr(C)]
pub(crate) struct TimeValue {
    kind: c_int,
    offset_seconds: c_long,
    calendar: tm,
}

const ABSOLUTE: c_int = 0;
const FROM_START: c_int = 1;
const FROM_END: c_int = 2;
const FROM_EPOCH: c_int = 3;

/// Room for what was wrong with a text; more is cut.
const FAULT_BYTES: usize = 1024;

thread_local! {
    /// What was wrong with the last text. Callers are handed a pointer to it, which stays good as
    /// long as the thread.
    static FAULT: UnsafeCell<[u8; FAULT_BYTES]> = const { UnsafeCell::new([0; FAULT_BYTES]) };
}

/// Reads a time. Null, or what is wrong with the text, which stays until the thread's next call.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_parsetime(text: *const c_char, time: *mut TimeValue) -> *const c_char {
    let mut fault = null();
    entry::call((), || {
        // SAFETY: the caller hands a text.
        let text = unsafe { words::required(text, "the time") };
        match text.and_then(|text| session::with(|session| time_value(session, text))) {
            // SAFETY: the caller hands a place for the time.
            Ok(value) => unsafe { time.write(value) },
            Err(failure) => fault = keep(&failure.in_words(Wording::Rrdtool)),
        }
        Ok(())
    });
    fault
}

fn keep(words: &str) -> *const c_char {
    let place = FAULT.with(UnsafeCell::get);
    // SAFETY: it is this thread's own, and no reference to it lives elsewhere.
    let kept = unsafe { &mut *place };
    let ended = words.bytes().take(FAULT_BYTES - 1).take_while(|byte| *byte != 0).chain([0]);
    kept.iter_mut().zip(ended).for_each(|(place, byte)| *place = byte);
    place.cast()
}

/// The moments of a start and an end, either of which may count from the other.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_proc_start_end(
    start: *const TimeValue,
    end: *const TimeValue,
    start_seconds: *mut time_t,
    end_seconds: *mut time_t,
) -> c_int {
    entry::status(|| {
        // SAFETY: the caller hands times as `rrd_parsetime` leaves them.
        let (start, end) = unsafe { (time_spec(&*start)?, time_spec(&*end)?) };
        let (start, end) = session::with(|session| {
            let now_seconds = session.times.now().seconds;
            let moments = session.times.clock().resolve_start_end(&start, &end, now_seconds);
            Ok(moments?)
        })?;
        // SAFETY: the caller hands two places.
        unsafe {
            start_seconds.write(start);
            end_seconds.write(end);
        }
        Ok(())
    })
}

fn time_value(session: &mut Session, text: &str) -> Result<TimeValue, Failure> {
    let spec = session.times.read(text)?;
    let (kind, calendar) = match (spec.reference, spec.day) {
        (Reference::Absolute, Day::Moment(seconds)) => (ABSOLUTE, local(seconds)),
        (Reference::Start, _) => (FROM_START, relative(&spec)),
        (Reference::End, _) => (FROM_END, relative(&spec)),
        (Reference::Epoch, _) => (FROM_EPOCH, relative(&spec)),
        (Reference::Absolute, _) => return Err("a time that is no moment".into()),
    };
    Ok(TimeValue { kind, offset_seconds: spec.offset_seconds, calendar })
}

/// Local time as the C library tells it.
fn local(seconds: i64) -> tm {
    let mut calendar = no_time();
    // SAFETY: both places are ours. The program may have changed TZ since it last asked.
    unsafe {
        tzset();
        libc::localtime_r(&raw const seconds, &raw mut calendar);
    }
    calendar
}

fn relative(spec: &TimeSpec) -> tm {
    tm { tm_year: spec.years, tm_mon: spec.months, tm_mday: spec.days, tm_isdst: -1, ..no_time() }
}

fn no_time() -> tm {
    tm {
        tm_sec: 0,
        tm_min: 0,
        tm_hour: 0,
        tm_mday: 0,
        tm_mon: 0,
        tm_year: 0,
        tm_wday: 0,
        tm_yday: 0,
        tm_isdst: 0,
        tm_gmtoff: 0,
        tm_zone: null(),
    }
}

fn time_spec(time: &TimeValue) -> Result<TimeSpec, Failure> {
    let mut calendar = time.calendar;
    let offset_seconds = time.offset_seconds;
    let reference = match time.kind {
        ABSOLUTE => {
            // SAFETY: it is ours; mktime reads the fields and puts them in order.
            let seconds = unsafe { libc::mktime(&raw mut calendar) };
            return match seconds {
                -1 => Err("the specified time is incorrect (out of range?)".into()),
                _ => Ok(TimeSpec { offset_seconds, ..TimeSpec::at(seconds) }),
            };
        }
        FROM_START => Reference::Start,
        FROM_END => Reference::End,
        FROM_EPOCH => Reference::Epoch,
        _ => return Err("expected a time as rrd_parsetime leaves it".into()),
    };
    let of_day = calendar.tm_hour * 3600 + calendar.tm_min * 60 + calendar.tm_sec;
    Ok(TimeSpec {
        reference,
        years: calendar.tm_year,
        months: calendar.tm_mon,
        days: calendar.tm_mday,
        offset_seconds: offset_seconds + i64::from(of_day),
        ..TimeSpec::NOW
    })
}
