//! Random RPN expressions, ours against `rrdtool xport` on the same rows.
#![allow(clippy::disallowed_methods)] // it starts rrdtool and writes its database

use std::path::Path;

use jiff::tz::TimeZone;
use oracle::{Reply, Rrdtool};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rrd::rpn::{Clock, Column, Program, Variable};

const START: i64 = 1_789_905_600;
const ROWS: usize = 24;

/// Rows of an hour with gaps; the second source changes every row.
fn rows() -> [Vec<f64>; 2] {
    let value = |row: usize, factor: f64| match row % 7 {
        3 => f64::NAN,
        _ => (row as f64 - 9.5) * factor,
    };
    let column = |factor| (0..ROWS).map(|row| value(row, factor)).collect();
    [column(0.75), (0..ROWS).map(|row| row as f64 * row as f64 - 50.0).collect::<Vec<f64>>()]
}

fn database(rrdtool: &mut Rrdtool) {
    let create = format!(
        "create x.rrd --start {START} --step 3600 DS:a:GAUGE:7200:U:U DS:b:GAUGE:7200:U:U \
         RRA:AVERAGE:0.5:1:100"
    );
    assert_eq!(rrdtool.send(&create), Reply::Ok(Vec::new()));
    let [a, b] = rows();
    for row in 0..ROWS {
        let time = START + 3600 * (row as i64 + 1);
        let known = |value: f64| if value.is_nan() { "U".into() } else { value.to_string() };
        let update = format!("update x.rrd {time}:{}:{}", known(a[row]), known(b[row]));
        assert_eq!(rrdtool.send(&update), Reply::Ok(Vec::new()), "{update}");
    }
}

fn theirs(rrdtool: &mut Rrdtool, expression: &str) -> Result<Vec<f64>, String> {
    let end = START + 3600 * ROWS as i64;
    let command = format!(
        "xport -s {START} -e {end} --step 3600 DEF:a=x.rrd:a:AVERAGE DEF:b=x.rrd:b:AVERAGE \
         CDEF:c={expression} XPORT:c"
    );
    match rrdtool.send(&command) {
        Reply::Error(words) => Err(words),
        Reply::Ok(lines) => {
            let value = |line: &String| {
                let (_, tail) = line.split_once("<v>")?;
                tail.split_once("</v>")?.0.parse().ok()
            };
            Ok(lines.iter().filter_map(value).collect())
        }
    }
}

fn ours(expression: &str) -> Result<Vec<f64>, String> {
    let [a, b] = rows();
    let column =
        |values| Variable::Series(Column { start_seconds: START, step_seconds: 3600, values });
    let variables = [column(&a), column(&b)];
    let mut lookup = |name: &str| ["a", "b"].iter().position(|known| *known == name);
    let clock = Clock { tick: rrd::Tick::SECOND, now_seconds: 0, zone: &TimeZone::UTC };
    let program = Program::parse(expression, &mut lookup).map_err(|error| error.to_string())?;
    let answer = program.evaluate(&variables, clock).map_err(|error| error.to_string())?;
    Ok(answer.values)
}

fn word() -> impl Strategy<Value = String> {
    let words = |list: &'static [&'static str]| prop::sample::select(list).prop_map(str::to_owned);
    prop_oneof![
        4 => words(&["a", "b", "1", "2", "0", "-3.5", "7", "0.7", "1e3", "PREV(a)", "PREV(b)"]),
        1 => words(&["UNKN", "INF", "NEGINF", "PREV", "COUNT", "TIME", "LTIME", "STEPWIDTH",
            "NEWDAY", "NEWWEEK", "NEWMONTH", "NEWYEAR", "DEPTH"]),
        2 => words(&["SIN", "COS", "LOG", "EXP", "SQRT", "ATAN", "FLOOR", "CEIL", "ABS", "DEG2RAD",
            "RAD2DEG", "UN", "ISINF", "DUP", "7200,TREND", "9000,TRENDNAN", "a,7200,TREND",
            "b,9000,TRENDNAN", "3600,1,7200,a,PREDICT", "1800,-2,7200,b,PREDICTSIGMA",
            "0,1,10800,80,b,PREDICTPERC"]),
        4 => words(&["+", "-", "*", "/", "%", "POW", "ATAN2", "LT", "LE", "GT", "GE", "EQ", "NE",
            "MIN", "MAX", "MINNAN", "MAXNAN", "ADDNAN", "EXC", "POP"]),
        1 => words(&["IF", "LIMIT", "2,SORT", "3,SORT", "2,REV", "3,REV", "2,AVG", "3,AVG",
            "2,COPY", "2,INDEX", "2,MEDIAN", "3,MEDIAN", "2,SMIN", "3,SMAX",
            "2,STDEV",
            "3,STDEV", "50,3,PERCENT"]),
    ]
}

/// Below this, `xport` writes fewer and fewer digits.
const PRINTED_MIN: f64 = 1e-298;

/// Whether two values are the same as far as `xport` writes them: with ten decimals.
fn same(ours: f64, theirs: f64) -> bool {
    (ours.is_nan() && theirs.is_nan())
        || ours == theirs
        || (ours - theirs).abs() <= 1e-9 * theirs.abs()
        || (ours.abs() <= PRINTED_MIN && theirs.abs() <= PRINTED_MIN)
}

