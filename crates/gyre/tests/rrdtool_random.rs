//! Random commands through the pipe mode of both programs: all replies must be equal.
//!
//! rrdtool makes the files, which are then copied, so that rings begin in the same row. From then
//! on each program updates its own copy. At the end the copies must be equal byte for byte.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use oracle::{Reply, Rrdtool};

const ROUNDS: u64 = 150;
const COMMANDS_A_ROUND: u32 = 12;
const RING_CHAPTERS: u64 = 5;
const ROUNDS_A_CHAPTER: u64 = 20;

#[test]
fn replies_are_the_same() {
    let what = "random commands through the pipe mode";
    let Some(program) = oracle::program("rrdtool", what) else { return };
    let root = tempfile::tempdir().unwrap();
    let (theirs, ours) = (root.path().join("theirs"), root.path().join("ours"));
    fs::create_dir(&theirs).unwrap();
    fs::create_dir(&ours).unwrap();
    let our_program = root.path().join("rrdtool");
    symlink(env!("CARGO_BIN_EXE_gyre"), &our_program).unwrap();
    let mut pair = (Rrdtool::start(&program, &theirs), Rrdtool::start(&our_program, &ours));
    for seed in 1..=ROUNDS {
        round(&mut pair, (&theirs, &ours), &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    }
}

/// The same commands on a ring store without any files: `a.rrd` is a name in the store.
#[test]
fn replies_are_the_same_in_a_ring_store() {
    let what = "random commands on a ring store";
    let Some(program) = oracle::program("rrdtool", what) else { return };
    let root = tempfile::tempdir().unwrap();
    let (theirs, ours) = (root.path().join("theirs"), root.path().join("ours"));
    fs::create_dir(&theirs).unwrap();
    let our_program = root.path().join("rrdtool");
    symlink(env!("CARGO_BIN_EXE_gyre"), &our_program).unwrap();
    let gyre = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_gyre")).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let store = ours.to_str().unwrap();
    gyre(&["store", "create", "--flush-cycles=5", "--tile-rows=3", store]);
    let mut rrdtool = Rrdtool::start(&program, &theirs);
    for chapter in 0..RING_CHAPTERS {
        // Each process opens the store again, as the process before left it.
        let mut ring = Rrdtool::start(&our_program, &ours);
        for nth in 0..ROUNDS_A_CHAPTER {
            let seed = 1000 + chapter * ROUNDS_A_CHAPTER + nth;
            let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let shape = Shape::new(random);
            let mut log = vec![shape.create()];
            let mut now = shape.start_seconds;
            log.extend((0..COMMANDS_A_ROUND).map(|_| shape.command(random, &mut now)));
            log.push("dump a.rrd".into());
            for (done, command) in log.iter().enumerate() {
                let theirs = without_row_pointers(rrdtool.send(command));
                let ours = without_row_pointers(ring.send(command));
                assert_eq!(theirs, ours, "theirs first, after\n{}", log[..=done].join("\n"));
            }
        }
    }
    assert_eq!(fs::read_dir(&ours).unwrap().filter(is_rrd_file).count(), 0);
}

fn is_rrd_file(entry: &std::io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "rrd")
}

/// A ring store has no row pointers, and new files have random ones.
fn without_row_pointers(reply: Reply) -> Reply {
    match reply {
        Reply::Ok(mut lines) => {
            lines.retain(|line| !line.contains(".cur_row = "));
            Reply::Ok(lines)
        }
        error => error,
    }
}

fn round(pair: &mut (Rrdtool, Rrdtool), (theirs, ours): (&Path, &Path), random: &mut Random) {
    let shape = Shape::new(random);
    let create = shape.create();
    assert_eq!(pair.0.send(&create), Reply::Ok(vec![]), "{create}");
    fs::copy(theirs.join("a.rrd"), ours.join("a.rrd")).unwrap();
    let mut log = vec![create];
    let mut now = shape.start_seconds;
    for _ in 0..COMMANDS_A_ROUND {
        let command = shape.command(random, &mut now);
        log.push(command.clone());
        let (theirs, ours) = (pair.0.send(&command), pair.1.send(&command));
        assert_eq!(theirs, ours, "theirs first, after\n{}", log.join("\n"));
    }
    let (theirs, ours) = (fs::read(theirs.join("a.rrd")), fs::read(ours.join("a.rrd")));
    assert!(theirs.unwrap() == ours.unwrap(), "the files differ after\n{}", log.join("\n"));
}

