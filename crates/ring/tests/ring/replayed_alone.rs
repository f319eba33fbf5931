//! Who waits while groups are replayed for a batch: that batch alone.

use std::fmt;
use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use disk::{AnyMedium, Medium, MemoryFile, MemoryMedium};
use ring::{Engine, RingOptions};
use rrd::{Definition, Reading, Sample, Timestamp};
use store::Update;

/// What takes longer than this waits for something that never comes.
const ENDLESS: Duration = Duration::from_secs(60);
const START_SECONDS: i64 = 1_600_000_000;

type Meanwhile = Box<dyn Fn(&str) + Send + Sync>;

/// A directory in memory that lets something happen before a file is opened.
#[derive(Clone, Default)]
struct WatchedMedium {
    medium: MemoryMedium,
    meanwhile: Arc<OnceLock<Meanwhile>>,
}

impl fmt::Debug for WatchedMedium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.medium.fmt(f)
    }
}

impl Medium for WatchedMedium {
    type File = MemoryFile;

    fn create(&self, name: &str) -> io::Result<MemoryFile> {
        self.medium.create(name)
    }

    fn open(&self, name: &str) -> io::Result<MemoryFile> {
        if let Some(meanwhile) = self.meanwhile.get() {
            meanwhile(name);
        }
        self.medium.open(name)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.medium.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.medium.rename(from, to)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.medium.list()
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.medium.sync_directory()
    }
}

/// Databases of different layouts stand in groups of their own.
fn definition(rows: u64) -> Definition {
    let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
    rrd::spec::definition(10, ["DS:x:GAUGE:100:U:U", &archive]).unwrap()
}

fn options() -> RingOptions {
    RingOptions { replay_threads: 0, ..RingOptions::default() }
}

fn update(engine: &Engine<AnyMedium>, names: &[&str], cycle: i64) {
    let time = Timestamp::from_seconds(START_SECONDS + cycle * 10);
    let samples = [Sample { time, readings: &["7"].map(Reading::of) }];
    let batch: Vec<Update<'_>> = names.iter().map(|name| Update::of(*name, &samples)).collect();
    assert!(engine.update(&batch).is_empty());
}

#[test]
fn names_change_while_groups_are_replayed_for_a_batch() {
    let medium = WatchedMedium::default();
    let names = ["a", "b"];
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    for (name, rows) in names.iter().zip([20, 30]) {
        let start = Timestamp::from_seconds(START_SECONDS);
        engine.create(name, &definition(rows), start).unwrap();
    }
    update(&engine, &names, 1);
    drop(engine);
    let engine = Arc::new(Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap());
    engine.describe("a").unwrap(); // its group is replayed
    let (renaming, renamed) = channel();
    let others = Arc::clone(&engine);
    let happened = OnceLock::new();
    let meanwhile = move |name: &str| {
        if !name.starts_with("000001.") || happened.set(()).is_err() {
            return;
        }
        let (others, renaming) = (Arc::clone(&others), renaming.clone());
        let (done, finished) = channel();
        std::thread::spawn(move || done.send(others.rename("a", "c")));
        let found = finished.recv_timeout(ENDLESS).map(|renamed| renamed.is_ok());
        renaming.send(found).unwrap();
    };
    assert!(medium.meanwhile.set(Box::new(meanwhile)).is_ok());
    update(&engine, &["b"], 2);
    assert_eq!(renamed.recv().unwrap(), Ok(true), "the world was locked while b was replayed");
    update(&engine, &["c"], 2);
    assert_eq!(engine.describe("b").unwrap().1.last_update.seconds, START_SECONDS + 20);
}
