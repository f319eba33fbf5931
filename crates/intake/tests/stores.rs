//! Batches of samples into stores of both kinds.
#![allow(clippy::disallowed_methods)] // the test makes and damages files

use std::path::Path;
use std::sync::Arc;

use intake::{Intake, Limits, Outcomes, Rules, Taking, Written};
use rrd::ConsolidationFunction;
use rrd::fetch::Query;
use rrd::live::LastReading;
use senders::influx::Precision;
use senders::{Kind, Sent, Series, Value, graphite, influx};
use serde::Deserialize;
use store::{NamePattern, Rooted, Store};

const NOW_SECONDS: i64 = 1_700_000_000;
const NOW_MICROS: i64 = NOW_SECONDS * 1_000_000;

#[derive(Deserialize)]
struct File {
    layout: Vec<Written>,
}

fn rules(text: &str) -> Rules {
    Rules::new(&toml::from_str::<File>(text).unwrap().layout).unwrap()
}

struct World {
    store: Arc<dyn Store>,
    intake: Intake,
    _directory: tempfile::TempDir,
}

/// A ring store, and a directory of files.
fn worlds(rules: &Rules, limits: Limits) -> [World; 2] {
    let world = |directory: tempfile::TempDir, store: Arc<dyn Store>| World {
        intake: Intake::new(Rooted::new(store.clone()), rules.clone(), limits, [1, 2]),
        store,
        _directory: directory,
    };
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let ring = ring::RingStore::create(&one.path().join("ring"), ring::RingOptions::default());
    let files = files::RrdFiles::below(other.path());
    [world(one, Arc::new(ring.unwrap())), world(other, Arc::new(files))]
}

fn graphite(intake: &Intake, text: &str) -> Taking {
    let mut batch = intake.batch();
    let lines = graphite::read(text.as_bytes(), &mut |sent| batch.add(sent));
    assert_eq!(lines.wrong, 0);
    intake.take(batch, None, NOW_MICROS)
}

fn rows(store: &dyn Store, name: &str, start_seconds: i64, end_seconds: i64) -> Vec<f64> {
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds,
        end_seconds,
        step_seconds: 1,
    };
    store.fetch(Path::new(name), &query).unwrap().values.to_vec()
}

#[test]
fn databases_are_made_on_first_sight_with_their_first_sample() {
    for world in worlds(&Rules::default(), Limits::default()) {
        let begin = NOW_SECONDS - NOW_SECONDS % 60 - 120;
        let text = format!("a.b 5 {begin}\na.b 7.5 {}\nc;k=v 1 {begin}\n", begin + 60);
        let taken = graphite(&world.intake, &text);
        assert!(taken.failure.is_none());
        assert_eq!(taken.outcomes, Outcomes { taken: 3, made: 2, ..Outcomes::default() });
        let names = world.store.names_like(&NamePattern::beginning("")).unwrap();
        assert_eq!(names, ["a/b.rrd", "c/k=v.rrd"]);
        assert_eq!(rows(&*world.store, "a/b.rrd", begin - 60, begin + 59), [5.0, 7.5]);
        // Another start of gyre knows none of them, and makes none again.
        let again = Intake::new(
            Rooted::new(world.store.clone()),
            Rules::default(),
            Limits::default(),
            [3, 4],
        );
        let taken = graphite(&again, &format!("a.b 8 {}\n", begin + 120));
        assert_eq!(taken.outcomes, Outcomes { taken: 1, ..Outcomes::default() });
    }
}

#[test]
fn late_and_repeated_samples_and_those_of_the_future_are_counted() {
    for world in worlds(&Rules::default(), Limits::default()) {
        let at = |seconds: i64| format!("a 1 {}\n", NOW_SECONDS + seconds);
        graphite(&world.intake, &at(0));
        let text = [at(0), at(1), at(-30), at(1), at(3600)].concat();
        let taken = graphite(&world.intake, &text);
        let wanted = Outcomes { taken: 1, late: 3, refused: 1, ..Outcomes::default() };
        assert_eq!(taken.outcomes, wanted);
        assert!(taken.failure.is_none());
    }
}

