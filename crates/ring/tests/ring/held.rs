//! What goes on, and what waits, while another process copies the store.
//!
//! Each test makes the pause between two commits endless. A call that waits for it then never
//! returns, and the watchdog ends the test: nothing here depends on how fast the machine is.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use disk::{AnyMedium, Medium, MediumFile, MemoryFile, MemoryMedium};
use ring::{Engine, RingOptions};
use rrd::{Definition, Reading, Sample, Timestamp};
use store::{NamePattern, NewDatabase, Update};

/// A test that takes longer than this waits for something that never comes.
const ENDLESS: Duration = Duration::from_secs(60);
const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;

/// A directory in memory whose files are held by somebody as long as the flag says so.
#[derive(Clone, Debug, Default)]
struct HeldMedium {
    medium: MemoryMedium,
    is_held: Arc<AtomicBool>,
}

#[derive(Debug)]
struct HeldFile {
    file: MemoryFile,
    is_held: Arc<AtomicBool>,
}

impl HeldMedium {
    fn hold(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::SeqCst);
    }

    fn file(&self, file: MemoryFile) -> HeldFile {
        HeldFile { file, is_held: Arc::clone(&self.is_held) }
    }
}

impl Medium for HeldMedium {
    type File = HeldFile;

    fn create(&self, name: &str) -> io::Result<HeldFile> {
        self.medium.create(name).map(|file| self.file(file))
    }

    fn open(&self, name: &str) -> io::Result<HeldFile> {
        self.medium.open(name).map(|file| self.file(file))
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

impl MediumFile for HeldFile {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset_bytes)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        self.file.write_some_at(bytes, offset_bytes)
    }

