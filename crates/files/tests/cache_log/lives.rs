//! Random lives of a log on a machine that loses power, ends processes and fails.

use std::collections::BTreeMap;

use disk::{FaultPlan, FaultRates, FaultyMedium, Random, Restart};
use files::cache::Base;
use files::cache::{Acknowledge, Lines, Log, LogOptions, LogPin, Replay, Step};
use journal::{JournalOptions, LogPosition, RrdId};

use crate::cases::wanted;

fn options(acknowledge: Acknowledge) -> LogOptions {
    let journal = JournalOptions {
        segment_bytes: 8192,
        first_segment_bytes: 8192,
        block_bytes: 512,
        segments: 2,
        intervals_kept: 0,
        zeros: true,
        read_ahead: false,
    };
    LogOptions { acknowledge, journal }
}

/// What is true of one file, samples counted from the first ever.
#[derive(Clone, Debug, Default)]
struct File {
    /// Samples so far.
    samples: u64,
    /// So many of them were acknowledged.
    acknowledged: u64,
    /// So many of them are in the file for good.
    written: u64,
    /// The base that the next sample stands behind, if it is logged.
    log_pin: Option<LogPin>,
    /// Bases whose write-back is not durable: samples in it, pin, position.
    unsynced: Vec<(u64, LogPin, LogPosition)>,
}

fn base(number: u32, samples: u64) -> Base {
    Base {
        path: format!("file{number}").into_bytes(),
        fingerprint: samples,
        newest_rows: vec![samples],
        state: vec![7; 60],
    }
}

struct World {
    random: Random,
    acknowledge: Acknowledge,
    files: BTreeMap<u32, File>,
    /// Whether the power was cut since the log was opened last.
    power_cut: bool,
}

impl World {
    fn sample(&mut self, log: &Log<FaultyMedium>) {
        if log.admit().is_err() {
            return;
        }
        let number = self.random.below(12) as u32;
        let file = self.files.entry(number).or_default();
        let mut lines = Lines::default();
        if file.log_pin.is_none() {
            lines.base(RrdId(number), &base(number, file.samples).view());
        }
        for _ in 0..=self.random.below(3) {
            lines.sample(RrdId(number), &format!("{}:{}:U", 1000 + file.samples, file.samples));
            file.samples += 1;
        }
        let log_pin = log.append(&mut lines).unwrap();
        file.log_pin = file.log_pin.or(log_pin);
        if self.random.below(3) > 0 && log.acknowledge().is_ok() {
            self.files.values_mut().for_each(|file| file.acknowledged = file.samples);
        }
    }

    /// Some files are written back; the log comes first.
    fn write_back(&mut self, log: &Log<FaultyMedium>) {
        if log.commit().is_err() {
            return;
        }
        self.files.values_mut().for_each(|file| file.acknowledged = file.samples);
        for file in self.files.values_mut() {
            if self.random.below(2) == 0
                && let Some(log_pin) = file.log_pin.take()
            {
                file.unsynced.push((file.samples, log_pin, log.position()));
            }
        }
    }

    /// All that was written back is durable.
    fn sync(&mut self, log: &Log<FaultyMedium>) {
        let mut over = Vec::new();
        for (number, file) in &mut self.files {
            for (samples, log_pin, through) in file.unsynced.drain(..) {
                file.written = samples;
                over.push((RrdId(*number), log_pin, through));
            }
        }
        log.written(over).unwrap();
        let _ = log.tend(); // it may fail as everything else
    }

    fn live(&mut self, log: &Log<FaultyMedium>) {
        for _ in 0..self.random.below(400) {
            match self.random.below(20) {
                0 => self.write_back(log),
                1 => self.sync(log),
                _ => self.sample(log),
            }
        }
    }

