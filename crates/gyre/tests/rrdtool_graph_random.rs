//! Random definitions of graphs through the pipe mode of both programs: what PRINT prints and what
//! xport lists must be the same, to the last digit.
//!
//! Left out is what rrdtool reads beyond the rows of a series: xport of one that is shorter than
//! the window, PREV of a named one, and windows of PREDICT (`rrd/tests/rpn_oracle.rs` and
//! `rpn_windows.rs` have those).
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use oracle::{Reply, Rrdtool};

const ROUNDS: u64 = 40;
const GRAPHS_A_ROUND: u32 = 25;

#[test]
fn values_are_the_same() {
    let Some(program) = oracle::program("rrdtool", "random graphs' values") else { return };
    let root = tempfile::tempdir().unwrap();
    let (theirs, ours) = (root.path().join("theirs"), root.path().join("ours"));
    fs::create_dir(&theirs).unwrap();
    fs::create_dir(&ours).unwrap();
    let our_program = root.path().join("rrdtool");
    symlink(env!("CARGO_BIN_EXE_gyre"), &our_program).unwrap();
    let mut pair = (Rrdtool::start(&program, &theirs), Rrdtool::start(&our_program, &ours));
    let rounds = std::env::var("GYRE_CASES").ok().and_then(|cases| cases.parse().ok());
    for seed in 1..=rounds.unwrap_or(ROUNDS) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let end_seconds = database(&mut pair.0, &mut random);
        fs::copy(theirs.join("a.rrd"), ours.join("a.rrd")).unwrap();
        for _ in 0..GRAPHS_A_ROUND {
            let is_export = random.below(3) == 0;
            let command = Graph::new(&mut random, end_seconds, is_export).command;
            let (theirs, ours) = (pair.0.send(&command), pair.1.send(&command));
            // Ours gives unknown rows, or none.
            if is_given_up(&theirs) {
                let _ = pair.0.send("last a.rrd"); // its words end in an empty line
                continue;
            }
            assert_eq!(ours, theirs, "ours first, after {seed}\n{command}");
        }
    }
    assert!(Path::new(&theirs.join("a.rrd")).exists());
}

/// A window shorter than one of its rows, and series that have no row in common.
fn is_given_up(reply: &Reply) -> bool {
    let given_up = ["SANITY CHECK", "malloc im->gdes"];
    matches!(reply, Reply::Error(words) if given_up.iter().any(|told| words.starts_with(told)))
}

/// Made by rrdtool, with gaps and values of many magnitudes; gives the time of the last update.
fn database(rrdtool: &mut Rrdtool, random: &mut Random) -> u64 {
    let start_seconds = 900_000_000 + random.below(600_000_000);
    let step_seconds = random.one_of(&[1, 10, 60, 300]);
    let create = format!(
        "create a.rrd -b {start_seconds} -s {step_seconds} DS:d:GAUGE:{0}:U:U DS:e:GAUGE:{0}:U:U \
         RRA:AVERAGE:0.5:1:200 RRA:AVERAGE:0.5:6:100 RRA:MAX:0.5:4:100 RRA:MIN:0.5:5:60",
        step_seconds * 2
    );
    assert_eq!(rrdtool.send(&create), Reply::Ok(Vec::new()), "{create}");
    let mut command = String::from("update a.rrd");
    let mut now = start_seconds;
    for _ in 0..220 {
        now += match random.below(12) {
            0 => step_seconds * 3,
            1 => step_seconds / 2 + 1,
            _ => step_seconds,
        };
        command += &format!(" {now}:{}:{}", reading(random), reading(random));
    }
    assert_eq!(rrdtool.send(&command), Reply::Ok(Vec::new()), "{command}");
    now
}

fn reading(random: &mut Random) -> String {
    match random.below(16) {
        0 => "U".into(),
        1 => "0".into(),
        2 => format!("-{}.{}", random.below(1000), random.below(1000)),
        power => format!("{}.{}e{}", random.below(10), random.below(100_000), power as i64 - 9),
    }
}

struct Graph {
    command: String,
    series: Vec<String>,
    is_export: bool,
    /// One for all: of two DEFs of the same rows, rrdtool 1.7.2 gives both the first one's.
    reduce: &'static str,
}

impl Graph {
    fn new(random: &mut Random, end_seconds: u64, is_export: bool) -> Self {
        let span = 50 + random.below(40_000);
        let end = end_seconds - random.below(span / 4 + 1);
        let window = format!("-s {} -e {end}", end - span);
        let command = match is_export {
            true => format!("xport {window} -m {}", random.one_of(&[10, 60, 400])),
            false => format!("graph /dev/null {window} -w {}", random.one_of(&[10, 60, 400])),
        };
        let reduce = random.one_of(&["", "", ":reduce=AVERAGE", ":reduce=MIN", ":reduce=LAST"]);
        let mut graph = Self { command, series: Vec::new(), is_export, reduce };
        if random.below(4) == 0 {
            graph.say(&format!("--step {}", random.one_of(&[7, 60, 1000])));
        }
        for nth in 0..=random.below(2) {
            graph.def(random, nth);
        }
        for nth in 0..random.below(4) {
            graph.cdef(random, nth);
        }
        if is_export {
            for name in graph.series.clone() {
                graph.say(&format!("XPORT:{name}:{name}"));
            }
        } else {
            graph.prints(random);
        }
        graph
    }