    fn len_bytes(&self) -> io::Result<u64> {
        self.file.len_bytes()
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.file.allocate(bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.file.reserve(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn is_held(&self) -> io::Result<bool> {
        Ok(self.is_held.load(Ordering::SeqCst))
    }
}

fn definition(rows: u64) -> Definition {
    let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
    rrd::spec::definition(STEP_SECONDS as u64, ["DS:x:GAUGE:100:U:U", &archive]).unwrap()
}

fn at(cycle: i64) -> Timestamp {
    Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS)
}

/// A store with a group of one layout, held from its last commit on.
fn held_store() -> (HeldMedium, Arc<Engine<AnyMedium>>) {
    let medium = HeldMedium::default();
    let options = RingOptions { copy_pause: Duration::MAX, ..RingOptions::default() };
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options).unwrap();
    medium.hold(true);
    engine.create("first", &definition(20), at(0)).unwrap(); // makes its group, and commits
    (medium, Arc::new(engine))
}

fn update(engine: &Engine<AnyMedium>, names: &[String], cycle: i64) {
    let samples = [Sample { time: at(cycle), readings: &["7"].map(Reading::of) }];
    let batch: Vec<Update<'_>> = names.iter().map(|name| Update::of(name, &samples)).collect();
    assert!(engine.update(&batch).is_empty());
}

/// All names, so many at a time, and how often was asked.
fn paged(engine: &Engine<AnyMedium>, pattern: &NamePattern, limit: usize) -> (Vec<String>, usize) {
    let (mut all, mut next, mut pages) = (Vec::new(), Some(String::new()), 0);
    while let Some(from) = next {
        let page = engine.names_from(pattern, &from, limit).unwrap();
        assert!(page.names.len() <= limit);
        all.extend(page.names);
        (next, pages) = (page.next, pages + 1);
    }
    (all, pages)
}

#[test]
fn nobody_waits_long_for_names_that_are_rare() {
    let (medium, engine) = held_store();
    medium.hold(false);
    let (definition, names) = (definition(20), (0..1_000).map(|nth| format!("new/{nth:03}")));
    let names: Vec<String> = names.collect();
    let new = names.iter().map(|name| NewDatabase {
        name: name.as_ref(),
        definition: &definition,
        start: at(0),
    });
    assert!(engine.create_all(&new.collect::<Vec<_>>()).is_empty());
    let rare = NamePattern::meant("*/*77");
    let (found, pages) = paged(&engine, &rare, 4);
    assert_eq!(found.len(), 10);
    assert!(pages > 1_000 / 100, "{pages} pages: each looks at few names");
    let narrow = NamePattern::meant("new/77*");
    assert_eq!(paged(&engine, &narrow, 20).1, 1, "names that begin otherwise are not looked at");
}

#[test]
fn new_names_take_their_places_among_those_of_the_catalogue() {
    let (medium, engine) = held_store();
    medium.hold(false);
    let definition = definition(20);
    let mut names: Vec<String> = (0..200).map(|nth| format!("new/{nth:03}")).collect();
    let new = |name| NewDatabase { name: Path::new(name), definition: &definition, start: at(0) };
    assert!(engine.create_all(&names.iter().map(new).collect::<Vec<_>>()).is_empty());
    medium.hold(true);
    for nth in (0..200).step_by(9) {
        let to = format!("new/{:03}b", nth * 7 % 200);
        engine.rename(&names[nth], &to).unwrap();
        names[nth] = to;
    }
    names.push("first".into());
    names.sort();
    let all = NamePattern::beginning("");
    for limit in [1, 2, 3, 7, 50, 199] {
        assert_eq!(paged(&engine, &all, limit).0, names, "{limit} at a time");
    }
}

/// Runs a test that must come to its end.
fn ends(test: impl FnOnce() + Send + 'static) {
    let (done, wait) = channel();
    let running = std::thread::spawn(move || {
        test();
        done.send(()).unwrap();
    });
    let ended = wait.recv_timeout(ENDLESS);
    assert!(ended.is_ok() || running.is_finished(), "something waits for the copy to end");
    running.join().unwrap();
}

#[test]
fn creates_names_updates_and_flushes_go_on_while_the_store_is_copied() {
    ends(|| {
        let (medium, engine) = held_store();
        let mut names: Vec<String> = (0..8).map(|nth| format!("new/{nth}")).collect();
        for name in &names {
            engine.create(name, &definition(20), at(0)).unwrap();
        }
        names.push("first".into());
        names.sort();
        for cycle in 1..200 {
            update(&engine, &names, cycle);
            engine.work().unwrap();
            assert_eq!(engine.names().unwrap().len(), names.len());
        }
        engine.rename("first", "moved").unwrap();
        engine.delete("new/3").unwrap();
        let mut expected = names.clone();
        expected.retain(|name| name != "new/3" && name != "first");
        expected.insert(0, "moved".into());
        assert_eq!(engine.names().unwrap(), expected);
        // Names that the catalogue has and those that wait for it come in one order.
        for limit in 1..12 {
            assert_eq!(paged(&engine, &NamePattern::beginning(""), limit).0, expected);
        }

        // Checkpoints are now ahead of the catalogue. A kill here loses nothing.
        let engine = Engine::open_store(AnyMedium::of(medium), RingOptions::default()).unwrap();
        assert_eq!(engine.names().unwrap(), expected);
        for name in &expected {
            assert_eq!(engine.describe(name).unwrap().1.last_update, at(199), "{name}");
        }
    });
}

#[test]
fn a_create_that_needs_a_group_waits_alone_and_goes_on_when_the_copy_is_done() {
    ends(|| {
        let (medium, engine) = held_store();
        let (created, wait) = channel();
        let waiting = Arc::clone(&engine);
        let other = std::thread::spawn(move || {
            let (kept, rows) = (definition(20), definition(30));
            let new = [
                NewDatabase { name: "other".as_ref(), definition: &rows, start: at(0) },
                NewDatabase { name: "same".as_ref(), definition: &kept, start: at(0) },
            ];
            assert!(waiting.create_all(&new).is_empty());
            created.send(()).unwrap();
        });
        // It makes the files of the group and then waits for its commit.
        while !medium.list().unwrap().iter().any(|name| name == "000001.b") {
            std::thread::yield_now();
        }
        engine.create("second", &definition(20), at(0)).unwrap();
        update(&engine, &["first".into(), "second".into()], 1);
        assert!(engine.names().unwrap().iter().any(|name| name == "second"));
        assert!(wait.try_recv().is_err(), "the group's commit waits for the copy");
        medium.hold(false);
        wait.recv().unwrap();
        other.join().unwrap();
        assert_eq!(engine.names().unwrap(), ["first", "other", "same", "second"]);
    });
}
