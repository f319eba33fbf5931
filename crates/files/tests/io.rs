//! A file is the same whichever way it was written, and reads the same.
#![allow(clippy::disallowed_methods)] // it copies files

use std::path::Path;

use files::{Access, Io, RrdFile, Transfer};
use rrd::{Reading, Sample, Timestamp};
use store::{Existing, Locking};

const TRANSFERS: [Transfer; 5] = [
    Transfer::Positioned,
    Transfer::Sought,
    Transfer::Buffered,
    Transfer::HeaderMapped,
    Transfer::Mapped,
];
const START_SECONDS: i64 = 1_700_000_000;

#[test]
fn every_way_leaves_the_same_bytes() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    // The header of six sources is longer than a page; the rows of an archive wrap.
    let sources: Vec<String> = (0..6).map(|nth| format!("DS:s{nth}:GAUGE:600:U:U")).collect();
    let archives = (1..9).map(|pdps| format!("RRA:AVERAGE:0.5:{pdps}:{}", 90 + pdps));
    let words: Vec<String> = sources.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(300, words.iter().map(String::as_str)).unwrap();
    let first = directory.path().join("first.rrd");
    let start = Timestamp::from_seconds(START_SECONDS);
    files::create(&first, &definition, start, Existing::Keep).unwrap();
    let expected = after_updates(&first, &directory.path().join("own.rrd"), Io::OWN);
    for transfer in TRANSFERS {
        for advice in [false, true] {
            let io = Io { transfer, advice };
            let found = after_updates(&first, &directory.path().join("other.rrd"), io);
            assert!(found == expected, "{io:?}");
        }
    }
}

/// The bytes of a copy after some updates, each with the file opened anew or several at once, and
/// read back by the same way.
fn after_updates(first: &Path, copy: &Path, io: Io) -> Vec<u8> {
    std::fs::copy(first, copy).unwrap();
    let open = |access| RrdFile::open_by(copy, access, Locking::Try, io).unwrap();
    for cycle in 0..150_i64 {
        let mut file = open(Access::Update);
        for nth in 0..1 + cycle % 3 {
            let time = Timestamp::from_seconds(START_SECONDS + cycle * 900 + (nth + 1) * 280);
            let readings = [cycle, nth, 3, 4, 5, 6].map(|reading| reading.to_string());
            let readings = readings.each_ref().map(|text| Reading::of(text));
            file.append(&Sample { time, readings: &readings }).unwrap();
        }
        file.commit().unwrap();
    }
    let rows = open(Access::Read).snapshot().unwrap().rows;
    let own = RrdFile::open(copy, Access::Read).unwrap().snapshot().unwrap().rows;
    let bits = |rows: &[Vec<f64>]| rows.concat().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert!(bits(&rows) == bits(&own), "{io:?}");
    std::fs::read(copy).unwrap()
}
