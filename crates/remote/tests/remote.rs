//! A ring store used directly, compared with another one used through a server: answers, errors and
//! bytes are equal for every call. Neither side panics on any bytes from the other.
#![allow(clippy::disallowed_methods)] // the test makes sockets and directories

mod served;

use std::fmt::Debug;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::Random;
use remote::Remote;
use remote::{Answer, Call, serve};
use ring::RingOptions;
use ring::RingStore;
use ring::file::{Foreign, Patch, adoptee};
use rrd::fetch::Query;
use rrd::refill::RowChange;
use rrd::sample::{SampleError, TimeText};
use rrd::tune::{TuneOption, Tuning};
use rrd::{
    ConsolidationFunction, Definition, Reading, Sample, Series, Snapshot, Stretch, Timestamp,
};
use rrdfile::layout::RowIndex;
use store::Adoptee;
use store::{
    Arguments, Edit, Error, Existing, Locking, Making, NamePattern, NewDatabase, Refused, Samples,
    SourceTuning, Store, Taken, Update, Wanted,
};

const START_SECONDS: i64 = 1_600_000_000;
const NAMES: [&str; 7] = ["a", "b.rrd", "deep/er/c", "d d", "\u{e9}", "../out", ""];

/// The two stores.
struct Both {
    direct: RingStore,
    behind: Arc<RingStore>,
    remote: Remote<UnixStream>,
    _directory: tempfile::TempDir,
}

/// A message without the amount of available memory, which changes all the time.
fn without_memory(words: &str) -> String {
    let mut pieces = words.split("memory has ");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |told, piece| {
        told + "memory has " + piece.trim_start_matches(|letter: char| letter.is_ascii_digit())
    })
}

impl Both {
    fn new() -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let store = |name: &str| {
            let root = directory.path().join(name);
            RingStore::create(&root, RingOptions::default()).unwrap()
        };
        let (direct, behind) = (store("direct"), Arc::new(store("behind")));
        let remote = served::remote(behind.clone());
        Self { direct, behind, remote, _directory: directory }
    }

    /// Asks both stores and compares the answers.
    fn same<T>(&self, told: impl Fn(&dyn Store) -> T, text: impl Fn(T) -> String) -> String {
        let direct = without_memory(&text(told(&self.direct)));
        assert_eq!(without_memory(&text(told(&self.remote))), direct);
        direct
    }
}

#[test]
fn a_server_answers_as_its_store_does() {
    for seed in 0..30 {
        println!("seed {seed}");
        let both = Both::new();
        let mut chance = Chance { random: Random::new(seed), now_seconds: START_SECONDS };
        for _ in 0..120 {
            chance.step(&both);
        }
        for name in NAMES {
            compare_reads(&both, Path::new(name), &chance.query());
        }
        let verified = both.same(
            |store| store.inspect().unwrap().verify(&mut |_, _| {}).map(|found| found.damage),
            told,
        );
        assert_eq!(verified, "Ok([])");
        // The assignment of databases to groups depends on the pauses between calls.
        both.same(
            |store| store.inspect().unwrap().report(),
            |report| report.map(|it| format!("{} {:?}", it.databases, it.pace)).unwrap(),
        );
    }
}

