//! Questions to stores of both kinds, and each answer beside one that is found by brute force.
#![allow(clippy::disallowed_methods)] // the test makes directories

use std::path::Path;
use std::sync::Arc;

use files::RrdFiles;
use lookup::{Limits, Lookup, Rules};
use proptest::prelude::*;
use ring::{RingOptions, RingStore};
use rrd::spec::{self, Units};
use rrd::{Definition, Timestamp};
use series::{
    Comparison, Kind, Labels, Matcher, PathPattern, Paths as _, Preferred, Source as _, Span,
    Unanswered, Window,
};
use store::{Edit, Making, NewDatabase, Rooted, Store, Update};

const START_SECONDS: i64 = 1_700_000_000 - 1_700_000_000 % 3600;
const LAYOUT: [&str; 5] = [
    "DS:in:COUNTER:600:0:U",
    "DS:load:GAUGE:600:U:U",
    "RRA:AVERAGE:0.5:1:20",
    "RRA:AVERAGE:0.5:6:20",
    "RRA:MAX:0.5:6:20",
];

fn definition(step: &str) -> Definition {
    spec::definition_in(Units::of_step(step, None).unwrap(), LAYOUT).unwrap()
}

/// Makes databases and gives each twelve samples, one a step of five minutes.
fn fill(store: &dyn Store, names: &[&str]) {
    for name in names {
        store
            .create(Path::new(name), &definition("300"), Timestamp::from_seconds(START_SECONDS))
            .unwrap();
        let texts: Vec<String> = (1..=12)
            .map(|nth| format!("{}:{}:{nth}", START_SECONDS + nth * 300, nth * 3000))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(store.update(&[Update::numbered(name, &texts)]).is_empty());
    }
}

/// The same questions to both kinds of store.
fn on_both(names: &[&str], rules: &str, check: impl Fn(&Lookup, &dyn Store)) {
    let directory = tempfile::tempdir().unwrap();
    let ring = RingStore::open_or_create(&directory.path().join("ring"), RingOptions::default());
    let files = directory.path().join("files");
    std::fs::create_dir(&files).unwrap();
    for name in names {
        std::fs::create_dir_all(files.join(name).parent().unwrap()).unwrap();
    }
    let stores: [Arc<dyn Store>; 2] = [Arc::new(ring.unwrap()), Arc::new(RrdFiles::below(&files))];
    for store in stores {
        fill(&*store, names);
        let rules = Rules::of_text(rules).unwrap();
        check(&Lookup::new(Rooted::new(store.clone()), rules, Box::new(|_| Vec::new())), &*store);
    }
}

fn matcher(label: &str, comparison: Comparison, value: &str) -> Matcher {
    Matcher::new(label, comparison, value).unwrap()
}

fn equal(label: &str, value: &str) -> Matcher {
    matcher(label, Comparison::Equal, value)
}

fn window(from: i64, to: i64, step_seconds: i64) -> Window {
    let micros = |steps: i64| (START_SECONDS + steps * 300) * 1_000_000;
    let span = Span { start_micros: micros(from), end_micros: micros(to) };
    Window { span, step_micros: step_seconds * 1_000_000, preferred: Preferred::Named }
}

fn text(labels: &Labels) -> String {
    let texts = labels.iter().map(|label| format!("{}={}", label.name, label.value));
    texts.collect::<Vec<_>>().join(",")
}

const RULES: &str = r#"
    [[series]]
    database = "{device}/{port}.rrd"
    labels = { job = "mrtg" }
"#;

#[test]
fn series_have_the_labels_of_the_rules() {
    on_both(&["r1/a.rrd", "r1/b.rrd", "r2/a.rrd", "top.rrd"], RULES, |lookup, _| {
        let described = lookup.describe(&[equal("device", "r1"), equal("__name__", "in")]).unwrap();
        let texts: Vec<_> = described.iter().map(|each| text(&each.labels)).collect();
        assert_eq!(
            texts,
            [
                "__name__=in,database=r1/a,device=r1,job=mrtg,port=a",
                "__name__=in,database=r1/b,device=r1,job=mrtg,port=b",
            ]
        );
        assert_eq!((described[0].kind, described[0].step_micros), (Kind::Rate, 300_000_000));
        let names = lookup.label_names(&[]).unwrap();
        assert_eq!(names, ["__name__", "database", "device", "job", "port"]);
        let names = lookup.label_names(&[equal("database", "top")]).unwrap();
        assert_eq!(names, ["__name__", "database"]);
        let values = lookup.label_values("__name__", &[]).unwrap();
        assert_eq!(values, ["in", "in:max", "load", "load:max"]);
        assert_eq!(lookup.label_values("port", &[equal("device", "r2")]).unwrap(), ["a"]);
        assert_eq!(lookup.label_values("nothing", &[]).unwrap(), [""; 0]);
        let values = lookup.label_values("database", &[equal("port", "a")]).unwrap();
        assert_eq!(values, ["r1/a", "r2/a"]);
    });
}

