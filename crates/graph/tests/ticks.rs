//! Series of tenths of a second give what series of whole seconds give whose times are ten times as
//! long.
#![allow(missing_docs)]

use graph::{
    Arguments, Drawing, ExportWindow, Plan, RowLength, RowsPlan, RowsWindow, SeriesRequest, draw,
};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use rrd::rpn::Vocabulary;
use rrd::{Series, Stretch, Tick, Timestamp};

/// In 1982, and ten times as late in 2096.
const START_SECONDS: i64 = 400_000_000;

/// How many ticks the two kinds of database have in a second; the times in ticks are the same.
const SECONDS: u32 = 1;
const TENTHS: u32 = 10;

fn tick(per_second: u32) -> Tick {
    Tick::of_per_second(per_second).unwrap()
}

/// A length of time that is so many ticks, in seconds.
fn span(per_second: u32, ticks: i64) -> String {
    tick(per_second).told(ticks).to_string()
}

/// A moment so many ticks after the start.
fn at(per_second: u32, ticks: i64) -> String {
    span(per_second, START_SECONDS * i64::from(TENTHS) + ticks)
}

/// The rows of a database that answer a request.
fn answer(request: &SeriesRequest, per_second: u32, step: i64, values: &[f64]) -> Stretch {
    let query = request.query().in_ticks(tick(per_second));
    let start_seconds = query.start_seconds - query.start_seconds % step;
    let end_seconds = query.end_seconds + step - query.end_seconds % step;
    let rows = ((end_seconds - start_seconds) / step) as usize;
    let first = (start_seconds / step) as usize;
    let value = |row: usize| values[(first + row) % values.len()];
    Stretch::from(Series {
        tick: tick(per_second),
        start_seconds,
        end_seconds,
        step_seconds: step as u64,
        source_names: vec!["d".into()],
        values: (0..rows).map(value).collect(),
    })
}

#[derive(Debug)]
struct Case {
    start: i64,
    length: i64,
    steps: [i64; 2],
    row_length: Option<i64>,
    reduced: i64,
    window: i64,
    shift: i64,
    values: Vec<f64>,
}

impl Case {
    fn elements(&self, per_second: u32) -> Vec<String> {
        let Self { reduced, window, shift, .. } = self;
        let [reduced, window, shift, twice] =
            [*reduced, *window, *shift, 2 * shift].map(|ticks| span(per_second, ticks));
        [
            "DEF:a=a:d:AVERAGE".into(),
            "DEF:b=b:d:MAX".into(),
            format!("DEF:r=a:d:AVERAGE:step={reduced}:reduce=MAX"),
            "CDEF:sum=a,b,+,PREV,ADDNAN".into(),
            format!("CDEF:trend=a,{window},TRENDNAN"),
            format!("CDEF:least=b,{window},TREND.MIN"),
            "CDEF:own=a,STEPWIDTH,TREND".into(),
            format!("CDEF:guess={shift},{twice},2,{window},a,PREDICT"),
            format!("CDEF:again={shift},-2,{window},a,PREDICTSIGMA"),
            format!("CDEF:width=a,0,*,STEPWIDTH,ADDNAN,{per_second},*"),
            format!("CDEF:passed=a,0,*,TIME,{},-,ADDNAN,{per_second},*", at(per_second, 0)),
            format!("CDEF:local=a,0,*,LTIME,{},-,ADDNAN,{per_second},*", at(per_second, 0)),
            format!("SHIFT:b:{shift}"),
            "CDEF:moved=b,a,-".into(),
            "VDEF:most=a,MAXIMUM".into(),
            "VDEF:first=a,FIRST".into(),
            "VDEF:share=a,73,PERCENT".into(),
            "VDEF:slope=a,LSLSLOPE".into(),
            "VDEF:total=a,TOTAL".into(),
        ]
        .to_vec()
    }

    fn columns() -> impl Iterator<Item = String> {
        let series =
            ["a", "b", "r", "sum", "trend", "least", "own", "guess", "again", "moved", "width"];
        series.into_iter().map(|name| format!("XPORT:{name}"))
    }