/// Random operations on both stores.
struct Chance {
    random: Random,
    now_seconds: i64,
}

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }

    fn name(&mut self) -> PathBuf {
        // The first names are chosen more often, so that their databases live longer.
        let choices = NAMES.len().min(1 + self.below(NAMES.len() as u64) as usize);
        self.pick(&NAMES[..choices]).into()
    }

    fn step(&mut self, both: &Both) {
        let name = self.name();
        match self.below(13) {
            12 => self.adopt(both),
            0 | 1 => self.make(both),
            2 => self.update_by_value(both, &name),
            3 | 4 => self.update_by_text(both),
            5 | 6 => self.update_watched(both, &name),
            7 | 8 => self.edit(both, &name),
            9 => {
                both.same(|store| store.sync(), told);
                let prefix = self.pick(&["", "a", "deep/", "no"]);
                both.same(|store| store.names(prefix), told);
                let pattern = NamePattern::meant(self.pick(&["*", "**", "d*", "**/?", "[!b]*"]));
                let (from, limit) = (self.pick(&["", "b", "deep/x"]), self.pick(&[1, 2, 9]));
                both.same(|store| store.names_like(&pattern), told);
                both.same(|store| store.names_from(&pattern, from, limit), told);
            }
            _ => compare_reads(both, &name, &self.query()),
        }
    }

    fn definition(&mut self) -> Definition {
        let step_seconds = self.pick(&[10, 300]);
        let mut words = vec![format!("DS:a:COUNTER:{}:U:U", 2 * step_seconds)];
        if self.below(2) == 0 {
            words.push("DS:b:GAUGE:600:-5:1e3".into());
        }
        if self.below(4) == 0 {
            words.push("DS:twice:COMPUTE:a,2,*".into());
        }
        words.push(format!("RRA:AVERAGE:0.5:1:{}", 3 + self.below(40)));
        words.push("RRA:MAX:0:3:7".into());
        if self.below(3) == 0 {
            words.push("RRA:HWPREDICT:30:0.2:0.01:8".into());
        }
        rrd::spec::definition(step_seconds, words.iter().map(String::as_str)).unwrap()
    }

    fn make(&mut self, both: &Both) {
        let count = 1 + self.below(3) as usize;
        let new: Vec<_> = (0..count).map(|_| (self.name(), self.definition())).collect();
        let start = Timestamp { seconds: self.now_seconds, micros: self.pick(&[0, 5]) };
        let existing = self.pick(&[Existing::Keep, Existing::Keep, Existing::Replace]);
        let past = Snapshot::empty(&new[0].1, start, &mut store::memory_room()).unwrap();
        let takes_over = self.below(4) == 0;
        let making = |nth: usize| {
            let (name, definition) = &new[nth];
            let new = NewDatabase { name, definition, start };
            Making { new, past: (takes_over && nth == 0).then_some(&past), existing }
        };
        let making: Vec<_> = (0..count).map(making).collect();
        both.same(|store| store.make(&making, &|| true), |failed| all_told(failed, told_error));
    }

    /// Imports whole databases with everything that their files had.
    fn adopt(&mut self, both: &Both) {
        let start = Timestamp::from_seconds(self.now_seconds);
        let file = empty_file(&self.definition(), start);
        let modified_nanos = 1 + self.below(3) as i64;
        let names: Vec<_> = (0..1 + self.below(3)).map(|_| self.name()).collect();
        let coming = |name: &PathBuf| adoptee(name.to_str().unwrap(), &file, modified_nanos);
        let coming: Vec<Adoptee> = names.iter().map(|name| coming(name).unwrap()).collect();
        both.same(|store| store.adopts().unwrap().adopt(&coming, &|| true), told);
        for nanos in [1, 2, 3] {
            both.same(|store| store.adopts().unwrap().came_from(&coming[0].name, nanos), told);
        }
    }

    fn time(&mut self) -> Timestamp {
        self.now_seconds += self.pick(&[0, 1, 10, 300, 300, 4000]);
        let seconds = self.now_seconds - self.pick(&[0, 0, 0, 7]);
        Timestamp { seconds, micros: self.pick(&[0, 0, 123_456]) }
    }

    fn reading(&mut self) -> &'static str {
        self.pick(&[
            "1",
            "18446744073709551615",
            "-3",
            "U",
            "1.25",
            "007",
            "x",
            "1e400",
            "-0",
            "nan",
        ])
    }

    fn readings(&mut self) -> Vec<&'static str> {
        let count = self.pick(&[1, 1, 2, 2, 3, 0]);
        (0..count).map(|_| self.reading()).collect()
    }

    fn update_by_value(&mut self, both: &Both, name: &Path) {
        let texts: Vec<_> = (0..2).map(|_| (self.time(), self.readings())).collect();
        let readings: Vec<_> = texts.iter().map(|(_, texts)| Reading::of_all(texts)).collect();
        let sample = |nth: usize| Sample { time: texts[nth].0, readings: &readings[nth] };
        let samples = [sample(0), sample(1)];
        let one = Update::of(name, &samples);
        both.same(|store| store.update(&[one]), |refused| all_told(refused, told_refused));
    }

    fn word(&mut self) -> String {
        let time = self.time();
        let time = match self.below(12) {
            0 => "N".into(),
            1 => "noon".into(),
            2 => "1x".into(),
            3 => format!("-{}", self.below(9)),
            _ => format!("{time}"),
        };
        let separator = self.pick(&[":", ":", ":", ":", ":", "@", ""]);
        format!("{time}{separator}{}", self.readings().join(":"))
    }

    fn update_by_text(&mut self, both: &Both) {
        let places = 1 + self.below(4) as usize;
        let places: Vec<_> =
            (0..places).map(|_| (self.name(), [self.word(), self.word()])).collect();
        let words = |place: usize| places[place].1.each_ref().map(String::as_str);
        let words: Vec<_> = (0..places.len()).map(words).collect();
        let update = |(name, words)| Update::numbered(name, words);
        let names = places.iter().map(|(name, _)| name);
        let batch: Vec<_> = names.zip(words.iter().map(|words| &words[..])).map(update).collect();
        both.same(|store| store.update(&batch), |refused| all_told(refused, told_refused));
    }

    fn update_watched(&mut self, both: &Both, name: &Path) {
        let words = [self.word(), self.word(), self.word()];
        let words = words.each_ref().map(String::as_str);
        let now_seconds = self.now_seconds;
        let (template, skip_past) =
            (self.pick(&[None, None, Some("a"), Some("no")]), self.below(2) == 0);
        let answer = |store: &dyn Store| {
            // The clock advances with each reading, and both stores read it equally often.
            let now = std::cell::Cell::new(Timestamp::from_seconds(now_seconds));
            let moment = |time: TimeText<'_>| {
                now.set(Timestamp { seconds: now.get().seconds + 1, ..now.get() });
                let no_time = || SampleError::AtTime("noon".into(), "no calendar here".into());
                time.moment(now.get()).ok_or_else(no_time)
            };
            let locking = Locking::Block;
            let arguments =
                Arguments { template, skip_past, locking, words: &words, moment: &moment };
            let update = Update { name, samples: Samples::Arguments(&arguments) };
            let mut seen = Vec::new();
            let mut watch = |taken: &Taken<'_>| {
                let rows = taken.final_rows().map(|rows| {
                    format!(
                        "{} {} {} {:x?}",
                        rows.archive,
                        rows.count,
                        rows.kept,
                        bits(rows.values)
                    )
                });
                let rows: Vec<_> = rows.collect();
                seen.push(format!(
                    "{:?} {} {} {rows:?}",
                    taken.definition, taken.before, taken.time
                ));
            };
            let done = store.update_watched(&update, &mut watch);
            (seen, done)
        };
        both.same(answer, |(seen, done)| format!("{seen:?} {:?}", done.map_err(told_refused)));
        both.same(
            |store| answer_silently(store, name, &words),
            |refused| all_told(refused, told_refused),
        );
    }

    fn edit(&mut self, both: &Both, name: &Path) {
        let other = self.name();
        let definition = self.definition();
        let start = Timestamp::from_seconds(self.now_seconds);
        let whole = Snapshot::empty(&definition, start, &mut store::memory_room()).unwrap();
        let option = self.pick(&[
            (TuneOption::Heartbeat, "a:77"),
            (TuneOption::Minimum, "a:x"),
            (TuneOption::Maximum, "none:1"),
            (TuneOption::SourceName, "a:b"),
            (TuneOption::DeltaAbove, "0"),
            (TuneOption::Step, "5"),
        ]);
        let word = self.pick(&[
            "RRA#0:+2",
            "DS:new:GAUGE:9:U:U",
            "DEL:b",
            "RRA#0:?2",
            "DS:x",
            "RRA:MIN:9:1:1",
        ]);
        let tuning = Tuning {
            called: None,
            options: (0..self.below(2)).map(|_| option).collect(),
            structure: (0..self.below(2)).map(|_| word).collect(),
        };
        let source = SourceTuning {
            source: self.below(3) as u32,
            heartbeat_seconds: 99,
            minimum: f64::from_bits(0x7ff8_0000_dead_beef),
            maximum: 1e9,
        };
        let change =
            self.pick(&[RowChange::Grow(3), RowChange::Shrink(9), RowChange::To(u64::MAX)]);
        let existing = self.pick(&[Existing::Keep, Existing::Replace]);
        let archive = self.below(3) as usize;
        let edit = match self.below(6) {
            0 | 1 => Edit::Tune(&tuning),
            2 => Edit::Source(&source),
            3 => Edit::Resize { archive, change, result: Path::new("r") },
            4 => Edit::Rename(&other),
            _ if self.below(3) == 0 => Edit::Delete,
            _ => Edit::Restore { whole: &whole, existing },
        };
        both.same(|store| store.edit(name, &edit, &|| true), told);
    }

    fn query(&mut self) -> Query {
        let start_seconds = self.now_seconds - self.below(20_000) as i64;
        let cf = self.pick(&[ConsolidationFunction::Average, ConsolidationFunction::Last]);
        let length_seconds = self.pick(&[-500, 100, 5_000, 1 << 40]);
        let end_seconds = start_seconds + length_seconds;
        Query { cf, start_seconds, end_seconds, step_seconds: self.pick(&[1, 900]) }
    }
}