#[test]
fn rows_are_those_that_end_in_the_span() {
    on_both(&["r1/a.rrd"], "", |lookup, _| {
        let load = |window: &Window| {
            lookup.select(&[equal("__name__", "load")], window).unwrap().remove(0).rows
        };
        let rows = load(&window(3, 6, 0));
        assert_eq!(rows.values, [4.0, 5.0, 6.0]);
        assert_eq!(rows.end_micros(0), (START_SECONDS + 4 * 300) * 1_000_000);
        // Half an hour a row, the means of six.
        assert_eq!(load(&window(0, 12, 1800)).values, [3.5, 9.5]);
        let maxima = Window { preferred: Preferred::Maximum, ..window(0, 12, 1800) };
        assert_eq!(load(&maxima).values, [6.0, 12.0]);
        let named = lookup.select(&[equal("__name__", "load:max")], &window(0, 12, 1800)).unwrap();
        assert_eq!(named[0].rows.values, [6.0, 12.0]);
        // A row of one step answers for every function, as it does for a graph.
        let finest = Window { preferred: Preferred::Maximum, ..window(0, 2, 0) };
        assert_eq!(load(&finest).values, [1.0, 2.0]);
        let rates = lookup.select(&[equal("__name__", "in")], &window(1, 3, 0)).unwrap();
        assert_eq!(rates[0].rows.values, [10.0, 10.0]);
        // Nothing was measured yet, or nothing is kept any more.
        assert!(load(&window(20, 30, 0)).values.iter().all(|value| value.is_nan()));
        assert!(load(&window(-900, -890, 0)).known().next().is_none());
    });
}

#[test]
fn steps_below_a_second_have_times_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let store = RingStore::open_or_create(directory.path(), RingOptions::default()).unwrap();
    let definition = definition("0.1");
    let start = definition.tick.up_to(Timestamp::from_seconds(START_SECONDS)).unwrap();
    store.create(Path::new("fast"), &definition, start).unwrap();
    let texts = ["0.1:1:7", "0.2:2:8", "0.3:3:9"];
    let texts = texts.map(|text| format!("{START_SECONDS}{}", &text[1..]));
    let texts = texts.each_ref().map(String::as_str);
    assert!(store.update(&[Update::numbered("fast", &texts)]).is_empty());
    let lookup =
        Lookup::new(Rooted::new(Arc::new(store)), Rules::default(), Box::new(|_| Vec::new()));
    let selected = lookup.select(&[equal("__name__", "load")], &window(0, 1, 0)).unwrap();
    let known: Vec<_> = selected[0].rows.known().collect();
    let start_micros = START_SECONDS * 1_000_000;
    let expected = [(start_micros + 100_000, 7.0), (start_micros + 200_000, 8.0)];
    assert_eq!(known[..2], expected);
    let described = lookup.describe(&[]).unwrap();
    assert_eq!(described[0].step_micros, 100_000);
}

