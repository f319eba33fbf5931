//! The same commands where no file is, but a ring store: names in it are changed as files are.

use oracle::Reply;
use ring::{RingOptions, RingStore};

use crate::chance::{Random, seeds};
use crate::pair::{Pair, words};
use crate::shape::{Shape, archive, samples};

const COMMANDS: u64 = 8;

#[test]
fn dumps_are_the_same() {
    let Some(mut pair) = Pair::start("tune and create in a ring store") else { return };
    let store = RingStore::create(&pair.ours(""), RingOptions::default()).unwrap();
    store.close().unwrap();
    for seed in seeds(25) {
        case(&mut pair, seed);
    }
    let ours = std::fs::read_dir(pair.ours("")).unwrap();
    let is_rrd = |name: std::ffi::OsString| name.to_string_lossy().ends_with(".rrd");
    assert!(!ours.into_iter().any(|entry| is_rrd(entry.unwrap().file_name())));
}

fn case(pair: &mut Pair, seed: u64) {
    let mut random = Random::new(seed);
    let shape = Shape::new(&mut random, &[10, 60, 300], &["d0", "d1"]).of_version_3();
    pair.begin(format!("GYRE_SEED={seed}"));
    pair.tell(&shape.create("a.rrd"));
    // From here on rings start from their first slots: rrdtool's filling depends on them.
    pair.tell(&words("tune a.rrd RRA#0:+0"));
    let mut now = shape.start_seconds;
    let mut step_seconds = shape.step_seconds;
    for nth in 0..COMMANDS {
        let command = match random.below(7) {
            0 => words("tune a.rrd -h d0:700 -i d1:-5 -a d0:U -h none:5"),
            1 => words("tune a.rrd -d d0:ABSOLUTE"),
            2 => vec!["tune".into(), "a.rrd".into(), archive(&mut random), "RRA#0:+3".into()],
            3 if step_seconds == 300 => {
                step_seconds = 60;
                words("tune a.rrd -t 60 RRA#0:=7")
            }
            4 => {
                let words = words(&format!("create b{nth}.rrd --source=a.rrd --template=a.rrd"));
                pair.tell(&words);
                assert_same_dump(pair, &format!("b{nth}.rrd"));
                continue;
            }
            _ => {
                let mut words = words("update a.rrd");
                words.extend(samples(&mut random, &mut now, step_seconds, 2));
                words
            }
        };
        if command.iter().any(|word| word.starts_with("RRA")) {
            pair.tell(&words("tune a.rrd RRA#0:+0"));
        }
        pair.tell(&command);
        assert_same_dump(pair, "a.rrd");
    }
    grows_as_resized(pair);
}

/// A season is smoothed when its ring comes to a slot that was chosen when it was made: after a
/// change of structure the newest row stands in the same slot as in rrdtool's file.
#[test]
fn seasons_are_smoothed_at_the_same_time_after_a_change_of_structure() {
    let Some(mut pair) = Pair::start("seasons in a ring store after a change of structure") else {
        return;
    };
    let store = RingStore::create(&pair.ours(""), RingOptions::default()).unwrap();
    store.close().unwrap();
    for nth in 0..8 {
        let (made, name) = (format!("made{nth}.rrd"), format!("a{nth}.rrd"));
        pair.begin(name.clone());
        let sources = "-b 1600000000 -s 60 DS:x:GAUGE:600:U:U DS:y:GAUGE:600:U:U";
        let archives = "RRA:AVERAGE:0.5:1:9 RRA:HWPREDICT:60:0.1:0.0035:50";
        pair.tell_theirs(&words(&format!("create {made} {sources} {archives}")));
        let Reply::Ok(dump) = pair.tell_theirs(&words(&format!("dump {made}"))) else { panic!() };
        let text = pair.theirs("made.xml");
        std::fs::write(&text, dump.join("\n")).unwrap();
        pair.tell(&words(&format!("restore {} {name}", text.display())));
        pair.tell(&words(&format!("tune {name} RRA:MAX:0.5:2:7")));
        for step in 1..=170 {
            let seconds = 1_600_000_000 + step * 60;
            let (x, y) = (step * step % 37, step * 7 % 11);
            pair.tell(&words(&format!("update {name} {seconds}:{x}:{y}")));
            if step % 10 == 0 {
                assert_same_dump(&mut pair, &name);
            }
        }
    }
}

/// What rrdtool writes to another file, a name in the store gets in its place.
fn grows_as_resized(pair: &mut Pair) {
    assert_eq!(pair.tell(&words("resize a.rrd 0 GROW 4")), Reply::Ok(vec![]));
    std::fs::rename(pair.theirs("resize.rrd"), pair.theirs("a.rrd")).unwrap();
    assert_same_dump(pair, "a.rrd");
}

fn assert_same_dump(pair: &mut Pair, name: &str) {
    let dump = |reply: Reply| match reply {
        // A name in a store has the version that it needs now.
        Reply::Ok(lines) => {
            lines.into_iter().filter(|line| !line.contains("<version>")).collect::<Vec<_>>()
        }
        Reply::Error(words) => panic!("{words}"),
    };
    let words = words(&format!("dump {name}"));
    let (theirs, ours) = (dump(pair.tell_theirs(&words)), dump(pair.tell_ours(&words)));
    let differs = theirs.iter().zip(&ours).find(|(theirs, ours)| theirs != ours);
    assert!(differs.is_none(), "{differs:?}, theirs first, after\n{}", pair.told());
    assert_eq!(theirs.len(), ours.len(), "after\n{}", pair.told());
}
