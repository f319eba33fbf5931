//! AT-style times as rrdtool 1.7.2 understood them, frozen.
//!
//! Each line of the table holds a zone, the time that was now, a start, an end, and what rrdtool
//! made of the two: seconds since the epoch, or its complaint.

use jiff::tz::TimeZone;
use rrd::attime::{LocalClock, Reference, TimeSpec, parse};

const VECTORS: &str = include_str!("golden/attime.tsv");

#[test]
fn equals_the_frozen_answers() {
    let mut failures = Vec::new();
    let mut process = (String::new(), LocalClock::new(TimeZone::UTC));
    for line in VECTORS.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [zone, now, start, end, expected] = fields[..] else { panic!("five fields: {line:?}") };
        // One process answered all lines of a zone and a time: its clock remembers.
        let name = format!("{zone} {now}");
        if process.0 != name {
            let zone = TimeZone::get(zone).expect("the machine has a time zone database");
            process = (name, LocalClock::new(zone));
        }
        let found = answer(start, end, now.parse().unwrap(), &mut process.1);
        if found != expected {
            failures.push(format!("{line}\n    found {found}"));
        }
    }
    let count = failures.len();
    assert!(count == 0, "{count} of them:\n{}", failures.join("\n"));
}

/// Asks in the order in which rrdtool does.
fn answer(start: &str, end: &str, now_seconds: i64, clock: &mut LocalClock) -> String {
    let mut read = |text: &str| {
        let mut spec = parse(text)?;
        if spec.reference == Reference::Absolute {
            // What was found while reading stays; the offset is added later.
            let seconds = clock.resolve(&spec, now_seconds)? - spec.offset_seconds;
            spec = TimeSpec { offset_seconds: spec.offset_seconds, ..TimeSpec::at(seconds) };
        }
        Ok::<TimeSpec, rrd::attime::AtTimeError>(spec)
    };
    read("now").expect("now is a time");
    let start = match read(start) {
        Ok(start) => start,
        Err(error) => return format!("start: {error}"),
    };
    let end = match read(end) {
        Ok(end) => end,
        Err(error) => return format!("end: {error}"),
    };
    match clock.resolve_start_end(&start, &end, now_seconds) {
        Ok((start, end)) => format!("{start} {end}"),
        Err(error) => error.to_string(),
    }
}
