//! TREND.MIN, TREND.MAX, TREND.STDEV, TREND.MEDIAN and TREND.PERCENT against their definitions.

use jiff::tz::TimeZone;
use proptest::prelude::*;
use rrd::rpn::{Clock, Column, Program, RpnError, Variable, Vocabulary};

const STEP: i64 = 10;

fn program(text: &str) -> Result<Program, RpnError> {
    let names = ["a", "b", "c"];
    let mut lookup = |name: &str| names.iter().position(|known| *known == name);
    Program::parse_in(Vocabulary::Gyre, text, &mut lookup)
}

const CLOCK: Clock<'static> =
    Clock { tick: rrd::Tick::SECOND, now_seconds: 0, zone: &TimeZone::UTC };

fn series(values: &[f64]) -> Variable<'_> {
    Variable::Series(Column { start_seconds: 0, step_seconds: STEP as u64, values })
}

fn evaluate(text: &str, values: &[f64]) -> Vec<f64> {
    evaluate_by(text, values, &[])
}

/// The same, where `c` is a series, too.
fn evaluate_by(text: &str, values: &[f64], lengths: &[f64]) -> Vec<f64> {
    let variables = [series(values), Variable::Constant(30.0), series(lengths)];
    program(text).expect(text).evaluate(&variables, CLOCK).expect(text).values
}

/// What the window that ends with a row is to give.
fn naive(word: &str, values: &[f64], row: usize, rows: usize, percent: f64) -> f64 {
    if row + 1 < rows {
        return f64::NAN;
    }
    let mut window = values[row + 1 - rows..=row].to_vec();
    if window.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    window.sort_by(|a, b| a.partial_cmp(b).expect("known values"));
    let count = rows as f64;
    match word {
        "TREND.MIN" => window[0],
        "TREND.MAX" => window[rows - 1],
        "TREND.MEDIAN" => 0.5 * (window[rows / 2] + window[(rows - 1) / 2]),
        "TREND.PERCENT" => window[((percent * count / 100.0).round() as usize).saturating_sub(1)],
        _ if rows < 2 => f64::NAN,
        _ => {
            let mean = window.iter().sum::<f64>() / count;
            let squares = window.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
            (squares / (count - 1.0)).sqrt()
        }
    }
}

fn is_near(ours: f64, expected: f64, word: &str) -> bool {
    match word {
        "TREND.STDEV" => {
            ours.is_nan() && expected.is_nan() || (ours - expected).abs() <= 1e-9 * expected.abs()
        }
        _ => ours == expected || ours.is_nan() && expected.is_nan(),
    }
}

const WORDS: [&str; 5] = ["TREND.MIN", "TREND.MAX", "TREND.STDEV", "TREND.MEDIAN", "TREND.PERCENT"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_are_what_their_definitions_say(
        values in prop::collection::vec(
            prop_oneof![
                12 => -1e3..1e3_f64,
                4 => (0..5_i32).prop_map(f64::from),
                1 => Just(f64::NAN),
            ],
            1..1500,
        ),
        rows in prop_oneof![1..20_usize, 1..1500_usize],
        percent in prop_oneof![0.0..100.0_f64, (0..=100_i32).prop_map(f64::from)],
        word in prop::sample::select(&WORDS[..]),
        is_constant in any::<bool>(),
    ) {
        let seconds = rows as i64 * STEP;
        let argument = if word == "TREND.PERCENT" { format!("{percent},") } else { String::new() };
        // A length that a series gives may be another one at each row.
        let length = if is_constant { format!("{seconds}") } else { "c".into() };
        let lengths = vec![seconds as f64; values.len()];
        let ours = evaluate_by(&format!("a,{argument}{length},{word}"), &values, &lengths);
        prop_assert_eq!(ours.len(), values.len());
        for (row, ours) in ours.into_iter().enumerate() {
            let expected = naive(word, &values, row, rows, percent);
            prop_assert!(is_near(ours, expected, word), "{word} {rows} {row}: {ours} {expected}");
        }
    }
}

