//! The exact model, compared with exact simulation and with the results of the reference's
//! simulation.

use capacity::cache::{Curve, StackDistances};
use capacity::model::{Precision, Reuse};
use capacity::trace::{BlockMap, Fleet, Group, Scatter, Shape};

mod definitions;

use definitions::definition;

const DAY_SECONDS: f64 = 86_400.0;

/// Random choices.
struct Random(chance::Random);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// A random layout whose rings wrap within this many updates.
fn a_shape(random: &mut Random, updates: u64) -> Shape {
    let step_seconds = random.of(&[10, 60, 300, 300]);
    let sources = 1 + random.below(6) as usize;
    let archives: Vec<(u64, u64)> = (0..1 + random.below(8))
        .map(|_| {
            let pdps = random.of(&[1, 1, 2, 5, 6, 7, 12, 24, 30, 100]).min(updates / 20);
            (10 + random.below((updates / pdps - 9).min(3000)), pdps)
        })
        .collect();
    let page_bytes = random.of(&[1024, 4096, 4096, 16384]);
    let blocks = random.of(&[BlockMap::DataOnly, BlockMap::Extents, BlockMap::Indirect]);
    Shape::new(&definition(step_seconds, sources, &archives), page_bytes, blocks).unwrap()
}

/// Page-ins of a file a day by simulation, for every size of the cache: the mean of several fleets
/// with random start positions, and its error.
struct Simulated {
    runs: Vec<Curve>,
    days: f64,
}

impl Simulated {
    fn new(group: &Group, runs: u64, warming: u64, counted: u64, seed: u64) -> Self {
        let random = &mut Random(chance::Random::new(seed));
        let run = |_| {
            let start_seconds = 1_000_000_000 + random.below(1 << 30);
            let scatter = Scatter::ByChance(random.below(u64::MAX));
            let fleet = Fleet::new(vec![group.clone()], start_seconds, scatter).unwrap();
            simulate(fleet, warming, counted)
        };
        let seconds = counted * group.shape.step_seconds();
        let days = seconds as f64 / DAY_SECONDS * f64::from(group.files);
        Self { runs: (0..runs).map(run).collect(), days }
    }

    /// The mean and its standard error.
    fn page_ins_per_day(&self, capacity_pages: u64) -> (f64, f64) {
        let of_run = |curve: &Curve| curve.misses(capacity_pages as u32) as f64 / self.days;
        let runs: Vec<f64> = self.runs.iter().map(of_run).collect();
        let count = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / count;
        let variance = runs.iter().map(|run| (run - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, (variance / count).sqrt())
    }
}

/// The misses of one fleet with a warm cache, as if earlier updates had gone through the cache,
/// too.
fn simulate(mut fleet: Fleet, warming: u64, counted: u64) -> Curve {
    let mut last_uses = vec![0_u64; fleet.pages() as usize];
    let mut uses = 0;
    for _ in 0..warming {
        fleet.cycle(|each| {
            uses += 1;
            last_uses[each.page as usize] = uses;
        });
    }
    let mut distances = StackDistances::new(fleet.pages());
    let mut used: Vec<u32> = (0..fleet.pages()).collect();
    used.retain(|page| last_uses[*page as usize] > 0);
    used.sort_by_key(|page| last_uses[*page as usize]);
    for page in used {
        distances.access(page);
    }
    distances.restart_counts();
    for _ in 0..counted {
        fleet.cycle(|each| {
            distances.access(each.page);
        });
    }
    distances.curve()
}

/// Fleets: the number of files, of runs, and of updates within which rings wrap.
const FLEETS: [(u32, u64, u64); 6] = [
    (1, 200, 8000),
    (1, 200, 8000),
    (2, 200, 5000),
    (5, 100, 4000),
    (20, 60, 1500),
    (60, 40, 1000),
];

/// Two hundred layouts of up to 60 files that share a cache, each with six sizes of the cache.
/// Optimized builds check all of them, others a part.
#[test]
fn the_model_is_as_exact_as_a_simulation() {
    let layouts = if cfg!(debug_assertions) { 15 } else { 200 };
    let (mut compared, mut strictly, mut outside) = (0, 0, Vec::new());
    for seed in 0..layouts {
        let random = &mut Random(chance::Random::new(seed));
        let (files, runs, warming) = random.of(&FLEETS);
        let shape = a_shape(random, warming);
        let pages = u64::from(shape.pages() * files);
        let group = Group { shape, files };
        let reuse = Reuse::new(std::slice::from_ref(&group), Precision::default());
        let counted = 400_000 / (runs * u64::from(files));
        let simulated = Simulated::new(&group, runs, warming, counted, seed);
        for _ in 0..6 {
            let capacity = 1 + random.below(pages);
            let (expected, deviation) = simulated.page_ins_per_day(capacity);
            let calculated = reuse.page_ins_per_day(0, capacity).total();
            let error = (calculated - expected).abs();
            let allowed = (0.02 * expected).max(1.0);
            compared += 1;
            strictly += u32::from(error <= allowed);
            // The simulation is a sample, too: its own error is not an error of the model.
            if error > allowed + 3.0 * deviation {
                outside.push((seed, files, capacity, expected, calculated, deviation));
            }
        }
    }
    println!("{strictly} of {compared} within 2% or one page-in a day of the simulation's mean;");
    println!("farther than that and three standard errors of it: {outside:?}");
    assert!(outside.len() * 400 <= compared);
}

#[test]
fn files_of_different_steps_share_a_cache() {
    let shape = |step, archives: &[(u64, u64)], blocks| {
        Shape::new(&definition(step, 2, archives), 4096, blocks).unwrap()
    };
    let slow = shape(300, &[(800, 1), (800, 6), (800, 24), (800, 1)], BlockMap::Indirect);
    let fast = shape(60, &[(2880, 1), (800, 30), (800, 120)], BlockMap::Extents);
    let groups = vec![Group { shape: slow, files: 300 }, Group { shape: fast, files: 200 }];
    let reuse = Reuse::new(&groups, Precision::default());
    let days = 10;
    let turns = |days: u64| days * (288 + 1440);
    let fleet = Fleet::new(groups, 1_000_000_000, Scatter::ByChance(5)).unwrap();
    let curve = simulate(fleet, 0, turns(days));
    for capacity in [1200, 1500, 1700, 1900, 2100, 2400] {
        let misses = curve.misses(capacity) as f64 / days as f64;
        let calculated = reuse.page_ins_per_second(u64::from(capacity)) * DAY_SECONDS;
        println!(
            "{capacity} pages: {misses:.0} page-ins a day simulated, {calculated:.0} calculated"
        );
        let allowed = (0.02 * misses).max(500.0); // one for each file
        assert!((misses - calculated).abs() < allowed);
    }
    let enough = reuse.pages_for(0, 3.0, 13_000).unwrap();
    assert!(reuse.page_ins_per_day(0, enough).total() <= 3.0);
    assert!(reuse.page_ins_per_day(0, enough - 1).total() > 3.0);
}
