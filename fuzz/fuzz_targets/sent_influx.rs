//! Influx' lines: any bytes give samples and a count of wrong lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use senders::influx::{Precision, read};

#[path = "../named.rs"]
mod named;

fuzz_target!(|bytes: &[u8]| {
    for precision in [Precision::Nanoseconds, Precision::Seconds] {
        let mut samples = 0;
        let lines = read(bytes, precision, &mut |sent| {
            samples += 1;
            named::check(sent);
        });
        assert_eq!(lines.samples, samples);
        assert_eq!(lines.first.is_some(), lines.wrong > 0);
    }
});
