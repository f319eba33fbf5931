//! Random lives of a file, here and with rrdtool.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use oracle::{Reply, Rrdtool};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rrd::ConsolidationFunction;
use rrd::fetch::Query;

use crate::cases::compare::make_old;
use crate::cases::forecasts::forecast_case;
use crate::cases::{Update, case, create_command, wanted};
use crate::world::World;

/// What happens between two updates.
#[derive(Clone, Debug)]
enum Event {
    Nothing,
    Flush,
    Forget,
    /// rrdtool updates our file so many of its steps after its own last update.
    ForeignUpdate(u32),
    Tune(&'static str),
    /// A dump restored over the file.
    Restore,
    /// A new file of the same definition, so many seconds later, renamed over it.
    RenameOver(u32),
    /// Deleted, and made again from a copy of an hour ago, so to say: from what is on disk.
    DeleteAndCopyBack,
    /// Through the daemon.
    OwnTune,
    /// The daemon ends without writing files, and starts again.
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    let tune = prop::sample::select(vec![
        "-h ds0:17",
        "-i ds0:0",
        "-a ds0:1000000",
        "-r ds0:other",
        "-d ds0:GAUGE",
        "-d ds0:COUNTER",
        "DS:next:COUNTER:600:U:U DEL:ds0",
        "DS:more:GAUGE:600:U:U",
        "RRA#0:+3",
        "RRA#0:-1",
        "RRA:AVERAGE:0.5:2:7",
    ]);
    prop_oneof![
        8 => Just(Event::Nothing),
        6 => Just(Event::Flush),
        1 => Just(Event::Forget),
        2 => (0..6_u32).prop_map(Event::ForeignUpdate),
        2 => tune.prop_map(Event::Tune),
        1 => Just(Event::Restore),
        1 => (0..4_000_u32).prop_map(Event::RenameOver),
        1 => Just(Event::DeleteAndCopyBack),
        1 => Just(Event::OwnTune),
        2 => Just(Event::Restart),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    let cf = prop::sample::select(&ConsolidationFunction::PLAIN[..]);
    (cf, 0..20_000_i64, 0..20_000_i64, 1..2000_u64).prop_map(|(cf, start, length, step)| Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds: start,
        end_seconds: length,
        step_seconds: step,
    })
}

struct Life {
    create: String,
    version: Option<&'static [u8; 4]>,
    updates: Vec<Update>,
    events: Vec<(Event, Query)>,
}

fn live(rrdtool: &mut Rrdtool, directory: &Path, life: &Life) {
    let change = |created: &Path| {
        if let Some(version) = life.version {
            make_old(created, version);
        }
    };
    let mut world = World::new(rrdtool, directory, &life.create, change);
    let mut events = life.events.iter().cycle();
    for update in &life.updates {
        world.update(&update.arguments);
        let (event, query) = events.next().unwrap();
        happen(&mut world, event, update, &life.create);
        world.assert_reads_equal(query);
    }
    world.flush();
}

fn happen(world: &mut World<'_>, event: &Event, update: &Update, create: &str) {
    match event {
        Event::Nothing => {}
        Event::Flush => world.flush(),
        Event::Forget => world.forget(),
        Event::Restart => world.restart(),
        Event::ForeignUpdate(steps) => world.foreign(|rrdtool, path| {
            let (header, _) = rrdfile::decode(&fs::read(path).unwrap()).unwrap();
            let seconds = header.live.last_update.seconds
                + 1
                + i64::from(*steps) * header.definition.step_seconds as i64;
            let readings = header.definition.sources.iter();
            let readings = readings.filter(|it| it.kind.takes_readings()).map(|_| ":7");
            let readings: String = readings.collect();
            // Where the last reading is odd it is refused, and changes what it changes.
            let _ = rrdtool.send(&format!("update {} {seconds}{readings}", path.display()));
        }),
        // rrdtool itself crashes over some changes of files that forecast or calculate.
        Event::Tune(what)
            if ["PREDICT", "COMPUTE"].iter().any(|word| create.contains(word))
                && !what.starts_with('-') => {}
        Event::Tune(what) => world.foreign(|rrdtool, path| {
            let (header, _) = rrdfile::decode(&fs::read(path).unwrap()).unwrap();
            let rows = header.definition.archives.iter().map(|archive| archive.rows).sum::<u64>();
            if *what == "RRA#0:-1" && rows == 1 {
                return; // rrdtool takes the last row of all, and crashes over what is left
            }
            // What does not fit the file is refused, and changes nothing.
            let _ = rrdtool.send(&format!("tune {} {what}", path.display()));
        }),
        // It crashes over a dump of this function.
        Event::Restore if create.contains("PREV(") => {}
        Event::Restore => world.foreign(|rrdtool, path| {
            let xml = path.with_extension("xml");
            let dumped = rrdtool.send(&format!("dump {} {}", path.display(), xml.display()));
            assert_eq!(dumped, Reply::Ok(vec![]));
            let line = format!("restore -f {} {}", xml.display(), path.display());
            assert_eq!(rrdtool.send(&line), Reply::Ok(vec![]));
        }),
        Event::RenameOver(later) => world.foreign(|rrdtool, path| {
            let words = update.arguments[0].split([':', '.']).next().unwrap();
            let seconds = words.parse::<i64>().unwrap_or(1_000_000_000) - 2000 + i64::from(*later);
            let mut words: Vec<String> = create.split(' ').map(str::to_owned).collect();
            words[1] = "new.rrd".into();
            words[3] = seconds.to_string();
            assert_eq!(rrdtool.send(&words.join(" ")), Reply::Ok(vec![]));
            fs::rename(path.with_file_name("new.rrd"), path).unwrap();
        }),
        Event::DeleteAndCopyBack => world.foreign(|_, path| {
            let bytes = fs::read(path).unwrap();
            fs::remove_file(path).unwrap();
            fs::write(path, bytes).unwrap();
        }),
        Event::OwnTune => {
            let ours = world.ours.clone();
            world.change(|rrdtool| {
                let line = format!("tune {} -h ds0:33", ours.display());
                let _ = rrdtool.send(&line); // a source of that name may be gone
            });
        }
    }
}

fn run(
    usual: u32,
    lives: impl Strategy<Value = (String, Vec<Update>)>,
    version: Option<&'static [u8; 4]>,
) {
    let what = "random lives of files served in place";
    let Some(program) = oracle::program("rrdtool", what) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = RefCell::new(Rrdtool::start(&program, directory.path()));
    let config = Config { cases: wanted(usual), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let lives = (lives, vec((event(), query()), 1..30));
    let outcome = runner.run(&lives, |((create, updates), events)| {
        let life = Life { create, version, updates, events };
        let mut rrdtool = rrdtool.borrow_mut();
        if rrdtool.try_send("pwd").is_none() {
            // It ended in the case before, which is being made smaller.
            *rrdtool = Rrdtool::start(&program, directory.path());
        }
        live(&mut rrdtool, directory.path(), &life);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn plain() -> impl Strategy<Value = (String, Vec<Update>)> {
    case().prop_map(|case| (create_command("file.rrd", &case), case.updates))
}

#[test]
fn plain_files() {
    run(30, plain(), None);
}

#[test]
fn files_of_old_versions() {
    run(6, plain(), Some(b"0001"));
    run(6, plain(), Some(b"0002"));
}

#[test]
fn forecasts_and_calculated_sources() {
    run(15, forecast_case().prop_map(|case| (case.create, case.updates)), None);
}
