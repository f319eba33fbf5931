//! TREND, PREDICT and their like, ours against rrdtool's, to the last bit and the sign of what is
//! unknown.
#![allow(clippy::disallowed_methods)] // it starts rrdtool and writes its databases

use std::cell::RefCell;
use std::fmt::Write as _;

use jiff::tz::TimeZone;
use oracle::{Reply, Rrdtool};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rrd::rpn::{Clock, Column, Program, Variable};

/// A multiple of both steps.
const START: i64 = 1_789_905_600;
const STEP: i64 = 3600;
/// Of the coarse series, which begins long before: rrdtool reads memory that is not the series'
/// where a window begins before it.
const LONG_STEP: i64 = 3 * STEP;
const LONG_START: i64 = START - 100 * LONG_STEP;
const ROWS: i64 = 24;
const END: i64 = START + ROWS * STEP;

/// `e` is `a` with infinities and with an unknown value that has no sign.
const ODD: &str = "COUNT,7,EQ,INF,COUNT,12,EQ,NEGINF,COUNT,17,EQ,UNKN,ABS,a,IF,IF,IF";
const NAMES: [&str; 3] = ["a", "b", "e"];

struct Peer {
    rrdtool: RefCell<Rrdtool>,
    /// The values of [`NAMES`].
    series: Vec<Vec<f64>>,
    _directory: tempfile::TempDir,
}

/// Values of many magnitudes, so that the order of additions shows; some are unknown.
fn noise(seed: u64) -> impl FnMut() -> String {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        let share = (state >> 11) as f64 / (1_u64 << 53) as f64;
        match state >> 60 {
            3 => "U".into(),
            power => format!("{:e}", (share - 0.4) * 10_f64.powi(power as i32 - 8)),
        }
    }
}

fn fill(rrdtool: &mut Rrdtool, name: &str, start: i64, step: i64) {
    let create = format!(
        "create {name} --start {start} --step {step} DS:d:GAUGE:{}:U:U RRA:AVERAGE:0.5:1:500",
        2 * step
    );
    assert_eq!(rrdtool.send(&create), Reply::Ok(Vec::new()));
    let mut value = noise(step as u64);
    let mut update = format!("update {name}");
    for time in (start + step..=END).step_by(step as usize) {
        let _ = write!(update, " {time}:{}", value());
    }
    assert_eq!(rrdtool.send(&update), Reply::Ok(Vec::new()));
}

impl Peer {
    fn start(purpose: &str) -> Option<Self> {
        let program = oracle::program("rrdtool", purpose)?;
        let directory = tempfile::tempdir().expect("a directory");
        let mut rrdtool = Rrdtool::start(&program, directory.path());
        fill(&mut rrdtool, "a.rrd", START, STEP);
        fill(&mut rrdtool, "b.rrd", LONG_START, LONG_STEP);
        let rrdtool = RefCell::new(rrdtool);
        let mut peer = Self { rrdtool, series: Vec::new(), _directory: directory };
        let long_rows = (END - LONG_START) / LONG_STEP + 1;
        for (name, rows) in NAMES.into_iter().zip([ROWS + 1, long_rows, ROWS + 1]) {
            let values = peer.answer(name, rows).expect("the series");
            peer.series.push(values);
        }
        Some(peer)
    }

    /// The values of an expression: each row by itself, since only PRINT shows all digits. What is
    /// unknown is shown with its sign as the lowest of all rows.
    fn answer(&self, expression: &str, rows: i64) -> Result<Vec<f64>, String> {
        let mut command = format!(
            "graph x -s {START} -e {END} -S {STEP} DEF:a=a.rrd:d:AVERAGE \
             DEF:b=b.rrd:d:AVERAGE:start={LONG_START} CDEF:e={ODD} CDEF:c={expression}"
        );
        for row in 1..=rows {
            let _ = write!(
                command,
                " CDEF:k{row}=c,POP,COUNT,{row},EQ,c,UNKN,IF VDEF:l{row}=k{row},LAST \
                 CDEF:n{row}=c,POP,COUNT,{row},EQ,c,1e99,IF VDEF:m{row}=n{row},0,PERCENT \
                 PRINT:l{row}:%.17le PRINT:m{row}:%.17le"
            );
        }
        match self.rrdtool.borrow_mut().send(&command) {
            Reply::Error(words) => Err(words),
            Reply::Ok(lines) => Ok(values_of(&lines)),
        }
    }

