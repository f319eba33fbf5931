//! A database that was updated with a wrong reading, and mended, beside one that never saw it.

use proptest::prelude::*;
use repair::{Note, Plan, Repair, Replacement, Rule, Span};
use rrd::refill::{CellChange, change_cells, is_same};
use rrd::{
    Archive, ConsolidationFunction as Cf, DataSource, Definition, Reading, Room, Sample, Snapshot,
    SourceKind, Timestamp, Workspace, update,
};

const STEP_SECONDS: i64 = 10;
const START_SECONDS: i64 = 1_000_000_000;
const LIMIT: f64 = 1e6;

fn definition() -> Definition {
    let source = DataSource {
        name: "a".into(),
        kind: SourceKind::Gauge,
        heartbeat_seconds: 10,
        minimum: f64::NAN,
        maximum: f64::NAN,
    };
    let other = DataSource { name: "b".into(), ..source.clone() };
    let mut archives = vec![Archive::plain(Cf::Average, 200, 1, 0.5)];
    for cf in Cf::PLAIN {
        archives.push(Archive::plain(cf, 30, 6, 0.5));
        archives.push(Archive::plain(cf, 10, 18, 0.2));
    }
    let percentile = "PERCENTILE95".parse().expect("a function");
    archives.push(Archive::plain(Cf::Stdev, 30, 6, 0.5));
    archives.push(Archive::plain(percentile, 10, 18, 0.2));
    Definition { tick: rrd::Tick::SECOND, step_seconds: 10, sources: vec![source, other], archives }
}

/// The database after these readings of source `a`, one a step; `None` is unknown.
fn updated(readings: &[Option<f64>]) -> Snapshot {
    let definition = definition();
    let start = Timestamp { seconds: START_SECONDS, micros: 0 };
    let mut whole =
        Snapshot::empty(&definition, start, &mut Room::of_bytes(1 << 24)).expect("it is small");
    let mut workspace = Workspace::default();
    for (nth, reading) in readings.iter().enumerate() {
        let time =
            Timestamp { seconds: START_SECONDS + (nth as i64 + 1) * STEP_SECONDS, micros: 0 };
        let text = reading.map_or("U".into(), |reading| reading.to_string());
        let readings = [Reading::of(&text), Reading::of("7")];
        let sample = Sample { time, readings: &readings };
        update(&definition, &mut whole.live, &sample, &mut workspace).expect("it is in order");
        for run in workspace.final_rows() {
            for _ in 0..run.count {
                let ring = &mut whole.rows[run.archive];
                ring.rotate_left(run.values.len());
                let begin = ring.len() - run.values.len();
                ring[begin..].copy_from_slice(run.values);
            }
        }
    }
    whole
}

