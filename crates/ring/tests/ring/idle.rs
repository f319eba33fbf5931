//! A store of which nobody asks anything wakes no thread.

use std::fs;
use std::time::Duration;

use ring::RingOptions;
use ring::RingStore;
use rrd::{Reading, Sample, Timestamp};
use store::Update;

/// How often the flushing threads of this process gave their processors up of their own accord.
fn waits() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    let flushing = tasks.filter(|task| {
        fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim() == "gyre-flush")
    });
    let status = flushing.filter_map(|task| fs::read_to_string(task.join("status")).ok());
    let count = |status: String| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse().ok()
    };
    status.filter_map(count).sum()
}

/// Whether there comes a second in which no flushing thread wakes up.
fn comes_to_rest() -> bool {
    (0..30).any(|_| {
        let before = waits();
        std::thread::sleep(Duration::from_secs(1));
        waits() == before
    })
}

#[test]
fn the_flushing_thread_sleeps_until_something_happens() {
    if std::env::var_os("GYRE_IDLE_ALONE").is_none() {
        // Other tests of this process have stores of their own.
        let program = std::env::current_exe().unwrap();
        let name = "idle::the_flushing_thread_sleeps_until_something_happens";
        let mut alone = std::process::Command::new(program);
        let status = alone.args([name, "--exact"]).env("GYRE_IDLE_ALONE", "1").status().unwrap();
        assert!(status.success());
        return;
    }
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = RingStore::create(directory.path(), RingOptions::default()).unwrap();
    assert!(comes_to_rest(), "an empty store");
    let words = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:100"];
    let definition = rrd::spec::definition(10, words).unwrap();
    let start = Timestamp::from_seconds(1_600_000_000);
    store.engine().create("a", &definition, start).unwrap();
    let update = |seconds: i64| {
        let time = Timestamp::from_seconds(1_600_000_000 + seconds);
        let samples = [Sample { time, readings: &["1"].map(Reading::of) }];
        assert!(store.engine().update(&[Update::of("a", &samples)]).is_empty());
    };
    update(10);
    assert!(comes_to_rest(), "a store that was updated");
    // Work that follows is done all the same: groups are flushed when they are due.
    let before = store.report().log_bytes;
    (2..2000).for_each(|nth| update(nth * 10));
    assert!(comes_to_rest() && store.report().log_bytes < before + 100_000);
    store.close().unwrap();
}