    fn ours(&self, expression: &str) -> Result<Vec<f64>, String> {
        let [a, b, e] = &self.series[..] else { unreachable!("there are three") };
        let column = |start_seconds, step: i64, values| {
            Variable::Series(Column { start_seconds, step_seconds: step as u64, values })
        };
        let mut e = e.clone();
        e[16] = f64::NAN; // with the sign that ABS took away
        let variables =
            [column(START, STEP, a), column(LONG_START, LONG_STEP, b), column(START, STEP, &e)];
        let mut lookup = |name: &str| NAMES.iter().position(|known| *known == name);
        let clock = Clock { tick: rrd::Tick::SECOND, now_seconds: 0, zone: &TimeZone::UTC };
        let program = Program::parse(expression, &mut lookup).map_err(|error| error.to_string())?;
        let answer = program.evaluate(&variables, clock).map_err(|error| error.to_string())?;
        Ok(answer.values)
    }

    /// Holds one expression of ours against theirs.
    fn compare(&self, expression: &str) -> Result<(), String> {
        let ours = self.ours(expression);
        let theirs = self.answer(expression, ours.as_ref().map_or(1, Vec::len) as i64);
        let equal = match (&ours, &theirs) {
            (Err(ours), Err(theirs)) => ours == theirs,
            (Ok(ours), Ok(theirs)) => {
                // At the last row PREDICT begins with one behind the end, where rrdtool reads
                // memory that is not the series'.
                let pairs = ours.iter().zip(theirs).take(ours.len() - 1);
                ours.len() == theirs.len() && pairs.into_iter().all(|(a, b)| same(*a, *b))
            }
            _ => false,
        };
        if equal { Ok(()) } else { Err(format!("{expression}:\n{ours:?}\n{theirs:?}")) }
    }
}

/// Equal to the last bit; of unknown values the sign counts.
fn same(ours: f64, theirs: f64) -> bool {
    let signs = ours.is_sign_negative() == theirs.is_sign_negative();
    ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan() && signs)
}

/// Of each pair of lines the first, or the second where that is unknown.
fn values_of(lines: &[String]) -> Vec<f64> {
    let number = |line: &str| match line {
        "-nan" => -f64::NAN,
        "nan" => f64::NAN,
        other => other.parse().expect("a number"),
    };
    let lines: Vec<f64> = lines.iter().filter(|line| *line != "0x0").map(|l| number(l)).collect();
    lines.chunks(2).map(|pair| if pair[0].is_nan() { pair[1] } else { pair[0] }).collect()
}

