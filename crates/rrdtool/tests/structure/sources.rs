//! `create` from other databases, files and a ring store's.

use oracle::Reply;

use crate::chance::{Random, seeds};
use crate::image::{Slots, assert_equal};
use crate::pair::{Pair, words};
use crate::shape::{Shape, archive, samples, source};

/// None of them leaves a second between two rows: rrdtool loses rows there.
const STEPS: [u64; 5] = [10, 20, 30, 60, 300];

#[test]
fn new_files_are_equal() {
    let Some(mut pair) = Pair::start("create --source against rrdtool's") else { return };
    for seed in seeds(120) {
        case(&mut pair, seed);
    }
}

fn case(pair: &mut Pair, seed: u64) {
    let mut random = Random::new(seed);
    pair.begin(format!("GYRE_SEED={seed}"));
    let start_seconds = 700_000_000 + random.below(1_000_000_000);
    let count = 1 + random.below(3);
    let mut latest = 0;
    for nth in 0..count {
        latest = latest.max(make_past(pair, &mut random, &format!("{nth}.rrd"), start_seconds));
    }
    for _ in 0..4 {
        let command = create(&mut random, count, latest);
        let reply = pair.tell(&command);
        if reply == Reply::Ok(vec![]) {
            assert_equal(pair, "a.rrd", Slots::Random);
        }
    }
}

/// A database that something is to be taken from; returns its last update.
fn make_past(pair: &mut Pair, random: &mut Random, name: &str, start_seconds: u64) -> u64 {
    let names = random.one_of(&[&["a"][..], &["a", "b"], &["b", "a", "c"]]);
    let mut shape = Shape::new(random, &STEPS, names);
    shape.start_seconds = start_seconds + random.below(2000);
    pair.make(name, &shape.create(name));
    let mut now = shape.start_seconds;
    for _ in 0..=random.below(3) {
        let mut update = words(&format!("update {name}"));
        update.extend(samples(random, &mut now, shape.step_seconds, names.len()));
        pair.tell(&update);
    }
    now
}

fn create(random: &mut Random, count: u64, latest: u64) -> Vec<String> {
    let mut command = words("create a.rrd");
    let step_seconds = random.one_of(&STEPS);
    let has_template = random.once_in(3);
    if has_template {
        command.push(format!("--template={}.rrd", random.below(count)));
    }
    if !has_template || random.once_in(3) {
        command.push(format!("--step={step_seconds}"));
    }
    for nth in 0..count {
        if !random.once_in(4) {
            command.push(format!("--source={nth}.rrd"));
        }
    }
    let has_source = command.iter().any(|word| word.starts_with("--source"));
    if random.once_in(3) || !(has_source || has_template) {
        command.push(format!("--start={}", latest - 300 + random.below(600)));
    }
    for name in ["a", "b", "d"] {
        if random.once_in(2) {
            let spec = source(random, name, step_seconds);
            let from = random.one_of(&["", "", "", "=a", "=b[1]", "=c[2]", "=a[0]", "=none"]);
            command.push(spec.replacen(&format!(":{name}:"), &format!(":{name}{from}:"), 1));
        }
    }
    command.extend((0..random.below(4)).map(|_| archive(random)));
    command
}

#[test]
fn words_are_the_same() {
    let Some(mut pair) = Pair::start("create's words") else { return };
    pair.make("s.rrd", &words("create s.rrd -b 1000000000 DS:a:GAUGE:600:0:U RRA:MAX:0.5:3:5"));
    for (line, directory) in [("s.rrd", pair.theirs("")), ("s.rrd", pair.ours(""))] {
        assert!(directory.join(line).exists());
        std::fs::write(directory.join("j.rrd"), "junk").unwrap();
        std::fs::create_dir(directory.join("d.rrd")).unwrap();
    }
    for line in [
        "create n.rrd -r none.rrd DS:a:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd --source=d.rrd DS:a:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd --source=j.rrd DS:a:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd --template=j.rrd",
        "create n.rrd --template=none.rrd",
        "create n.rrd --template=s.rrd --template=s.rrd",
        "create n.rrd --template=s.rrd DS:a:GAUGE:600:0:U",
        "create n.rrd --source=s.rrd",
        "create n.rrd --source=s.rrd DS:a:GAUGE:600:0:U",
        "create n.rrd DS:a=:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd DS:a=b[]:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd DS:a=b[3x]:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd DS:a=b[3:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd DS:a=b]:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd DS:a=b=c:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create n.rrd DS:a:GAUGE: RRA:AVERAGE:0.5:1:10",
        "create s.rrd --no-overwrite --template=none.rrd",
    ] {
        pair.begin(line.into());
        assert!(matches!(pair.tell(&words(line)), Reply::Error(_)), "{line}");
    }
    for line in [
        "create n.rrd --template=s.rrd",
        "create n.rrd --source=s.rrd DS:a=b[3]:GAUGE:600:0:U RRA:AVERAGE:0.5:1:10",
        "create s.rrd --source=s.rrd --template=s.rrd",
        "create n.rrd --template=s.rrd --step=10 DS:b=a:GAUGE:600:0:U RRA:MIN:0.5:1m:1h",
    ] {
        pair.begin(line.into());
        assert_eq!(pair.tell(&words(line)), Reply::Ok(vec![]));
        assert_equal(&pair, "n.rrd", Slots::Random);
    }
}