    fn answers(&self, requests: &[SeriesRequest], per_second: u32) -> Vec<Stretch> {
        let step = |request: &SeriesRequest| self.steps[usize::from(request.rrd == "b")];
        let answer = |it: &SeriesRequest| answer(it, per_second, step(it), &self.values);
        requests.iter().map(answer).collect()
    }

    fn ends(&self, per_second: u32) -> [String; 2] {
        [at(per_second, self.start), at(per_second, self.start + self.length)]
    }

    fn export(&self, per_second: u32) -> graph::Export {
        let [start, end] = self.ends(per_second);
        let length = self.row_length.map(|ticks| span(per_second, ticks));
        let length = length.map(|text| {
            let seconds = || RowLength::of_seconds(text.parse().unwrap());
            RowLength::of_decimal(&text).unwrap_or_else(seconds)
        });
        let window = ExportWindow {
            start: Some(&start),
            end: Some(&end),
            rows_max: 50,
            row_length: length.unwrap_or_default(),
            daemon: None,
            vocabulary: Vocabulary::Gyre,
        };
        let mut words = self.elements(per_second);
        words.extend(Self::columns());
        words.extend(["passed", "local"].map(|name| format!("XPORT:{name}")));
        words.extend(["most", "share", "slope"].map(|it| format!("PRINT:{it}:%.9le")));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let plan = Plan::for_export(&window, &words, Timestamp::default(), &TimeZone::UTC).unwrap();
        plan.export(&self.answers(plan.requests(), per_second)).unwrap()
    }

