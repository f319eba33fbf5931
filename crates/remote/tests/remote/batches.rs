//! Calls and answers of many databases, which are divided.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Reading, Sample, Timestamp};
use store::{Edit, Error, Existing, Refused, Store, Update, Wanted};

use crate::both::with_a;
use crate::told::{all_told, held, told, told_refused};
use crate::{START_SECONDS, served};

#[test]
fn files_of_many_come_in_order() {
    let both = with_a();
    let whole = both.direct.snapshot(Path::new("a")).unwrap();
    let mut names: Vec<_> = (0..100).map(|nth| format!("many/{nth}")).collect();
    for name in &names {
        let restore = Edit::Restore { whole: &whole, existing: Existing::Keep };
        both.remote.edit(Path::new(name), &restore, &|| true).unwrap();
    }
    names.insert(50, "none".into());
    let mut seen = Vec::new();
    let mut take =
        |name: &str, file: Result<Vec<u8>, Error>| seen.push((name.to_owned(), told(file)));
    both.remote.images(&names, &mut take).unwrap();
    let found = |name: &String| (name.clone(), told(both.behind.image(Path::new(name))));
    assert_eq!(seen, names.iter().map(found).collect::<Vec<_>>());
    assert!(both.remote.has(Path::new("a")), "the connection serves on");
}

/// Two databases are enough for one answer.
#[test]
fn large_files_come_over_several_calls() {
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut both = with_a();
    both.remote = served::recorded(both.behind.clone(), calls.clone());
    let words = ["DS:x:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:300000"];
    let definition = rrd::spec::definition(10, words).unwrap();
    let names: Vec<String> = (0..5).map(|nth| format!("large/{nth}")).collect();
    for name in &names {
        let start = Timestamp::from_seconds(START_SECONDS);
        both.remote.create(Path::new(name), &definition, start).unwrap();
    }
    calls.lock().unwrap().clear();
    let mut seen = Vec::new();
    both.remote
        .images(&names, &mut |name, file| seen.push((name.to_owned(), file.unwrap())))
        .unwrap();
    let found = |name: &String| (name.clone(), both.behind.image(Path::new(name)).unwrap());
    assert!(seen == names.iter().map(found).collect::<Vec<_>>());
    assert_eq!(calls.lock().unwrap().len(), 3);
}

#[test]
fn many_queries_are_answered_over_several_calls() {
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut both = with_a();
    both.remote = served::recorded(both.behind.clone(), calls.clone());
    let cf = ConsolidationFunction::Average;
    let end_seconds = START_SECONDS + 300;
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds: end_seconds - 990,
        end_seconds,
        step_seconds: 1,
    };
    let wanted =
        |nth| Wanted { name: Path::new(if nth % 1_000 == 7 { "none" } else { "a" }), query };
    let wanted: Vec<Wanted<'_>> = (0..12_000).map(wanted).collect();
    let answers = both.same(
        |store| store.fetch_all(&wanted),
        |answers| answers.into_iter().map(|it| told(it.map(held))).collect::<Vec<_>>().join("\n"),
    );
    assert_eq!(answers.matches("NoSuchDatabase").count(), 12);
    let calls = calls.lock().unwrap().len();
    assert!((4..10).contains(&calls), "{calls} calls for 1,200,000 values");
    // If the receiver breaks off, it gets no more answers, and the connection remains usable.
    let mut seen = 0;
    let enough = &mut |_, _| {
        seen += 1;
        if seen < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    both.remote.fetch_many(&wanted, enough).unwrap();
    assert!(seen == 3 && both.remote.has(Path::new("a")));
}

#[test]
fn a_call_too_large_is_refused_and_the_next_one_served() {
    let both = with_a();
    let long = "1".repeat(9 << 20);
    let text = format!("{}:{long}", START_SECONDS + 500);
    let refused = both.remote.update(&[Update::numbered("a", &[&text])]);
    let [(0, Refused { error, taken: 0 })] = &refused[..] else { panic!("{refused:?}") };
    let words = error.to_string();
    assert!(
        words.starts_with("socket: expected at most 8388608 bytes at once, found 94"),
        "{words}"
    );
    assert!(both.remote.has(Path::new("a")));
}

#[test]
fn many_updates_go_in_several_calls() {
    let both = with_a();
    let filler = format!("{}:{}", START_SECONDS, "9".repeat(2_000));
    let late = format!("{}:5", START_SECONDS + 1_000);
    let texts: Vec<&str> = (0..400).map(|nth| if nth == 300 { &late } else { &*filler }).collect();
    let batch: Vec<_> =
        texts.iter().map(|text| Update::numbered("a", std::slice::from_ref(text))).collect();
    let failed = both.same(
        |store| store.update(&batch),
        |failed| {
            assert_eq!(failed.len(), 399);
            all_told(failed, told_refused)
        },
    );
    assert!(failed.contains("(299, ") && !failed.contains("(300, ") && failed.contains("(399, "));
}

#[test]
fn updates_of_one_call_keep_their_own_samples() {
    let both = with_a();
    let readings = [1, 2, 3, 4].map(|value| [Reading::Unsigned(value)]);
    let sample = |nth: usize| {
        let time = Timestamp::from_seconds(START_SECONDS + 500 + 10 * nth as i64);
        Sample { time, readings: &readings[nth] }
    };
    let (first, last) = ([sample(0), sample(1)], [sample(3)]);
    let text = format!("{}:3", START_SECONDS + 520);
    let words = [text.as_str()];
    let batch = [
        Update::of("a", &first),
        Update::of("a", &[]),
        Update::numbered("a", &words),
        Update::of("none", &first),
        Update::of("a", &last),
    ];
    let failed = both.same(|store| store.update(&batch), |failed| all_told(failed, told_refused));
    assert!(failed.starts_with("[(3, ") && !failed.contains("(4, "), "{failed}");
    assert_eq!(
        both.remote.image(Path::new("a")).unwrap(),
        both.direct.image(Path::new("a")).unwrap()
    );
}