/// Words that leave one value: values are added up until one is left.
fn balanced(mut words: Vec<String>) -> String {
    words.insert(0, "a".into());
    let mut lookup = |name: &str| ["a", "b"].iter().position(|known| *known == name);
    for _ in 0..40 {
        let text = words.join(",");
        match Program::parse(&text, &mut lookup) {
            Err(rrd::rpn::RpnError::Leftover) => words.push("ADDNAN".into()),
            Err(rrd::rpn::RpnError::Underflow) => words.insert(0, "b".into()),
            _ => break,
        }
    }
    words.join(",")
}

/// The two programs beside each other, on the same rows.
struct Peer {
    rrdtool: std::cell::RefCell<Rrdtool>,
    _directory: tempfile::TempDir,
}

impl Peer {
    fn start(purpose: &str) -> Option<Self> {
        let program = oracle::program("rrdtool", purpose)?;
        let directory = tempfile::tempdir().expect("a directory");
        let mut rrdtool = Rrdtool::start(&program, Path::new(directory.path()));
        database(&mut rrdtool);
        Some(Self { rrdtool: rrdtool.into(), _directory: directory })
    }

    fn answer(&self, expression: &str) -> Result<Vec<f64>, String> {
        theirs(&mut self.rrdtool.borrow_mut(), expression)
    }

    fn first_value(&self, expression: &str) -> f64 {
        self.answer(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))[0]
    }
}

/// rrdtool scales the digits of a number by powers of ten, which rounds otherwise than the nearest
/// double. What is left behind the whole part tells the last bits, since `xport` writes ten
/// decimals.
#[test]
fn numbers_are_read_to_the_last_bit_as_rrdtool_reads_them() {
    let Some(peer) = Peer::start("numbers in RPN") else { return };
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut rounded_otherwise = 0;
    for _ in 0..1000 {
        let whole = random.random_range(1_u64 << 26..1 << 30);
        let tail = random.random_range(0..1_000_000_000_u64);
        let number = format!("{whole}.{tail:09}");
        let expression = format!("a,POP,{number},{whole},-");
        let ours = ours(&expression).expect("it is an expression")[0];
        assert_eq!(peer.first_value(&expression).to_bits(), as_printed(ours), "{expression}");
        let nearest: f64 = number.parse().expect("it is a number");
        rounded_otherwise += usize::from(nearest - whole as f64 != ours);
    }
    assert!(rounded_otherwise > 0, "the two ways of reading never differed");
    let long = format!("a,POP,0.{:0>39},+", 1);
    assert!(ours(&long).is_err() && peer.answer(&long).is_err(), "{long} is too long");
}

/// The double that `xport`'s text of a value reads as.
fn as_printed(value: f64) -> u64 {
    format!("{value:.10e}").parse::<f64>().expect("it is a number").to_bits()
}

/// Of `2,5,7,3,1,ROLL` rrdtool 1.7 leaves 7, 1 and 3, its own arguments among them; ours does as
/// the manual says. docs/compatibility.md tells the difference.
#[test]
fn roll_does_as_the_manual_says() {
    let Some(peer) = Peer::start("ROLL") else { return };
    // The words behind `ROLL` leave its first, second or third value from the top.
    let differences =
        [("EXC,POP,EXC,POP", 5.0, 3.0), ("POP,EXC,POP", 2.0, 1.0), ("POP,POP", 7.0, 7.0)];
    for (words, manual, rrdtool_1_7) in differences {
        let expression = format!("a,POP,2,5,7,3,1,ROLL,{words}");
        assert_eq!(ours(&expression).expect("it is an expression")[0], manual, "{expression}");
        assert_eq!(peer.first_value(&expression), rrdtool_1_7, "{expression}");
    }
}

#[test]
fn expressions_give_what_rrdtool_gives() {
    let Some(peer) = Peer::start("RPN against rrdtool's") else { return };
    // The same expressions in every run; others, and more, with GYRE_CASES.
    let wanted = std::env::var("GYRE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = wanted.unwrap_or(3000);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = match wanted {
        Some(_) => TestRunner::new(config),
        None => {
            let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            TestRunner::new_with_rng(config, random)
        }
    };
    let strategy = (prop::collection::vec(word(), 1..10), any::<bool>());
    runner
        .run(&strategy, |(words, balance)| {
            let text = if balance { balanced(words) } else { words.join(",") };
            let theirs = peer.answer(&text);
            match (ours(&text), theirs) {
                (Err(ours), Err(theirs)) => prop_assert_eq!(ours, theirs, "{}", text),
                (Ok(ours), Ok(theirs)) => {
                    let equal = ours.len() == theirs.len()
                        && ours.iter().zip(&theirs).all(|(ours, theirs)| same(*ours, *theirs));
                    prop_assert!(equal, "{text}:\n{ours:?}\n{theirs:?}");
                }
                (ours, theirs) => prop_assert!(false, "{text}: {ours:?} and {theirs:?}"),
            }
            Ok(())
        })
        .unwrap();
}