#[test]
fn paths_lead_to_series() {
    let names = ["r1/a.rrd", "r1/b.rrd", "r1/b/c.rrd", "r1.x/a.rrd"];
    on_both(&names, "", |lookup, _| {
        let find = |pattern: &str| -> Vec<String> {
            let nodes = lookup.find(&PathPattern::new(pattern).unwrap()).unwrap();
            let sign = |is: bool, sign| if is { sign } else { "" };
            let text = |node: &series::Node| {
                format!("{}{}{}", node.path, sign(node.is_branch, "/"), sign(node.is_series, "!"))
            };
            nodes.iter().map(text).collect()
        };
        assert_eq!(find("*"), ["r1/", "r1_x/"]);
        assert_eq!(find("r1.*"), ["r1.a/", "r1.b/"]);
        assert_eq!(find("r1.b.*"), ["r1.b.c/", "r1.b.in!", "r1.b.load!"]);
        assert_eq!(find("*.a.l*"), ["r1.a.load!", "r1_x.a.load!"]);
        assert_eq!(find("r1.a.load:max"), ["r1.a.load:max!"]);
        assert_eq!(find("r1.a.load:min"), [""; 0]);
        let pattern = PathPattern::new("r1.{a,b}.load").unwrap();
        let selected = lookup.select_paths(&pattern, &window(0, 2, 0)).unwrap();
        let paths: Vec<_> = selected.iter().map(|each| each.path.as_str()).collect();
        assert_eq!(paths, ["r1.a.load", "r1.b.load"]);
        assert_eq!(selected[1].rows.values, [1.0, 2.0]);
    });
}

#[test]
fn a_question_beyond_its_bounds_is_refused_by_name() {
    on_both(&["a.rrd", "b.rrd", "c.rrd"], "", |lookup, _| {
        let limits = Limits { series_max: 5, values_max: 12, names_max: 2 };
        let lookup = lookup.clone().within(limits);
        let too_much = |error: Unanswered| match error {
            Unanswered::TooMuch { what, limit, .. } => (what, limit),
            error => panic!("{error}"),
        };
        assert_eq!(too_much(lookup.describe(&[]).unwrap_err()), ("series", 5));
        let load = [equal("__name__", "load")];
        let error = lookup.select(&load, &window(0, 5, 0)).unwrap_err();
        assert_eq!(too_much(error), ("values", 12));
        assert_eq!(lookup.select(&load, &window(0, 4, 0)).unwrap().len(), 3);
        assert_eq!(too_much(lookup.label_values("database", &[]).unwrap_err()), ("names", 2));
        let all = PathPattern::new("*").unwrap();
        assert_eq!(too_much(lookup.find(&all).unwrap_err()), ("names", 2));
    });
}

#[test]
fn databases_come_and_go_and_change_their_layout() {
    on_both(&["a.rrd", "b.rrd"], "", |lookup, store| {
        let names = || lookup.label_values("database", &[]).unwrap();
        assert_eq!(names(), ["a", "b"]);
        store.edit(Path::new("a.rrd"), &Edit::Delete, &|| true).unwrap();
        // Until the index is made anew, a database that is gone has no rows.
        let selected = lookup.select(&[equal("database", "a")], &window(0, 2, 0)).unwrap();
        assert!(selected.iter().all(|each| each.rows.values.is_empty()));
        fill(store, &["c.rrd"]);
        lookup.refresh().unwrap();
        assert_eq!(names(), ["b", "c"]);
        assert_eq!(lookup.describe(&[equal("database", "b")]).unwrap().len(), 4);
    });
}

#[test]
fn what_the_store_tells_of_is_found_by_the_next_question() {
    on_both(&["a.rrd", "b.rrd"], "", |lookup, store| {
        let metrics = || lookup.label_values("__name__", &[]).unwrap();
        assert_eq!(metrics(), ["in", "in:max", "load", "load:max"]);
        std::thread::sleep(std::time::Duration::from_millis(600));
        for name in ["a.rrd", "b.rrd"] {
            store.edit(Path::new(name), &Edit::Delete, &|| true).unwrap();
        }
        let other = spec::definition(300, ["DS:out:GAUGE:600:U:U", "RRA:LAST:0.5:1:20"]).unwrap();
        let start = Timestamp::from_seconds(START_SECONDS);
        for name in ["a.rrd", "c.rrd"] {
            store.create(Path::new(name), &other, start).unwrap();
        }
        assert_eq!(metrics(), ["out"]);
        assert_eq!(lookup.label_values("database", &[]).unwrap(), ["a", "c"]);
    });
}

#[test]
fn who_may_not_see_a_database_does_not_find_it() {
    on_both(&["mine/a.rrd", "other/a.rrd"], "", |lookup, _| {
        let lookup = lookup.seen_by(Arc::new(|name| name.starts_with("mine/")));
        assert_eq!(lookup.label_values("database", &[]).unwrap(), ["mine/a"]);
        let all = PathPattern::new("*.*.load").unwrap();
        let nodes = lookup.find(&all).unwrap();
        assert_eq!(nodes.len(), 1, "{nodes:?}");
        assert!(
            lookup.select(&[equal("database", "other/a")], &window(0, 2, 0)).unwrap().is_empty()
        );
        let branches = lookup.find(&PathPattern::new("*").unwrap()).unwrap();
        assert_eq!(branches.len(), 1, "{branches:?}");
    });
}

