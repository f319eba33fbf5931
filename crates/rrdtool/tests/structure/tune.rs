//! `tune` on files.

use oracle::Reply;

use crate::chance::{Random, seeds};
use crate::image::{Slots, assert_equal};
use crate::pair::{Pair, words};
use crate::shape::{Shape, archive, samples, source};

const COMMANDS: u64 = 12;
const STEPS: [u64; 6] = [1, 7, 10, 60, 300, 3600];
const NAMES: [&str; 4] = ["d0", "d1", "d2", "d3"];

#[test]
fn files_are_equal_after_every_command() {
    let Some(mut pair) = Pair::start("tune against rrdtool's") else { return };
    for seed in seeds(150) {
        case(&mut pair, seed);
    }
}

fn case(pair: &mut Pair, seed: u64) {
    let mut random = Random::new(seed);
    let shape = Shape::new(&mut random, &STEPS, &NAMES[..=random_count(seed)]);
    pair.begin(format!("GYRE_SEED={seed}"));
    pair.make("a.rrd", &shape.create("a.rrd"));
    let mut now = shape.start_seconds;
    for _ in 0..COMMANDS {
        let header = header(pair);
        let (sources, step) = (header.definition.sources.len(), header.definition.step_seconds);
        let command = match random.below(6) {
            0 | 1 => structure(&mut random, &header),
            2 => edits(&mut random),
            _ => {
                let mut words = words("update a.rrd");
                words.extend(samples(&mut random, &mut now, step, sources));
                words
            }
        };
        if command.iter().any(|word| is_structure(word)) {
            // rrdtool's filling depends on the slots that rings happen to start from; after this
            // they start from their first.
            pair.tell(&words("tune a.rrd RRA#0:+0"));
            assert_equal(pair, "a.rrd", Slots::Same);
        }
        pair.tell(&command);
        assert_equal(pair, "a.rrd", Slots::Same);
    }
}

fn random_count(seed: u64) -> usize {
    (seed % NAMES.len() as u64) as usize
}

fn header(pair: &Pair) -> rrdfile::Header {
    let bytes = std::fs::read(pair.theirs("a.rrd")).unwrap();
    rrdfile::Header::decode(&bytes, bytes.len() as u64).unwrap()
}

fn is_structure(word: &str) -> bool {
    ["DEL", "DS:", "RRA"].iter().any(|start| word.starts_with(start))
}

/// A change of structure that leaves a source and an archive.
fn structure(random: &mut Random, header: &rrdfile::Header) -> Vec<String> {
    let definition = &header.definition;
    let mut command = words("tune a.rrd");
    let mut step_seconds = definition.step_seconds;
    if random.once_in(4) {
        let new = random.one_of(&[1, 5, 7, 10, 30, 60, 0]);
        command.push(format!("--step={new}"));
        if new > 0 && step_seconds.is_multiple_of(new) {
            step_seconds = new;
        }
    }
    let mut kept = definition.sources.len();
    for source in &definition.sources {
        if kept > 1 && random.once_in(6) {
            kept -= 1;
            command.push(format!("DEL:{}", source.name));
        }
    }
    for _ in 0..random.below(2) {
        let name = random.one_of(&["d0", "d1", "e0", "e1", "e2"]);
        command.push(source(random, name, step_seconds));
    }
    let archives = &definition.archives;
    command.extend(rows(random, archives.len() as u64, archives[0].rows));
    command.extend((0..random.below(3)).map(|_| archive(random)));
    command.extend(random.once_in(10).then(|| "DEL:none".into()));
    command.extend(random.once_in(20).then(|| "RRA:AVERAGE:1.5:1:1".into()));
    command.extend(random.once_in(20).then(|| "RRA#x".into()));
    command
}

/// Rows that come and go. Only the last archive goes: those behind get the rows of others with
/// rrdtool.
fn rows(random: &mut Random, archives: u64, first_rows: u64) -> Vec<String> {
    let mut command = Vec::new();
    if archives > 1 && random.once_in(4) {
        let last = archives - 1;
        let word = random.one_of(&["DELRRA:", "RRA#:-100", "RRA#:=0"]);
        command.push(match word.split_once("#") {
            None => format!("{word}{last}"),
            Some((start, rest)) => format!("{start}#{last}{rest}"),
        });
    }
    for nth in 0..archives {
        if random.once_in(3) {
            let change = random.one_of(&["+", "+", "="]);
            command.push(format!("RRA#{nth}:{change}{}", 1 + random.below(15)));
        }
    }
    command.extend(random.once_in(4).then(|| "RRA#0:-1".into()).filter(|_| first_rows > 1));
    command.extend(random.once_in(8).then(|| format!("RRA#{archives}:+3")));
    command
}