    fn drawing(&self, per_second: u32) -> Drawing {
        let [start, end] = self.ends(per_second);
        let mut words = ["-s", &start, "-e", &end, "-w", "160", "-x", "none", "-aSVG"]
            .map(str::to_owned)
            .to_vec();
        words.extend(self.elements(per_second));
        words.retain(|word| !word.contains("TREND.MIN"));
        words.extend(
            [
                "LINE:a#f00:a",
                "AREA:moved#00f",
                "LINE:trend#0f0",
                "VRULE:most#000",
                "VRULE:first#777",
            ]
            .map(Into::into),
        );
        words.push(format!("VRULE:{}#aaa", at(per_second, self.start + self.length / 2)));
        let arguments = Arguments::read(&words).unwrap();
        let mut fetch = |requests: &[SeriesRequest]| {
            self.answers(requests, per_second).into_iter().map(Ok::<_, String>).collect()
        };
        draw(&arguments, Timestamp::default(), &TimeZone::UTC, &mut fetch).unwrap()
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn case() -> impl Strategy<Value = Case> {
    let value = prop_oneof![5 => -1e3..1e3, 1 => Just(f64::NAN)];
    (
        (0_i64..500, 10_i64..500),
        [prop_oneof![Just(1_i64), Just(2), Just(5)], prop_oneof![Just(1_i64), Just(3), Just(10)]],
        prop::option::of(1_i64..30),
        (1_i64..40, 1_i64..60, 1_i64..50),
        prop::collection::vec(value, 30..200),
    )
        .prop_map(|((start, length), steps, row_length, (reduced, window, shift), values)| {
            Case { start, length, steps, row_length, reduced, window, shift, values }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn tables_of_tenths_are_those_of_seconds(case in case()) {
        let [seconds, tenths] = [SECONDS, TENTHS].map(|per_second| case.export(per_second));
        prop_assert_eq!(tenths.tick, tick(TENTHS));
        prop_assert_eq!(seconds.tick, tick(SECONDS));
        let ends = |it: &graph::Export| (it.start_seconds, it.end_seconds, it.step_seconds);
        prop_assert_eq!(ends(&seconds), ends(&tenths));
        // Value for value; the last two columns are times, whose fractions round.
        let columns = seconds.legends.len();
        let rows = seconds.values.chunks(columns).zip(tenths.values.chunks(columns));
        for (seconds, tenths) in rows {
            prop_assert_eq!(bits(&seconds[..columns - 2]), bits(&tenths[..columns - 2]));
            for (a, b) in seconds.iter().zip(tenths) {
                prop_assert!(a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-6 * a.abs().max(1.0), "{} {}", a, b);
            }
        }
        prop_assert_eq!(&seconds.notes, &tenths.notes);
    }

    #[test]
    fn pictures_of_tenths_are_those_of_seconds(case in case()) {
        let [seconds, tenths] = [SECONDS, TENTHS].map(|per_second| case.drawing(per_second));
        prop_assert_eq!(tenths.tick, tick(TENTHS));
        prop_assert_eq!((seconds.start_seconds, seconds.end_seconds), (tenths.start_seconds, tenths.end_seconds));
        prop_assert_eq!(String::from_utf8_lossy(&seconds.image), String::from_utf8_lossy(&tenths.image));
    }

    #[test]
    fn rows_of_tenths_are_those_of_seconds(case in case()) {
        let [seconds, tenths] = [SECONDS, TENTHS].map(|per_second| {
            let [start, end] = case.ends(per_second);
            let mut words = case.elements(per_second);
            // Windows that are shorter than a row are refused.
            words.retain(|word| !word.contains("TREND") && !word.contains("PREDICT"));
            words.extend(["XPORT:a".into(), "XPORT:sum".into(), "XPORT:width".into()]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let window = RowsWindow { start: Some(&start), end: Some(&end) };
            let plan = RowsPlan::new(window, &words, Timestamp::default(), &TimeZone::UTC).unwrap();
            plan.answer(&case.answers(plan.requests(), per_second)).unwrap()
        });
        for (seconds, tenths) in seconds.columns.iter().zip(&tenths.columns) {
            prop_assert_eq!((seconds.start_seconds, seconds.row_seconds), (tenths.start_seconds, tenths.row_seconds));
            prop_assert_eq!(bits(&seconds.values), bits(&tenths.values));
        }
        for (seconds, tenths) in seconds.facts.iter().zip(&tenths.facts) {
            prop_assert_eq!((seconds.when_seconds, seconds.rows.count), (tenths.when_seconds, tenths.rows.count));
            match &*seconds.name {
                // A rate times a tenth of the time.
                "total" => prop_assert!(seconds.value.is_nan() || (seconds.value - 10.0 * tenths.value).abs() <= 1e-9 * seconds.value.abs()),
                _ => prop_assert_eq!(seconds.value.to_bits(), tenths.value.to_bits()),
            }
        }
    }
}

/// Texts with times have the decimals of the tick, and none where there is no such tick.
#[test]
fn times_are_told_with_the_decimals_of_the_tick() {
    let case = Case {
        start: 3,
        length: 4,
        steps: [1, 1],
        row_length: None,
        reduced: 2,
        window: 2,
        shift: 1,
        values: (0..10).map(f64::from).collect(),
    };
    let export = case.export(TENTHS);
    let form = graph::TableForm { markup: graph::Markup::Json, with_time: true, time_format: None };
    let mut json = Vec::new();
    let Ok(()) = export
        .write(&form, &TimeZone::UTC, &mut json, &mut |_| Ok::<_, std::convert::Infallible>(()));
    let json = String::from_utf8(json).unwrap();
    for told in
        ["\"start\": 400000000.4,", "\"end\": 400000000.7,", "\"step\": 0.1,", "[ \"400000000.5\","]
    {
        assert!(json.contains(told), "{told} in {json}");
    }
    let words = [
        "-s400000000.3",
        "-e400000000.7",
        "DEF:a=a:d:AVERAGE",
        "VDEF:most=a,MAXIMUM",
        "PRINT:most:%T%.1f:strftime",
        "PRINT:most:%T:strftime",
        "CDEF:when=a,0,*,TIME,+",
        "VDEF:last=when,LAST",
        "PRINT:last:%T%.3f:valstrftime",
        "PRINT:last:%.1lf",
        "LINE:a#000",
    ];
    let arguments = Arguments::read(&words).unwrap();
    let mut fetch = |requests: &[SeriesRequest]| {
        case.answers(requests, TENTHS).into_iter().map(Ok::<_, String>).collect()
    };
    let drawing = draw(&arguments, Timestamp::default(), &TimeZone::UTC, &mut fetch).unwrap();
    let expected = ["15:06:40.8", "15:06:40", "15:06:40.800", "400000000.8"];
    assert_eq!(drawing.printed, expected);
    let told =
        [drawing.start_seconds, drawing.end_seconds].map(|at| drawing.tick.told(at).to_string());
    assert_eq!(told, ["400000000.3", "400000000.7"]);
}
