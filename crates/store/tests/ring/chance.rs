//! What happens by chance: definitions, readings, deaths and returns.

use disk::Random;
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Timestamp};
use store::journal::JournalOptions;
use store::journal::record::Tuning;
use store::ring::{Pace, RingOptions};

use crate::simulation::{Readings, Simulation};

/// A small store whose every call follows from the seed.
pub(crate) fn options(random: &mut Random) -> RingOptions {
    let flush_cycles = 1 + random.below(8) as u32;
    let tile_rows_max = 1 + random.below(u64::from(flush_cycles)) as u32;
    RingOptions {
        pace: Pace { flush_cycles, tile_rows_max },
        journal: JournalOptions {
            segment_bytes: 16 << (10 + random.below(3)),
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            zeros: true,
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
        specs.push("DS:twice:COMPUTE:ds0,2,*".into());
    }
    if random.below(4) == 0 {
        let (cf, period) =
            (["HWPREDICT", "MHWPREDICT"][random.below(2) as usize], 3 + random.below(9));
        specs.push(format!("RRA:{cf}:{}:0.2:0.01:{period}", period + 1 + random.below(20)));
    }
    rrd::spec::definition(step, specs.iter().map(String::as_str)).unwrap()
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
        let nth = self.random.below(self.definitions.len() as u64) as usize;
        let definition = self.definitions[nth].clone();
        let back = self.pick(&[0, 0, 0, 100, 50_000]);
        let start = Timestamp { seconds: self.now_seconds - back, micros: self.micros() };
        let name = self.new_name("router");
        simulation.create(&name, &definition, start);
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
        let sources = simulation.live.databases[name].definition.sources.len();
        let readings = (0..sources).map(|_| self.reading()).collect();
        (Timestamp { seconds, micros: self.micros() }, readings)
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
            if self.random.below(8) == 0 {
                simulation.append(&std::mem::take(&mut batch));
                if simulation.medium.has_crashed() {
                    return;
                }
            }
        }
        simulation.append(&batch);
    }

    /// One update, of a clock far ahead of all others.
    pub(crate) fn far_ahead(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let far = self.now_seconds + self.random.below(1_000_000) as i64;
        let samples = vec![self.sample(simulation, &name, far)];
        simulation.append(&[Readings { name, samples }]);
    }

    fn tune(&mut self, simulation: &mut Simulation) {
        let Some(name) = self.any_name(simulation) else { return };
        let definition = &simulation.live.databases[&name].definition;
        let (sources, step) = (definition.sources.len() as u64, definition.step_seconds);
        let tuning = Tuning {
            source: self.random.below(sources) as u32,
            heartbeat_seconds: step * self.pick(&[1, 2, 20, 1000]),
            minimum: self.pick(&[f64::NAN, 0.0, -10.0]),
            maximum: self.pick(&[f64::NAN, 50.0, 1e9]),
        };
        simulation.tune(&name, tuning);
    }

    /// Puts a database, as it is or as another one is, under a name that exists or not.
    fn restore(&mut self, simulation: &mut Simulation) {
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
        let expected = &simulation.live.databases[&name];
        let last = expected.live.last_update.seconds;
        let step = expected.definition.step_seconds as i64;
        let start_seconds = last - self.random.below(60 * step as u64) as i64;
        let query = Query {
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
        match self.random.below(100) {
            0..4 => self.create(simulation),
            4..6 => self.die_or_return(simulation),
            6..8 if crowded => {
                let Some(name) = self.any_name(simulation) else { return };
                simulation.delete(&name);
            }
            6..8 => self.create(simulation),
            8..9 => {
                let Some(name) = self.any_name(simulation) else { return };
                let to = self.new_name("renamed");
                simulation.rename(&name, &to);
            }
            9..11 => self.tune(simulation),
            11..12 => self.far_ahead(simulation),
            12..13 => self.now_seconds += self.random.below(20_000) as i64,
            13..15 => self.restore(simulation),
            15..16 => simulation.checkpoint(),
            16..40 => simulation.work(),
            40..48 => self.look(simulation),
            48..50 => simulation.look_at_all(),
            _ => self.cycle(simulation),
        }
    }
}
