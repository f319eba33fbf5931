//! What a ring store costs through a server, beside the same store asked directly: `cargo run
//! --release -p daemon --example calls [ROUNDS]`. Both are asked in turns, and the medians of all
//! rounds compared. What is taken is synced before it counts.
#![allow(clippy::disallowed_methods)] // it measures with the clock

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use daemon::{Access, Kept, Level, Limits, Listener, Log, Paths, Server, Sockets, Terms};
use remote::Remote;
use ring::Sync;
use ring::{RingOptions, RingStore};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Timestamp};
use store::{Store, Update};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 300;
const DATABASES: usize = 1_000;

fn main() {
    let rounds = std::env::args().nth(1).map_or(200, |word| word.parse().expect("a number"));
    let directory = tempfile::tempdir_in(".").expect("a directory of its own");
    let store = |name: &str| {
        // As who opens a store for a while has it: syncs are asked for.
        let options = RingOptions { sync: Sync::Deferred, ..RingOptions::default() };
        Arc::new(RingStore::create(&directory.path().join(name), options).expect("a store"))
    };
    let (direct, behind) = (store("direct"), store("behind"));
    let socket = directory.path().join("socket");
    let _server = serve(&behind, &socket);
    let remote = Remote::over(UnixStream::connect(&socket).expect("a connection"), &socket);
    let stores: [&dyn Store; 2] = [&*direct, &remote];
    for store in stores {
        fill(store);
    }
    println!("{:40} {:>10} {:>10} {:>7}", "us, median", "direct", "remote", "ratio");
    for (what, hours) in
        [("fetch of 288 rows", 24), ("fetch of 12 rows", 1), ("fetch of 1000 rows", 83)]
    {
        compare(what, rounds * 10, stores, |store, nth| fetch(store, nth, hours));
    }
    compare("outline", rounds * 10, stores, |store, nth| {
        store.outline(Path::new(&name(nth))).expect("it is there");
    });
    compare("whole file", rounds, stores, |store, nth| {
        store.image(Path::new(&name(nth))).expect("it is there");
    });
    compare("whole files of 100", rounds / 10 + 1, stores, |store, _| {
        let names: Vec<String> = (0..100).map(name).collect();
        store.images(&names, &mut |_, image| drop(image.expect("it is there"))).expect("it serves");
    });
    let (mut now_seconds, sync) = (START_SECONDS + 1_000 * STEP_SECONDS, true);
    for (what, count) in [("update", 1), ("updates of 100", 100), ("updates of 1000", 1000)] {
        compare(what, rounds, stores, |store, _| update(store, count, now(&mut now_seconds), sync));
    }
    compare("call that does nothing", rounds * 10, stores, |store, _| {
        assert!(!store.has(Path::new("none")));
    });
}

/// A time after all that were given.
fn now(now_seconds: &mut i64) -> i64 {
    *now_seconds += STEP_SECONDS;
    *now_seconds
}

fn serve(store: &Arc<RingStore>, socket: &Path) -> Server {
    let mut sockets = Sockets::default();
    sockets.listen(&format!("unix:{}", socket.display())).expect("a socket");
    let terms = Terms {
        paths: Paths::of_names(store.root(), true),
        log: Arc::new(Log::to(Level::Error, |words| eprintln!("{words}"))),
        limits: Limits::default(),
        keeps_existing: false,
        makes_directories: false,
        access: Access::default(),
        syncs: true,
    };
    let listeners = Listener::open(&sockets.named[0]).expect("it listens");
    Server::start(Kept::Ring(Arc::clone(store)), terms, listeners).expect("it serves")
}

fn name(nth: usize) -> String {
    format!("router{}/port{}.rrd", nth % DATABASES / 10, nth % 10)
}

fn definition() -> Definition {
    let words = [
        "DS:ds0:COUNTER:600:0:U",
        "DS:ds1:COUNTER:600:0:U",
        "RRA:AVERAGE:0.5:1:1200",
        "RRA:AVERAGE:0.5:6:600",
        "RRA:MAX:0.5:6:600",
    ];
    rrd::spec::definition(STEP_SECONDS as u64, words).expect("it is one")
}

/// Makes the databases, with past.
fn fill(store: &dyn Store) {
    let (definition, start) = (definition(), Timestamp::from_seconds(START_SECONDS));
    for nth in 0..DATABASES {
        store.create(Path::new(&name(nth)), &definition, start).expect("its name is free");
    }
    for nth in 1..=1_000 {
        update(store, DATABASES, START_SECONDS + nth * STEP_SECONDS, false);
    }
    store.sync().expect("the disk takes it");
}

fn update(store: &dyn Store, count: usize, seconds: i64, syncs: bool) {
    let names: Vec<String> = (0..count).map(name).collect();
    let reading = Reading::Unsigned(seconds as u64 * 1_000);
    let readings = [reading, reading];
    let samples = [Sample { time: Timestamp::from_seconds(seconds), readings: &readings }];
    let batch: Vec<_> = names.iter().map(|name| Update::of(name, &samples)).collect();
    let refused = store.update(&batch);
    assert!(refused.is_empty(), "{refused:?}");
    // A server has synced before it answered; then there is nothing to do.
    if syncs {
        store.sync().expect("the disk takes it");
    }
}

fn fetch(store: &dyn Store, nth: usize, hours: i64) {
    let end_seconds = START_SECONDS + 1_000 * STEP_SECONDS;
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: end_seconds - hours * 3_600,
        end_seconds,
        step_seconds: 1,
    };
    let series = store.fetch(Path::new(&name(nth)), &query).expect("it answers");
    assert!(series.rows() >= 12 * hours as usize);
}

/// Does something with both stores in turns.
fn compare(
    what: &str,
    rounds: usize,
    stores: [&dyn Store; 2],
    mut work: impl FnMut(&dyn Store, usize),
) {
    let mut times: [Vec<Duration>; 2] = Default::default();
    for nth in 0..rounds {
        for (store, times) in stores.iter().zip(&mut times) {
            let start = Instant::now();
            work(*store, nth);
            times.push(start.elapsed());
        }
    }
    let [direct, remote] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6
    });
    println!("{what:40} {direct:10.1} {remote:10.1} {:7.2}", remote / direct);
}
