//! Log files written by MRTG's own `rateup`: the values of their lines must be in the rows.
#![allow(clippy::disallowed_methods)] // the test runs the program and reads its files

mod support;

use std::path::Path;

use mrtg::log_file::{LogFile, LogLine};
use support::{Scratch, have, run};

/// Runs MRTG's program for one sample.
fn sample(directory: &Path, seconds: i64, counters: [u64; 2]) {
    let [seconds, into, out] =
        [seconds.to_string(), counters[0].to_string(), counters[1].to_string()];
    let directory = directory.to_str().unwrap();
    run("rateup", &[directory, "port", &seconds, "u", &into, &out, "1000000000"]);
}

#[test]
fn rows_are_what_the_lines_say() {
    if !have(&["rateup"]) {
        return;
    }
    let scratch = Scratch::new("log-file");
    let path = scratch.write("port.txt", "");
    let directory = path.parent().unwrap();
    let now_seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    // rateup accepts only times near its own clock.
    let mut seconds = now_seconds.as_secs() as i64 - 100_000;
    let mut counters = [1000_u64, 5000];
    for nth in 0..170_u64 {
        sample(directory, seconds, counters);
        seconds += 295 + (nth as i64 * 7) % 13;
        counters[0] += 1000 + nth * nth * 37 % 50_000;
        counters[1] += 300 * (nth % 17);
    }
    let text = std::fs::read(directory.join("port.log")).unwrap();
    let log = LogFile::parse(&text).unwrap();
    assert!(log.lines.len() > 2000);
    let snapshot = log.snapshot();
    assert_eq!(snapshot.live.last_update.seconds, log.last_seconds);
    assert_eq!(snapshot.live.sources[1].last_reading.text()[..], *log.counters[1].as_bytes());
    let mut checked = [0; 4];
    for (archive, count) in checked.iter_mut().enumerate() {
        let row_seconds = snapshot.definition.archives[archive].row_seconds(300) as i64;
        for (line, next) in log.lines.iter().zip(&log.lines[1..]) {
            let aligned = line.end_seconds % row_seconds == 0;
            if aligned && line.end_seconds - next.end_seconds == row_seconds {
                *count += usize::from(stands(&snapshot, archive, row_seconds, line));
            }
        }
    }
    assert!(checked[0] > 590 && checked[1..] > [500, 500, 700][..], "{checked:?}");
    let traffic = snapshot.rows[0].iter().filter(|value| **value > 0.0).count();
    assert!(traffic > 250, "{traffic}");
}

/// Compares a line with its row; false if the row is older than the archive.
fn stands(snapshot: &rrd::Snapshot, archive: usize, row_seconds: i64, line: &LogLine) -> bool {
    let age = (snapshot.newest_row_seconds(archive) - line.end_seconds) / row_seconds;
    for (archive, expected) in [(archive, line.average), (archive + 4, line.maximum)] {
        let Some(row) = snapshot.rows[archive].rchunks(2).nth(age as usize) else { return false };
        assert_eq!(row, expected, "archive {archive}, row that ends at {}", line.end_seconds);
    }
    true
}