    fn say(&mut self, words: &str) {
        self.command.push(' ');
        self.command += words;
    }

    fn def(&mut self, random: &mut Random, nth: u64) {
        let functions = ["AVERAGE", "MIN", "MAX"];
        let source = random.one_of(&["d", "e"]);
        let mut def = format!("DEF:x{nth}=a.rrd:{source}:{}", random.one_of(&functions));
        if random.below(3) == 0 {
            def += &format!(":step={}", 1 + random.below(5000));
        }
        def += self.reduce;
        if !self.is_export && random.below(4) == 0 {
            def += &format!(":start=end-{}", 100 + random.below(50_000));
        }
        if !self.is_export && random.below(6) == 0 {
            def += &format!(":end=start+{}", 100 + random.below(50_000));
        }
        self.say(&def);
        self.series.push(format!("x{nth}"));
        if !self.is_export && random.below(5) == 0 {
            self.say(&format!("SHIFT:x{nth}:{}", random.below(20_000) as i64 - 10_000));
        }
    }

    fn cdef(&mut self, random: &mut Random, nth: u64) {
        let text = match random.below(6) {
            0 => {
                let (series, word) = (self.one(random), random.one_of(&["TREND", "TRENDNAN"]));
                format!("{series},{},{word}", random.below(5000))
            }
            _ => {
                let series = self.one(random);
                format!("{series},{},ADDNAN", self.term(random, 3))
            }
        };
        self.say(&format!("CDEF:c{nth}={text}"));
        self.series.push(format!("c{nth}"));
    }

    fn one(&self, random: &mut Random) -> String {
        self.series[random.below(self.series.len() as u64) as usize].clone()
    }

    /// An expression that leaves one value.
    fn term(&self, random: &mut Random, depth: u32) -> String {
        if depth == 0 || random.below(5) == 0 {
            return match random.below(8) {
                0 => random.one_of(&["UNKN", "INF", "NEGINF", "PREV", "COUNT", "TIME"]).into(),
                1 => random.one_of(&["LTIME", "STEPWIDTH", "NEWDAY", "NEWWEEK", "NEWYEAR"]).into(),
                2 | 3 => format!("{}.{}", random.below(1000), random.below(1_000_000)),
                4 => random.below(10).to_string(),
                _ => self.one(random),
            };
        }
        let mut next = || self.term(random, depth - 1);
        let (a, b, c) = (next(), next(), next());
        match random.below(5) {
            0 => {
                let words = [
                    "SIN", "COS", "LOG", "EXP", "SQRT", "ATAN", "FLOOR", "CEIL", "ABS", "DEG2RAD",
                    "RAD2DEG", "UN", "ISINF", "1,SORT", "1,REV", "1,AVG",
                ];
                format!("{a},{}", random.one_of(&words))
            }
            1 => format!("{a},{b},{c},{}", random.one_of(&["IF", "LIMIT", "3,AVG", "3,MEDIAN"])),
            2 => format!("{a},{b},{c},{}", random.one_of(&["3,SMIN", "3,SMAX", "3,STDEV"])),
            _ => {
                let words = [
                    "+", "-", "*", "/", "%", "POW", "ATAN2", "LT", "LE", "GT", "GE", "EQ", "NE",
                    "MIN", "MAX", "MINNAN", "MAXNAN", "ADDNAN",
                ];
                format!("{a},{b},{}", random.one_of(&words))
            }
        }
    }

    fn prints(&mut self, random: &mut Random) {
        let functions = [
            "MAXIMUM",
            "MINIMUM",
            "AVERAGE",
            "STDEV",
            "LAST",
            "FIRST",
            "TOTAL",
            "95,PERCENT",
            "0.7,PERCENT",
            "LSLSLOPE",
            "LSLINT",
            "LSLCORREL",
        ];
        for (nth, function) in functions.into_iter().enumerate() {
            let series = self.one(random);
            self.say(&format!("VDEF:v{nth}={series},{function} PRINT:v{nth}:%.17le"));
            let also = match random.below(6) {
                0 => "%Y%m%d-%H%M%S:strftime".into(),
                1 => "%.3le%S".into(),
                2 => format!("%W-%d-%h-%m-%0{}.{}s-%f:valstrfduration", nth, random.below(7)),
                3 => "%8.3lf%s".into(),
                4 => "x%-12.4lg%Sy".into(),
                _ => "%+lf".to_owned(),
            };
            self.say(&format!("PRINT:v{nth}:{also}"));
        }
        // Where no row is known, rrdtool takes what its memory holds.
        let series = self.one(random);
        self.say(&format!(
            "CDEF:p={series},COUNT,1,EQ,1,UNKN,IF,ADDNAN VDEF:w=p,{},PERCENTNAN PRINT:w:%.17le",
            random.below(100)
        ));
        for name in self.series.clone() {
            for cf in ["AVERAGE", "MIN", "MAX", "LAST"] {
                self.say(&format!("PRINT:{name}:{cf}:%.17le"));
            }
        }
    }
}

/// Numbers that follow from a seed (xorshift).
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
