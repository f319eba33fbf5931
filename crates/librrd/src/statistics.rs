//! `rrdc_stats_t`: what a daemon counts, as a list.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use rrdcached::{Error, Statistics, shared};

use crate::entry::call;
use crate::memory;

/// `rrdc_stats_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Statistic {
    name: *mut c_char,
    kind: u16,
    flags: u16,
    value: Number,
    next: *mut Self,
}

#[repr(C)]
#[derive(Clone, Copy)]
union Number {
    counter: u64,
    gauge: f64,
}

const GAUGE: u16 = 1;
const COUNTER: u16 = 2;

/// What goes down as well as up.
const GAUGES: [&str; 3] = ["QueueLength", "TreeNodesNumber", "TreeDepth"];
/// What only goes up. A daemon may tell of more: callers in C know these names alone.
const COUNTERS: [&str; 6] = [
    "UpdatesReceived",
    "FlushesReceived",
    "UpdatesWritten",
    "DataSetsWritten",
    "JournalBytes",
    "JournalRotate",
];

/// Asks the daemon for what it counts; the list belongs to the caller, who gives it back by
/// `rrdc_stats_free`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_stats_get(first: *mut *mut Statistic) -> c_int {
    call(-1, || match shared().ask(rrdcached::Client::statistics) {
        Err(Error::NotConnected) => Ok(libc::ENOTCONN),
        Err(error) => Err(error.into()),
        Ok(statistics) => {
            // SAFETY: the caller hands a place.
            unsafe { first.write(list(&statistics)) };
            Ok(0)
        }
    })
}

fn list(Statistics(counters): &Statistics) -> *mut Statistic {
    counters.iter().rev().fold(null_mut(), |next, (name, number)| {
        let (kind, value) = match name.as_str() {
            name if GAUGES.contains(&name) => (GAUGE, Number { gauge: *number as f64 }),
            name if COUNTERS.contains(&name) => (COUNTER, Number { counter: *number }),
            _ => return next,
        };
        let name = memory::text(name.as_bytes());
        memory::array(&[Statistic { name, kind, flags: 0, value, next }])
    })
}

/// Gives back what `rrdc_stats_get` gave.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_stats_free(first: *mut Statistic) {
    let mut next = first;
    while !next.is_null() {
        // SAFETY: the caller hands a list of ours, each element of which is freed once.
        unsafe {
            let element = *next;
            libc::free(element.name.cast());
            libc::free(next.cast());
            next = element.next;
        }
    }
}