#[test]
fn rules_choose_the_layout_and_drop() {
    let rules = rules(
        r#"
        [[layout]]
        series = "debug.**"
        drop = true
        [[layout]]
        series = "fast.*"
        step = "10s"
        heartbeat = 30
        type = "DERIVE"
        min = 0
        archives = ["RRA:MAX:0.5:1:20"]
        "#,
    );
    for world in worlds(&rules, Limits::default()) {
        let text = format!("debug.x 1 {NOW_SECONDS}\nfast.y 100 {NOW_SECONDS}\n");
        let taken = graphite(&world.intake, &text);
        let wanted = Outcomes { taken: 1, dropped: 1, made: 1, ..Outcomes::default() };
        assert_eq!(taken.outcomes, wanted);
        let definition = world.store.outline(Path::new("fast/y.rrd")).unwrap().definition;
        assert_eq!((definition.step_seconds, definition.archives.len()), (10, 1));
        assert_eq!(definition.sources[0].heartbeat_seconds, 30);
        let taken = graphite(&world.intake, &format!("debug.x 1 {}\n", NOW_SECONDS + 1));
        assert_eq!(taken.outcomes, Outcomes { dropped: 1, ..Outcomes::default() });
    }
}

#[test]
fn no_more_databases_are_made_than_permitted() {
    let limits = Limits { databases_max: 5, new_a_minute_max: 3 };
    for world in worlds(&Rules::default(), limits) {
        let lines: Vec<String> = (0..10).map(|nth| format!("a.{nth} 1 {NOW_SECONDS}\n")).collect();
        let taken = graphite(&world.intake, &lines.concat());
        assert_eq!(
            taken.outcomes,
            Outcomes { taken: 3, made: 3, unmade: 7, ..Outcomes::default() }
        );
        let mut batch = world.intake.batch();
        graphite::read(lines.concat().as_bytes(), &mut |sent| batch.add(sent));
        let later = world.intake.take(batch, None, NOW_MICROS + 60_000_000);
        assert_eq!(later.outcomes.made, 2);
        assert_eq!(world.store.names_like(&NamePattern::beginning("")).unwrap().len(), 5);
    }
}

#[test]
fn a_sender_reaches_its_own_databases_alone() {
    for world in worlds(&Rules::default(), Limits::default()) {
        let may_reach: &dyn Fn(&str) -> bool = &|name| name.starts_with("own/");
        for _ in 0..2 {
            let mut batch = world.intake.batch();
            let text = format!("own.a 1 {NOW_SECONDS}\nother.a 1 {NOW_SECONDS}\n");
            graphite::read(text.as_bytes(), &mut |sent| batch.add(sent));
            let taken = world.intake.take(batch, Some(may_reach), NOW_MICROS);
            assert_eq!(taken.outcomes.forbidden, 1);
            // Another one made it meanwhile.
            graphite(&world.intake, &format!("other.a 1 {NOW_SECONDS}\n"));
        }
    }
}

#[test]
fn sources_are_found_by_their_names() {
    for world in worlds(&Rules::default(), Limits::default()) {
        let packet = |time: i64, names: [&str; 2]| {
            let values = [
                (names[0], Kind::Derive, Value::Signed(1000)),
                (names[1], Kind::Derive, Value::Unsigned(2000)),
            ];
            let mut batch = world.intake.batch();
            let series = Series::Collectd {
                host: "h.example.org",
                plugin: ("interface", "eth0"),
                kind: ("if_octets", ""),
            };
            let time_micros = Some(time * 1_000_000);
            batch.add(&Sent { series, time_micros, values: &values });
            world.intake.take(batch, None, NOW_MICROS).outcomes
        };
        assert_eq!(packet(NOW_SECONDS, ["rx", "tx"]).made, 1);
        let name = Path::new("h.example.org/interface-eth0/if_octets.rrd");
        let header = world.store.header(name).unwrap();
        let sources: Vec<&str> =
            header.definition.sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(sources, ["rx", "tx"]);
        let last = header.live.sources.iter().map(|source| source.last_reading);
        assert!(last.eq(["1000", "2000"].map(LastReading::new)));
    }
}