fn answer_silently(store: &dyn Store, name: &Path, words: &[&str]) -> Vec<(usize, Refused)> {
    store.update(&[Update::numbered(name, words)])
}

fn compare_reads(both: &Both, name: &Path, query: &Query) {
    both.same(|store| store.has(name), |has| format!("{has}"));
    both.same(|store| store.outline(name), told);
    both.same(|store| store.header(name).map(|header| header.encode()), told);
    both.same(|store| store.fetch(name, query).map(series), told);
    both.same(|store| store.fetch_stretch(name, query).map(held), told);
    let (longer, none) = (Query { start_seconds: 0, ..*query }, Path::new("none"));
    let wanted = [(name, *query), (none, *query), (name, longer), (Path::new("a"), *query)];
    both.same(
        |store| store.fetch_all(&wanted.map(|(name, query)| Wanted { name, query })),
        |answers| answers.into_iter().map(|it| told(it.map(held))).collect::<Vec<_>>().join("\n"),
    );
    for mark_seconds in [query.start_seconds, i64::MIN] {
        both.same(|store| store.rows_since(name, mark_seconds).map(|it| format!("{it:?}")), told);
    }
    both.same(|store| store.image(name), told);
    both.same(|store| store.snapshot(name).map(|it| (file(&it), slots(&it))), told);
    both.same(
        |store| store.whole(name).map(|(header, it)| (header.encode(), file(&it), slots(&it))),
        told,
    );
}

