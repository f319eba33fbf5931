//! Many threads at once.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use files::cache::FileCache;
use files::{Access, RrdFile};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, SampleReader, Timestamp};
use store::Update;

use crate::basics::{START, make, options, value};

const FILES: usize = 12;
const SAMPLES: i64 = 300;

/// Two threads update disjoint files in batches, one flushes and reads all of them, one suspends
/// and resumes: at the end each file is as if nobody else had been there.
#[test]
fn files_are_as_if_each_had_been_updated_alone() {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        (0..FILES).map(|nth| directory.path().join(format!("{nth}.rrd"))).collect();
    let alone = directory.path().join("alone.rrd");
    make(&alone);
    for path in &paths {
        fs::copy(&alone, path).unwrap();
    }
    let cache = FileCache::open(options()).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let updating: Vec<_> = paths
            .chunks(FILES / 2)
            .map(|paths| {
                scope.spawn(|| {
                    for nth in 1..=SAMPLES {
                        let value = value(nth);
                        let values = [&value[..]];
                        let updates: Vec<_> =
                            paths.iter().map(|path| Update::numbered(path, &values)).collect();
                        let failures = cache.append(&updates);
                        assert!(failures.is_empty(), "{failures:?}");
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for path in &paths {
                    let query = Query {
                        tick: rrd::Tick::SECOND,
                        cf: ConsolidationFunction::Average,
                        start_seconds: START,
                        end_seconds: START + 6000,
                        step_seconds: 300,
                    };
                    cache.fetch(path, &query).unwrap();
                    cache.flush(path).unwrap();
                }
                cache.flush_all();
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _ = cache.suspend_all();
                let _ = cache.queue();
                let _ = cache.resume_all();
            }
        });
        updating.into_iter().for_each(|thread| thread.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
    });
    cache.close(true);
    let mut file = RrdFile::open(&alone, Access::Update).unwrap();
    let reader = SampleReader::in_order(&file.header().definition.clone());
    for nth in 1..=SAMPLES {
        let (value, mut readings) = (value(nth), Vec::new());
        let time = reader.split(&value, &mut readings).unwrap().moment(Timestamp::default());
        file.append(&rrd::Sample { time: time.unwrap(), readings: &readings }).unwrap();
    }
    file.commit().unwrap();
    let expected = fs::read(&alone).unwrap();
    for path in &paths {
        assert!(fs::read(path).unwrap() == expected, "{}", path.display());
    }
}