/// Changes in place, some of them wrong.
fn edits(random: &mut Random) -> Vec<String> {
    let mut command = words("tune a.rrd");
    for _ in 0..=random.below(3) {
        let name = random.one_of(&["d0", "d0", "d1", "e0", "none", ""]);
        let number = random.one_of(&["5", "-7", "1e3", "U", "0.25", "x", "", "+3", "600s", "-1.5"]);
        let kinds = ["GAUGE", "COUNTER", "DERIVE", "ABSOLUTE", "DDERIVE", "FOO", "gauge", ""];
        command.push(match random.below(8) {
            0 => format!("-h{name}:{number}"),
            1 => format!("--heartbeat={name}:{}", random.below(100_000)),
            2 => format!("--minimum={name}:{number}"),
            3 => format!("-a{name}:{number}"),
            4 => format!("--data-source-type={name}:{}", random.one_of(&kinds)),
            5 => format!("-r{name}:f{}", random.below(u64::MAX)), // a name that no other has
            6 => format!("--data-source-rename={name}:{name}"),
            _ => random.one_of(&["-x0.5", "-p1", "-w9", "-bd0", "-q", "-p0", "-f99"]).into(),
        });
    }
    command
}

#[test]
fn files_that_forecast_are_equal_after_every_command() {
    let Some(mut pair) = Pair::start("tune of forecasts against rrdtool's") else { return };
    for seed in seeds(60) {
        forecasting_case(&mut pair, seed);
    }
}

/// Rows and sources that nothing depends on come and go; archives that forecast are tuned.
fn forecasting_case(pair: &mut Pair, seed: u64) {
    let mut random = Random::new(seed);
    let names = &NAMES[..=random_count(seed)];
    let shape = Shape::new(&mut random, &[10, 60, 300], names).with_forecasts(&mut random);
    pair.begin(format!("GYRE_SEED={seed}"));
    pair.make("a.rrd", &shape.create("a.rrd"));
    let mut now = shape.start_seconds;
    for nth in 0..COMMANDS {
        let header = header(pair);
        let sources = &header.definition.sources;
        let readings = sources.iter().filter(|source| source.kind.takes_readings()).count();
        let command = match random.below(6) {
            0 => words(&forecasting_structure(&mut random, &header, nth)),
            1 => words(&forecasting_edit(&mut random)),
            _ => {
                let mut words = words("update a.rrd");
                let step_seconds = header.definition.step_seconds;
                words.extend(samples(&mut random, &mut now, step_seconds, readings));
                words
            }
        };
        if command.iter().any(|word| is_structure(word)) {
            pair.tell(&words("tune a.rrd RRA#0:+0"));
            assert_equal(pair, "a.rrd", Slots::Same);
        }
        pair.tell(&command);
        assert_equal(pair, "a.rrd", Slots::Same);
    }
}

fn forecasting_structure(random: &mut Random, header: &rrdfile::Header, nth: u64) -> String {
    let archives = header.definition.archives.len() as u64;
    let (archive, rows) = (random.below(archives), 1 + random.below(9));
    let name = random.one_of(&["d2", "d3", "none"]);
    match random.below(5) {
        0 => format!("tune a.rrd RRA#{archive}:+{rows}"),
        1 => format!("tune a.rrd DS:e{nth}:GAUGE:600:U:U"),
        2 => format!("tune a.rrd DS:e{nth}:COMPUTE:d0,3,+ RRA:MAX:0.5:2:9"),
        3 if header.definition.sources.last().is_some_and(|last| last.name == name) => {
            format!("tune a.rrd DEL:{name}")
        }
        _ => "tune a.rrd RRA:AVERAGE:0.5:1:7 DELRRA:99".into(),
    }
}

fn forecasting_edit(random: &mut Random) -> String {
    let share = random.one_of(&["0.25", "0.5", "0.75", "1", "0", "x", "0.5x"]);
    let count = random.one_of(&["1", "3", "7", "28", "29", "0", "x"]);
    let option = match random.below(6) {
        0 => format!("-x {share} --beta={share}"),
        1 => format!("-z {share} -v {share}"),
        2 => format!("-f {count} --window-length {count}"),
        // What is no number at all, rrdtool takes for whatever its memory holds.
        3 => {
            let delta = random.one_of(&["3", "0.25", "0.5x", "0.01", "0.01x"]);
            format!("--deltapos={delta} -n {delta}")
        }
        4 => format!("-b {}", random.one_of(&["d0", "c", "none"])),
        _ => {
            // A wrong one raises the version of rrdtool's file.
            let share = random.one_of(&["0", "0.25", "0.5x", "1"]);
            format!("-s {share} -S {share}")
        }
    };
    format!("tune a.rrd {option}")
}

#[test]
fn words_are_the_same() {
    let Some(mut pair) = Pair::start("tune's words") else { return };
    let create = "create a.rrd -b 1000000000 DS:a:GAUGE:600:0:U DS:b:COUNTER:600:U:9 \
                  RRA:AVERAGE:0.5:1:10 RRA:MAX:0.5:3:5";
    pair.make("a.rrd", &words(create));
    for line in include_str!("tune_words.txt").lines() {
        pair.begin(line.into());
        let reply = pair.tell(&words(line));
        assert!(matches!(reply, Reply::Ok(ref lines) if lines.is_empty()) || is_error(&reply));
        if !line.contains("none.rrd") {
            assert_equal(&pair, "a.rrd", Slots::Same);
        }
    }
}

fn is_error(reply: &Reply) -> bool {
    matches!(reply, Reply::Error(_))
}