/// A file without data whose rows begin in a slot that our files never use.
fn empty_file(definition: &Definition, start: Timestamp) -> Vec<u8> {
    let whole = Snapshot::empty(definition, start, &mut store::memory_room()).unwrap();
    let newest_rows = definition.archives.iter().map(|_| RowIndex(1)).collect();
    rrdfile::encode(&whole, newest_rows).unwrap()
}

#[test]
fn what_cannot_become_a_file_is_not_adopted() {
    let both = Both::new();
    let sources = ["DS:a:GAUGE:20:U:U", "RRA:MAX:0:3:7"].into_iter();
    let definition = rrd::spec::definition(10, sources).unwrap();
    let file = empty_file(&definition, Timestamp::from_seconds(START_SECONDS));
    let remote = both.remote.adopts().unwrap();
    let mut good = adoptee("a", &file, 7).unwrap();
    let mut trailing = Foreign::decode(good.foreign.as_ref().unwrap()).unwrap();
    trailing.patches.push(Patch { offset_bytes: 9, bytes: vec![1, 2, 3] });
    trailing.trailing = b"end".into();
    good.foreign = Some(trailing.encode());
    remote.adopt(std::slice::from_ref(&good), &|| true).unwrap();
    let before = both.remote.image(Path::new("a")).unwrap();
    assert!(before.ends_with(b"end"));
    let foreign = good.foreign.clone().unwrap();
    let mut refused = 0;
    for at in 0..foreign.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut odd = foreign.clone();
            odd[at] = byte;
            let odd = Adoptee { foreign: Some(odd), ..good.clone() };
            let done = remote.adopt(&[odd], &|| true);
            let image = both.remote.image(Path::new("a")).expect("it can become a file");
            both.remote.header(Path::new("a")).expect("it has a head");
            refused += usize::from(done.is_err());
            if done.is_err() {
                assert_eq!(image, before, "byte {at} is {byte}");
            } else {
                remote.adopt(std::slice::from_ref(&good), &|| true).unwrap();
            }
        }
    }
    assert!(refused > 10, "{refused} refused");
    // Databases of two layouts, and an empty list.
    let other = rrd::spec::definition(10, ["DS:a:GAUGE:20:U:U", "RRA:MAX:0:3:9"]);
    let other = empty_file(&other.unwrap(), Timestamp::from_seconds(START_SECONDS));
    let other = adoptee("b", &other, 7).unwrap();
    remote.adopt(&[good, other], &|| true).unwrap_err();
    remote.adopt(&[], &|| true).unwrap_err();
    assert!(!both.remote.has(Path::new("b")));
}

