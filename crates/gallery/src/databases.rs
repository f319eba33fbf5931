//! The databases that the graphs show: 400 days of invented measurements, the same every time.

use std::fmt::Write as _;
use std::path::Path;

use chance::Random;
use oracle::{Reply, Rrdtool};

/// The time of the last update: Monday, 21 September 2026, 14:10 UTC.
pub const END_SECONDS: i64 = 1_789_999_800;
const DAY_SECONDS: i64 = 86_400;
const STEP_SECONDS: i64 = 300;
/// Updates of one command.
const UPDATES_AT_ONCE: usize = 400;

/// How a source behaves.
#[derive(Clone, Copy, Debug)]
enum Habit {
    /// A counter of a rate that follows the day, around so much a second.
    Counter(f64),
    /// A value that follows the day, between two limits.
    Gauge(f64, f64),
    /// It grows over the days, from one value to another.
    Growth(f64, f64),
    /// Mostly nothing, now and then a few.
    Rare(f64),
}

/// A database and its sources.
struct Database {
    name: &'static str,
    days: i64,
    sources: &'static [(&'static str, Habit)],
}

const fn database(
    name: &'static str,
    days: i64,
    sources: &'static [(&'static str, Habit)],
) -> Database {
    Database { name, days, sources }
}

use Habit::{Counter, Gauge, Growth, Rare};

const DATABASES: &[Database] = &[
    database("mrtg", 400, &[("ds0", Counter(2.4e6)), ("ds1", Counter(0.9e6))]),
    database("traffic", 40, &[("traffic_in", Counter(4.1e6)), ("traffic_out", Counter(1.3e6))]),
    database(
        "port",
        40,
        &[
            ("INOCTETS", Counter(9.7e6)),
            ("OUTOCTETS", Counter(5.2e6)),
            ("INERRORS", Rare(0.2)),
            ("OUTERRORS", Rare(0.05)),
        ],
    ),
    database(
        "load",
        40,
        &[
            ("load_1min", Gauge(0.2, 4.0)),
            ("load_5min", Gauge(0.3, 3.0)),
            ("load_15min", Gauge(0.4, 2.5)),
        ],
    ),
    database("memory", 10, &[("mem_free", Gauge(2e5, 9e5)), ("mem_swap", Gauge(1e6, 1.1e6))]),
    database("ping", 40, &[("ping", Gauge(8.0, 32.0))]),
    database("processor", 10, &[("usage", Gauge(5.0, 85.0))]),
    database("mempool", 10, &[("used", Gauge(2e9, 3e9)), ("free", Gauge(5e9, 6e9))]),
    database("sensor", 10, &[("sensor", Gauge(19.0, 26.0))]),
    database("storage", 40, &[("used", Growth(6e11, 9.1e11)), ("free", Growth(4e11, 0.9e11))]),
    database(
        "smoke",
        40,
        &[
            ("loss", Rare(0.5)),
            ("median", Gauge(0.012, 0.03)),
            ("ping1", Gauge(0.010, 0.020)),
            ("ping2", Gauge(0.012, 0.024)),
            ("ping3", Gauge(0.014, 0.034)),
            ("ping4", Gauge(0.016, 0.05)),
        ],
    ),
    database("cpu-system", 10, &[("42", Gauge(3.0, 20.0))]),
    database("cpu-user", 10, &[("42", Gauge(10.0, 60.0))]),
    database("if-up", 10, &[("42", Counter(3e5))]),
    database("if-down", 10, &[("42", Counter(1.2e6))]),
    database("mem-apps", 40, &[("42", Gauge(1.2e9, 3.4e9))]),
    database("mem-cache", 40, &[("42", Gauge(2e9, 4.2e9))]),
    database("uptime", 10, &[("42", Growth(101.0, 111.0))]),
];

/// Makes all databases in a directory, by that rrdtool.
///
/// # Errors
/// The words of a command that it refused.
pub fn make(rrdtool: &Path, directory: &Path) -> Result<(), String> {
    let mut program = Rrdtool::start(rrdtool, directory);
    for (nth, database) in DATABASES.iter().enumerate() {
        database.make(&mut program, nth as u64)?;
    }
    Ok(())
}

impl Database {
    fn make(&self, program: &mut Rrdtool, seed: u64) -> Result<(), String> {
        let start = END_SECONDS - self.days * DAY_SECONDS;
        ask(program, &self.create_command(start))?;
        let mut random = Random::new(seed);
        let mut totals = vec![0.0; self.sources.len()];
        let times: Vec<i64> = (start + STEP_SECONDS..=END_SECONDS).step_by(300).collect();
        for chunk in times.chunks(UPDATES_AT_ONCE) {
            let mut command = format!("update {}.rrd", self.name);
            for &time in chunk {
                let _ = write!(command, " {time}");
                for ((_, habit), total) in self.sources.iter().zip(&mut totals) {
                    let _ = write!(command, ":{}", habit.reading(time, start, total, &mut random));
                }
            }
            ask(program, &command)?;
        }
        Ok(())
    }

    fn create_command(&self, start: i64) -> String {
        let mut command = format!("create {}.rrd --start {start} --step 300", self.name);
        for (name, habit) in self.sources {
            let kind = if matches!(habit, Counter(_)) { "DERIVE" } else { "GAUGE" };
            let _ = write!(command, " DS:{name}:{kind}:600:0:U");
        }
        for cf in ["AVERAGE", "MIN", "MAX"] {
            let _ = write!(command, " RRA:{cf}:0.5:1:800 RRA:{cf}:0.5:6:800");
            let _ = write!(command, " RRA:{cf}:0.5:24:800 RRA:{cf}:0.5:288:800");
        }
        command
    }
}

impl Habit {
    /// The reading at a time, as text; unknown for the hours of an outage that every source had.
    fn reading(self, time: i64, start: i64, total: &mut f64, random: &mut Random) -> String {
        let noise = random.below(1_000) as f64 / 1_000.0;
        let day =
            (time as f64 / DAY_SECONDS as f64 * std::f64::consts::TAU - 2.0).sin() / 2.0 + 0.5;
        let value = match self {
            Counter(rate) => {
                *total += rate * STEP_SECONDS as f64 * (0.3 + day) * (0.7 + 0.6 * noise);
                total.floor()
            }
            Gauge(low, high) => low + (high - low) * (0.7 * day + 0.3 * noise),
            Growth(first, last) => {
                let gone = (time - start) as f64 / (END_SECONDS - start) as f64;
                first + (last - first) * gone * (0.98 + 0.02 * noise)
            }
            Rare(often) => {
                if noise < often / 10.0 {
                    (noise * 100.0).ceil()
                } else {
                    0.0
                }
            }
        };
        match END_SECONDS - time {
            44_000..50_000 => "U".to_owned(),
            _ => format!("{value}"),
        }
    }
}

fn ask(program: &mut Rrdtool, command: &str) -> Result<(), String> {
    match program.send(command) {
        Reply::Ok(_) => Ok(()),
        Reply::Error(error) => {
            Err(format!("{}: {error}", command.split(" 1").next().unwrap_or("")))
        }
    }
}
