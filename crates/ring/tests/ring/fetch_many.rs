//! Many databases asked at once are answered as one by one, and cost fewer reads.

use std::ops::ControlFlow;
use std::path::Path;

use disk::{AnyMedium, Random};
use ring::{Engine, Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Stretch, Timestamp};
use store::{Error, NewDatabase, Update, Wanted};

use crate::counting::{Counting, Read};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
const DATABASES: usize = 300;
const CYCLES: i64 = 60;

fn options() -> RingOptions {
    let pace = Pace { flush_cycles: 4, tile_rows_max: 4 };
    RingOptions { pace, replay_threads: 0, ..RingOptions::default() }
}

fn definition() -> Definition {
    let words =
        ["DS:x:GAUGE:100:U:U", "DS:y:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:50", "RRA:MAX:0.5:3:20"];
    rrd::spec::definition(STEP_SECONDS as u64, words).unwrap()
}

fn name(nth: usize) -> String {
    format!("db/{nth:03}")
}

/// A store whose rows stand in tiles, but for the newest ones; some databases fell silent.
fn store(medium: &Counting) -> Engine<AnyMedium> {
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let (definition, start) = (definition(), Timestamp::from_seconds(START_SECONDS));
    let names: Vec<String> = (0..DATABASES).map(name).collect();
    let new = names.iter().map(|name| NewDatabase {
        name: Path::new(name),
        definition: &definition,
        start,
    });
    assert!(engine.create_all(&new.collect::<Vec<_>>()).is_empty());
    for cycle in 1..CYCLES {
        let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
        for (nth, name) in names.iter().enumerate() {
            if nth % 50 == 3 && cycle > 20 {
                continue;
            }
            let value = (cycle * 1000 + nth as i64).to_string();
            let readings = [&*value, "7"].map(Reading::of);
            let samples = [Sample { time, readings: &readings }];
            assert!(engine.update(&[Update::of(name, &samples)]).is_empty());
        }
        engine.work().unwrap();
    }
    engine
}

fn query(cf: ConsolidationFunction, rows: i64) -> Query {
    let end_seconds = START_SECONDS + (CYCLES - 1) * STEP_SECONDS;
    Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds: end_seconds - rows * STEP_SECONDS,
        end_seconds,
        step_seconds: 10,
    }
}

fn told(answer: Result<Stretch, Error>) -> Result<(String, Vec<u64>), String> {
    let bits = |it: &Stretch| it.held.iter().map(|value| value.to_bits()).collect();
    answer.map(|it| (format!("{:?}", it.source_names), bits(&it))).map_err(|it| it.to_string())
}

fn is_tiles(name: &str) -> bool {
    name.ends_with(".tiles")
}

/// What it costs to have all answers at once, and one by one.
fn costs(engine: &Engine<AnyMedium>, medium: &Counting, wanted: &[Wanted<'_>]) -> [Read; 2] {
    let start = medium.read();
    let mut together: Vec<_> = wanted.iter().map(|_| None).collect();
    let done = engine.fetch_many(wanted, &mut |position, answer| {
        let before = together[position].replace(told(answer));
        assert!(before.is_none(), "{position} is answered twice");
        ControlFlow::Continue(())
    });
    assert!(done.is_continue());
    let middle = medium.read();
    let alone = |Wanted { name, query }: &Wanted<'_>| {
        told(engine.fetch_stretch(name.to_str().unwrap(), query))
    };
    let alone: Vec<_> = wanted.iter().map(alone).collect();
    assert_eq!(together.into_iter().flatten().collect::<Vec<_>>(), alone);
    [middle.since(start), medium.read().since(middle)]
}

#[test]
fn databases_side_by_side_share_reads() {
    let medium = Counting::of(is_tiles);
    let engine = store(&medium);
    let mut random = Random::new(1);
    let mut names: Vec<String> = (0..DATABASES).map(name).chain(["none".to_owned()]).collect();
    // Whatever the order in which they are asked for.
    for last in (1..names.len()).rev() {
        names.swap(last, random.below(last as u64 + 1) as usize);
    }
    let (average, max) = (ConsolidationFunction::Average, ConsolidationFunction::Max);
    let queries = [query(average, 49), query(max, 45), query(ConsolidationFunction::HwPredict, 9)];
    let wanted =
        |query: Query| names.iter().map(move |name| Wanted { name: Path::new(name), query });
    let wanted: Vec<Wanted<'_>> = queries.into_iter().flat_map(wanted).collect();
    let [together, alone] = costs(&engine, &medium, &wanted);
    // 63 databases share a tile of AVERAGE. Those that fell silent are read by the same pages.
    assert!(together.opened <= 10 && alone.opened > 500, "{together:?} {alone:?}");
    assert!(together.reads * 20 < alone.reads, "{together:?} {alone:?}");
    assert!(together.bytes * 20 < alone.bytes, "{together:?} {alone:?}");
}

#[test]
fn few_rows_of_all_databases_are_few_reads() {
    let medium = Counting::of(is_tiles);
    let engine = store(&medium);
    let names: Vec<String> = (0..DATABASES).map(name).collect();
    let end_seconds = START_SECONDS + 20 * STEP_SECONDS;
    let old = Query {
        tick: rrd::Tick::SECOND,
        start_seconds: end_seconds - 10 * STEP_SECONDS,
        end_seconds,
        ..query(ConsolidationFunction::Average, 1)
    };
    let wanted: Vec<_> =
        names.iter().map(|name| Wanted { name: Path::new(name), query: old }).collect();
    let [together, alone] = costs(&engine, &medium, &wanted);
    assert!(together.reads * 10 < alone.reads, "{together:?} {alone:?}");
}

#[test]
fn who_has_enough_reads_no_more() {
    let medium = Counting::of(is_tiles);
    let engine = store(&medium);
    let names: Vec<String> = (0..DATABASES).map(name).collect();
    let query = query(ConsolidationFunction::Average, 49);
    let wanted: Vec<_> = names.iter().map(|name| Wanted { name: Path::new(name), query }).collect();
    let before = medium.read();
    let mut seen = 0;
    let done = engine.fetch_many(&wanted, &mut |_, _| {
        seen += 1;
        if seen < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    // What was read together with the fifth is not thrown away.
    assert!(done.is_break() && (5..names.len()).contains(&seen), "{seen}");
    assert!(medium.read().since(before).opened <= 1);
}