fn file(snapshot: &Snapshot) -> Vec<u8> {
    let archives = snapshot.definition.archives.iter();
    let newest = archives.map(|archive| RowIndex(archive.rows - 1)).collect();
    rrdfile::encode(snapshot, newest).unwrap()
}

/// The slots of the newest rows of seasons.
fn slots(snapshot: &Snapshot) -> Vec<u64> {
    snapshot.live.forecast.rings.iter().map(|ring| ring.newest_slot).collect()
}

fn held(stretch: Stretch) -> String {
    let bits = bits(&stretch.held);
    format!("{:?} {bits:x?}", Stretch { held: Vec::new(), ..stretch })
}

fn series(series: Series) -> String {
    let Series { start_seconds, end_seconds, step_seconds, source_names, values } = series;
    format!("{start_seconds} {end_seconds} {step_seconds} {source_names:?} {:x?}", bits(&values))
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn told<T: Debug>(answer: Result<T, Error>) -> String {
    format!("{:?}", answer.map_err(told_error))
}

/// Everything that users see of an error, with its own and with another name for the database.
fn told_error(error: Error) -> String {
    let kind = format!("{error:?}");
    let kind = kind.split_once(['(', ' ', '{']).map_or(&*kind, |(kind, _)| kind).to_owned();
    let kind = if kind == "Served" || !TYPED.contains(&&*kind) { String::new() } else { kind };
    let mut words = vec![kind, error.to_string(), error.in_rrdtools_words()];
    let mut called = error;
    for name in NAMES {
        called = called.called(Path::new(name), Path::new("S/else"));
    }
    words.extend([called.to_string(), called.in_rrdtools_words()]);
    words.join(" | ")
}

/// Errors that keep their kind when they are encoded.
const TYPED: [&str; 10] = [
    "NoSuchDatabase",
    "Exists",
    "Locked",
    "TooLarge",
    "Name",
    "Unfit",
    "Update",
    "Sample",
    "Fetch",
    "Edit",
];

fn told_refused(refused: Refused) -> String {
    format!("{} taken | {}", refused.taken, told_error(refused.error))
}

fn all_told<T>(failed: Vec<(usize, T)>, words: fn(T) -> String) -> String {
    let failed: Vec<_> = failed.into_iter().map(|(nth, error)| (nth, words(error))).collect();
    format!("{failed:?}")
}

/// A database `a` in both stores, with a few samples.
fn with_a() -> Both {
    let both = Both::new();
    let words = ["DS:x:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:100", "RRA:MAX:0.5:5:9"];
    let definition = rrd::spec::definition(10, words).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    for store in [&both.direct as &dyn Store, &both.remote] {
        store.create(Path::new("a"), &definition, start).unwrap();
        let texts: Vec<_> =
            (1..30).map(|nth| format!("{}:{nth}", START_SECONDS + nth * 10)).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        assert!(store.update(&[Update::numbered("a", &texts)]).is_empty());
    }
    both
}

#[test]
fn a_report_is_told_as_it_is() {
    let both = with_a();
    both.behind.sync().unwrap();
    let told = both.remote.inspect().unwrap().report().unwrap();
    let found = both.behind.report();
    let constant = |mut report: store::StoreReport| {
        // The flushing thread may change these between two reports.
        (report.log_bytes, report.journal_segments) = (0, (0, 0));
        for group in &mut report.groups {
            (group.open_tiles, group.memory_bytes, group.checkpoint) = (0, 0, 0);
        }
        format!("{report:?}")
    };
    assert_eq!(constant(told), constant(found));
}

#[test]
fn a_check_of_everything_tells_how_far_it_is() {
    let both = with_a();
    let mut steps = Vec::new();
    let found = both.remote.inspect().unwrap().verify(&mut |done, all| steps.push((done, all)));
    assert!(found.unwrap().damage.is_empty());
    let (last_done, all) = *steps.last().unwrap();
    assert!(last_done == all && steps.is_sorted(), "{steps:?}");
}

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
    let query = Query { cf, start_seconds: end_seconds - 990, end_seconds, step_seconds: 1 };
    let wanted =
        |nth| Wanted { name: Path::new(if nth % 1_000 == 7 { "none" } else { "a" }), query };
    let wanted: Vec<Wanted<'_>> = (0..5_000).map(wanted).collect();
    let answers = both.same(
        |store| store.fetch_all(&wanted),
        |answers| answers.into_iter().map(|it| told(it.map(held))).collect::<Vec<_>>().join("\n"),
    );
    assert_eq!(answers.matches("NoSuchDatabase").count(), 5);
    let calls = calls.lock().unwrap().len();
    assert!((4..10).contains(&calls), "{calls} calls for 500,000 values");
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

/// A server that answers every call with these bytes and closes the connection.
fn saying(words: &'static [u8]) -> Remote<UnixStream> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    std::thread::spawn(move || {
        let mut call = String::new();
        BufReader::new(&theirs).read_line(&mut call).unwrap();
        (&theirs).write_all(words).unwrap();
    });
    Remote::over(ours, "S/socket")
}

