//! Definitions and states that only a damaged file could hold must not make the arithmetic panic.

use proptest::prelude::*;
use rrd::fetch::{Query, window};
use rrd::live::LastReading;
use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, LiveState, Reading, Sample, SourceKind,
    Timestamp, Workspace, update,
};

fn any_float() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

fn definition() -> impl Strategy<Value = Definition> {
    let source = (0..6_usize, any::<u64>(), any_float(), any_float()).prop_map(
        |(kind, heartbeat_seconds, minimum, maximum)| DataSource {
            name: "a".into(),
            kind: SourceKind::OF_READINGS[kind],
            heartbeat_seconds,
            minimum,
            maximum,
        },
    );
    let archive = (0..4_usize, 1..1_u64 << 15, 1..1_u64 << 20, any_float()).prop_map(
        |(cf, rows, pdp_per_row, xff)| {
            Archive::plain(ConsolidationFunction::PLAIN[cf], rows, pdp_per_row, xff)
        },
    );
    let (sources, archives) =
        (prop::collection::vec(source, 1..3), prop::collection::vec(archive, 1..4));
    (1..1_u64 << 24, sources, archives).prop_map(|(step_seconds, sources, archives)| Definition {
        tick: rrd::Tick::SECOND,
        step_seconds,
        sources,
        archives,
    })
}

fn moment() -> impl Strategy<Value = Timestamp> {
    let seconds = prop_oneof![0..i64::MAX, 0..4_000_000_000_i64, any::<i64>()];
    (seconds, 0..1_000_000_u32).prop_map(|(seconds, micros)| Timestamp { seconds, micros })
}

proptest! {
    #[test]
    fn no_state_makes_an_update_panic(
        definition in definition(),
        last in moment().prop_filter("files hold times since 1970", |last| last.seconds >= 0),
        times in prop::collection::vec(moment(), 1..4),
        (unknown, value, text) in (any::<u64>(), any_float(), any::<[u8; 30]>()),
        reading in "[-0-9a-zU.]{0,40}",
    ) {
        let mut state = LiveState::fresh(&definition, last);
        for source in &mut state.sources {
            source.unknown_seconds = unknown;
            source.value = value;
            source.last_reading = LastReading::from_bytes(text);
        }
        for cell in &mut state.cells {
            cell.unknown_pdps = unknown;
            cell.value = value;
        }
        let readings = vec![Reading::of(&reading); definition.sources.len()];
        let mut workspace = Workspace::default();
        for time in times {
            let sample = Sample { time, readings: &readings };
            if update(&definition, &mut state, &sample, &mut workspace).is_ok() {
                prop_assert_eq!(state.last_update, time);
                for rows in workspace.final_rows() {
                    prop_assert!((1..=definition.archives[rows.archive].rows).contains(&rows.count));
                }
            }
        }
    }

    #[test]
    fn no_query_makes_the_choice_of_rows_panic(
        definition in definition(),
        last_seconds in 0..i64::MAX,
        (start_seconds, end_seconds) in (any::<i64>(), any::<i64>()),
        near in -10_000..10_000_i64,
        step_seconds in any::<u64>(),
    ) {
        let cf = definition.archives[0].cf;
        for (start_seconds, end_seconds) in [
            (start_seconds, end_seconds),
            (start_seconds, start_seconds.saturating_add(near)),
            (last_seconds.saturating_add(near), last_seconds),
        ] {
            let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds };
            let _ = window(&definition, last_seconds, &query); // an error is an answer
        }
    }
}
