//! StatsD's lines: any datagrams, one before each zero byte, keep within the limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use senders::statsd::{Aggregator, Limits};

#[path = "../named.rs"]
mod named;

const LIMITS: Limits =
    Limits { names_max: 4, values_max: 5, values_in_all_max: 8, idle_intervals_max: 1 };

fuzz_target!(|bytes: &[u8]| {
    let mut all = Aggregator::new(LIMITS);
    for datagram in bytes.split(|byte| *byte == 0) {
        let lines = all.take(datagram);
        assert_eq!(lines.first.is_some(), lines.wrong > 0);
        assert!(all.names() <= LIMITS.names_max);
        let mut samples = 0;
        let count = all.finish(0, 10.0, &mut |sent| {
            samples += 1;
            named::check(sent);
        });
        assert_eq!(count, samples);
    }
});