#[test]
fn a_server_that_fails_in_the_middle_gives_one_clear_error() {
    let gone = "it went away before it answered";
    let odd = "expected an answer: ";
    let cases: [(&[u8], &str); 10] = [
        (b"", gone),
        (b"0 5", gone),
        (b"0 5 answer\nabc", gone),
        (b"0 18446744073709551615 answer\nabc", gone),
        (b"0 1 progress\n\x01", gone),
        (b"-1 Permission denied.\n", "Permission denied."),
        (b"1 line follows\n", "expected an answer, found \"1 line follows\""),
        (b"0 x answer\n", "expected an answer, found \"0 x answer\""),
        (b"0 1 answer\n\xff", odd),
        (b"0 2 answer\n\x07\x01", "expected an answer: it is that to another call"),
    ];
    for (words, expected) in cases {
        let remote = saying(words);
        let text = format!("S/socket: the server of this store: {expected}");
        for _ in 0..2 {
            let error = remote.outline(Path::new("a")).unwrap_err();
            assert!(matches!(error, Error::Gone { .. }), "{error:?}");
            assert!(error.to_string().starts_with(&text), "{error}");
            assert_eq!(error.in_rrdtools_words(), error.to_string());
        }
        let samples = [Sample { time: Timestamp::default(), readings: &[] }];
        let batch = [Update::of("a", &samples), Update::of("b", &samples)];
        let told = remote.update(&batch);
        assert!(told.iter().all(|(_, refused)| refused.error.to_string().starts_with(&text)));
        assert_eq!(told.len(), 2);
        assert!(
            !remote.has(Path::new("a")) && remote.images(&["a".into()], &mut |_, _| {}).is_err()
        );
    }
}

