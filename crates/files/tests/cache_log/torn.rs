//! Files of which a crash left a mixture of their versions, and the samples that the log has.

use std::fs;
use std::path::Path;

use files::cache::{FoundFile, Head, Lines, Log, LogOptions, Settled, base_of, settle};
use files::{Access, RrdFile};
use journal::RrdId;
use proptest::prelude::*;
use rrd::{Sample, SampleReader, Timestamp};
use store::Locking;

use crate::cases::{Case, Update, case, forecasts::forecast_case, update_file, wanted};

const FILE: RrdId = RrdId(3);
const SECTOR_BYTES: usize = 512;

/// Takes an argument into a file and ends no command; whether it was taken.
fn take(file: &mut RrdFile, argument: &str) -> bool {
    let reader = SampleReader::in_order(&file.header().definition);
    let mut readings = Vec::new();
    let Ok(time) = reader.split(argument, &mut readings) else { return false };
    let Some(time) = time.moment(Timestamp::default()) else { return false };
    file.append(&Sample { time, readings: &readings }).is_ok()
}

/// Whether a file takes an argument, tried on a copy.
fn would_take(path: &Path, before: &[String], argument: &str) -> bool {
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).unwrap();
    let mut file = open(&copy);
    assert!(before.iter().all(|argument| take(&mut file, argument)));
    take(&mut file, argument)
}

/// Opens a file once its lock is free: a program that another thread starts holds what is open here
/// until it runs.
fn open(path: &Path) -> RrdFile {
    RrdFile::open_locking(path, Access::Update, Locking::Block).unwrap()
}

/// A history: the file's versions, with the lines that the log has of it.
struct History {
    versions: Vec<Vec<u8>>,
    settled: Box<dyn Fn(&RrdFile) -> Settled>,
}

/// Updates a file command by command. `bases` says before which commands there is a base again.
fn live(path: &Path, updates: &[Update], bases: &[bool]) -> History {
    let log_directory = tempfile::tempdir().unwrap();
    let medium = disk::PosixMedium::open(log_directory.path()).unwrap();
    let mut options = LogOptions::default();
    options.journal.segment_bytes = 1 << 20;
    let (log, _) = Log::open(medium, options).unwrap();
    let mut versions = vec![fs::read(path).unwrap()];
    for (nth, update) in updates.iter().enumerate().filter(|(_, it)| it.template.is_none()) {
        // A base that is logged once more comes with the samples behind it.
        let (mut lines, mut again) = (Lines::default(), Lines::default());
        if nth == 0 || versions.len() == 1 || bases[nth % bases.len()] {
            let file = open(path);
            let base = base_of(b"file", file.header(), file.header_bytes());
            lines.base(FILE, &base.view());
            again.base(FILE, &base.view());
        }
        let mut taken: Vec<String> = Vec::new();
        let mut refused = false;
        for argument in &update.arguments {
            if would_take(path, &taken, argument) {
                taken.push(argument.clone());
                lines.sample(FILE, argument);
                again.sample(FILE, argument);
            } else {
                refused = true;
                break;
            }
        }
        if taken.is_empty() {
            // Its base alone says nothing new.
            if versions.len() == 1 {
                continue;
            }
        } else {
            lines.end(FILE, refused);
            again.end(FILE, refused);
        }
        if !lines.is_empty() {
            let has_base = log.append(&mut lines).unwrap().is_some();
            if has_base && nth % 2 == 1 {
                log.append(&mut again).unwrap();
            }
        }
        if !taken.is_empty() {
            let mut file = open(path);
            assert!(taken.iter().all(|argument| take(&mut file, argument)));
            if refused {
                file.forgo_smoothing();
            }
            drop(file.commit()); // a season that cannot be smoothed is told here as it was then
            drop(file);
            versions.push(fs::read(path).unwrap());
        }
    }
    log.acknowledge().unwrap();
    drop(log);
    let medium = disk::PosixMedium::open(log_directory.path()).unwrap();
    let (_, replay) = Log::open(medium, options).unwrap();
    let found: Vec<FoundFile<'_>> = replay.files().collect();
    assert!(found.len() <= 1 && found.iter().all(|it| it.number == FILE && it.path == b"file"));
    let settled = move |file: &RrdFile| {
        settle(replay.steps(FILE), file.header(), file.header_bytes()).unwrap()
    };
    History { versions, settled: Box::new(settled) }
}