/// The definition of a file.
struct Shape {
    start_seconds: u64,
    step_seconds: u64,
    kinds: Vec<&'static str>,
    archives: Vec<(&'static str, u64, u64)>,
}

impl Shape {
    fn new(random: &mut Random) -> Self {
        let functions = ["AVERAGE", "MIN", "MAX", "LAST"];
        let kinds = ["GAUGE", "COUNTER", "DERIVE", "DCOUNTER", "DDERIVE", "ABSOLUTE"];
        Self {
            start_seconds: 600_000_000 + random.below(1_500_000_000),
            step_seconds: random.one_of(&[1, 7, 10, 60, 300]),
            kinds: (0..=random.below(3)).map(|_| random.one_of(&kinds)).collect(),
            archives: (0..=random.below(4))
                .map(|_| (random.one_of(&functions), 1 + random.below(5), 1 + random.below(12)))
                .collect(),
        }
    }

    fn create(&self) -> String {
        let Self { start_seconds, step_seconds, .. } = self;
        let mut command = format!("create a.rrd -b {start_seconds} -s {step_seconds}");
        for (nth, kind) in self.kinds.iter().enumerate() {
            command += &format!(" DS:d{nth}:{kind}:{}:-1000:U", step_seconds * 4);
        }
        for (cf, pdps, rows) in &self.archives {
            command += &format!(" RRA:{cf}:0.5:{pdps}:{rows}");
        }
        command
    }

    fn command(&self, random: &mut Random, now: &mut u64) -> String {
        match random.below(10) {
            0 => self.fetch(random, *now),
            1 => "dump a.rrd".into(),
            2 => "info a.rrd".into(),
            3 => format!("first a.rrd --rraindex {}", random.below(6)),
            4 => random.one_of(&["last a.rrd", "lastupdate a.rrd"]).into(),
            verb => {
                let verb = if verb < 8 { "updatev" } else { "update" };
                let samples: Vec<String> =
                    (0..=random.below(3)).map(|_| self.sample(random, now)).collect();
                let option = random.one_of(&["", "", "", "-s ", "--skip-past-updates "]);
                format!("{verb} {option}a.rrd {}", samples.join(" "))
            }
        }
    }

    fn fetch(&self, random: &mut Random, now: u64) -> String {
        let cf = random.one_of(&["AVERAGE", "MIN", "MAX", "LAST"]);
        let span = 1 + random.below(self.step_seconds * 40);
        let end = now + random.below(self.step_seconds * 4);
        let option = random.one_of(&["", "-a ", "-r 60 ", "-r 5m ", "-a -r 600 "]);
        format!("fetch a.rrd {cf} {option}-s end-{span} -e {end}")
    }

    fn sample(&self, random: &mut Random, now: &mut u64) -> String {
        *now += match random.below(8) {
            0 => random.below(self.step_seconds * 200),
            1..4 => self.step_seconds,
            _ => random.below(self.step_seconds * 5),
        };
        let time = match random.below(6) {
            0 => format!("{}.{}", *now, random.below(1000)),
            1 => format!("{}@", *now),
            2 => now.saturating_sub(self.step_seconds).to_string(),
            _ => now.to_string(),
        };
        let readings: Vec<String> = self.kinds.iter().map(|_| reading(random)).collect();
        let separator = if time.ends_with('@') { "" } else { ":" };
        format!("{time}{separator}{}", readings.join(":"))
    }
}

fn reading(random: &mut Random) -> String {
    match random.below(12) {
        0 => "U".into(),
        1 => format!("-{}", random.below(3000)),
        2 => format!("{}.{}", random.below(1000), random.below(1000)),
        3 => random.one_of(&["nan", "inf", "1e5", "x", ""]).into(),
        4 => random.below(u64::MAX).to_string(),
        _ => random.below(100_000).to_string(),
    }
}

/// Random numbers that follow from a seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}
