//! The same database in every kind of store and behind a server, used through the trait `Store`,
//! and compared with Debian's rrdtool.
//!
//! rrdtool creates a file, and each store gets a copy of it. All get the same updates and changes,
//! must refuse the same ones with the same messages, and must show the same database bit for bit.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

#[path = "../../files/tests/cases/mod.rs"]
mod cases;
mod served;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::{CacheOptions, FileCache, RrdFiles};
use oracle::{Reply, Rrdtool};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use ring::RingOptions;
use ring::RingStore;
use rrd::fetch::Query;
use rrd::refill::RowChange;
use rrd::sample::{SampleError, TimeText};
use rrd::tune::{TuneOption, Tuning};
use rrd::{Snapshot, Stretch, Timestamp};
use rrdfile::Header;
use rrdfile::layout::RowIndex;
use store::{
    Arguments, Edit, Error, Existing, Locking, Making, NamePattern, NewDatabase, Outline, Samples,
    Store, Taken, Update, Wanted,
};

use cases::compare::field_at;
use cases::forecasts::{ForecastCase, forecast_case};
use cases::{Case, case, create_command};

/// A store, and the database's name in it.
struct Kept {
    store: Box<dyn Store>,
    name: PathBuf,
    /// Whether a refused sample has already replaced the first last readings, as with rrdtool.
    shows_refused: bool,
}

/// A change between updates.
#[derive(Clone, Debug)]
enum Change {
    /// Options of tune, and words of structure.
    Tune(Vec<(TuneOption, String)>, Vec<String>),
    Rename(String),
}

