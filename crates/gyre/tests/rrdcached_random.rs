//! Random updates and fetches through Debian's rrdcached, and through ours. The file must equal,
//! byte for byte, the file that rrdtool makes of the same updates without a daemon. A fetch through
//! the daemon must equal rrdtool's fetch from the file.
//!
//! `GYRE_CASES` sets the number of cases, `GYRE_SEED` the first seed.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use oracle::{Reply, Rrdcached, Rrdtool};

const CASES: u64 = 40;
const COMMANDS_A_CASE: u64 = 12;
const NAMES: [&str; 5] = ["a", "in", "out-1", "x_y", "Z"];
const KINDS: [&str; 5] = ["GAUGE", "COUNTER", "DERIVE", "ABSOLUTE", "COMPUTE"];
const FUNCTIONS: [&str; 4] = ["AVERAGE", "MIN", "MAX", "LAST"];

/// A small random number generator (xorshift), so that a seed determines a case.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

struct Case {
    create: String,
    /// The sources that take readings.
    names: Vec<&'static str>,
    /// Hundredths of a second.
    now: u64,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let step = 1 + random.below(100);
        let start = 1_000_000_000 + random.below(1000);
        let mut create = format!("create t.rrd -b {start} -s {step}");
        let mut names = Vec::new();
        for (nth, name) in NAMES[..1 + random.below(5) as usize].iter().enumerate() {
            let kind = if nth == 0 { "GAUGE" } else { random.pick(&KINDS) };
            let limits = if kind == "COMPUTE" { "a,2,*" } else { "" };
            if kind != "COMPUTE" {
                names.push(*name);
            }
            create += &match limits {
                "" => format!(" DS:{name}:{kind}:{}:U:U", step * 2),
                rpn => format!(" DS:{name}:{kind}:{rpn}"),
            };
        }
        for cf in &FUNCTIONS[..1 + random.below(4) as usize] {
            create += &format!(" RRA:{cf}:0.5:{}:{}", 1 + random.below(4), 3 + random.below(30));
        }
        Self { create, names, now: start * 100 }
    }

    /// Options, and samples that fit them.
    fn update(&mut self, random: &mut Random) -> String {
        let mut options = String::new();
        let mut readings = self.names.len();
        if random.one_in(2) {
            let mut order = self.names.clone();
            let turned = random.below(order.len() as u64) as usize;
            order.rotate_left(turned);
            order.truncate(1 + random.below(order.len() as u64) as usize);
            readings = order.len();
            options += &format!(" -t {}", order.join(":"));
        }
        if random.one_in(3) {
            options += " -s";
        }
        let mut samples = String::new();
        for _ in 0..1 + random.below(20) {
            self.now += 100 * random.below(200);
            samples += &self.time(random);
            for nth in 0..readings {
                let separator = if nth == 0 { "" } else { ":" };
                let reading = match random.below(6) {
                    0 => "U".to_owned(),
                    // Counting sources accept whole numbers only.
                    _ => random.below(1 << 40).to_string(),
                };
                samples += &format!("{separator}{reading}");
            }
        }
        format!("{options}{samples}")
    }

    fn time(&mut self, random: &mut Random) -> String {
        let back = if random.one_in(12) { 100 * random.below(500) } else { 0 };
        match random.below(4) {
            0 => {
                self.now += random.below(100);
                format!(" {}.{:02}:", (self.now - back) / 100, self.now % 100)
            }
            1 => {
                let text = jiff::Timestamp::from_second((self.now / 100) as i64).unwrap();
                format!(" {}@", text.strftime("%Y%m%d_%H:%M"))
            }
            _ => format!(" {}:", (self.now - back) / 100),
        }
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn is_ok(reply: &Reply) -> bool {
    matches!(reply, Reply::Ok(_))
}

#[test]
fn a_daemon_in_between_changes_nothing() {
    let what = "random updates through a daemon";
    let Some(rrdtool) = oracle::program("rrdtool", what) else { return };
    let Some(rrdcached) = oracle::program("rrdcached", what) else { return };
    let directory = tempfile::tempdir().unwrap();
    let programs = directory.path().canonicalize().unwrap();
    let [our_tool, our_daemon] = ["rrdtool", "rrdcached"].map(|name| programs.join(name));
    for ours in [&our_tool, &our_daemon] {
        symlink(env!("CARGO_BIN_EXE_gyre"), ours).unwrap();
    }
    for (room, daemon) in [("debian", &rrdcached), ("ours", &our_daemon)] {
        let room = programs.join(room);
        let base = room.join("base");
        fs::create_dir_all(&base).unwrap();
        let daemon = Rrdcached::start(daemon, &room, &base, &[]);
        let mut pair = (Rrdtool::start(&rrdtool, &base), Rrdtool::start(&our_tool, &base));
        let first_seed = setting("GYRE_SEED", 1);
        for seed in first_seed..first_seed + setting("GYRE_CASES", CASES) {
            case(&mut pair, &base, &daemon, seed);
        }
    }
}

fn case((theirs, ours): &mut (Rrdtool, Rrdtool), base: &Path, daemon: &Rrdcached, seed: u64) {
    let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut case = Case::new(random);
    let own = format!("o{seed}.rrd"); // the daemon remembers names
    let mut log = vec![case.create.clone()];
    assert!(is_ok(&theirs.send(&case.create)), "{}", case.create);
    fs::copy(base.join("t.rrd"), base.join(&own)).unwrap();
    let address = |random: &mut Random| match random.below(2) {
        0 => daemon.local_address(),
        _ => daemon.network_address(),
    };
    for _ in 0..COMMANDS_A_CASE {
        let update = case.update(random);
        let direct = theirs.send(&format!("update t.rrd{update}"));
        let through = ours.send(&format!("update {own} -d {}{update}", address(random)));
        log.push(update);
        let same = is_ok(&direct) == is_ok(&through);
        assert!(same, "seed {seed}: {direct:?}, {through:?} after\n{}", log.join("\n"));
        let now = case.now / 100;
        let (cf, start) = (FUNCTIONS[0], now - random.below(3000));
        let query = format!("{cf} -s {start} -e {now}");
        let through = ours.send(&format!("fetch {own} {query} -d {}", address(random)));
        // With a daemon, rrdtool parses numbers inexactly and may print another last digit. So its
        // fetch is made without the daemon.
        let direct = theirs.send(&format!("fetch t.rrd {query}"));
        assert_eq!(direct, through, "seed {seed}\n{}", log.join("\n"));
    }
    let flush = format!("flushcached {own} -d {}", daemon.local_address());
    assert!(is_ok(&theirs.send(&flush)));
    let (direct, through) = (fs::read(base.join("t.rrd")), fs::read(base.join(&own)));
    assert!(direct.unwrap() == through.unwrap(), "seed {seed}\n{}", log.join("\n"));
}