    /// Checks what was found against what is true, and goes on from there.
    fn check(&mut self, replay: &Replay, seed: u64) {
        let mut found: BTreeMap<u32, (LogPin, u64, u64)> = BTreeMap::new();
        for file in replay.files() {
            let number = file.number.0;
            assert_eq!(file.path, format!("file{number}").as_bytes(), "seed {seed}");
            let (from, to) = samples_of(replay, number, seed);
            found.insert(number, (file.log_pin, from, to));
        }
        for (number, file) in &mut self.files {
            // What was written without waiting survives the process alone.
            let kept = match (self.acknowledge, self.power_cut) {
                (Acknowledge::Written, true) => file.written,
                _ => file.acknowledged,
            };
            match found.get(number) {
                Some((log_pin, from, to)) => {
                    assert!(*from <= file.written, "seed {seed}: {number} from {from}: {file:?}");
                    assert!(*to <= file.samples, "seed {seed}: {number} to {to}: {file:?}");
                    assert!(*to >= kept, "seed {seed}: {number} to {to}: {file:?}");
                    (file.samples, file.acknowledged) = (*to, *to);
                    (file.log_pin, file.unsynced) = (Some(*log_pin), Vec::new());
                }
                None => {
                    assert!(kept <= file.written, "seed {seed}: {number} is gone: {file:?}");
                    (file.samples, file.acknowledged) = (file.written, file.written);
                    (file.log_pin, file.unsynced) = (None, Vec::new());
                }
            }
        }
    }
}

/// From which sample to which the log has those of a file, without a gap.
fn samples_of(replay: &Replay, number: u32, seed: u64) -> (u64, u64) {
    let mut range: Option<(u64, u64)> = None;
    for step in replay.steps(RrdId(number)) {
        match step.unwrap() {
            Step::Base(base) => {
                let (_, to) = range.get_or_insert((base.fingerprint, base.fingerprint));
                assert_eq!(base.fingerprint, *to, "seed {seed}: {number}");
                assert_eq!(base.state, [7; 60]);
            }
            Step::Sample(text) => {
                let (_, to) = range.as_mut().expect("a base comes first");
                assert_eq!(text, format!("{}:{to}:U", 1000 + *to), "seed {seed}: {number}");
                *to += 1;
            }
            other => panic!("nobody wrote {other:?}"),
        }
    }
    range.expect("a file has a base")
}

fn lives(seed: u64) {
    let mut random = Random::new(seed);
    let acknowledge =
        if random.below(2) == 0 { Acknowledge::Durable } else { Acknowledge::Written };
    let faulty = random.below(2) == 0;
    let rates = FaultRates {
        no_space_ppm: if faulty { 3000 } else { 0 },
        failed_sync_ppm: if faulty { 2000 } else { 0 },
        short_write_ppm: 1000,
        crash_ppm: 500,
        write_back_ppm: 20_000,
        ..FaultRates::default()
    };
    let mut medium = FaultyMedium::new(FaultPlan { seed, ..FaultPlan::default() });
    let files = BTreeMap::new();
    let mut world = World { random, acknowledge, files, power_cut: false };
    for life in 0..8 {
        match Log::open(medium.clone(), options(acknowledge)) {
            Ok((log, replay)) => {
                world.check(&replay, seed);
                world.power_cut = false;
                world.live(&log);
            }
            Err(error) => assert!(medium.has_crashed() || faulty, "seed {seed}: {error}"),
        }
        let cut = world.random.below(2) == 0;
        world.power_cut |= cut;
        let how = if cut { Restart::PowerCut } else { Restart::Process };
        let plan = FaultPlan { seed: seed * 31 + life, rates, ..FaultPlan::default() };
        medium = medium.restart(how, plan);
    }
    // The last life goes well.
    let medium = medium.restart(Restart::Process, FaultPlan { seed, ..FaultPlan::default() });
    let (_, replay) = Log::open(medium, options(acknowledge)).unwrap();
    world.check(&replay, seed);
}

#[test]
fn random_lives_lose_nothing_acknowledged() {
    let first = std::env::var("GYRE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    (first..first + u64::from(wanted(60))).for_each(lives);
}
