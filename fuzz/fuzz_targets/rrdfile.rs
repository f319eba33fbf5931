//! The file reader: any bytes give an error or a usable database.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rrd::fetch::{Query, window};
use rrd::{
    Archive, ConsolidationFunction, Reading, Sample, SeasonalRing, Snapshot, Timestamp, Workspace,
};

/// A small file may have an update at any time: these gaps reach across steps and rings.
const GAPS_SECONDS: [i64; 4] = [1, 299, 100_000, 1 << 40];

fuzz_target!(|bytes: &[u8]| {
    let Ok((header, snapshot)) = rrdfile::decode(bytes) else {
        return;
    };
    translate(bytes);
    let written = rrdfile::encode(&snapshot, header.newest_rows).expect("it was a file");
    let (_, again) = rrdfile::decode(&written).expect("what we write, we read");
    let rewritten = rrdfile::encode(&again, vec_of_newest(&written)).expect("it was a file");
    assert!(written == rewritten, "reading and writing must not change a bit");
    fetch(&snapshot);
    update(snapshot);
});

/// A translated file of another machine is a native file, and is not translated again.
fn translate(bytes: &[u8]) {
    let native = rrdfile::to_native(bytes).expect("it was read before");
    let again = rrdfile::to_native(&native.bytes).expect("what we write, we read");
    assert!(again.architecture == rrdfile::Architecture::NATIVE && again.bytes == native.bytes);
    let current = rrdfile::to_current(bytes).expect("it was read before");
    assert!(current.header().expect("what we write, we read").version.has_micros());
}

fn vec_of_newest(bytes: &[u8]) -> Vec<rrdfile::layout::RowIndex> {
    let (header, _) = rrdfile::decode(bytes).expect("it was read before");
    header.newest_rows
}

fn fetch(snapshot: &Snapshot) {
    let last = snapshot.live.last_update.seconds;
    for cf in ConsolidationFunction::OF_FILES {
        for (start_seconds, end_seconds) in [(0, last), (last - 3600, last), (last, i64::MAX)] {
            let query =
                Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds: 1 };
            let _ = window(&snapshot.definition, last, &query); // an error is an answer
        }
    }
}

/// The rows of seasons, which an update reads.
fn rings(snapshot: &Snapshot) -> Vec<SeasonalRing> {
    let archives = snapshot.definition.archives.iter().zip(&snapshot.rows).enumerate();
    let seasonal = archives.filter(|(_, (archive, _))| archive.cf.is_seasonal());
    let ring = |(archive, (each, values)): (usize, (&Archive, &Vec<f64>))| SeasonalRing {
        archive,
        newest_slot: each.rows - 1,
        values: values.clone(),
    };
    seasonal.map(ring).collect()
}

fn update(mut snapshot: Snapshot) {
    let readings = vec![Reading::Unsigned(42); snapshot.definition.sources.len()];
    let mut workspace = Workspace::default();
    snapshot.live.forecast.rings = rings(&snapshot);
    for gap_seconds in GAPS_SECONDS {
        let last = snapshot.live.last_update;
        let Some(seconds) = last.seconds.checked_add(gap_seconds) else {
            return;
        };
        let sample = Sample { time: Timestamp { seconds, ..last }, readings: &readings };
        let outcome =
            rrd::update(&snapshot.definition, &mut snapshot.live, &sample, &mut workspace);
        if outcome.is_ok() {
            for rows in workspace.final_rows() {
                let archive = &snapshot.definition.archives[rows.archive];
                assert!((1..=archive.rows).contains(&rows.count));
            }
        }
    }
}
