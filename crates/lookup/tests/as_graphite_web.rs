//! Graphite's API over stores, against Debian's graphite-web over the same `.rrd` files: what is
//! answered before the first update of a database and after its last one.
#![allow(clippy::disallowed_methods)] // it makes files and starts graphite-web
#![allow(dead_code)] // what it shares with other tests has more than it needs

/// What the shared modules need of each other.
mod common {
    /// A series in memory: here there is none.
    pub(crate) struct Stored {
        pub(crate) path: String,
        pub(crate) start: i64,
        pub(crate) step: i64,
        pub(crate) values: Vec<f64>,
    }
}
#[path = "../../graphite/tests/graphite_web/mod.rs"]
mod graphite_web;

use std::path::Path;
use std::sync::Arc;

use files::RrdFiles;
use graphite::api::{Parameters, answer};
use graphite::{Limits, Setting};
use graphite_web::GraphiteWeb;
use jiff::tz::TimeZone;
use lookup::{Lookup, Rules};
use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use rrd::spec::{self, Units};
use serde_json::Value;
use store::{Rooted, Store, Update};

/// Databases begin here, and have twenty samples.
const START: i64 = 1_768_400_000;
const LAYOUT: [&str; 4] =
    ["DS:in:GAUGE:600:U:U", "DS:out:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:60", "RRA:AVERAGE:0.5:5:60"];
const STEPS_SECONDS: [i64; 2] = [60, 300];

fn fill(store: &dyn Store) {
    for step in STEPS_SECONDS {
        let name = format!("every{step}.rrd");
        let units = Units::of_step(&step.to_string(), None).expect("a step");
        let definition = spec::definition_in(units, LAYOUT).expect("a layout");
        let begin = Timestamp::from_seconds(START);
        store.create(Path::new(&name), &definition, begin).expect("a database");
        let texts = (1..=20).map(|nth| format!("{}:{nth}:{}", START + nth * step, nth * nth));
        let texts: Vec<String> = texts.collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(store.update(&[Update::numbered(&name, &texts)]).is_empty());
    }
}

/// The series of an answer: their names and points.
fn series(body: &[u8]) -> Vec<(Value, Value)> {
    let all: Vec<Value> = serde_json::from_slice(body).expect("an array of JSON");
    all.into_iter().map(|mut one| (one["target"].take(), one["datapoints"].take())).collect()
}

fn ours(lookup: &Lookup, parameters: &[(&str, &str)]) -> Vec<(Value, Value)> {
    let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let setting = Setting {
        now_seconds: START,
        zone: &TimeZone::UTC,
        zone_named: &|_| None,
        limits: Limits::default(),
        goes_on: &|| true,
    };
    let store = graphite::Store { paths: lookup, source: lookup };
    let answer = answer("/render", &Parameters::new(pairs), store, &setting).expect("a path");
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    series(&answer.body)
}

/// Numbers are the same to a part in a thousand million, unknown ones exactly.
fn are_alike(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            let mut pairs = ours.iter().zip(theirs);
            ours.len() == theirs.len() && pairs.all(|(ours, theirs)| are_alike(ours, theirs))
        }
        (Value::Number(ours), Value::Number(theirs)) => {
            let [ours, theirs] = [ours, theirs].map(|it| it.as_f64().expect("a number"));
            (ours - theirs).abs() <= 1e-9 * theirs.abs()
        }
        (ours, theirs) => ours == theirs,
    }
}

#[test]
fn what_is_not_there_is_unknown_as_graphite_web_has_it() {
    let room = tempfile::tempdir().expect("a directory");
    let directory = tempfile::tempdir().expect("a directory");
    let files = directory.path().join("rrd");
    std::fs::create_dir(&files).expect("a directory");
    let ring = RingStore::open_or_create(&room.path().join("ring"), RingOptions::default());
    let stores: [Arc<dyn Store>; 2] =
        [Arc::new(ring.expect("a store")), Arc::new(RrdFiles::below(&files))];
    let lookups = stores.map(|store| {
        fill(&*store);
        Lookup::new(Rooted::new(store), Rules::default(), Box::new(|_| Vec::new()))
    });
    let Some(mut web) = GraphiteWeb::over_files(directory) else { return };
    for (from, until) in [
        (0, 600),           // in the midst of the updates
        (600, 2400),        // over the end of one
        (3600, 9600),       // over the end of the other, after that of the first
        (20_000, 25_000),   // after both
        (20_000, 20_010),   // within one step
        (-3000, 700),       // over the beginning
        (-9000, -3000),     // before it
        (-200_000, 90_000), // all of it
    ] {
        for target in ["every60.in", "every300.out", "every*.*", "scale(every60.in,2)"] {
            let [start, end] = [from, until].map(|offset| (START + offset).to_string());
            let parameters =
                [("target", target), ("from", &*start), ("until", &*end), ("format", "json")];
            let theirs = web.ask("/render", &parameters);
            assert_eq!(theirs.status, 200, "{}", theirs.body);
            let mut theirs = series(theirs.body.as_bytes());
            theirs.sort_by_key(|(name, _)| name.to_string());
            for lookup in &lookups {
                let mut ours = ours(lookup, &parameters);
                ours.sort_by_key(|(name, _)| name.to_string());
                let is_same = ours.len() == theirs.len()
                    && ours
                        .iter()
                        .zip(&theirs)
                        .all(|(ours, theirs)| ours.0 == theirs.0 && are_alike(&ours.1, &theirs.1));
                assert!(is_same, "{target} from {from} until {until}:\n{ours:?}\n{theirs:?}");
                assert_eq!(ours.is_empty(), until - from < STEPS_SECONDS[0]);
            }
        }
    }
}
