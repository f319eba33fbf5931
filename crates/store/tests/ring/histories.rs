//! Random histories: members of many clocks, flushes, restarts, deaths and returns.

use disk::{MemoryMedium, Random};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Sample, Timestamp};
use store::journal::JournalOptions;
use store::ring::{Engine, Pace, RingOptions};
use store::{Append, Error};

use crate::model::{Model, assert_same};

fn options(random: &mut Random) -> RingOptions {
    let flush_cycles = 1 + random.below(8) as u32;
    let tile_rows_max = 1 + random.below(u64::from(flush_cycles)) as u32;
    RingOptions {
        pace: Pace { flush_cycles, tile_rows_max },
        journal: JournalOptions {
            segment_bytes: 64 << 10,
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            read_ahead: false,
        },
        replay_threads: 0,
        late_rows_max: 5 + random.below(100) as usize,
        log_bytes_max: Some(10_000 + random.below(50_000)),
        ..RingOptions::default()
    }
}

fn definition(random: &mut Random) -> Definition {
    let step = [1, 10, 300][random.below(3) as usize];
    let mut specs = Vec::new();
    for source in 0..1 + random.below(3) {
        let kind = ["COUNTER", "GAUGE", "DERIVE", "ABSOLUTE"][random.below(4) as usize];
        let heartbeat = step * [1, 2, 20][random.below(3) as usize];
        specs.push(format!("DS:ds{source}:{kind}:{heartbeat}:U:U"));
    }
    for _ in 0..1 + random.below(5) {
        let cf = ["AVERAGE", "MAX", "MIN", "LAST"][random.below(4) as usize];
        let (pdps, rows) = ([1, 1, 2, 3, 6][random.below(5) as usize], 1 + random.below(30));
        specs.push(format!("RRA:{cf}:0.5:{pdps}:{rows}"));
    }
    rrd::spec::definition(step, specs.iter().map(String::as_str)).unwrap()
}

