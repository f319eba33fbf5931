//! Rows of STDEV and PERCENTILE against what they mean, over all PDPs of each row: for updates with
//! gaps, unknown readings, fractions of seconds and jumps over many rows.

use proptest::collection::vec;
use proptest::prelude::*;
use rrd::{
    ConsolidationFunction, Definition, FinalRows, LiveState, Reading, Sample, Timestamp, Workspace,
    update,
};

const STEP_SECONDS: u64 = 10;
/// So many rows that no jump goes round the ring.
const ROWS: u64 = 100_000;
const START_SECONDS: i64 = 1_700_000_003;

/// What an archive is told to do.
#[derive(Clone, Debug)]
struct Wish {
    pdp_per_row: u64,
    xff: f64,
    /// `None` for STDEV.
    percent: Option<u32>,
}

fn wish() -> impl Strategy<Value = Wish> {
    let percent = prop_oneof![1 => Just(None), 2 => (0..=100_u32).prop_map(Some)];
    let pdp_per_row = prop_oneof![8 => 2..20_u64, 1 => 20..400_u64, 1 => Just(4096)];
    let xff = prop::sample::select(vec![0.0, 0.3, 0.5, 0.99]);
    (pdp_per_row, xff, percent).prop_map(|(pdp_per_row, xff, percent)| Wish {
        pdp_per_row,
        xff,
        percent,
    })
}

/// Microseconds on from the update before, and the reading.
fn step() -> impl Strategy<Value = (u64, String)> {
    let step = STEP_SECONDS * 1_000_000;
    let forward = prop_oneof![
        20 => Just(step),
        10 => 1..2 * step,
        4 => (2..30_u64).prop_map(move |steps| steps * step + 1_234_567),
        1 => (30..9_000_u64).prop_map(move |steps| steps * step),
    ];
    let reading = prop_oneof![
        8 => (0..1_000_u32).prop_map(|noise| format!("{}", 1e9 + f64::from(noise) / 1e3)),
        4 => (-1_000..1_000_i32).prop_map(|it| it.to_string()),
        2 => Just("0".to_owned()),
        2 => Just("U".to_owned()),
    ];
    (forward, reading)
}

fn definition(wishes: &[Wish], heartbeat_seconds: u64, with_forecast: bool) -> Definition {
    let mut words = vec![
        format!("DS:a:GAUGE:{heartbeat_seconds}:U:U"),
        format!("DS:b:COMPUTE:a,-2,*"),
        format!("RRA:AVERAGE:0.5:1:{ROWS}"),
    ];
    for Wish { pdp_per_row, xff, percent } in wishes {
        words.push(match percent {
            None => format!("RRA:STDEV:{xff}:{pdp_per_row}:{ROWS}"),
            Some(percent) => format!("RRA:PERCENTILE:{xff}:{pdp_per_row}:{ROWS}:{percent}"),
        });
    }
    if with_forecast {
        words.push("RRA:HWPREDICT:40:0.1:0.01:12".into());
    }
    rrd::spec::definition(STEP_SECONDS, words.iter().map(String::as_str)).unwrap()
}

/// The rows of an archive by its meaning: `pdps` are all that ended, the first of number `first`.
fn meant(pdps: &[f64], first: u64, wish: &Wish) -> Vec<f64> {
    let per_row = wish.pdp_per_row;
    let unknown_before = (first % per_row) as usize;
    let mut all = vec![f64::NAN; unknown_before];
    all.extend(pdps);
    let rows = all.chunks_exact(per_row as usize);
    rows.map(|row| {
        let mut known: Vec<f64> = row.iter().copied().filter(|pdp| !pdp.is_nan()).collect();
        let unknown = row.len() - known.len();
        if known.is_empty() || unknown as f64 > per_row as f64 * wish.xff {
            return f64::NAN;
        }
        match wish.percent {
            None => deviation(&known),
            Some(percent) => {
                known.sort_by(f64::total_cmp);
                let rank = f64::from(percent) * (known.len() - 1) as f64 / 100.0;
                known[rank.round() as usize]
            }
        }
    })
    .collect()
}

/// In two passes: first the mean.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    // The mean of distances from the first: a sum of large values would be rounded.
    let mean = values[0] + values.iter().map(|value| value - values[0]).sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (squares / count).sqrt()
}