#[test]
fn a_database_that_was_deleted_is_made_again() {
    for world in worlds(&Rules::default(), Limits::default()) {
        graphite(&world.intake, &format!("a 1 {NOW_SECONDS}\n"));
        world.store.edit(Path::new("a.rrd"), &store::Edit::Delete, &|| true).unwrap();
        let taken = graphite(&world.intake, &format!("a 1 {}\n", NOW_SECONDS + 60));
        assert_eq!(taken.outcomes, Outcomes { taken: 1, made: 1, ..Outcomes::default() });
        assert!(world.store.has(Path::new("a.rrd")));
    }
}

#[test]
fn labels_in_another_order_are_the_same_series() {
    for world in worlds(&Rules::default(), Limits::default()) {
        let mut batch = world.intake.batch();
        let text = "cpu,a=1,b=2 idle=1.25 28333330\ncpu,b=2,a=1 idle=2 28333331\n";
        influx::read(text.as_bytes(), Precision::Minutes, &mut |sent| batch.add(sent));
        let taken = world.intake.take(batch, None, NOW_MICROS);
        let wanted = Outcomes { taken: 2, made: 1, ..Outcomes::default() };
        assert_eq!(taken.outcomes, wanted);
        assert!(world.store.has(Path::new("cpu_idle/a=1,b=2.rrd")));
    }
}

#[test]
fn other_rules_hold_for_what_was_met_before() {
    for world in worlds(&Rules::default(), Limits::default()) {
        graphite(&world.intake, &format!("a 1 {NOW_SECONDS}\n"));
        world.intake.follow(rules("[[layout]]\nseries = \"a\"\ndrop = true"));
        let taken = graphite(&world.intake, &format!("a 1 {}\n", NOW_SECONDS + 1));
        assert_eq!(taken.outcomes, Outcomes { dropped: 1, ..Outcomes::default() });
    }
}

/// A store of files that takes whole paths, as the daemon's.
#[test]
fn names_lead_where_links_do_and_no_further() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("real")).unwrap();
    std::os::unix::fs::symlink("real", base.join("link")).unwrap();
    let files: Arc<dyn Store> = Arc::new(files::RrdFiles::anywhere(0));
    let names = Arc::new(files::RrdFiles::below(&base));
    let below = base.clone();
    let lead = move |name: &str| match name.split_once('/')? {
        ("link", rest) => {
            let name = format!("real/{rest}");
            Some(store::Led { path: below.join(&name), name: Some(name) })
        }
        ("denied", _) => None,
        _ => Some(store::Led { path: below.join(name), name: Some(name.to_owned()) }),
    };
    let rooted = Rooted::below(files, &base, names).leading(Arc::new(lead));
    let intake = Intake::new(rooted, Rules::default(), Limits::default(), [1, 2]);
    let send = |text: &str, may_reach: Option<&dyn Fn(&str) -> bool>, second: i64| {
        let mut batch = intake.batch();
        let line = format!("{text} 1 {}\n", NOW_SECONDS + second);
        graphite::read(line.as_bytes(), &mut |sent| batch.add(sent));
        intake.take(batch, may_reach, NOW_MICROS).outcomes
    };
    let forbidden = Outcomes { forbidden: 1, ..Outcomes::default() };
    assert_eq!(send("denied.a", None, 0), forbidden);
    let own: &dyn Fn(&str) -> bool = &|name| name.starts_with("link/");
    assert_eq!(send("link.new.a", Some(own), 0), forbidden);
    assert_eq!(send("link.new.a", None, 0).made, 1);
    // It is met now, and still not this sender's.
    assert_eq!(send("link.new.a", Some(own), 1), forbidden);
    assert!(base.join("real/new/a.rrd").exists());
}

