//! Graphite's lines: any bytes give samples and a count of wrong lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use senders::graphite;

#[path = "../named.rs"]
mod named;

fuzz_target!(|bytes: &[u8]| {
    let mut samples = 0;
    let lines = graphite::read(bytes, &mut |sent| {
        samples += 1;
        named::check(sent);
    });
    assert_eq!(lines.samples, samples);
    assert_eq!(lines.first.is_some(), lines.wrong > 0);
    // What is cut at the last line's end gives the same.
    let (whole, rest) = bytes.split_at(graphite::whole_lines(bytes));
    let parts = [whole, rest].map(|part| graphite::read(part, &mut |_| ()).samples);
    assert_eq!(parts.iter().sum::<u64>(), samples);
});