fn is_near(found: f64, expected: f64, largest: f64, is_deviation: bool) -> bool {
    match is_deviation {
        _ if expected.is_nan() || found.is_nan() => expected.is_nan() && found.is_nan(),
        true => (found - expected).abs() <= expected * 1e-6 + largest * 1e-14,
        false => found == expected,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_what_they_mean(
        wishes in vec(wish(), 1..4),
        steps in vec(step(), 1..120),
        heartbeat_seconds in prop::sample::select(vec![20_u64, 100, 1_000_000]),
        with_forecast in prop::bool::weighted(0.2),
    ) {
        let definition = definition(&wishes, heartbeat_seconds, with_forecast);
        let mut state = LiveState::fresh(&definition, Timestamp::from_seconds(START_SECONDS));
        if with_forecast {
            let seasonal = definition.archives.iter().enumerate();
            state.forecast.rings = seasonal
                .filter(|(_, it)| it.cf.is_seasonal())
                .map(|(archive, it)| rrd::SeasonalRing {
                    archive,
                    newest_slot: 0,
                    values: vec![f64::NAN; it.rows as usize * 2],
                })
                .collect();
        }
        let mut workspace = Workspace::default();
        let mut rows: Vec<Vec<[f64; 2]>> = vec![Vec::new(); definition.archives.len()];
        let mut micros = START_SECONDS as u64 * 1_000_000;
        for (forward, reading) in &steps {
            micros += forward;
            let time = Timestamp {
                seconds: (micros / 1_000_000) as i64,
                micros: (micros % 1_000_000) as u32,
            };
            let readings = [Reading::of(reading), Reading::Unknown];
            update(&definition, &mut state, &Sample { time, readings: &readings }, &mut workspace)
                .unwrap();
            for FinalRows { archive, count, values, .. } in workspace.final_rows() {
                prop_assert!(count < ROWS);
                rows[archive].extend((0..count).map(|_| [values[0], values[1]]));
            }
        }
        for source in 0..2 {
            let pdps: Vec<f64> = rows[0].iter().map(|row| row[source]).collect();
            let first = START_SECONDS as u64 / STEP_SECONDS;
            let known = pdps.iter().copied().filter(|pdp| !pdp.is_nan());
            let largest = known.map(f64::abs).fold(0.0, f64::max);
            for (wish, rows) in wishes.iter().zip(&rows[1..]) {
                let found: Vec<f64> = rows.iter().map(|row| row[source]).collect();
                let expected = meant(&pdps, first, wish);
                prop_assert_eq!(found.len(), expected.len(), "{:?}", wish);
                for (found, expected) in found.iter().zip(&expected) {
                    let near = is_near(*found, *expected, largest, wish.percent.is_none());
                    prop_assert!(near, "{} where {} is meant: {:?}", found, expected, wish);
                }
            }
        }
    }
}

#[test]
fn archives_that_cannot_be_are_refused() {
    let refused = |archive: &str| {
        let words = ["DS:a:GAUGE:600:U:U", archive];
        rrd::spec::definition(300, words).unwrap_err().to_string()
    };
    assert_eq!(
        refused("RRA:PERCENTILE:0.5:12:100:101"),
        "PERCENTILE of 101: expected a number from 0 to 100 with at most six decimals"
    );
    assert_eq!(
        refused("RRA:PERCENTILE:0.5:12:100"),
        "RRA:PERCENTILE:0.5:12:100: expected RRA:PERCENTILE:xff:steps:rows:percent"
    );
    assert_eq!(
        refused("RRA:STDEV:0.5:12:100:95"),
        "RRA:STDEV:0.5:12:100:95: expected RRA:STDEV:xff:steps:rows"
    );
    assert_eq!(
        refused("RRA:PERCENTILE:0.5:4097:100:95"),
        "PERCENTILE of 4097 steps a row: every step is kept until its row ends, and 4096 are the \
         most"
    );
    assert_eq!(
        refused("RRA:STDEV:0.5:1:100"),
        "STDEV of one step a row says nothing: a row needs two steps at least"
    );
    assert_eq!(refused("RRA:STDEV:1:2:100"), "Invalid xff: must be between 0 and 1");
}

#[test]
fn a_query_says_which_percentile_or_there_is_one() {
    use rrd::fetch::{FetchError, Query, window};
    let of = |percents: &[&str]| {
        let mut words = vec!["DS:a:GAUGE:600:U:U".to_owned(), "RRA:AVERAGE:0.5:1:100".into()];
        words.extend(percents.iter().map(|it| format!("RRA:PERCENTILE:0.5:12:100:{it}")));
        rrd::spec::definition(300, words.iter().map(String::as_str)).unwrap()
    };
    let ask = |definition: &Definition, cf: &str| {
        let cf: ConsolidationFunction = cf.parse().unwrap();
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf,
            start_seconds: 0,
            end_seconds: 7200,
            step_seconds: 300,
        };
        window(definition, 7200, &query).map(|window| window.archive)
    };
    let (one, two) = (of(&["95"]), of(&["50", "99.9"]));
    assert_eq!(ask(&one, "PERCENTILE"), Ok(1));
    assert_eq!(ask(&one, "PERCENTILE95.0"), Ok(1));
    assert_eq!(ask(&one, "PERCENTILE50"), Err(FetchError::NoArchive));
    assert_eq!(ask(&one, "STDEV"), Err(FetchError::NoArchive));
    assert_eq!(ask(&two, "PERCENTILE99.9"), Ok(2));
    let which = ask(&two, "PERCENTILE").unwrap_err().to_string();
    assert_eq!(which, "expected which percentile, one of PERCENTILE50, PERCENTILE99.9");
}
