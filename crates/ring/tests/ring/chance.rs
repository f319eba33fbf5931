//! What happens by chance: definitions, readings, deaths and returns.

use std::collections::BTreeSet;

use disk::Random;
use journal::JournalOptions;
use ring::file::{self, Gathering};
use ring::{Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, LiveState, Snapshot, Tick, Timestamp};
use rrdfile::layout::RowIndex;
use store::SourceTuning;
use store::{Adoptee, NewDatabase};

use crate::simulation::{Readings, Simulation};

/// A small store whose every call follows from the seed.
pub(crate) fn options(random: &mut Random) -> RingOptions {
    let flush_cycles = 1 + random.below(8) as u32;
    let tile_rows_max = 1 + random.below(u64::from(flush_cycles)) as u32;
    RingOptions {
        pace: Pace { flush_cycles, tile_rows_max },
        journal: JournalOptions {
            segment_bytes: 16 << (10 + random.below(3)),
            first_segment_bytes: 512 << (1 + flush_cycles),
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            zeros: true,
            read_ahead: false,
        },
        replay_threads: 0,
        late_rows_max: 5 + random.below(100) as usize,
        log_bytes_max: Some(10_000 + random.below(50_000)),
        regroup_from: 2 + flush_cycles as usize % 3,
        ..RingOptions::default()
    }
}

fn definition(random: &mut Random) -> Definition {
    let step = [1, 10, 300][random.below(3) as usize];
    let mut specs = Vec::new();
    for source in 0..1 + random.below(3) {
        let kinds = ["COUNTER", "GAUGE", "DERIVE", "ABSOLUTE", "DCOUNTER", "DDERIVE"];
        let kind = kinds[random.below(6) as usize];
        let heartbeat = step * [1, 2, 20][random.below(3) as usize];
        let limits = ["U:U", "U:U", "0:U", "-5:100"][random.below(4) as usize];
        specs.push(format!("DS:ds{source}:{kind}:{heartbeat}:{limits}"));
    }
    for _ in 0..1 + random.below(5) {
        let cf = ["AVERAGE", "MAX", "MIN", "LAST"][random.below(4) as usize];
        let (pdps, rows) = ([1, 1, 2, 3, 6][random.below(5) as usize], 1 + random.below(30));
        specs.push(format!("RRA:{cf}:0.5:{pdps}:{rows}"));
    }
    if random.below(4) == 0 {
        let steps = 2 + random.below(12);
        specs.push(format!("RRA:STDEV:0.5:{steps}:{}", 1 + random.below(30)));
    }
    if random.below(4) == 0 {
        let (steps, percent) = (2 + random.below(12), random.below(101));
        specs.push(format!("RRA:PERCENTILE:0.3:{steps}:{}:{percent}", 1 + random.below(30)));
    }
    if random.below(4) == 0 {
        specs.push("DS:twice:COMPUTE:ds0,2,*".into());
    }
    if random.below(4) == 0 {
        let (cf, period) =
            (["HWPREDICT", "MHWPREDICT"][random.below(2) as usize], 3 + random.below(9));
        specs.push(format!("RRA:{cf}:{}:0.2:0.01:{period}", period + 1 + random.below(20)));
    }
    let tick = Tick::of_per_second([1, 1, 1, 10, 1000][random.below(5) as usize]).unwrap();
    let definition = rrd::spec::definition(step, specs.iter().map(String::as_str)).unwrap();
    as_a_file_has_it(Definition { tick, ..definition })
}

/// A definition with MHWPREDICT makes a file of version 0004, which always tells a window.
fn as_a_file_has_it(definition: Definition) -> Definition {
    let (live, newest) = (
        LiveState::fresh(&definition, Timestamp::from_seconds(0)),
        vec![RowIndex(0); definition.archives.len()],
    );
    let header = rrdfile::Header::new(definition, live, newest).unwrap();
    match header.encode() {
        Ok(bytes) => {
            let file_bytes = header.layout.file_bytes();
            rrdfile::Header::decode(&bytes, file_bytes).unwrap().definition
        }
        Err(_) => header.definition,
    }
}

