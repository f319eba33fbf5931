//! Random scripts: many commands in any order, to both.
//!
//! `GYRE_CASES` scripts of 200 lines (2), from `GYRE_SEED` on (1).

use crate::transcript::Pair;

const LINES: usize = 200;

/// A generator of numbers that repeats by its seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_scripts_are_answered_alike() {
    let Some(theirs) = oracle::program("rrdcached", "random scripts") else { return };
    let seed = number("GYRE_SEED", 1);
    for seed in seed..seed + number("GYRE_CASES", 2) {
        let mut chance = Chance(seed);
        let mut pair = Pair::start(&theirs, &[]);
        let mut now = 1_000_000_000;
        for nth in 0..LINES {
            let line = line(&mut chance, &mut now);
            let [theirs, ours] = pair.ask(&line);
            assert_eq!(ours, theirs, "GYRE_SEED={seed}, line {nth}: {line}");
        }
    }
}

const FILES: &[&str] =
    &["a.rrd", "d.rrd", "sub/b\\ c.rrd", "<base>/a.rrd", "nix.rrd", "no.rrd", "sub"];

fn line(chance: &mut Chance, now: &mut u64) -> String {
    let file = chance.of(FILES);
    match chance.below(12) {
        0..=3 => update(chance, now),
        4 => {
            let lines: Vec<String> = (0..chance.below(8)).map(|_| in_batch(chance, now)).collect();
            format!("BATCH\n{}.", lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        }
        5 => format!("PENDING {file}"),
        6 => format!("FORGET {}\nFLUSH {file}", chance.of(FILES)),
        // Reads show what waits only after a flush, to rrdcached.
        7 => format!("FLUSH {file}\nINFO {file}\nLAST {file}\nFIRST {file} {}", chance.below(3)),
        8 | 9 => {
            let start = *now - chance.below(2000);
            let end = start + chance.below(2000);
            let (verb, cf) =
                (chance.of(&["FETCH", "FETCHBIN"]), chance.of(&["AVERAGE", "MAX", "MIN"]));
            let columns = chance.of(&["", " x", " y", " y x", " x x"]);
            format!("FLUSH {file}\n{verb} {file} {cf} {start} {end}{columns}")
        }
        10 => chance.of(&["QUEUE", "LIST RECURSIVE /", "LIST /", "PING", "nonsense"]).to_owned(),
        // rrdcached goes on with what it knew of a file that it makes anew.
        _ => create(chance, *now),
    }
}

fn create(chance: &mut Chance, now: u64) -> String {
    let file = chance.of(&["d.rrd", "e.rrd", "sub/f.rrd"]);
    format!(
        "FORGET {file}\nCREATE {file} -b {} -s {} DS:x:GAUGE:{}:U:U DS:y:COUNTER:120:0:{} RRA:AVERAGE:0.5:1:10 \
             RRA:MAX:0.5:5:10",
        now - chance.below(100),
        [1, 10, 60][chance.below(3) as usize],
        chance.below(300) + 1,
        chance.of(&["U", "100", "1e6"]),
    )
}

fn in_batch(chance: &mut Chance, now: &mut u64) -> String {
    match chance.below(8) {
        0 => format!("FLUSH {}", chance.of(FILES)),
        1 => format!("FORGET {}", chance.of(FILES)),
        2 => chance.of(&["PING", "", "UPDATE", "UPDATE a.rrd", "nix", "RESUMEALL"]).to_owned(),
        _ => update(chance, now),
    }
}

/// Values are well formed as far as rrdcached looks no further; times may go back.
fn update(chance: &mut Chance, now: &mut u64) -> String {
    let mut line = format!("UPDATE {}", chance.of(FILES));
    for _ in 0..=chance.below(3) {
        *now += chance.below(90);
        let back = if chance.below(10) == 0 { 200 } else { 0 };
        let x = chance.of(&["1", "2.5", "U", "-3e2", "1000000"]);
        let y = chance.of(&["0", "1", "4294967295", "18446744073709551615", "U", "77"]);
        line += &format!(" {}:{x}:{y}", *now - back);
    }
    line
}