fn expression() -> impl Strategy<Value = String> {
    let series = || prop::sample::select(&NAMES[..]);
    let seconds = || {
        prop_oneof![
            6 => (0..ROWS * STEP).prop_map(|seconds| seconds.to_string()),
            2 => (0..12_i64).prop_map(|rows| (rows * STEP).to_string()),
            1 => prop::sample::select(&["-5", "7199.9", "1e7", "-7200", "0.5"][..])
                .prop_map(str::to_owned),
        ]
    };
    let tail = || prop::sample::select(&["", ",a,+", ",b,ADDNAN", ",a,0,*,ADDNAN", ",2,*"][..]);
    let trend = prop::sample::select(&["TREND", "TRENDNAN"][..]);
    let shifts = prop_oneof![
        4 => prop::collection::vec(seconds(), 1..4)
            .prop_map(|shifts| format!("{},{}", shifts.join(","), shifts.len())),
        2 => (seconds(), 1..5).prop_map(|(shift, times)| format!("{shift},-{times}")),
        1 => seconds().prop_map(|shift| format!("{shift},2")),
    ];
    let kind = prop_oneof![
        2 => Just((String::new(), "PREDICT")),
        2 => Just((String::new(), "PREDICTSIGMA")),
        4 => (-110..110_i32).prop_map(|percent| (format!("{percent},"), "PREDICTPERC")),
        1 => Just(("33.3,".to_owned(), "PREDICTPERC")),
    ];
    prop_oneof![
        (series(), seconds(), trend, tail())
            .prop_map(|(series, seconds, word, tail)| format!("{series},{seconds},{word}{tail}")),
        (shifts, seconds(), kind, series(), tail()).prop_map(
            |(shifts, seconds, (percent, word), series, tail)| {
                format!("{shifts},{seconds},{percent}{series},{word}{tail}")
            }
        ),
    ]
}

#[test]
fn windows_give_what_rrdtool_gives_to_the_last_bit() {
    let Some(peer) = Peer::start("windows of RPN against rrdtool's") else { return };
    // The same expressions in every run; others, and more, with GYRE_CASES.
    let wanted = std::env::var("GYRE_CASES").ok().and_then(|cases| cases.parse().ok());
    let config =
        Config { cases: wanted.unwrap_or(500), failure_persistence: None, ..Config::default() };
    let mut runner = match wanted {
        Some(_) => TestRunner::new(config),
        None => {
            let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            TestRunner::new_with_rng(config, random)
        }
    };
    let held = runner.run(&expression(), |text| {
        peer.compare(&text).map_err(proptest::test_runner::TestCaseError::fail)
    });
    held.unwrap();
}

#[test]
fn arguments_are_taken_and_refused_as_rrdtool_does() {
    let Some(peer) = Peer::start("arguments of RPN's windows") else { return };
    for expression in [
        "a,TREND",
        "a,2,*,7200,TREND",
        "1,7200,TREND,a,+",
        "a,7200,TREND,3600,TREND",
        "a,DUP,7200,TREND,+",
        "PREV(a),7200,TREND",
        "a,7200,a,POP,TREND",
        "7200,a,EXC,TREND",
        "a,STEPWIDTH,TREND",
        "a,3600,3600,+,TREND",
        "a,COUNT,3600,*,TREND",
        "a,7200,TREND,a,3600,TRENDNAN,+,a,7200,TREND,-",
        "0,1,7200,PREV(a),PREDICT",
        "7,0,1,7200,a,PREDICT,+",
        "0,1.9,7200,a,PREDICT",
        "0,0,7200,a,PREDICT",
        "0,a,PREDICT",
        "0,2,7200,a,PREDICT",
        "-10,1,7200,a,PREDICT",
        "-0.9,1,7200,a,PREDICT",
        "-10,-3,7200,a,PREDICT",
        "-1,-1,7200,a,PREDICT",
        "UNKN,1,7200,a,PREDICT",
        "0,1,UNKN,a,PREDICT",
        "0,1,INF,a,PREDICT",
        "0,1e5,7200,a,PREDICT",
        "0,-3,7200,a,PREDICT",
        "0,1,7200,120,a,PREDICTPERC",
        "0,1,7200,-100.5,a,PREDICTPERC",
        "0,1,7200,100,a,PREDICTPERC",
        "7000.6,-3,120,a,PREDICT",
    ] {
        peer.compare(expression).unwrap_or_else(|told| panic!("{told}"));
    }
}