#[test]
fn a_server_that_goes_between_two_calls_is_told() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    let error = Remote::over(ours, "S").names("").unwrap_err();
    let words = "S: the server of this store: it went away before it answered";
    assert_eq!(error.to_string(), words);
}

/// The encoded calls of random operations.
fn recorded(seed: u64) -> Vec<Vec<u8>> {
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut both = Both::new();
    both.remote = served::recorded(both.behind.clone(), calls.clone());
    let mut chance = Chance { random: Random::new(seed), now_seconds: START_SECONDS };
    (0..60).for_each(|_| chance.step(&both));
    drop(both);
    std::mem::take(&mut *calls.lock().unwrap())
}

#[test]
fn what_is_no_call_is_refused_and_what_is_one_does_no_harm() {
    let mut random = Random::new(7);
    let both = with_a();
    let (mut read, mut refused) = (0, 0);
    for call in recorded(3) {
        let decoded = Call::decode(&call).unwrap();
        assert_eq!(decoded.encode(), call, "one value has one form");
        for _ in 0..20 {
            let mut bytes = call.clone();
            match random.below(3) {
                0 => bytes.truncate(random.below(bytes.len() as u64) as usize),
                1 => bytes.push(0),
                _ => {
                    let at = random.below(bytes.len().min(40) as u64) as usize;
                    bytes[at] = random.below(256) as u8;
                }
            }
            let Ok(call) = Call::decode(&bytes) else {
                refused += 1;
                continue;
            };
            read += 1;
            let answer = serve(&both.direct, &call, &|| true, &mut |_, _| {}).encode();
            Answer::decode(&answer).unwrap();
            let mut torn = answer.clone();
            let at = random.below(torn.len() as u64) as usize;
            torn[at] ^= 1 << random.below(8);
            let _ = Answer::decode(&torn);
            assert!(Answer::decode(&answer[..at]).is_err());
        }
    }
    assert!(read > 100 && refused > 100, "{read} {refused}");
    // Everything that was acknowledged can be read after a restart.
    let root = both.direct.root().to_path_buf();
    let names = both.direct.names("").unwrap();
    drop(both.direct);
    let again = RingStore::open(&root, RingOptions::default()).unwrap();
    assert_eq!(again.names("").unwrap(), names);
    assert!(again.engine().verify(|_, _| {}).unwrap().damage.is_empty());
}

#[test]
fn a_sync_is_asked_for_unless_the_server_did_it() {
    // An update that is answered once as durable and once not, and whether the client then asks for
    // a sync.
    for (what, is_asked) in [("answer", true), ("durable", false)] {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = std::thread::spawn(move || {
            let mut asked = Vec::new();
            let (mut theirs, mut line) = (BufReader::new(theirs), String::new());
            while theirs.read_line(&mut line).unwrap() > 0 {
                let [_, kind, size] = *line.split_whitespace().collect::<Vec<_>>() else {
                    panic!()
                };
                asked.push(kind.to_owned());
                let mut bytes = vec![0; size.parse().unwrap()];
                std::io::Read::read_exact(&mut theirs, &mut bytes).unwrap();
                let is_update = kind == "UPDATE";
                let answer = if is_update { Answer::Refused(Vec::new()) } else { Answer::Done };
                let answer = answer.encode();
                let told = format!("0 {} {what}\n", answer.len());
                theirs.get_mut().write_all(&[told.as_bytes(), &answer].concat()).unwrap();
                line.clear();
            }
            asked
        });
        let remote = Remote::over(ours, "S");
        remote.sync().unwrap();
        assert!(remote.update(&[Update::numbered("a", &["1:2"])]).is_empty());
        remote.sync().unwrap();
        remote.sync().unwrap();
        drop(remote);
        let asked = server.join().unwrap();
        assert_eq!(asked, ["UPDATE", "FLUSH"][..1 + usize::from(is_asked)]);
    }
}