/// A file of which each sector is that of the version that `choice` says.
fn mixture(versions: &[Vec<u8>], choice: &[prop::sample::Index]) -> Vec<u8> {
    let mut mixed = versions[0].clone();
    for (nth, sector) in mixed.chunks_mut(SECTOR_BYTES).enumerate() {
        let version = &versions[choice[nth % choice.len()].index(versions.len())];
        sector.copy_from_slice(&version[nth * SECTOR_BYTES..][..sector.len()]);
    }
    mixed
}

/// What recovery does with a file.
fn recover(path: &Path, settled: Settled) {
    let mut file = open(path);
    match settled.head {
        Head::Base => {}
        Head::Ours { live, newest_rows } => {
            file.put_back(live, newest_rows).unwrap();
            drop(file);
            file = open(path); // the rings of its seasons are read anew
        }
        Head::Foreign => panic!("nobody else wrote it"),
    }
    for sample in settled.samples {
        assert!(take(&mut file, &sample.argument), "{}", sample.argument);
        if sample.end.is_some() {
            if sample.end == Some(true) {
                file.forgo_smoothing();
            }
            drop(file.commit());
            drop(file);
            file = open(path);
        }
    }
    drop(file.commit());
}

fn torn_is_mended(
    path: &Path,
    updates: &[Update],
    bases: &[bool],
    choice: &[prop::sample::Index],
) -> Result<(), TestCaseError> {
    let history = live(path, updates, bases);
    let last = history.versions.last().unwrap();
    if history.versions.len() == 1 {
        return Ok(());
    }
    fs::write(path, mixture(&history.versions, choice)).unwrap();
    // Once, and again as if it had been cut short in between.
    for _ in 0..2 {
        let settled = (history.settled)(&open(path));
        recover(path, settled);
        let found = fs::read(path).unwrap();
        prop_assert_eq!(found.iter().zip(last).position(|(one, other)| one != other), None);
    }
    Ok(())
}

fn made(directory: &Path, case: &Case) -> std::path::PathBuf {
    let path = directory.join("file.rrd");
    let start = Timestamp::from_seconds(case.start_seconds);
    files::create(&path, &case.definition, start, store::Existing::Keep).unwrap();
    path
}

fn choices() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: wanted(20),
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_file_torn_between_its_versions_has_every_sample(
        case in case(),
        bases in proptest::collection::vec(proptest::bool::weighted(0.3), 1..9),
        choice in choices(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = made(directory.path(), &case);
        torn_is_mended(&path, &case.updates, &bases, &choice)?;
    }

    #[test]
    fn what_somebody_else_wrote_stands(case in case(), bases in Just([false])) {
        let directory = tempfile::tempdir().unwrap();
        let path = made(directory.path(), &case);
        let history = live(&path, &case.updates, &bases);
        prop_assume!(history.versions.len() > 1);
        // Any of the versions, then one more sample that the log does not have.
        fs::write(&path, &history.versions[0]).unwrap();
        let seconds = open(&path).header().live.last_update.seconds;
        let sources = SampleReader::in_order(&case.definition);
        let readings = case.definition.sources.iter().filter(|it| it.kind.takes_readings()).count();
        let argument = format!("{}{}", seconds + 1, ":98765".repeat(readings));
        drop(sources);
        let command = Update { template: None, arguments: vec![argument.clone()] };
        prop_assume!(update_file(&path, &command).is_ok());
        let found = fs::read(&path).unwrap();
        prop_assume!(!history.versions.contains(&found));
        let settled = (history.settled)(&open(&path));
        prop_assert_eq!(settled.head, Head::Foreign);
        prop_assert!(!settled.samples.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: wanted(12),
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_torn_file_that_forecasts_has_every_sample(
        case in forecast_case(),
        bases in proptest::collection::vec(proptest::bool::weighted(0.3), 1..9),
        choice in choices(),
    ) {
        let Some(program) = oracle::program("rrdtool", "torn files that forecast") else {
            return Ok(());
        };
        let directory = tempfile::tempdir().unwrap();
        let mut rrdtool = oracle::Rrdtool::start(&program, directory.path());
        prop_assert_eq!(rrdtool.send(&case.create), oracle::Reply::Ok(vec![]));
        torn_is_mended(&directory.path().join("file.rrd"), &case.updates, &bases, &choice)?;
    }
}