/// A store and its model through one random life.
struct History {
    random: Random,
    medium: MemoryMedium,
    engine: Option<Engine<MemoryMedium>>,
    options: RingOptions,
    model: Model,
    definitions: Vec<Definition>,
    now_seconds: i64,
    made: u64,
    dead: Vec<String>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let options = options(&mut random);
        let medium = MemoryMedium::default();
        let engine = Engine::create_store(medium.clone(), options).unwrap();
        let definitions = (0..1 + random.below(3)).map(|_| definition(&mut random)).collect();
        Self {
            random,
            medium,
            engine: Some(engine),
            options,
            model: Model::default(),
            definitions,
            now_seconds: 1_600_000_000,
            made: 0,
            dead: Vec::new(),
        }
    }

    fn engine(&self) -> &Engine<MemoryMedium> {
        self.engine.as_ref().unwrap()
    }

    fn any_name(&mut self) -> Option<String> {
        let count = self.model.databases.len() as u64;
        let nth = if count == 0 { return None } else { self.random.below(count) };
        self.model.databases.keys().nth(nth as usize).cloned()
    }

    fn create(&mut self) {
        let nth = self.random.below(self.definitions.len() as u64) as usize;
        let definition = self.definitions[nth].clone();
        let back = [0, 0, 0, 100, 50_000][self.random.below(5) as usize];
        let start = Timestamp::from_seconds(self.now_seconds - back);
        let name = format!("router/{}", self.made);
        self.made += 1;
        self.engine().create(&name, &definition, start).unwrap();
        self.model.create(&name, &definition, start);
    }

    fn update(&mut self, name: &str, seconds: i64) {
        let sources = self.model.databases[name].definition.sources.len();
        let readings: Vec<String> = (0..sources).map(|_| self.reading()).collect();
        let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
        let micros = [0, 0, 0, 250_000][self.random.below(4) as usize];
        let sample = Sample { time: Timestamp { seconds, micros }, readings: &readings };
        let samples = [sample];
        let failures = self.engine().append(&[Append { name, samples: &samples }]);
        let expected = self.model.append(name, &sample);
        match (failures.into_iter().next(), expected) {
            (None, Ok(())) => {}
            (Some((_, Error::Update { source, .. })), Err(expected)) => {
                assert_eq!(source, expected, "{name}");
            }
            (found, expected) => panic!("{name}: {found:?}, expected {expected:?}"),
        }
    }

    fn reading(&mut self) -> String {
        match self.random.below(12) {
            0 => "U".into(),
            1 => "12.5".into(),
            2 => "1e3".into(),
            3 => format!("-{}", self.random.below(1000)),
            4 => "what".into(),
            _ => (self.now_seconds as u64 * 10 + self.random.below(1000)).to_string(),
        }
    }

    /// One cycle: most members are updated, some late, some not at all.
    fn cycle(&mut self) {
        let step = self.definitions[0].step_seconds as i64;
        self.now_seconds += step;
        let names: Vec<String> = self.model.databases.keys().cloned().collect();
        for name in names {
            if self.dead.contains(&name) || self.random.below(20) == 0 {
                continue;
            }
            let back = if self.random.below(10) == 0 { self.random.below(10) as i64 * step } else { 0 };
            let seconds = self.now_seconds - back + self.random.below(3) as i64;
            self.update(&name, seconds);
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..4 => self.create(),
            4..6 => {
                let Some(name) = self.any_name() else { return };
                match self.dead.iter().position(|each| *each == name) {
                    Some(nth) => drop(self.dead.remove(nth)),
                    None => self.dead.push(name),
                }
            }
            6..7 => {
                let Some(name) = self.any_name() else { return };
                self.engine().delete(&name).unwrap();
                self.model.databases.remove(&name);
            }
            7..8 => {
                let Some(name) = self.any_name() else { return };
                let to = format!("renamed/{}", self.made);
                self.made += 1;
                self.engine().rename(&name, &to).unwrap();
                let database = self.model.databases.remove(&name).unwrap();
                self.model.databases.insert(to, database);
            }
            8..10 => self.restart(),
            10..12 => {
                let Some(name) = self.any_name() else { return };
                let far = self.now_seconds + self.random.below(1_000_000) as i64;
                self.update(&name, far);
            }
            12..14 => {
                self.now_seconds += self.random.below(20_000) as i64;
            }
            14..16 => {
                let Some(name) = self.any_name() else { return };
                let snapshot = self.model.databases[&name].clone();
                self.engine().restore(&name, &snapshot).unwrap();
            }
            16..40 => {
                self.engine().work().unwrap();
            }
            40..50 => self.look(),
            _ => self.cycle(),
        }
    }

    fn restart(&mut self) {
        self.look_at_all();
        let clean = self.random.below(2) == 0;
        if clean {
            self.engine().checkpoint().unwrap();
            self.look_at_all();
        }
        self.engine = None;
        self.engine = Some(Engine::open_store(self.medium.clone(), self.options).unwrap());
        self.look_at_all();
    }

    fn look(&mut self) {
        let Some(name) = self.any_name() else { return };
        self.look_at(&name);
        let expected = &self.model.databases[&name];
        let last = expected.live.last_update.seconds;
        let step = expected.definition.step_seconds as i64;
        let start_seconds = last - self.random.below(60 * step as u64) as i64;
        let query = Query {
            cf: ConsolidationFunction::ALL[self.random.below(4) as usize],
            start_seconds,
            end_seconds: start_seconds + self.random.below(50 * step as u64) as i64,
            step_seconds: 1 + self.random.below(step as u64 * 6),
        };
        let found = self.engine().fetch(&name, &query);
        let window = rrd::fetch::window(&expected.definition, last, &query);
        let (Ok(found), Ok(window)) = (&found, &window) else {
            assert!(found.is_err() && window.is_err(), "{name}: {found:?} {window:?}");
            return;
        };
        let sources = expected.definition.sources.len();
        let ring = &expected.rows[window.archive];
        let rows = (ring.len() / sources) as i64;
        for (nth, (_, values)) in found.iter().enumerate() {
            let age = window.first_age - nth as i64;
            for (source, value) in values.iter().enumerate() {
                let expected = if (0..rows).contains(&age) {
                    ring[(rows - 1 - age) as usize * sources + source]
                } else {
                    rrd::UNKNOWN
                };
                assert_eq!(value.to_bits(), expected.to_bits(), "{name}: {query:?} row {nth}");
            }
        }
    }

    fn look_at(&self, name: &str) {
        let found = self.engine().snapshot(name).unwrap();
        assert_same(name, &found, &self.model.databases[name]);
    }

    fn look_at_all(&self) {
        self.model.databases.keys().for_each(|name| self.look_at(name));
        let names: Vec<String> = self.model.databases.keys().cloned().collect();
        assert_eq!(self.engine().names().unwrap(), names);
    }
}

#[test]
fn a_store_answers_as_its_model_does() {
    let seeds = crate::cases::wanted(150);
    let first: u64 = std::env::var("GYRE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first..first + u64::from(seeds) {
        let told = std::panic::catch_unwind(|| {
            let mut history = History::new(seed);
            (0..5).for_each(|_| history.create());
            (0..200).for_each(|_| history.step());
            history.look_at_all();
        });
        if told.is_err() {
            panic!("GYRE_SEED={seed} GYRE_CASES=1 shows it again");
        }
    }
}
