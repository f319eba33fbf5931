//! A ring store with databases of several layouts, and what happens to them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chance::Random;
use ring::{RingOptions, RingStore};
use rrd::refill::RowChange;
use rrd::{Definition, Timestamp};
use store::{Edit, Existing, Store, Update};
use tempfile::TempDir;

/// The first update of all databases.
pub(crate) const BEGIN_SECONDS: i64 = 1_700_000_000;
const STEP_SECONDS: i64 = 10;

/// Layouts with rings so short that updates go round them.
const LAYOUTS: [&[&str]; 4] = [
    &["DS:a:GAUGE:30:U:U", "RRA:AVERAGE:0.5:1:7"],
    &[
        "DS:in:COUNTER:20:0:U",
        "DS:out:COUNTER:20:0:U",
        "RRA:AVERAGE:0.5:1:30",
        "RRA:MAX:0.5:1:30",
        "RRA:AVERAGE:0.5:4:13",
        "RRA:MIN:0.5:4:13",
    ],
    &["DS:x:DERIVE:25:U:U", "RRA:LAST:0:1:12", "RRA:AVERAGE:0.9:3:25", "RRA:LAST:0.9:3:24"],
    &[
        "DS:a:GAUGE:100:U:U",
        "DS:b:ABSOLUTE:100:U:U",
        "RRA:MAX:0.3:2:11",
        "RRA:MIN:0.3:2:11",
        "RRA:LAST:0.3:2:11",
        "RRA:AVERAGE:0.3:2:11",
    ],
];

pub(crate) struct Site {
    directory: TempDir,
    pub(crate) store: Arc<RingStore>,
    random: Random,
    names: Vec<String>,
    made: u32,
    now_seconds: i64,
}

impl Site {
    pub(crate) fn new(seed: u64, databases: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(open(directory.path()));
        let random = Random::new(seed);
        let now_seconds = BEGIN_SECONDS;
        let mut site = Self { directory, store, random, names: Vec::new(), made: 0, now_seconds };
        (0..databases).for_each(|_| site.make());
        site
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    /// The store is closed and opened again.
    pub(crate) fn reopen(self) -> Self {
        let Self { directory, store, random, names, made, now_seconds } = self;
        let store = Arc::into_inner(store).expect("nobody else has the store");
        store.close().unwrap();
        let store = Arc::new(open(directory.path()));
        Self { directory, store, random, names, made, now_seconds }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    fn any(&mut self) -> Option<String> {
        if self.names.is_empty() {
            return None;
        }
        let nth = self.below(self.names.len());
        Some(self.names[nth].clone())
    }

    /// A name that tables and statements may stumble over.
    fn new_name(&mut self) -> String {
        self.made += 1;
        let odd = ["plain", "it's; DROP TABLE gyre_feed; --", "back\\slash", "über", "\"quoted\""];
        let nth = self.below(odd.len());
        format!("{}/{}.rrd", odd[nth], self.made)
    }

    fn make(&mut self) {
        let layout = self.below(LAYOUTS.len());
        let name = self.new_name();
        let start = Timestamp::from_seconds(self.now_seconds - 1);
        self.store.create(Path::new(&name), &definition(layout), start).unwrap();
        self.names.push(name);
    }

    /// Time passes, and most databases get a sample.
    pub(crate) fn update(&mut self) {
        self.now_seconds += 1 + self.below(STEP_SECONDS as usize * 2) as i64;
        // Now and then a long silence.
        if self.below(40) == 0 {
            self.now_seconds += self.below(500) as i64 * STEP_SECONDS;
        }
        for name in self.names.clone() {
            if self.below(8) == 0 {
                continue;
            }
            let sources = self.store.outline(Path::new(&name)).unwrap().definition.sources.len();
            let values: Vec<String> = (0..sources).map(|_| self.reading()).collect();
            let sample = format!("{}:{}", self.now_seconds, values.join(":"));
            let samples = [sample.as_str()];
            // A text that the source cannot read is refused, which is fine.
            self.store.update(&[Update::numbered(&name, &samples)]);
        }
    }

    fn reading(&mut self) -> String {
        match self.below(16) {
            0 => "U".to_owned(),
            1 => "-0".to_owned(),
            2 => "inf".to_owned(),
            3 => "1e-310".to_owned(),
            4 => format!("{}", self.now_seconds * 1_000_003),
            _ => format!("{}", self.now_seconds * 1000 + self.below(1000) as i64),
        }
    }

    /// Something happens to a database, other than an update.
    pub(crate) fn change(&mut self) {
        let Some(name) = self.any() else { return self.make() };
        let path = PathBuf::from(&name);
        let goes_on = || true;
        match self.below(6) {
            0 => self.make(),
            1 => {
                self.store.edit(&path, &Edit::Delete, &goes_on).unwrap();
                self.names.retain(|other| *other != name);
                // Sometimes another takes its name.
                if self.below(2) == 0 {
                    let layout = self.below(LAYOUTS.len());
                    let start = Timestamp::from_seconds(self.now_seconds - 100);
                    self.store.create(&path, &definition(layout), start).unwrap();
                    self.names.push(name);
                }
            }
            2 => {
                let to = self.new_name();
                self.store.edit(&path, &Edit::Rename(Path::new(&to)), &goes_on).unwrap();
                self.names.retain(|other| *other != name);
                self.names.push(to);
            }
            3 => {
                let change = RowChange::Grow(3);
                let edit = Edit::Resize { archive: 0, change, result: Path::new("unused") };
                self.store.edit(&path, &edit, &goes_on).unwrap();
            }
            _ => {
                // The rows of another database, or its own from now.
                let Some(from) = self.any() else { return };
                let whole = self.store.snapshot(Path::new(&from)).unwrap();
                let edit = Edit::Restore { whole: &whole, existing: Existing::Replace };
                self.store.edit(&path, &edit, &goes_on).unwrap();
            }
        }
    }
}

fn definition(layout: usize) -> Definition {
    let specs = LAYOUTS[layout].iter().copied();
    rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap()
}

fn open(directory: &Path) -> RingStore {
    let options =
        RingOptions { sync: ring::Sync::Deferred, sparse: true, ..RingOptions::default() };
    RingStore::open_or_create(&directory.join("store"), options).unwrap()
}
