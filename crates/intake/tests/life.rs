//! Lives of stores that agents send to, drawn at random, beside a model that knows of each database
//! its last update only: what becomes of every sample, and the last update in the end.
//!
//! Samples are repeated, late, early, of the future, of another age and without a time; series are
//! young, silent for long, dropped, unnamable, or the same by two keys; databases are deleted,
//! renamed and replaced by others; rules are read anew; the store is closed and opened again.
#![allow(clippy::disallowed_methods)] // the test makes directories

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chance::Random;
use intake::{Intake, Limits, Outcomes, Settings};
use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use senders::{Kind, Sent, Series, VALUE, Value, database};
use store::{Edit, NamePattern, Rooted, Store};

const LIVES: u64 = 16;
const EVENTS: usize = 60;
const STEP_MICROS: i64 = 60_000_000;
const AHEAD_MICROS: i64 = 600_000_000;
const AGE_MICROS: i64 = 315_532_800_000_000;
const RULES: &str = "http = true\n[[layout]]\nseries = \"debug.**\"\ndrop = true\n\
                     [[layout]]\narchives = [\"RRA:AVERAGE:0.5:1:10\"]\n";

/// A series as it may be sent.
#[derive(Clone, Copy, Debug)]
enum Sender {
    Path(&'static str),
    Labels(&'static [(&'static str, &'static str)]),
    Two(&'static str),
}

const SENDERS: [Sender; 9] = [
    Sender::Path("a.b"),
    Sender::Path("a.c"),
    Sender::Path("d"),
    Sender::Path("debug.x"),
    Sender::Path("a..b"),
    Sender::Labels(&[("__name__", "up"), ("job", "n"), ("host", "h")]),
    Sender::Labels(&[("host", "h"), ("__name__", "up"), ("job", "n")]),
    Sender::Labels(&[("__name__", "alone")]),
    Sender::Two("eth0"),
];

type Values<'a> = &'a [(&'a str, Kind, Value<'a>)];

impl Sender {
    fn with(self, each: &mut dyn FnMut(Series<'_>, Values<'_>)) {
        let one = [(VALUE, Kind::Gauge, Value::Float(1.5))];
        let two = [("rx", Kind::Gauge, Value::Unsigned(1)), ("tx", Kind::Gauge, Value::Signed(2))];
        match self {
            Self::Path(path) => each(Series::Graphite(path), &one),
            Self::Labels(labels) => each(Series::Labels(labels), &one),
            Self::Two(instance) => {
                let (plugin, kind) = (("if", instance), ("if_octets", ""));
                each(Series::Collectd { host: "h", plugin, kind }, &two);
            }
        }
    }

    /// The name of its database; `None` if it has none.
    fn database(self) -> Option<String> {
        let mut name = None;
        self.with(&mut |series, _| name = database::name(&series.identity(), series.form()).ok());
        name
    }

    fn is_dropped(self) -> bool {
        matches!(self, Self::Path(path) if path.starts_with("debug."))
    }
}

/// A database of the model.
#[derive(Clone, Copy, Debug)]
struct Known {
    last_micros: i64,
    /// Whether its sources are those of the series that has its name.
    is_own: bool,
}

/// What a life has.
struct Life {
    random: Random,
    directory: tempfile::TempDir,
    is_ring: bool,
    store: Option<(Arc<dyn Store>, Intake)>,
    now_micros: i64,
    databases: BTreeMap<String, Known>,
    /// Positions of senders that the intake knows.
    met: HashSet<usize>,
}

impl Life {
    fn new(seed: u64, is_ring: bool) -> Self {
        let mut life = Self {
            random: Random::new(seed),
            directory: tempfile::tempdir().unwrap(),
            is_ring,
            store: None,
            now_micros: 1_700_000_000_000_000,
            databases: BTreeMap::new(),
            met: HashSet::new(),
        };
        life.restart();
        life
    }

    fn restart(&mut self) {
        self.store = None;
        let store: Arc<dyn Store> = match self.is_ring {
            true => {
                let root = self.directory.path().join("ring");
                Arc::new(RingStore::open_or_create(&root, RingOptions::default()).unwrap())
            }
            false => Arc::new(files::RrdFiles::below(self.directory.path())),
        };
        let rules = Settings::of_text(RULES).unwrap().rules;
        let rooted = Rooted::new(store.clone());
        self.store = Some((store, Intake::new(rooted, rules, Limits::default(), [1, 2])));
        self.met.clear();
    }

    fn store(&self) -> &dyn Store {
        &*self.store.as_ref().unwrap().0
    }

    fn intake(&self) -> &Intake {
        &self.store.as_ref().unwrap().1
    }

    fn event(&mut self) {
        // Mostly a step, sometimes a silence of weeks.
        let silence = if self.random.below(20) == 0 { 20_000 } else { 2 };
        self.now_micros += self.random.below(silence * 60_000_000) as i64;
        match self.random.below(20) {
            0 => self.restart(),
            1 => {
                self.intake().follow(Settings::of_text(RULES).unwrap().rules);
                self.met.clear();
            }
            2 => self.lose(&|store, path| store.edit(path, &Edit::Delete, &|| true).unwrap()),
            3 => {
                let free = PathBuf::from(format!("old/{}.rrd", self.random.number()));
                self.lose(&|store, path| {
                    store.edit(path, &Edit::Rename(&free), &|| true).unwrap();
                });
            }
            4 => self.replace(),
            _ => self.send(),
        }
    }

    /// Takes one of the databases away.
    fn lose(&mut self, take_away: &dyn Fn(&dyn Store, &Path)) {
        let Some(name) = self.any_database() else { return };
        take_away(self.store(), Path::new(&name));
        self.databases.remove(&name);
        self.unmeet(&name);
    }

    /// Puts another database under the name of one.
    fn replace(&mut self) {
        let Some(name) = self.any_database() else { return };
        let path = Path::new(&name);
        self.store().edit(path, &Edit::Delete, &|| true).unwrap();
        let words = ["DS:in:GAUGE:600:U:U", "DS:out:GAUGE:600:U:U", "RRA:LAST:0.5:1:5"];
        let definition = rrd::spec::definition(60, words).unwrap();
        let start = self.now_micros - STEP_MICROS;
        self.store().create(path, &definition, timestamp(start)).unwrap();
        self.unmeet(&name);
        self.databases.insert(name, Known { last_micros: start, is_own: false });
    }

    /// The store tells of what happens to a database: its series are looked up again.
    fn unmeet(&mut self, name: &str) {
        self.met.retain(|at| SENDERS[*at].database().as_deref() != Some(name));
    }

    fn any_database(&mut self) -> Option<String> {
        let count = self.databases.len() as u64;
        let nth = (count > 0).then(|| self.random.below(count) as usize)?;
        self.databases.keys().nth(nth).cloned()
    }

    fn send(&mut self) {
        let count = 1 + self.random.below(12);
        let sent: Vec<(usize, Option<i64>)> = (0..count).map(|_| self.sample()).collect();
        let mut batch = self.intake().batch();
        for &(at, time_micros) in &sent {
            SENDERS[at].with(&mut |series, values| {
                batch.add(&Sent { series, time_micros, values });
            });
        }
        let taking = self.intake().take(batch, None, self.now_micros);
        let expected = self.expected(&sent);
        assert_eq!(taking.outcomes, expected, "{sent:?} at {}", self.now_micros);
        assert_eq!(taking.failure.is_some(), expected.failed > 0);
        let Outcomes { taken, late, refused, unmade, dropped, forbidden, failed, made: _ } =
            taking.outcomes;
        let sum = taken + late + refused + unmade + dropped + forbidden + failed;
        assert_eq!(sum, sent.len() as u64, "each sample has one outcome");
    }

    fn sample(&mut self) -> (usize, Option<i64>) {
        let at = self.random.below(SENDERS.len() as u64) as usize;
        let now = self.now_micros;
        let some = self.random.below(300_000_000) as i64;
        let time = match self.random.below(16) {
            0 => None,
            1 => Some(now + AHEAD_MICROS + 1 + some),
            2 => Some(1_700_000_000),
            3 => Some(now + some),
            4..7 => Some(now - some * 100),
            7..10 => Some((now - some).div_euclid(STEP_MICROS) * STEP_MICROS),
            _ => Some(now - some),
        };
        (at, time)
    }

    /// What the model says of samples, which it takes, too.
    fn expected(&mut self, sent: &[(usize, Option<i64>)]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let is_meant = |time: &Option<i64>| time.is_none_or(|time| time >= AGE_MICROS);
        let meant: Vec<_> = sent.iter().filter(|(_, time)| is_meant(time)).copied().collect();
        outcomes.refused += (sent.len() - meant.len()) as u64;
        outcomes.made = self.make(&meant);
        let own_now = self.now_micros;
        let mut rows: Vec<(usize, i64)> =
            meant.iter().map(|(at, time)| (*at, time.unwrap_or(own_now))).collect();
        rows.sort_by_key(|(_, time)| *time);
        let mut gone = HashSet::new();
        for (at, time) in rows {
            let sender = SENDERS[at];
            let name = sender.database();
            match name.as_ref().map(|name| self.databases.get_mut(name)) {
                _ if sender.is_dropped() => outcomes.dropped += 1,
                None => outcomes.unmade += 1,
                _ if time > own_now + AHEAD_MICROS => outcomes.refused += 1,
                Some(None) => {
                    outcomes.failed += 1;
                    gone.insert(at);
                }
                Some(Some(known)) if !known.is_own => {
                    outcomes.refused += 1;
                    gone.insert(at);
                }
                Some(Some(known)) if time <= known.last_micros => outcomes.late += 1,
                Some(Some(known)) => {
                    known.last_micros = time;
                    outcomes.taken += 1;
                }
            }
        }
        let is_there = |at: &usize| {
            let name = SENDERS[*at].database();
            name.is_some_and(|name| self.databases.contains_key(&name))
        };
        self.met.extend(meant.iter().map(|(at, _)| *at).filter(is_there));
        self.met.retain(|at| !gone.contains(at));
        outcomes
    }

    /// Makes the databases of series that were not met before; returns how many.
    fn make(&mut self, meant: &[(usize, Option<i64>)]) -> u64 {
        let mut first: HashMap<String, i64> = HashMap::new();
        for at in meant.iter().map(|(at, _)| *at).filter(|at| !self.met.contains(at)) {
            let Some(name) = SENDERS[at].database().filter(|_| !SENDERS[at].is_dropped()) else {
                continue;
            };
            if self.databases.contains_key(&name) {
                continue;
            }
            let times =
                meant.iter().filter(|(other, _)| *other == at).filter_map(|(_, time)| *time);
            let time = times.min().unwrap_or(self.now_micros);
            if time > self.now_micros + AHEAD_MICROS {
                continue;
            }
            let time = time.min(self.now_micros);
            first.entry(name).and_modify(|first| *first = time.min(*first)).or_insert(time);
        }
        let count = first.len() as u64;
        for (name, time) in first {
            let last_micros = (time - STEP_MICROS).div_euclid(STEP_MICROS) * STEP_MICROS;
            self.databases.insert(name, Known { last_micros, is_own: true });
        }
        count
    }

    fn check(&self) {
        let names = self.store().names_like(&NamePattern::beginning("")).unwrap();
        let names: Vec<&String> = names.iter().filter(|name| !name.starts_with("old/")).collect();
        assert!(names.iter().copied().eq(self.databases.keys()), "{names:?}");
        for (name, known) in &self.databases {
            let last = self.store().header(Path::new(name)).unwrap().live.last_update;
            assert_eq!(last, timestamp(known.last_micros), "{name}");
        }
    }
}

fn timestamp(micros: i64) -> Timestamp {
    Timestamp { seconds: micros.div_euclid(1_000_000), micros: micros.rem_euclid(1_000_000) as u32 }
}

#[test]
fn every_sample_becomes_what_the_model_says() {
    for seed in 0..LIVES {
        for is_ring in [true, false] {
            let mut life = Life::new(seed, is_ring);
            for _ in 0..EVENTS {
                life.event();
            }
            life.check();
            life.restart();
            life.check();
        }
    }
}