/// A spike that passes through a window leaves nothing behind, and the mean cancels nothing.
#[test]
fn deviations_of_small_noise_on_large_values_are_stable() {
    let noise = |row: usize| ((row * 2_654_435_761) % 1000) as f64 / 1000.0;
    let values: Vec<f64> = (0..5000).map(|row| 1e9 + noise(row)).collect();
    let mut spiked = values.clone();
    spiked[1000] = 1e18;
    let ours = evaluate("a,2880,TREND.STDEV", &spiked);
    for row in (0..5000).filter(|row| !(1000..1288).contains(row)).skip(288) {
        let window: Vec<f64> = (row - 287..=row).map(noise).collect();
        let expected = naive("TREND.STDEV", &window, 287, 288, 0.0);
        // The values themselves are rounded to 1e-7.
        assert!((ours[row] - expected).abs() < 1e-6, "{row}: {} {expected}", ours[row]);
    }
}

#[test]
fn windows_reach_behind_the_first_row_of_an_evaluation_that_begins_later() {
    let values: Vec<f64> = (0..100).map(|row| f64::from(row % 7)).collect();
    let variables = [series(&values), Variable::Constant(30.0)];
    for text in
        ["a,300,TREND.MAX", "a,300,TREND", "a,b,TREND.MEDIAN", "100,1,50,a,PREDICT", "a,2,*"]
    {
        let whole = program(text).unwrap().evaluate(&variables, CLOCK).unwrap();
        let later = program(text).unwrap().evaluate_from(495, &variables, CLOCK).unwrap();
        assert_eq!((later.start_seconds, later.values.len()), (500, 50));
        let same = whole.values[50..].iter().zip(&later.values);
        let skipped = usize::from(text.ends_with("PREDICT"));
        assert!(same.take(50 - skipped).all(|(a, b)| a == b), "{text}");
    }
    let text = "a,520,TREND.MIN";
    let later = program(text).unwrap().evaluate_from(500, &variables, CLOCK).unwrap();
    assert!(later.values[0].is_nan() && later.values[1] == 0.0);
}

/// Rows of a coarser series count, however often the finer grid repeats them.
#[test]
fn windows_of_a_series_that_is_coarser_than_the_grid() {
    let (fine, coarse) = ([0.0; 40], [3.0, 1.0, 4.0, 1.0]);
    let coarse = Column { start_seconds: 0, step_seconds: 100, values: &coarse };
    let variables = [series(&fine), Variable::Constant(0.0), Variable::Series(coarse)];
    let ours = program("c,200,TREND.MAX,a,+").unwrap().evaluate(&variables, CLOCK).unwrap();
    let trend = program("c,200,TREND,a,+").unwrap().evaluate(&variables, CLOCK).unwrap();
    for (row, expected) in [(19, 3.0), (25, 3.0), (29, 4.0), (35, 4.0), (39, 4.0)] {
        assert_eq!(ours.values[row], expected, "{row}: {:?}", ours.values);
        assert!(!trend.values[row].is_nan());
    }
}

#[test]
fn rrdtools_vocabulary_has_no_words_with_dots() {
    for word in WORDS {
        let text = format!("a,50,30,{word}");
        let refused = Program::parse(&text, &mut |name| (name == "a").then_some(0));
        assert_eq!(refused, Err(RpnError::Unknown(word.into())), "{text}");
    }
    let names = rrd::Expression::parse("a,50,TREND.MIN", &["a"]);
    assert!(names.is_err());
}

#[test]
fn arguments_that_are_none_are_refused() {
    for (text, error) in [
        ("a,101,300,TREND.PERCENT", RpnError::Percent),
        ("a,-1,300,TREND.PERCENT", RpnError::Percent),
        ("a,300,TREND.PERCENT", RpnError::Underflow),
        ("a,2,*,300,TREND.MAX", RpnError::MalformedTrend),
        ("a,0,+,50,300,TREND.PERCENT", RpnError::MalformedTrend),
    ] {
        assert_eq!(program(text), Err(error), "{text}");
    }
    let variables = [series(&[1.0; 9]), Variable::Constant(101.0)];
    let run = program("a,b,30,TREND.PERCENT").unwrap().evaluate(&variables, CLOCK);
    assert_eq!(run, Err(RpnError::Percent));
    assert!(evaluate("a,1e18,TREND.MIN", &[1.0; 9]).iter().all(|value| value.is_nan()));
    assert!(evaluate("a,INF,TREND.MIN", &[1.0; 9]).iter().all(|value| value.is_nan()));
}