#[test]
fn conditions_select_what_they_select_by_brute_force() {
    let names: Vec<String> = (0..60)
        .map(|nth| match nth % 3 {
            0 => format!("r{}/p{nth}.rrd", nth % 7),
            1 => format!("r{}.x/p{nth}.rrd", nth % 5),
            _ => format!("deep/r{}/p{nth}.rrd", nth % 4),
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rules = r#"
        [[series]]
        database = "{device}/{port}"
        metric = "if_{ds}"
        [[series]]
        database = "deep/{rest**}"
        labels = { kind = "deep" }
    "#;
    on_both(&names, rules, |lookup, _| {
        let all = lookup.describe(&[]).unwrap();
        assert_eq!(all.len(), 60 * 4);
        let label = prop::sample::select(&["__name__", "database", "device", "kind", "port", "no"]);
        let comparison = prop::sample::select(&[
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Matches,
            Comparison::MatchesNot,
        ]);
        let value = prop::sample::select(&[
            "",
            "r1",
            "r1/p15",
            "r1.*",
            "deep",
            "deep/.*",
            "p1?[0-5]",
            "if_in",
            "in|load",
            ".*",
            ".+",
            "if_.*:max",
            "r[0-3]/p.+",
            "p2+",
            "r1.x/p1",
        ]);
        let matchers = prop::collection::vec((label, comparison, value), 0..4);
        proptest!(ProptestConfig::with_cases(300), |(matchers in matchers)| {
            let matchers: Vec<Matcher> = matchers
                .iter()
                .map(|(label, comparison, value)| matcher(label, *comparison, value))
                .collect();
            let found = lookup.describe(&matchers).unwrap();
            let by_force = all.iter().filter(|series| {
                matchers.iter().all(|matcher| matcher.takes(&series.labels))
            });
            let by_force: Vec<_> = by_force.cloned().collect();
            prop_assert_eq!(found, by_force);
        });
    });
}

/// Enough that several threads share the work: each series still has its own rows.
#[test]
fn many_series_are_read_by_many_threads() {
    const COUNT: usize = 1500;
    let directory = tempfile::tempdir().unwrap();
    let store = RingStore::open_or_create(directory.path(), RingOptions::default()).unwrap();
    let names: Vec<String> = (0..COUNT).map(|nth| format!("r{nth:04}")).collect();
    let (definition, start) = (definition("300"), Timestamp::from_seconds(START_SECONDS));
    let new = names.iter().map(Path::new);
    let new = new.map(|name| NewDatabase { name, definition: &definition, start });
    assert!(store.make(&new.map(Making::new).collect::<Vec<_>>(), &|| true).is_empty());
    let texts = |nth: usize| [1, 2].map(|step| format!("{}:0:{nth}", START_SECONDS + step * 300));
    let texts: Vec<[String; 2]> = (0..COUNT).map(texts).collect();
    let texts: Vec<[&str; 2]> = texts.iter().map(|it| it.each_ref().map(|it| &**it)).collect();
    let updates = names.iter().zip(&texts).map(|(name, texts)| Update::numbered(name, texts));
    assert!(store.update(&updates.collect::<Vec<_>>()).is_empty());
    let store = Rooted::new(Arc::new(store));
    let lookup = Lookup::new(store, Rules::default(), Box::new(|_| Vec::new()));
    let found = lookup.select(&[equal("__name__", "load")], &window(1, 2, 300)).unwrap();
    assert_eq!(found.len(), COUNT);
    for (nth, series) in found.iter().enumerate() {
        assert_eq!(series.labels.get("database"), format!("r{nth:04}"));
        assert_eq!(series.rows.values, [nth as f64]);
    }
    let within = Limits { values_max: COUNT - 1, ..Limits::default() };
    let refused = lookup.within(within).select(&[equal("__name__", "load")], &window(1, 2, 300));
    assert!(matches!(refused, Err(Unanswered::TooMuch { what: "values", .. })), "{refused:?}");
}
