//! Another layout for a database that lives.
#![allow(clippy::disallowed_methods)] // the test reads the files that rrdtool writes

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use oracle::{Reply, Rrdtool};
use rrd::{Definition, Reading, Sample, Timestamp, UNKNOWN};
use store::{Error, Update};

use crate::odd_files::{START_SECONDS, file, snapshot};
use crate::world::{World, assert_same, assert_same_bytes};

fn update(world: &World, name: &str, seconds: i64, readings: &[&str]) {
    let readings = &Reading::of_all(readings);
    let samples = [Sample { time: Timestamp::from_seconds(seconds), readings }];
    let failures = world.engine().update(&[Update::of(name, &samples)]);
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn rings_grow_and_shrink_as_rrdtool_resizes_them() {
    let Some(program) = oracle::program("rrdtool", "resize against rrdtool's") else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory.path());
    let path = directory.path().join("a.rrd");
    fs::write(&path, file()).unwrap();
    let mut world = World::new(6, 3);
    world.import(&[("a.rrd".into(), file())]);
    let mut seconds = START_SECONDS;
    let mut rows: Vec<u64> = vec![10, 10, 5];
    let changes: [(usize, i64); 6] = [(0, 7), (2, -3), (1, 20), (0, -9), (2, 40), (1, -28)];
    for (archive, more) in changes {
        for _ in 0..4 {
            seconds += 500;
            let line = format!("update a.rrd {seconds}:{}:{}", seconds % 1000, seconds % 77);
            assert_eq!(rrdtool.send(&line), Reply::Ok(vec![]));
            let readings = [(seconds % 1000).to_string(), (seconds % 77).to_string()];
            update(&world, "a.rrd", seconds, &[&readings[0], &readings[1]]);
        }
        let (word, count) = if more > 0 { ("GROW", more) } else { ("SHRINK", -more) };
        let resized = rrdtool.send(&format!("resize a.rrd {archive} {word} {count}"));
        assert_eq!(resized, Reply::Ok(vec![]));
        fs::rename(directory.path().join("resize.rrd"), &path).unwrap();
        rows[archive] = rows[archive].checked_add_signed(more).unwrap();
        let mut definition = snapshot().definition;
        definition.archives.iter_mut().zip(&rows).for_each(|(each, rows)| each.rows = *rows);
        world.engine().reshape("a.rrd", &definition).unwrap();
        let (_, expected) = rrdfile::decode(&fs::read(&path).unwrap()).unwrap();
        let what = format!("archive {archive} {word} {count}");
        assert_same(&world.engine().snapshot("a.rrd").unwrap(), &expected, &what);
        world.reopen();
        assert_same(&world.engine().snapshot("a.rrd").unwrap(), &expected, &what);
        rrdfile::decode(&world.export("a.rrd")).unwrap();
    }
    assert_eq!(world.engine().names().unwrap(), ["a.rrd"]);
}

fn wider() -> Definition {
    let specs = ["DS:new:DERIVE:600:U:U", "DS:out:GAUGE:600:U:U"];
    let archives = ["RRA:AVERAGE:0.5:6:8", "RRA:LAST:0.5:2:4", "RRA:MAX:0.5:1:10"];
    rrd::spec::definition(300, specs.into_iter().chain(archives)).unwrap()
}

#[test]
fn sources_and_archives_come_and_go() {
    let world = World::new(6, 3);
    world.import(&[("a".into(), file()), ("b".into(), file())]);
    update(&world, "a", START_SECONDS + 1000, &["5000", "3"]);
    let before = world.engine().snapshot("a").unwrap();
    world.engine().reshape("a", &wider()).unwrap();
    let after = world.engine().snapshot("a").unwrap();
    assert_eq!(format!("{:?}", after.definition), format!("{:?}", wider())); // NaN is no NaN
    let source = |rows: &[f64], nth: usize| -> Vec<u64> {
        rows.chunks(2).map(|row| row[nth].to_bits()).collect()
    };
    let unknown = UNKNOWN.to_bits();
    assert_eq!(source(&after.rows[0], 0), [unknown; 8]);
    assert_eq!(source(&after.rows[0], 1)[..3], [unknown; 3]);
    assert_eq!(source(&after.rows[0], 1)[3..], source(&before.rows[2], 1));
    assert_eq!(source(&after.rows[2], 1), source(&before.rows[1], 1));
    assert_eq!(after.rows[1].iter().map(|value| value.to_bits()).collect::<Vec<_>>(), [unknown; 8]);
    assert_eq!(after.live.sources[1].last_reading, before.live.sources[1].last_reading);
    assert_eq!(after.live.cells[1].value.to_bits(), before.live.cells[5].value.to_bits());
    // It goes on, and its neighbour is as it was.
    update(&world, "a", START_SECONDS + 4000, &["7", "4"]);
    assert_same_bytes(&world.export("b"), &file(), "the neighbour");
    world.engine().checkpoint().unwrap();
    let told = world.engine().reshape("a", &Definition { step_seconds: 60, ..wider() });
    assert!(matches!(told, Err(Error::Unfit { .. })), "{told:?}");
    assert!(world.engine().reshape("nobody", &wider()).is_err());
}

/// Updates go on while the layout changes again and again; each that was acknowledged is there.
#[test]
fn no_update_is_lost_meanwhile() {
    let world = World::new(6, 3);
    world.import(&[("a".into(), file())]);
    let (ended, updates) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut grown = snapshot().definition;
    grown.archives[0].rows = 2000;
    world.engine().reshape("a", &grown).unwrap(); // before it, the ring has room for ten rows
    let mut seconds = START_SECONDS;
    std::thread::scope(|scope| {
        let reshaping = scope.spawn(|| {
            let mut definition = grown.clone();
            let mut nth = 0;
            while nth < 30 || updates.load(Ordering::Acquire) < 100 {
                nth += 1;
                definition.archives[2].rows = 5 + nth % 3;
                world.engine().reshape("a", &definition).unwrap();
            }
            ended.store(true, Ordering::Release);
        });
        // Pauses of 0.25 to 32 ms: some are shorter than a change takes, some are longer.
        for nth in (0..8).cycle() {
            if ended.load(Ordering::Acquire) || reshaping.is_finished() {
                break;
            }
            seconds += 300;
            update(&world, "a", seconds, &["U", "1"]);
            updates.fetch_add(1, Ordering::Release);
            std::thread::sleep(std::time::Duration::from_micros(250 << nth));
        }
    });
    let after = world.engine().snapshot("a").unwrap();
    assert_eq!(after.live.last_update.seconds, seconds);
    let updates = ((seconds - START_SECONDS) / 300).min(1990) as usize;
    let newest = after.rows[0].rchunks(2).take(updates);
    assert!(newest.enumerate().all(|(age, row)| {
        assert_eq!(row[1], 1.0, "{age}");
        true
    }));
}
