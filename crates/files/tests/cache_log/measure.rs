//! How long opening takes: on demand, in a release build.

use std::time::Instant;

use files::cache::Base;
use files::cache::{Acknowledge, Lines, Log, LogOptions, WholeState};
use journal::RrdId;

const FILES: u32 = 320_000;
const SAMPLES: i64 = 6;

/// A directory like that of a large site: every file has a base and six samples of two counters.
#[test]
#[ignore = "a measurement: cargo test --release -p files --test cache_log -- --ignored measure"]
fn opening_320_000_files_with_6_samples_each() {
    let directory = tempfile::tempdir().unwrap();
    let options = LogOptions { acknowledge: Acknowledge::Written, ..LogOptions::default() };
    let open = || {
        let medium = disk::PosixMedium::open(directory.path()).unwrap();
        Log::open(medium, options).unwrap()
    };
    let state = mrtg_state();
    let (log, _) = open();
    let mut lines = Lines::default();
    for nth in 0..SAMPLES {
        for number in 0..FILES {
            if nth == 0 {
                let path = format!("/var/lib/rrd/site{}/port{number}.rrd", number / 100);
                let base = Base {
                    path: path.into_bytes(),
                    fingerprint: 1,
                    newest_rows: vec![599; 8],
                    state: state.clone(),
                };
                lines.base(RrdId(number), &base.view());
            }
            let traffic = 9_876_543_210 + u64::from(number) * 7919 + nth as u64 * 54321;
            let seconds = 1_780_000_000 + nth * 300;
            lines.sample(RrdId(number), &format!("{seconds}:{traffic}:{}", traffic / 3));
            log.append(&mut lines).unwrap();
            if number % 1000 == 0 {
                log.acknowledge().unwrap();
            }
        }
    }
    log.commit().unwrap();
    let bytes = log.position().0;
    drop(log);
    let start = Instant::now();
    let (_, replay) = open();
    let opened = start.elapsed();
    let files = replay.files().filter(|file| !file.path.is_empty()).count();
    let listed = start.elapsed();
    let samples: usize = (0..FILES).map(|number| replay.steps(RrdId(number)).count() - 1).sum();
    let read = start.elapsed();
    assert_eq!((files as u32, samples as u32), (FILES, FILES * SAMPLES as u32));
    println!(
        "{:.0} MB, {} bytes a state: opened in {opened:.2?}, listed at {listed:.2?}, \
         every step read at {read:.2?}",
        bytes as f64 / 1e6,
        state.len()
    );
}

fn mrtg_state() -> Vec<u8> {
    let archive = |cf: &str, steps: u32, rows: u32| format!("RRA:{cf}:0.5:{steps}:{rows}");
    let shapes = [(1, 600), (6, 700), (24, 775), (288, 797)];
    let archives = ["AVERAGE", "MAX"].iter().flat_map(|cf| shapes.map(|(s, r)| archive(cf, s, r)));
    let sources = ["DS:in:COUNTER:600:0:U", "DS:out:COUNTER:600:0:U"].map(str::to_owned);
    let specs: Vec<String> = sources.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap();
    let mut live = rrd::LiveState::fresh(&definition, rrd::Timestamp::from_seconds(1_780_000_000));
    for source in &mut live.sources {
        source.last_reading = rrd::live::LastReading::new("9876543210");
    }
    WholeState::of(&definition).encode(&live)
}
