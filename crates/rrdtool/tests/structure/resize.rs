//! `resize` on files.

use oracle::Reply;

use crate::chance::{Random, seeds};
use crate::image::{Slots, assert_equal, assert_equal_files};
use crate::pair::{Pair, words};
use crate::shape::{Shape, samples};

#[test]
fn results_are_equal() {
    let Some(mut pair) = Pair::start("resize against rrdtool's") else { return };
    for seed in seeds(60) {
        case(&mut pair, seed);
    }
}

fn case(pair: &mut Pair, seed: u64) {
    let mut random = Random::new(seed);
    let shape = Shape::new(&mut random, &[1, 10, 300], &["a", "b"]).of_version_3();
    pair.begin(format!("GYRE_SEED={seed}"));
    pair.make("a.rrd", &shape.create("a.rrd"));
    let mut update = words("update a.rrd");
    let mut now = shape.start_seconds;
    update.extend(samples(&mut random, &mut now, shape.step_seconds, 2));
    pair.tell(&update);
    for _ in 0..4 {
        let direction = random.one_of(&["GROW", "SHRINK"]);
        let archive = random.one_of(&["0", "1", "2", "0x1", "9"]);
        let line = format!("resize a.rrd {archive} {direction} {}", random.below(12));
        // The result of ours goes where the test runs; it is compared through the library.
        let theirs = pair.tell_theirs(&words(&line));
        let ours = ours(pair, archive, direction, &line);
        assert_eq!(theirs, ours, "theirs first, after\n{}", pair.told());
        assert_equal(pair, "a.rrd", Slots::Same);
        if theirs == Reply::Ok(vec![]) {
            let (theirs, ours) = (pair.theirs("resize.rrd"), pair.ours("resize.rrd"));
            assert_equal_files(&theirs, &ours, Slots::Same, &pair.told());
            std::fs::rename(&theirs, pair.theirs("a.rrd")).unwrap();
            std::fs::rename(&ours, pair.ours("a.rrd")).unwrap();
        }
    }
}

/// Ours, whose result goes to the directory of our files instead of the current one.
fn ours(pair: &mut Pair, archive: &str, direction: &str, line: &str) -> Reply {
    let rows: u64 = line.rsplit(' ').next().unwrap().parse().unwrap();
    if rows == 0 {
        return pair.tell_ours(&words(line));
    }
    let archive = if archive == "0x1" { 1 } else { archive.parse().unwrap() };
    pair.resize_ours("a.rrd", archive, direction == "GROW", rows)
}

#[test]
fn words_are_the_same() {
    let Some(mut pair) = Pair::start("resize's words") else { return };
    pair.make("a.rrd", &words("create a.rrd -b 1000000000 DS:a:GAUGE:600:0:U RRA:MAX:0.5:3:5"));
    for line in [
        "resize a.rrd",
        "resize a.rrd 0 GROW",
        "resize a.rrd 0 GROW 1 2",
        "resize a.rrd 0 grow 1",
        "resize a.rrd 0 GROW 0",
        "resize a.rrd 0 GROW x",
        "resize a.rrd 0 SHRINK -1",
        "resize a.rrd 0 SHRINK 5",
        "resize a.rrd 1 GROW 5",
        "resize a.rrd -1 GROW 5",
        "resize none.rrd 0 GROW 5",
    ] {
        pair.begin(line.into());
        assert!(matches!(pair.tell(&words(line)), Reply::Error(_)), "{line}");
    }
}