#[test]
fn a_sample_counts_for_a_whole_step_wherever_in_it_it_comes() {
    for micros in [0, 1, 400_000, 999_999] {
        for world in worlds(&Rules::default(), Limits::default()) {
            let mut batch = world.intake.batch();
            let values = [("value", Kind::Gauge, Value::Float(4.5))];
            let time_micros = Some((NOW_SECONDS - 60) * 1_000_000 + micros);
            batch.add(&Sent { series: Series::Graphite("a"), time_micros, values: &values });
            assert_eq!(world.intake.take(batch, None, NOW_MICROS).outcomes.taken, 1);
            let edge = (NOW_SECONDS - 60).div_euclid(60) * 60;
            assert_eq!(rows(&*world.store, "a.rrd", edge - 60, edge - 1), [4.5], "{micros}");
        }
    }
}

#[test]
fn samples_of_a_batch_may_come_in_any_order() {
    for world in worlds(&Rules::default(), Limits::default()) {
        let line = |second: i64| format!("a 1 {}\n", NOW_SECONDS - second);
        let taken = graphite(&world.intake, &[0, 60, 120].map(line).concat());
        assert_eq!(taken.outcomes, Outcomes { taken: 3, made: 1, ..Outcomes::default() });
        // One without a time does not hide when the others begin.
        let text = format!("b 1 {}\nb 2 N\n", NOW_SECONDS - 300);
        assert_eq!(graphite(&world.intake, &text).outcomes.taken, 2);
        // The same series by two keys begins with its first sample.
        let text = format!("c;a=1;b=2 1 {NOW_SECONDS}\nc;b=2;a=1 1 {}\n", NOW_SECONDS - 600);
        assert_eq!(graphite(&world.intake, &text).outcomes.taken, 2);
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for world in worlds(&Rules::default(), Limits::default()) {
        // Seconds that were sent as nanoseconds, and what no clock shows.
        let mut batch = world.intake.batch();
        let text = "a v=1 1700000000\na v=1 -9000000000000000000\n";
        influx::read(text.as_bytes(), Precision::Nanoseconds, &mut |sent| batch.add(sent));
        let refused = world.intake.take(batch, None, NOW_MICROS).outcomes;
        assert_eq!(refused, Outcomes { refused: 2, ..Outcomes::default() });
        // A name beyond all bounds is not even looked at.
        let taken = graphite(&world.intake, &format!("{} 1 {NOW_SECONDS}\n", "x.".repeat(2000)));
        assert_eq!(taken.outcomes, Outcomes { unmade: 1, ..Outcomes::default() });
        // A database none of whose sources is meant keeps its time of the last update.
        let definition = spec(&["DS:in:GAUGE:600:U:U", "DS:out:GAUGE:600:U:U"]);
        let start = rrd::Timestamp::from_seconds(NOW_SECONDS - 600);
        world.store.create(Path::new("r/p.rrd"), &definition, start).unwrap();
        let taken = graphite(&world.intake, &format!("r.p 0 {NOW_SECONDS}\n"));
        assert_eq!(taken.outcomes, Outcomes { refused: 1, ..Outcomes::default() });
        assert_eq!(world.store.header(Path::new("r/p.rrd")).unwrap().live.last_update, start);
    }
}

fn spec(sources: &[&str]) -> rrd::Definition {
    rrd::spec::definition(60, sources.iter().copied().chain(["RRA:AVERAGE:0.5:1:10"])).unwrap()
}

#[test]
fn a_damaged_database_keeps_no_other_from_its_samples() {
    let [_, world] = worlds(&Rules::default(), Limits::default());
    std::fs::write(world._directory.path().join("a.rrd"), "no database").unwrap();
    for second in 0..2 {
        let at = NOW_SECONDS + second;
        let taken = graphite(&world.intake, &format!("a 1 {at}\nb 1 {at}\n"));
        assert_eq!((taken.outcomes.taken, taken.outcomes.failed), (1, 1));
        assert!(taken.failure.is_none() && taken.fault.is_some());
    }
}