/// What Debian's rrdtool 1.7.2 gives for these rows, kept: this holds where no rrdtool is.
#[test]
fn golden_windows() {
    let values: Vec<f64> = (0..8).map(|row| f64::from(1 << row)).collect();
    let gap: Vec<f64> =
        values.iter().map(|value| if *value == 8.0 { f64::NAN } else { *value }).collect();
    let nan = f64::NAN;
    for (expression, series, expected) in [
        ("a,30,TREND", &values, [nan, nan, 7.0, 14.0, 28.0, 56.0, 112.0, 224.0].map(|s| s / 3.0)),
        ("a,31,TREND", &values, [nan, nan, nan, 3.75, 7.5, 15.0, 30.0, 60.0]),
        ("a,20,TREND", &gap, [nan, 1.5, 3.0, nan, nan, 24.0, 48.0, 96.0]),
        ("a,20,TRENDNAN", &gap, [nan, 1.5, 3.0, 4.0, 16.0, 24.0, 48.0, 96.0]),
        ("10,1,10,a,PREDICT", &values, [nan, nan, 4.0, 6.0, 12.0, 24.0, 48.0, 96.0]),
        ("15,-3,0,a,PREDICT", &values, {
            [nan, 4.0, 8.0, 10.0, 44.0 / 3.0, 88.0 / 3.0, 176.0 / 3.0, 48.0]
        }),
        ("0,1,10,a,PREDICTSIGMA", &values, {
            let root = |value: f64| f64::sqrt(value);
            [nan, nan, root(8.0), root(32.0), root(128.0), root(512.0), root(2048.0), nan]
        }),
        ("0,1,40,95,a,PREDICTPERC", &values, [nan, 4.0, 7.8, 15.2, 29.6, 57.6, 115.2, 118.4]),
        ("0,1,40,-50,a,PREDICTPERC", &values, [nan, 4.0, 8.0, 8.0, 16.0, 16.0, 32.0, 64.0]),
        ("a,5,/,ROUND", &values, [0.0, 0.0, 1.0, 2.0, 3.0, 6.0, 13.0, 26.0]),
        ("a,POP,-2.5,ROUND", &values, [-3.0; 8]),
    ] {
        let column = Column { start_seconds: 1000, step_seconds: 10, values: series };
        let clock = Clock { tick: rrd::Tick::SECOND, now_seconds: 0, zone: &TimeZone::UTC };
        let program = Program::parse(expression, &mut |_| Some(0)).expect(expression);
        let answer = program.evaluate(&[Variable::Series(column)], clock).expect(expression);
        let near = |(ours, kept): (&f64, &f64)| {
            (ours.is_nan() && kept.is_nan()) || (ours - kept).abs() <= 1e-14 * kept.abs()
        };
        assert_eq!(answer.values.len(), 8);
        assert!(answer.values.iter().zip(&expected).all(near), "{expression}: {answer:?}");
    }
}

/// Windows that are summed side by side are the same windows.
#[test]
fn long_series_give_the_sums_of_each_window_alone() {
    let mut noise = noise(7);
    let value = |text: String| text.parse().unwrap_or(f64::NAN);
    let values: Vec<f64> = (0..1000).map(|_| value(noise())).collect();
    let column = Column { start_seconds: 0, step_seconds: 1, values: &values };
    let clock = Clock { tick: rrd::Tick::SECOND, now_seconds: 0, zone: &TimeZone::UTC };
    for (word, known_only) in [("TREND", false), ("TRENDNAN", true)] {
        for rows in [1, 2, 15, 16, 17, 300, 999, 1000] {
            let program = Program::parse(&format!("a,{rows},{word}"), &mut |_| Some(0));
            let answer = program.expect("it is one").evaluate(&[Variable::Series(column)], clock);
            for (row, ours) in answer.expect("values").values.into_iter().enumerate() {
                let (mut sum, mut count) = (0.0, 0.0);
                if row + 1 >= rows {
                    let window = values[row + 1 - rows..=row].iter().rev();
                    for value in window.filter(|value| !(known_only && value.is_nan())) {
                        sum += value;
                        count += 1.0;
                    }
                }
                let alone = sum / count;
                assert!(ours == alone || (ours.is_nan() && alone.is_nan()), "{word} {rows} {row}");
            }
        }
    }
}
