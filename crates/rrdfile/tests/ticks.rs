//! Ticks below a second: rrdtool does the same, bit for bit, where all times, the step, heartbeats
//! and counters are as many times as large, and seconds stand for ticks.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

use std::cell::RefCell;
use std::path::Path;

use oracle::{Reply, Rrdtool};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rrd::{
    Definition, LiveState, Reading, Sample, SourceKind, Tick, Timestamp, UNKNOWN, Workspace, update,
};

const START_TICKS: i64 = 17_000_000_003;

#[derive(Clone, Debug)]
struct Case {
    per_second: u32,
    step_ticks: u64,
    sources: Vec<Source>,
    archives: Vec<String>,
    /// Ticks on from the update before, and a reading for each source.
    updates: Vec<(u64, Vec<Option<u32>>)>,
}

#[derive(Clone, Debug)]
struct Source {
    kind: SourceKind,
    heartbeat_ticks: u64,
    limits: &'static str,
}

fn case() -> impl Strategy<Value = Case> {
    let source = (
        prop::sample::select(&SourceKind::OF_READINGS[..]),
        1..2_000_u64,
        prop::sample::select(vec!["U:U", "0:U", "-5000:100000", "U:1e6"]),
    )
        .prop_map(|(kind, heartbeat_ticks, limits)| Source { kind, heartbeat_ticks, limits });
    let cf = prop::sample::select(vec!["AVERAGE", "MIN", "MAX", "LAST"]);
    let archive = (cf, prop::sample::select(vec![1_u64, 1, 2, 5, 12]), 1..40_u64)
        .prop_map(|(cf, steps, rows)| format!("RRA:{cf}:0.5:{steps}:{rows}"));
    let reading = prop::option::weighted(0.95, any::<u32>().prop_map(|it| it >> 1));
    let forward = prop_oneof![8 => 1..700_u64, 2 => 700..20_000_u64];
    let tick = prop::sample::select(vec![10_u32, 100, 1_000]);
    (tick, 1..500_u64, vec(source, 1..4), vec(archive, 1..5)).prop_flat_map(
        move |(per_second, step_ticks, sources, archives)| {
            let readings = vec(reading.clone(), sources.len());
            vec((forward.clone(), readings), 1..60).prop_map(move |updates| Case {
                per_second,
                step_ticks,
                sources: sources.clone(),
                archives: archives.clone(),
                updates,
            })
        },
    )
}

impl Case {
    fn specs(&self) -> Vec<String> {
        let source = |(nth, source): (usize, &Source)| {
            let Source { kind, heartbeat_ticks, limits } = source;
            format!("DS:s{nth}:{kind}:{heartbeat_ticks}:{limits}")
        };
        let sources = self.sources.iter().enumerate().map(source);
        sources.chain(self.archives.iter().cloned()).collect()
    }

    fn definition(&self) -> Definition {
        let specs = self.specs();
        let words = specs.iter().map(String::as_str);
        let definition = rrd::spec::definition(self.step_ticks, words).unwrap();
        Definition { tick: Tick::of_per_second(self.per_second).unwrap(), ..definition }
    }

    /// The text of a reading for rrdtool, whose second is our tick: counters count as many times as
    /// much.
    fn scaled(&self, source: usize, reading: Option<u32>) -> String {
        let Some(reading) = reading else { return "U".into() };
        match self.sources[source].kind {
            SourceKind::Gauge => reading.to_string(),
            _ => (u64::from(reading) * u64::from(self.per_second)).to_string(),
        }
    }

    /// Counters that count down would wrap, and each program at another place.
    fn only_counts_up(mut self) -> Self {
        for nth in 0..self.sources.len() {
            if self.sources[nth].kind == SourceKind::Counter {
                let mut last = 0;
                for (_, readings) in &mut self.updates {
                    if let Some(reading) = &mut readings[nth] {
                        last += *reading >> 8;
                        *reading = last;
                    }
                }
            }
        }
        self
    }
}

/// What our arithmetic makes of a case.
fn ours(case: &Case) -> (LiveState, Vec<Vec<f64>>) {
    let definition = case.definition();
    let mut live = LiveState::fresh(&definition, Timestamp::from_seconds(START_TICKS));
    let width = definition.sources.len();
    let archives = definition.archives.iter();
    let mut rows: Vec<Vec<f64>> =
        archives.map(|archive| vec![UNKNOWN; archive.rows as usize * width]).collect();
    let mut workspace = Workspace::default();
    let mut ticks = START_TICKS;
    for (forward, readings) in &case.updates {
        ticks += *forward as i64;
        // As a store is told it: a moment, which is a whole tick.
        let moment = definition.tick.moment(Timestamp::from_seconds(ticks));
        let time = definition.tick.of_moment(moment).unwrap();
        let readings: Vec<Reading<'_>> = readings
            .iter()
            .map(|it| it.map_or(Reading::Unknown, |it| Reading::Unsigned(it.into())))
            .collect();
        update(&definition, &mut live, &Sample { time, readings: &readings }, &mut workspace)
            .unwrap();
        for run in workspace.final_rows() {
            let ring = &mut rows[run.archive];
            (0..run.count).for_each(|_| {
                ring.drain(..width);
                ring.extend(run.values);
            });
        }
    }
    (live, rows)
}

fn compare(rrdtool: &mut Rrdtool, directory: &Path, case: &Case) {
    let file = directory.join("ticks.rrd");
    let _ = std::fs::remove_file(&file);
    let specs = case.specs().join(" ");
    let create =
        format!("create ticks.rrd --start {START_TICKS} --step {} {specs}", case.step_ticks);
    assert_eq!(rrdtool.send(&create), Reply::Ok(Vec::new()), "{create}");
    let mut ticks = START_TICKS;
    for (forward, readings) in &case.updates {
        ticks += *forward as i64;
        let readings: Vec<String> =
            readings.iter().enumerate().map(|(nth, it)| case.scaled(nth, *it)).collect();
        let command = format!("update ticks.rrd {ticks}:{}", readings.join(":"));
        assert_eq!(rrdtool.send(&command), Reply::Ok(Vec::new()), "{command}");
    }
    let (_, theirs) = rrdfile::decode(&std::fs::read(&file).unwrap()).unwrap();
    let (live, rows) = ours(case);
    assert_eq!(live.last_update, theirs.live.last_update);
    for (ours, theirs) in live.sources.iter().zip(&theirs.live.sources) {
        assert_eq!(ours.unknown_seconds, theirs.unknown_seconds, "{case:?}");
        assert_eq!(ours.value.to_bits(), theirs.value.to_bits(), "{case:?}");
    }
    for (ours, theirs) in live.cells.iter().zip(&theirs.live.cells) {
        let bits = |cell: &rrd::live::CellState| {
            let values = [cell.value, cell.primary, cell.secondary].map(f64::to_bits);
            (values, cell.unknown_pdps)
        };
        assert_eq!(bits(ours), bits(theirs), "{case:?}");
    }
    for (archive, (ours, theirs)) in rows.iter().zip(&theirs.rows).enumerate() {
        let bits = |rows: &[f64]| rows.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(ours), bits(theirs), "archive {archive}: {case:?}");
    }
}

#[test]
fn ticks_are_seconds_of_a_thousandfold_time() {
    let Some(program) = oracle::program("rrdtool", "ticks below a second, bit for bit") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = RefCell::new(Rrdtool::start(&program, directory.path()));
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&case(), |case| {
        compare(&mut rrdtool.borrow_mut(), directory.path(), &case.only_counts_up());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