#[test]
fn every_store_shows_what_rrdtool_would() {
    let Some(program) = oracle::program("rrdtool", "equality of all stores with rrdtool") else {
        return;
    };
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let config =
        Config { cases: cases::wanted(60), failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&(case(), vec(change(), 1..6)), |(case, changes)| {
        compare(&mut rrdtool.borrow_mut(), directory.path(), &case, &changes);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn change() -> impl Strategy<Value = Change> {
    let source = (0..4_u8).prop_map(|nth| format!("ds{nth}"));
    let option = prop_oneof![
        (source.clone(), 1..900_u32)
            .prop_map(|(it, n)| (TuneOption::Heartbeat, format!("{it}:{n}"))),
        (source.clone(), -9..9_i32).prop_map(|(it, n)| (TuneOption::Minimum, format!("{it}:{n}"))),
        (source.clone(), 0..99_u32).prop_map(|(it, n)| (TuneOption::Maximum, format!("{it}:{n}"))),
        source.clone().prop_map(|it| (TuneOption::Maximum, format!("{it}:U"))),
        source.clone().prop_map(|it| (TuneOption::SourceKind, format!("{it}:GAUGE"))),
        // Sources never get the same name: rrdtool would make a database that it cannot read, and
        // gyre refuses that.
        (source, 0..4_u8).prop_map(|(it, n)| (TuneOption::SourceName, format!("{it}:{it}_{n}"))),
    ];
    let word = prop_oneof![
        Just("RRA#0:+3".to_owned()),
        Just("RRA#0:=7".to_owned()),
        Just("DS:more:GAUGE:600:U:U".to_owned()),
        Just("RRA:MAX:0.5:1:5".to_owned()),
        Just("RRA#9:+1".to_owned()),
    ];
    prop_oneof![
        3 => (vec(option, 0..3), vec(word, 0..2)).prop_map(|(options, words)| Change::Tune(options, words)),
        1 => "[a-c]".prop_map(Change::Rename),
    ]
}

fn compare(rrdtool: &mut Rrdtool, directory: &Path, case: &Case, changes: &[Change]) {
    let theirs = directory.join("file.rrd");
    assert_eq!(rrdtool.send(&create_command("file.rrd", case)), Reply::Ok(vec![]));
    let ours = tempfile::tempdir_in(directory).unwrap();
    let mut kept = stores(ours.path(), &fs::read(&theirs).unwrap());
    // The row pointers equal rrdtool's until a change of structure rewrites all rows.
    let mut is_pristine = true;
    let mut changes = changes.iter();
    for (nth, command) in case.updates.iter().enumerate() {
        let template = command.template.as_ref();
        let option = template.map(|names| format!("-t {names} ")).unwrap_or_default();
        let line = format!("update file.rrd {option}{}", command.arguments.join(" "));
        let expected = outcome(rrdtool.send(&line));
        let mut rows = Vec::new();
        for each in &kept {
            let (found, made_final) = update(each, command, nth % 2 == 0);
            assert_eq!(found, expected, "{line}");
            rows.push(made_final);
        }
        if expected.is_err() {
            kept.retain(|each| each.shows_refused);
        }
        assert!(rows.windows(2).all(|pair| pair[0] == pair[1]), "{line}: {rows:?}");
        if nth % 3 == 2
            && let Some(change) = changes.next()
        {
            make(rrdtool, &mut kept, change, &mut is_pristine);
        }
        assert_same(&theirs, &kept, is_pristine, &line);
    }
    for each in &kept {
        assert_same_rows(each, &kept[0], case);
    }
    kept.iter().for_each(delete);
}

/// A copy of a file in every kind of store.
fn stores(directory: &Path, file: &[u8]) -> Vec<Kept> {
    let path = |name: &str| {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    };
    for name in ["files/a.rrd", "anywhere/a.rrd", "cached/a.rrd"] {
        fs::write(path(name), file).unwrap();
    }
    let ring = |name| {
        let ring = RingStore::create(&path(name), RingOptions::default()).unwrap();
        ring.engine().adopt(&[ring::file::adoptee("a.rrd", file, 0).unwrap()]).unwrap();
        ring
    };
    let cache = FileCache::open(CacheOptions::default()).unwrap();
    let kept = |store: Box<dyn Store>, name: PathBuf| Kept { store, name, shows_refused: true };
    let cached = kept(Box::new(cache), path("cached/a.rrd"));
    vec![
        kept(Box::new(RrdFiles::below(&path("files"))), "a.rrd".into()),
        kept(Box::new(RrdFiles::anywhere(0)), path("anywhere/a.rrd")),
        Kept { shows_refused: false, ..cached },
        kept(Box::new(ring("ring")), "a.rrd".into()),
        kept(Box::new(served::remote(Arc::new(ring("served")))), "a.rrd".into()),
    ]
}

/// rrdtool names the file in some messages and not in others.
fn outcome(reply: Reply) -> Result<(), String> {
    match reply {
        Reply::Ok(_) => Ok(()),
        Reply::Error(words) => Err(words.replace("file.rrd: ", "")),
    }
}

fn words(error: &Error) -> String {
    match error {
        Error::Update { source, .. } => source.to_string(),
        Error::Sample { source, .. } => source.to_string(),
        other => other.in_rrdtools_words(),
    }
}

/// A row that became final: archive, number of repetitions, values bit for bit.
type Final = (usize, u64, Vec<u64>);

fn update(
    kept: &Kept,
    command: &cases::Update,
    is_watched: bool,
) -> (Result<(), String>, Vec<Final>) {
    let texts: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
    let arguments = Arguments {
        template: command.template.as_deref(),
        skip_past: false,
        locking: Locking::Block,
        words: &texts,
        moment: &moment,
    };
    let update = Update { name: &kept.name, samples: Samples::Arguments(&arguments) };
    let mut rows = Vec::new();
    let mut watch = |taken: &Taken<'_>| {
        rows.extend(taken.final_rows().map(|run| {
            (run.archive, run.count, run.values.iter().map(|it| it.to_bits()).collect())
        }));
    };
    let taken = match is_watched {
        true => kept.store.update_watched(&update, &mut watch),
        false => kept.store.update(&[update]).pop().map_or(Ok(()), |(_, refused)| Err(refused)),
    };
    (taken.map_err(|refused| words(&refused.error)), rows)
}

fn moment(time: TimeText<'_>) -> Result<Timestamp, SampleError> {
    Ok(time.moment(Timestamp::default()).expect("no AT-style times here"))
}

/// rrdtool's letter for the option.
fn letter(option: TuneOption) -> &'static str {
    match option {
        TuneOption::Heartbeat => "-h",
        TuneOption::Minimum => "-i",
        TuneOption::Maximum => "-a",
        TuneOption::SourceKind => "-d",
        TuneOption::SourceName => "-r",
        other => panic!("{other:?} is not among those that are chosen"),
    }
}

fn make(rrdtool: &mut Rrdtool, kept: &mut [Kept], change: &Change, is_pristine: &mut bool) {
    match change {
        Change::Tune(options, structure) => {
            let said: Vec<String> =
                options.iter().map(|(it, value)| format!("{} {value}", letter(*it))).collect();
            let line = format!("tune file.rrd {} {}", said.join(" "), structure.join(" "));
            let expected = outcome(rrdtool.send(line.trim_end()));
            let tuning = Tuning {
                called: Some("file.rrd"),
                options: options.iter().map(|(option, value)| (*option, value.as_str())).collect(),
                structure: structure.iter().map(String::as_str).collect(),
            };
            for each in kept.iter() {
                let tuned = each.store.edit(&each.name, &Edit::Tune(&tuning), &|| true);
                let tuned = tuned.map_err(|error| words(&error));
                assert_eq!(tuned.is_ok(), expected.is_ok(), "{line}: {tuned:?}, {expected:?}");
            }
            *is_pristine &= structure.is_empty()
                && !options.iter().any(|(option, _)| {
                    matches!(option, TuneOption::SourceKind | TuneOption::SourceName)
                });
        }
        Change::Rename(letter) => {
            for each in kept {
                let to = each.name.with_file_name(format!("{letter}.rrd"));
                let renamed = each.store.edit(&each.name, &Edit::Rename(&to), &|| true);
                match renamed {
                    Ok(()) => each.name = to,
                    Err(error) => {
                        assert!(matches!(error, Error::Exists(_)) && to == each.name, "{error}")
                    }
                }
            }
        }
    }
}

fn assert_same(theirs: &Path, kept: &[Kept], is_pristine: bool, line: &str) {
    let (their_header, their_snapshot) = rrdfile::decode(&fs::read(theirs).unwrap()).unwrap();
    for (nth, Kept { store, name, .. }) in kept.iter().enumerate() {
        let (header, snapshot) = store.whole(name).unwrap();
        let (ours, theirs) = (canonical(&snapshot), canonical(&their_snapshot));
        if let Some(offset) = (0..theirs.len()).find(|at| ours.get(*at) != theirs.get(*at)) {
            let word = offset / 8 * 8;
            panic!(
                "store {nth} after {line}\nbyte {offset} differs, {}: theirs {:02x?} ours {:02x?}",
                field_at(&theirs, offset),
                &theirs[word..word + 8],
                &ours[word..word + 8],
            );
        }
        if is_pristine {
            assert_eq!(header.newest_rows, their_header.newest_rows, "store {nth} after {line}");
            assert_eq!(header.version, their_header.version);
        }
        let outline = store.outline(name).unwrap();
        assert_eq!(outline.last_update, snapshot.live.last_update);
        assert_eq!(head(&store.header(name).unwrap()), head(&header), "store {nth} after {line}");
        assert!(store.has(name) && !store.has(&name.with_file_name("none.rrd")));
    }
}

/// For each archive, the rows reported when they became final, by their end times.
type Told = Vec<BTreeMap<i64, Vec<u64>>>;

/// A reader that missed rows reads them again: they equal the reported rows bit for bit, and lost
/// rows are reported as lost.
#[test]
fn rows_that_became_final_are_read_again_from_any_mark() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let config =
        Config { cases: cases::wanted(60), failure_persistence: None, ..Config::default() };
    let any = prop_oneof![3 => case(), 2 => forecast_case().prop_map(of_forecasts)];
    let outcome = TestRunner::new(config).run(&any, |case| {
        read_again(directory.path(), &case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// A case with forecasting archives.
fn of_forecasts(ForecastCase { create, updates }: ForecastCase) -> Case {
    let words: Vec<&str> = create.split_whitespace().collect();
    let ["create", _, "-b", start_seconds, "-s", step_seconds, parts @ ..] = &words[..] else {
        panic!("{create}");
    };
    let step_seconds = step_seconds.parse().unwrap();
    let definition = rrd::spec::definition(step_seconds, parts.iter().copied()).unwrap();
    let start_seconds = start_seconds.parse().unwrap();
    Case { definition, start_seconds, updates, fetches: Vec::new() }
}

fn read_again(directory: &Path, case: &Case) {
    let ours = tempfile::tempdir_in(directory).unwrap();
    let start = Timestamp::from_seconds(case.start_seconds);
    let empty = Snapshot::empty(&case.definition, start, &mut store::memory_room()).unwrap();
    for Kept { store, name, .. } in stores(ours.path(), &canonical(&empty)) {
        let mut told: Told = case.definition.archives.iter().map(|_| BTreeMap::new()).collect();
        let mut marks = vec![case.start_seconds];
        for command in &case.updates {
            let texts: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
            let arguments = Arguments {
                template: command.template.as_deref(),
                skip_past: false,
                locking: Locking::Block,
                words: &texts,
                moment: &moment,
            };
            let update = Update { name: &name, samples: Samples::Arguments(&arguments) };
            // A refused sample does not undo the samples before it.
            let _ = store.update_watched(&update, &mut |taken| note(taken, &mut told));
            marks.push(store.outline(&name).unwrap().last_update.seconds);
            for mark in [marks[0], marks[marks.len() / 2], marks[marks.len() - 1] + 1_000, 0] {
                assert_read_again(&*store, &name, mark, &told);
            }
        }
        let last_seconds = marks[marks.len() - 1];
        for mark in marks.iter().flat_map(|mark| [mark - 1, *mark, mark + 1]) {
            assert_read_again(&*store, &name, mark, &told);
        }
        assert_read_again(&*store, &name, i64::MIN, &told);
        let none = store.rows_since(&name, i64::MAX).unwrap();
        assert_eq!(none.last_update.seconds, last_seconds);
        assert!(none.archives.iter().flatten().all(|rows| rows.rows == 0));
        let missing = store.rows_since(&name.with_file_name("none.rrd"), 0).unwrap_err();
        assert!(missing.is_missing());
    }
}

/// Records the rows that a sample made final, by their end times. Only as many as a ring has are
/// reported.
fn note(taken: &Taken<'_>, told: &mut Told) {
    let Taken { definition, time, .. } = *taken;
    let runs: Vec<_> = taken.final_rows().collect();
    for (nth, archive) in definition.archives.iter().enumerate() {
        let row_seconds = archive.row_seconds(definition.step_seconds) as i64;
        let newest_seconds = time.seconds - time.seconds % row_seconds;
        let runs = runs.iter().filter(|run| run.archive == nth);
        let mut age = runs.clone().map(|run| run.count as i64).sum::<i64>();
        for run in runs {
            for _ in 0..run.count {
                age -= 1;
                told[nth].insert(newest_seconds - age * row_seconds, bits(run.values));
            }
        }
    }
}

fn assert_read_again(store: &dyn Store, name: &Path, mark_seconds: i64, told: &Told) {
    let since = store.rows_since(name, mark_seconds).unwrap();
    let Outline { definition, last_update } = store.outline(name).unwrap();
    assert_eq!(since.last_update, last_update);
    // Limits may be NaN, so the texts are compared.
    assert_eq!(format!("{:?}", since.definition), format!("{definition:?}"));
    for (nth, archive) in definition.archives.iter().enumerate() {
        let Some(rows) = &since.archives[nth] else {
            assert!(archive.cf.is_seasonal());
            continue;
        };
        assert!(!archive.cf.is_seasonal());
        let row_seconds = archive.row_seconds(definition.step_seconds) as i64;
        let oldest_seconds = rows.end_seconds - archive.rows as i64 * row_seconds;
        let mut expected = told[nth].range(mark_seconds.saturating_add(1)..);
        let begin = told[nth].keys().next().copied().unwrap_or(i64::MAX);
        let held = rows.held.chunks(definition.sources.len());
        let first = rows.start_seconds + rows.rows_before as i64 * row_seconds;
        // Rows before the first update were never reported, and lost rows are marked as lost.
        for (position, row) in held.enumerate() {
            let end = first + (position as i64 + 1) * row_seconds;
            assert!(end > oldest_seconds);
            if end >= begin {
                let told = told[nth].get(&end);
                assert_eq!(Some(&bits(row)), told, "archive {nth}, row {end} since {mark_seconds}");
            }
        }
        assert!(
            expected.all(
                |(end, _)| *end <= oldest_seconds || (first < *end && *end <= rows.end_seconds)
            )
        );
        assert_eq!(
            rows.rows_before as usize + rows.held.len() / definition.sources.len(),
            rows.rows as usize
        );
    }
}

#[test]
fn every_store_lists_names_alike() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| directory.path().join(name);
    let ring = |name| RingStore::create(&path(name), RingOptions::default()).unwrap();
    fs::create_dir(path("files")).unwrap();
    let stores: [Box<dyn Store>; 3] = [
        Box::new(RrdFiles::below(&path("files"))),
        Box::new(ring("ring")),
        Box::new(served::remote(Arc::new(ring("served")))),
    ];
    let definition = rrd::spec::definition(10, ["DS:x:GAUGE:60:U:U", "RRA:LAST:0.5:1:5"]).unwrap();
    let words = ["a", "a-b", "a/x", "a/y/z", "a0", "b/x", "b/y", "ba/x", "[b]/x", "\u{e9}/x", "*"];
    let mut names: Vec<String> = words.iter().map(|name| format!("{name}.rrd")).collect();
    names.sort();
    let patterns = [
        "",
        "a",
        "a/",
        "a/y/",
        "none/",
        "a.rrd/",
        "../",
        "*",
        "**",
        "a*",
        "*/*",
        "a/**",
        "**/x*",
        "[ab]/?.rrd",
        "[b]/*",
        "[!a]*/**",
        r"\**",
        "b?/x.rrd",
        "b/x.rrd",
        "none/*",
    ];
    for store in &stores {
        let new = names.iter().map(|name| {
            let start = Timestamp::from_seconds(1_600_000_000);
            Making::new(NewDatabase { name: Path::new(name), definition: &definition, start })
        });
        assert!(store.make(&new.collect::<Vec<_>>(), &|| true).is_empty());
        for pattern in patterns.map(NamePattern::meant) {
            let expected: Vec<String> =
                names.iter().filter(|it| pattern.matches(it)).cloned().collect();
            assert_eq!(store.names_like(&pattern).unwrap(), expected, "{pattern:?}");
            for limit in 1..5 {
                for from in ["", "a/x.rrd", "b", "zzz"] {
                    let first = expected.partition_point(|name| name.as_str() < from);
                    let paged = paged(&**store, &pattern, from, limit);
                    assert_eq!(paged, expected[first..], "{pattern:?} {from} {limit}");
                }
            }
        }
    }
}

/// All names from `from` on, page by page.
fn paged(store: &dyn Store, pattern: &NamePattern, from: &str, limit: usize) -> Vec<String> {
    let (mut all, mut next) = (Vec::new(), Some(from.to_owned()));
    while let Some(from) = next {
        let page = store.names_from(pattern, &from, limit).unwrap();
        assert!(page.names.len() <= limit);
        all.extend(page.names);
        next = page.next;
    }
    all
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn head(header: &Header) -> Vec<u8> {
    header.encode().unwrap()
}

/// The whole database as a file with its rows in order.
fn canonical(snapshot: &Snapshot) -> Vec<u8> {
    let archives = snapshot.definition.archives.iter();
    rrdfile::encode(snapshot, archives.map(|archive| RowIndex(archive.rows - 1)).collect()).unwrap()
}

fn assert_same_rows(kept: &Kept, other: &Kept, case: &Case) {
    let last_seconds = kept.store.outline(&kept.name).unwrap().last_update.seconds;
    for fetch in &case.fetches {
        let start_seconds = last_seconds - fetch.start_before_seconds;
        let end_seconds = start_seconds + fetch.length_seconds;
        let (cf, step_seconds) = (fetch.cf, fetch.step_seconds);
        let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds };
        let rows = |kept: &Kept| match kept.store.fetch(&kept.name, &query) {
            Ok(series) => {
                let stretch = kept.store.fetch_stretch(&kept.name, &query).unwrap().whole();
                assert_eq!(bits(&stretch.values), bits(&series.values));
                let times = (series.start_seconds, series.end_seconds, series.step_seconds);
                Ok((times, series.source_names, bits(&series.values)))
            }
            Err(error) => Err(error.in_rrdtools_words()),
        };
        assert_eq!(rows(kept), rows(other), "{query:?}");
    }
    assert_same_together(kept, case, last_seconds);
}

/// Many queries in one call get the same answers as one by one.
fn assert_same_together(Kept { store, name, .. }: &Kept, case: &Case, last_seconds: i64) {
    let none = name.with_file_name("none.rrd");
    let wanted = case.fetches.iter().enumerate().map(|(nth, fetch)| {
        let start_seconds = last_seconds - fetch.start_before_seconds;
        let end_seconds = start_seconds + fetch.length_seconds;
        let (cf, step_seconds) = (fetch.cf, fetch.step_seconds);
        let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds };
        Wanted { name: if nth == 1 { &none } else { name }, query }
    });
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    let told = |answer: Result<Stretch, Error>| {
        let told = answer.map(|it| (format!("{it:?}"), bits(&it.held)));
        told.map_err(|error| (error.is_missing(), error.in_rrdtools_words()))
    };
    let together = store.fetch_all(&wanted).into_iter().map(told);
    let alone = |wanted: &Wanted<'_>| told(store.fetch_stretch(wanted.name, &wanted.query));
    assert_eq!(together.collect::<Vec<_>>(), wanted.iter().map(alone).collect::<Vec<_>>());
}

/// The database is deleted, restored under its name, not made twice, and deleted for good.
fn delete(Kept { store, name, .. }: &Kept) {
    let whole = store.snapshot(name).unwrap();
    let goes_on = &|| true;
    store.edit(name, &Edit::Delete, goes_on).unwrap();
    assert!(!store.has(name) && store.header(name).unwrap_err().is_missing());
    assert!(store.edit(name, &Edit::Delete, goes_on).unwrap_err().is_missing());
    let restore = Edit::Restore { whole: &whole, existing: Existing::Keep };
    store.edit(name, &restore, goes_on).unwrap();
    assert_eq!(canonical(&store.snapshot(name).unwrap()), canonical(&whole));
    assert!(matches!(store.edit(name, &restore, goes_on), Err(Error::Exists(_))));
    let start = whole.live.last_update;
    let new = NewDatabase { name, definition: &whole.definition, start };
    let failed = store.make(&[Making::new(new)], goes_on);
    assert!(matches!(&failed[..], [(0, Error::Exists(_))]));
    assert!(
        store
            .make(&[Making { existing: Existing::Replace, ..Making::new(new) }], goes_on)
            .is_empty()
    );
    assert_eq!(store.outline(name).unwrap().last_update, start);
    let resize = |change| Edit::Resize { archive: 99, change, result: Path::new("r.rrd") };
    let refused = store.edit(name, &resize(RowChange::Grow(1)), goes_on).unwrap_err();
    assert_eq!(refused.in_rrdtools_words(), "no such RRA in this RRD");
    store.edit(name, &Edit::Delete, goes_on).unwrap();
}
