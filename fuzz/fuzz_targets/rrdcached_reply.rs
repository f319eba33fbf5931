//! A daemon's replies: lines, descriptions, statistics, and both forms of a fetch.
//!
//! Every accepted series has as many values as its rows and columns need.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rrdcached::{Address, Fact, Reply, Statistics, Status, fetched};

fuzz_target!(|bytes: &[u8]| {
    for read in [fetched::read_text, fetched::read_binary] {
        let mut input = bytes;
        if let Ok(status) = Status::read(&mut input)
            && let Ok(series) = read(&status, &mut input)
        {
            assert_eq!(series.values.len(), series.rows() * series.source_names.len());
            assert!(series.values.len() <= bytes.len(), "a value takes at least a byte");
        }
    }
    let mut input = bytes;
    if let Ok(status) = Status::read(&mut input)
        && let Ok(reply) = Reply::read(status, &mut input)
    {
        assert!(reply.lines.len() <= bytes.len());
        for line in &reply.lines {
            let _ = Fact::parse(line); // that it returns is what counts
            let _ = Address::parse(line);
        }
        let _ = Statistics::parse(reply.lines.iter().map(String::as_str));
    }
});