/// What a store goes through by chance.
pub(crate) struct Chance {
    pub(crate) random: Random,
    definitions: Vec<Definition>,
    now_seconds: i64,
    made: u64,
    dead: Vec<String>,
    /// Databases that there are to be, about.
    crowd: usize,
}

impl Chance {
    pub(crate) fn new(mut random: Random, crowd: usize) -> Self {
        let definitions = (0..1 + random.below(3)).map(|_| definition(&mut random)).collect();
        Self { random, definitions, now_seconds: 1_600_000_000, made: 0, dead: Vec::new(), crowd }
    }

    /// All databases are of one layout.
    pub(crate) fn of_one_layout(random: Random, definition: Definition, crowd: usize) -> Self {
        let definitions = vec![definition];
        Self { random, definitions, now_seconds: 1_600_000_000, made: 0, dead: Vec::new(), crowd }
    }

    pub(crate) fn now_seconds(&self) -> i64 {
        self.now_seconds
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.below(choices.len() as u64) as usize]
    }

    fn any_name(&mut self, simulation: &Simulation) -> Option<String> {
        let names = &simulation.live.databases;
        let count = names.len() as u64;
        let nth = if count == 0 { return None } else { self.random.below(count) };
        names.keys().nth(nth as usize).cloned()
    }

    fn new_name(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}/{}", self.made)
    }

    pub(crate) fn create(&mut self, simulation: &mut Simulation) {
        let definition = self.any_definition();
        let back = self.pick(&[0, 0, 0, 100, 50_000]);
        let start = self.time(definition.tick, self.now_seconds - back);
        let name = self.new_name("router");
        simulation.create(&name, &definition, start);
    }

    /// A moment of this second, in ticks.
    fn time(&mut self, tick: Tick, seconds: i64) -> Timestamp {
        let micros = self.micros();
        tick.up_to(Timestamp { seconds, micros }).unwrap()
    }

    fn micros(&mut self) -> u32 {
        match self.random.below(4) {
            0 => self.random.below(1_000_000) as u32,
            _ => 0,
        }
    }

    fn reading(&mut self) -> String {
        match self.random.below(14) {
            0 => "U".into(),
            1 => "12.5".into(),
            2 => "1e3".into(),
            3 => format!("-{}", self.random.below(1000)),
            4 => "what".into(),
            5 => self.random.number().to_string(),
            _ => (self.now_seconds as u64 * 10 + self.random.below(1000)).to_string(),
        }
    }

    fn sample(
        &mut self,
        simulation: &Simulation,
        name: &str,
        seconds: i64,
    ) -> (Timestamp, Vec<String>) {
        let Definition { tick, sources, .. } = &simulation.live.databases[name].definition;
        let readings = (0..sources.len()).map(|_| self.reading()).collect();
        (self.time(*tick, seconds), readings)
    }

    /// One cycle: most members are updated, some late, some not at all.
    fn cycle(&mut self, simulation: &mut Simulation) {
        let step = self.definitions[0].step_seconds as i64;
        self.now_seconds += step;
        let mut batch = Vec::new();
        let names: Vec<String> = simulation.live.databases.keys().cloned().collect();
        for name in names {
            if self.dead.contains(&name) || self.random.below(20) == 0 {
                continue;
            }
            let mut samples = Vec::new();
            for _ in 0..self.pick(&[1, 1, 1, 1, 2]) {
                let late = self.random.below(10) == 0;
                let back = if late { self.random.below(10) as i64 * step } else { 0 };
                let seconds = self.now_seconds - back + self.random.below(3) as i64;
                samples.push(self.sample(simulation, &name, seconds));
            }
            batch.push(Readings { name, samples });
            // A crowd's cycle is told in a few batches, too.
            if self.random.below(8.max(self.crowd as u64 / 8)) == 0 {
                simulation.append(&std::mem::take(&mut batch));
                if simulation.medium.has_crashed() {
                    return;
                }
            }
        }
        simulation.append(&batch);
    }

    /// Samples of one database while nobody has the store open, some of them late or refused.
    pub(crate) fn update_alone(&mut self, simulation: &mut Simulation, read_bytes_max: u64) {
        let Some(name) = self.any_name(simulation) else { return };
        let step = simulation.live.databases[&name].definition.step_seconds as i64;
        let mut samples = Vec::new();
        // Some are more than what is left of a segment.
        for _ in 0..self.pick(&[1, 1, 1, 2, 5, 40]) {
            self.now_seconds += self.random.below(2) as i64 * step;
            let back = self.pick(&[0, 0, 0, 0, 1, 30]) * step;
            samples.push(self.sample(simulation, &name, self.now_seconds - back));
        }
        simulation.update_alone(&Readings { name, samples }, read_bytes_max);
    }

    /// One update, of a clock far ahead of all others.
    pub(crate) fn far_ahead(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let far = self.now_seconds + self.random.below(1_000_000) as i64;
        let samples = vec![self.sample(simulation, &name, far)];
        simulation.append(&[Readings { name, samples }]);
    }

    /// One member runs ahead of its group by some steps; until the others have caught up with it,
    /// it is silent.
    fn leap(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let database = &simulation.live.databases[&name];
        let step = database.definition.step_seconds as i64;
        let last = database.definition.tick.moment(database.live.last_update).seconds;
        let seconds = self.now_seconds.max(last) + self.random.below(70) as i64 * step;
        let samples = vec![self.sample(simulation, &name, seconds)];
        simulation.append(&[Readings { name, samples }]);
    }

    /// A database is deleted, and made anew under its name.
    fn make_anew(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let mut definition = simulation.live.databases[&name].definition.clone();
        if self.random.below(2) == 0 {
            definition = self.any_definition();
        }
        simulation.delete(&name);
        if simulation.is_serving() && !simulation.live.databases.contains_key(&name) {
            let start = self.time(definition.tick, self.now_seconds);
            simulation.create(&name, &definition, start);
        }
    }

    /// Some are made together.
    fn create_some(&mut self, simulation: &mut Simulation) {
        let definition = self.any_definition();
        let names: Vec<String> =
            (0..2 + self.random.below(5)).map(|_| self.new_name("some")).collect();
        let start = Tick::SECOND.to_floor(self.now_seconds, definition.tick);
        let start = Timestamp::from_seconds(start);
        let new = names.iter().map(|name| NewDatabase {
            name: name.as_ref(),
            definition: &definition,
            start,
        });
        simulation.create_all(&new.collect::<Vec<_>>());
    }

    /// Copies of some databases come in as files, under new names and under those of others.
    fn import(&mut self, simulation: &mut Simulation) {
        let mut gathering = Gathering::new(usize::MAX);
        let mut taken = BTreeSet::new();
        for _ in 0..1 + self.random.below(4) {
            let Some(from) = self.any_name(simulation) else { return };
            let name = match self.random.below(3) {
                0 => self.any_name(simulation).unwrap_or(from.clone()),
                _ => self.new_name("imported"),
            };
            let adoptee = self.adoptee_of(&name, &simulation.live.databases[&from]);
            if taken.insert(name.clone()) {
                assert!(gathering.push(adoptee).is_none(), "there is room for more");
            }
        }
        while let Some(batch) = gathering.take_any() {
            simulation.adopt(&batch);
            if !simulation.is_serving() {
                return;
            }
        }
    }

    /// A copy that was a file, if a file can say it.
    fn adoptee_of(&mut self, name: &str, snapshot: &Snapshot) -> Adoptee {
        if snapshot.definition.check_files_can_say().is_err() {
            return Adoptee { name: name.into(), snapshot: snapshot.clone(), foreign: None };
        }
        file::adoptee(name, &self.file_of(snapshot), self.now_seconds).unwrap()
    }

    /// A file whose rings begin anywhere.
    fn file_of(&mut self, snapshot: &Snapshot) -> Vec<u8> {
        let seasons = &snapshot.live.forecast.rings;
        let archives = snapshot.definition.archives.iter().enumerate();
        let newest = archives.map(|(nth, archive)| {
            let season = seasons.iter().find(|ring| ring.archive == nth);
            // The slot of a season says where in its period it is.
            RowIndex(season.map_or(self.random.below(archive.rows), |ring| ring.newest_slot))
        });
        rrdfile::encode(snapshot, newest.collect()).unwrap()
    }

    /// An archive gets more or fewer rows.
    fn resize(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let archives = &simulation.live.databases[&name].definition.archives;
        let archive = self.random.below(archives.len() as u64) as usize;
        if !archives[archive].cf.is_forecast() {
            let rows = 1 + self.random.below(40);
            simulation.resize(&name, archive, rows);
        }
    }

    fn any_definition(&mut self) -> Definition {
        let nth = self.random.below(self.definitions.len() as u64) as usize;
        self.definitions[nth].clone()
    }

    fn tune(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let definition = &simulation.live.databases[&name].definition;
        let step = definition.step_seconds;
        // One that is calculated has neither heartbeat nor limits; it is the last one.
        let read = definition.sources.iter().filter(|source| source.kind.takes_readings());
        let sources = read.count() as u64;
        let tuning = SourceTuning {
            source: self.random.below(sources) as u32,
            heartbeat_seconds: step * self.pick(&[1, 2, 20, 1000]),
            minimum: self.pick(&[f64::NAN, 0.0, -10.0]),
            maximum: self.pick(&[f64::NAN, 50.0, 1e9]),
        };
        simulation.tune(&name, tuning);
    }

    /// Puts a database, as it is or as another one is, under a name that exists or not.
    pub(crate) fn restore(&mut self, simulation: &mut Simulation) {
        let Some(from) = self.any_name(simulation) else { return };
        let snapshot = simulation.live.databases[&from].clone();
        let name = match self.random.below(4) {
            0 => self.new_name("restored"),
            1 => self.any_name(simulation).unwrap_or(from),
            _ => from,
        };
        simulation.restore(&name, &snapshot);
    }

    fn die_or_return(&mut self, simulation: &Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        match self.dead.iter().position(|each| *each == name) {
            Some(nth) => drop(self.dead.remove(nth)),
            None => self.dead.push(name),
        }
    }

    pub(crate) fn look(&mut self, simulation: &Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        simulation.look_at(&name);
        if self.random.below(2) == 0 {
            simulation.look_at_dump(&name);
        }
        let expected = &simulation.live.databases[&name];
        let last = expected.live.last_update.seconds;
        let step = expected.definition.step_seconds as i64;
        let start_seconds = last - self.random.below(60 * step as u64) as i64;
        let query = Query {
            tick: expected.definition.tick,
            cf: self.pick(&ConsolidationFunction::PLAIN),
            start_seconds,
            end_seconds: start_seconds + self.random.below(50 * step as u64) as i64,
            step_seconds: 1 + self.random.below(step as u64 * 6),
        };
        simulation.fetch(&name, &query);
    }

    /// One thing that happens while the store is open.
    pub(crate) fn step(&mut self, simulation: &mut Simulation) {
        let crowded = simulation.live.databases.len() >= self.crowd;
        match self.random.below(200) {
            0..6 => self.create(simulation),
            6..10 => self.die_or_return(simulation),
            10..14 if crowded => self.delete(simulation),
            10..14 => self.create(simulation),
            14..16 => self.rename(simulation),
            16..19 => self.make_anew(simulation),
            19..21 if !crowded => self.create_some(simulation),
            19..25 => self.tune(simulation),
            25..27 => self.far_ahead(simulation),
            27..35 => self.leap(simulation),
            35..37 => self.now_seconds += self.random.below(20_000) as i64,
            37..41 => self.restore(simulation),
            41..44 if !crowded => self.import(simulation),
            41..47 => self.resize(simulation),
            47..49 => simulation.checkpoint(),
            49..53 => simulation.sync(),
            53..62 => {
                simulation.work();
                simulation.regroup();
            }
            62..95 => simulation.work(),
            95..108 => self.look(simulation),
            108..111 => simulation.look_at_all(),
            _ => self.cycle(simulation),
        }
    }

    fn delete(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        simulation.delete(&name);
    }

    fn rename(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let to = self.new_name("renamed");
        simulation.rename(&name, &to);
    }
}
