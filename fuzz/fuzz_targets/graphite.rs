//! Any target, over a few series: it is answered within its bounds, or refused in a line.
//!
//! The first bytes choose the format and the window; the rest is the target, in which `\x01` and
//! what follows it stand for names of functions, so that they are found sooner.
#![no_main]

use graphite::api::{Parameters, answer, functions};
use graphite::{Limits, Setting, Store};
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use series::{
    Described, Kind, Labels, Matcher, Node, PathPattern, Paths, Rows, Selected, SelectedPath,
    Source, Unanswered, Window,
};
use std::sync::LazyLock;

const NOW: i64 = 1_768_476_896;
const ROWS_MAX: i64 = 2_000;
const STEPS_MICROS: [i64; 4] = [60_000_000, 10_000_000, 7_000_000, 250_000];
const VALUES: [f64; 9] =
    [f64::NAN, 0.0, 1.0, -1.5, 1e300, f64::INFINITY, f64::MIN_POSITIVE, 7.25, f64::NEG_INFINITY];

/// Four series, `a.0` to `a.3`, each of its own step.
struct Few;

fn rows(nth: usize, window: &Window) -> Rows {
    let step = STEPS_MICROS[nth];
    let span = window.span.end_micros.saturating_sub(window.span.start_micros);
    let count = (span / step).clamp(0, ROWS_MAX);
    let start_micros = window.span.start_micros - window.span.start_micros.rem_euclid(step);
    let value = |row: i64| VALUES[(row as usize * (nth + 1)) % VALUES.len()];
    Rows { start_micros, step_micros: step, values: (0..count).map(value).collect() }
}

impl Paths for Few {
    fn find(&self, pattern: &PathPattern) -> Result<Vec<Node>, Unanswered> {
        let all = (0..STEPS_MICROS.len()).map(|nth| format!("a.{nth}"));
        let node = |path| Node { path, is_series: true, is_branch: false };
        Ok(all.filter(|it| pattern.matches(it)).map(node).collect())
    }

    fn select_paths(
        &self,
        pattern: &PathPattern,
        window: &Window,
    ) -> Result<Vec<SelectedPath>, Unanswered> {
        let all = (0..STEPS_MICROS.len()).map(|nth| (nth, format!("a.{nth}")));
        let selected = |(nth, path)| SelectedPath {
            path,
            labels: Labels::default(),
            kind: Kind::Gauge,
            rows: rows(nth, window),
        };
        Ok(all.filter(|(_, it)| pattern.matches(it)).map(selected).collect())
    }
}

impl Source for Few {
    fn select(&self, _: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered> {
        let selected = |nth| Selected {
            labels: Labels::default(),
            kind: Kind::Gauge,
            rows: rows(nth, window),
        };
        Ok((0..2).map(selected).collect())
    }

    fn describe(&self, _: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        Ok(Vec::new())
    }

    fn label_names(&self, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        Ok(Vec::new())
    }

    fn label_values(&self, _: &str, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        Ok(Vec::new())
    }
}

/// The names of all functions, as `/functions` tells them.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let body = functions(&Parameters::default()).body;
    let text = String::from_utf8(body).expect("it is a text");
    text.split("{\"name\":\"")
        .filter_map(|it| it.split_once("\",\"function\""))
        .map(|(name, _)| name.to_owned())
        .collect()
});

/// The target that bytes mean.
fn target(bytes: &[u8]) -> String {
    let mut parts = bytes.split(|it| *it == 1);
    let mut text = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let (nth, rest) = part.split_first().unwrap_or((&0, &[]));
        text.push_str(&NAMES[usize::from(*nth) % NAMES.len()]);
        text.push_str(&String::from_utf8_lossy(rest));
    }
    text
}

fuzz_target!(|bytes: &[u8]| {
    let Some(([format, from, most], rest)) = bytes.split_first_chunk::<3>() else { return };
    let formats = ["json", "csv", "raw", "json"];
    let format = formats[usize::from(*format) % formats.len()];
    let from = format!("-{}min", u32::from(*from) * 3 + 1);
    let target = target(rest);
    let pairs = [
        ("target", target.as_str()),
        ("from", &from),
        ("format", format),
        ("maxDataPoints", &(u32::from(*most) + 1).to_string()),
    ];
    let parameters =
        Parameters::new(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let limits = Limits { values: 300_000, work: 5_000_000, ..Limits::default() };
    let setting = Setting {
        now_seconds: NOW,
        zone: &TimeZone::UTC,
        zone_named: &|_| None,
        limits,
        goes_on: &|| true,
    };
    let store = Store { paths: &Few, source: &Few };
    let answer = answer("/render", &parameters, store, &setting).expect("there is such a path");
    if answer.status != 200 {
        let said = String::from_utf8(answer.body).expect("an error is a text");
        assert!(said.ends_with('\n') && said.len() < 70_000, "{said}");
    }
});