fn rule(rule: Rule<'_>) -> Repair<'_> {
    Repair { span: Span::ALL, sources: &[], rules: vec![rule], by: Replacement::Unknown }
}

fn planned(whole: &Snapshot, repair: &Repair<'_>) -> Plan {
    repair::plan(whole, repair, &mut Room::of_bytes(1 << 24)).expect("it is small")
}

fn close(one: f64, other: f64) -> bool {
    is_same(one, other) || (one - other).abs() <= 1e-12 * other.abs().max(1e3)
}

fn assert_rows_close(mended: &Snapshot, clean: &Snapshot) {
    for (archive, (mended, clean)) in mended.rows.iter().zip(&clean.rows).enumerate() {
        for (nth, (mended, clean)) in mended.iter().zip(clean).enumerate() {
            assert!(close(*mended, *clean), "RRA {archive}, cell {nth}: {mended} for {clean}");
        }
    }
}

proptest! {
    #[test]
    fn what_was_mended_is_as_if_it_had_never_been_wrong(
        readings in prop::collection::vec(prop::option::weighted(0.9, 1.0..1000.0_f64), 20..190),
        wrong in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
    ) {
        let mut clean = readings.clone();
        let mut spiked = readings;
        for wrong in wrong {
            let nth = wrong.index(clean.len());
            (clean[nth], spiked[nth]) = (None, Some(1e12));
        }
        let (clean, spiked) = (updated(&clean), updated(&spiked));
        let repair = rule(Rule::Limits { minimum: f64::NAN, maximum: LIMIT });
        let plan = planned(&spiked, &repair);
        let mended = change_cells(&spiked, &plan.changes).expect("nothing changed meanwhile");
        assert_rows_close(&mended, &clean);
        for (mended, clean) in mended.live.cells.iter().zip(&clean.live.cells) {
            prop_assert!(close(mended.value, clean.value) || mended.unknown_pdps == 0);
            prop_assert_eq!(mended.unknown_pdps, clean.unknown_pdps);
        }
        prop_assert!(planned(&mended, &repair).changes.is_empty());
        let undone = change_cells(&mended, &Plan::undone(&plan.changes)).expect("nor since");
        prop_assert!(undone.rows.iter().flatten().zip(spiked.rows.iter().flatten())
            .all(|(undone, spiked)| is_same(*undone, *spiked)));
    }
}

#[test]
fn only_the_named_source_and_span_are_looked_at() {
    let readings: Vec<_> =
        (0..60).map(|nth| Some(if nth % 20 == 5 { 1e12 } else { 5.0 })).collect();
    let whole = updated(&readings);
    let rules = vec![Rule::Limits { minimum: 10.0, maximum: f64::NAN }];
    let names = ["b".to_owned()];
    let span = Span { start_seconds: START_SECONDS + 100, end_seconds: START_SECONDS + 150 };
    let repair = Repair { span, sources: &names, rules, by: Replacement::Previous };
    let plan = planned(&whole, &repair);
    let of_pdps: Vec<&CellChange> = plan.changes.iter().filter(|it| it.archive == 0).collect();
    assert_eq!(of_pdps.len(), 5);
    assert!(plan.changes.iter().all(|change| change.source == 1));
}

#[test]
fn a_cell_that_changed_meanwhile_changes_nothing() {
    let whole = updated(&[Some(5.0); 40]);
    let cell = CellChange {
        archive: 0,
        source: 0,
        row_end_seconds: START_SECONDS + 100,
        before: 5.0,
        after: 6.0,
    };
    assert!(change_cells(&whole, &[cell]).is_ok());
    for wrong in [
        CellChange { before: 4.0, ..cell },
        CellChange { archive: 99, ..cell },
        CellChange { source: 2, ..cell },
        CellChange { row_end_seconds: cell.row_end_seconds + 1, ..cell },
        CellChange { row_end_seconds: i64::MAX, ..cell },
    ] {
        assert!(change_cells(&whole, &[cell, wrong]).is_err(), "{wrong:?}");
    }
    let gone = CellChange { row_end_seconds: START_SECONDS - 100 * 10_000, ..cell };
    assert_eq!(change_cells(&whole, &[gone]).expect("it is passed over").rows.len(), 11);
}

#[test]
fn a_shift_moves_whole_rows_and_scaling_multiplies() {
    let whole = updated(&(0..120).map(|nth| Some(f64::from(nth))).collect::<Vec<_>>());
    let plan = planned(&whole, &rule(Rule::Shift { seconds: -60 }));
    let notes: Vec<usize> = plan
        .notes
        .iter()
        .filter_map(|note| match note {
            Note::NoWholeRows { archive, .. } => Some(*archive),
            _ => None,
        })
        .collect();
    assert_eq!(notes, [2, 4, 6, 8, 10]);
    let shifted = change_cells(&whole, &plan.changes).expect("nothing changed meanwhile");
    let (old, new) = (&whole.rows[0], &shifted.rows[0]);
    assert!(old[2 * 90..].iter().zip(&new[2 * 84..]).all(|(old, new)| is_same(*old, *new)));
    let doubled = planned(&whole, &rule(Rule::Scale { factor: 2.0 }));
    let doubled = change_cells(&whole, &doubled.changes).expect("nothing changed meanwhile");
    let twice = |(old, new): (&f64, &f64)| is_same(old * 2.0, *new);
    assert!(whole.rows.iter().flatten().zip(doubled.rows.iter().flatten()).all(twice));
}

#[test]
fn another_history_fills_what_is_unknown() {
    let all: Vec<Option<f64>> = (0..180).map(|nth| Some(f64::from(nth * nth % 91))).collect();
    let lacks = |range: std::ops::Range<usize>| {
        let mut readings = all.clone();
        readings[range].fill(None);
        updated(&readings)
    };
    let (whole, clean) = (lacks(60..96), updated(&all));
    let other = lacks(150..170);
    let plan = planned(&whole, &rule(Rule::Merge(&other)));
    let mut mended = change_cells(&whole, &plan.changes).expect("nothing changed meanwhile");
    // Rows that began before the database are unknown in it; of another one's they can be made.
    let cells = mended.rows.iter_mut().flatten().zip(clean.rows.iter().flatten());
    cells.filter(|(_, clean)| clean.is_nan()).for_each(|(cell, _)| *cell = f64::NAN);
    assert_rows_close(&mended, &clean);
}
