//! Random databases of other machines: what their own rrdtools tell of them, ours tells too, and
//! Debian's rrdtool of this machine tells of what they become.
#![allow(clippy::disallowed_methods)] // the test reads and writes the files

#[path = "../../files/tests/cases/mod.rs"]
mod cases;

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use files::{Access, RrdFile};
use oracle::{FOREIGN_MACHINES, Reply, Rrdtool};
use proptest::strategy::Strategy as _;
use proptest::test_runner::{Config, TestRunner};
use ring::file::adoptee;
use rrd::fetch::Query;
use rrdfile::to_native;
use store::Error;

use cases::{Case, case, create_command};

#[test]
fn files_of_other_machines_tell_the_same_here() {
    let what = "random files of other machines";
    let Some(ours) = oracle::program("rrdtool", what) else { return };
    for machine in FOREIGN_MACHINES {
        let Some(program) = oracle::foreign_rrdtool(machine, what) else { continue };
        let directory = tempfile::tempdir().unwrap();
        let native = RefCell::new(Rrdtool::start(&ours, directory.path()));
        let foreign = RefCell::new(Rrdtool::start(&program, directory.path()));
        let config = Config {
            cases: cases::wanted(8),
            max_local_rejects: u32::MAX,
            failure_persistence: None,
            max_global_rejects: u32::MAX,
            ..Config::default()
        };
        // The times of a 32-bit machine end in 2038.
        let case = case().prop_filter("early", |case| case.start_seconds < 1_200_000_000);
        let outcome = TestRunner::new(config).run(&case, |case| {
            let (native, foreign) = (&mut native.borrow_mut(), &mut foreign.borrow_mut());
            make(&program, directory.path(), &case);
            compare(machine, foreign, native, directory.path(), &case);
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{machine}: {failure}");
        }
    }
}

fn compare(
    machine: &str,
    foreign: &mut Rrdtool,
    native: &mut Rrdtool,
    directory: &Path,
    case: &Case,
) {
    let (theirs, ours) = (directory.join("theirs.rrd"), directory.join("ours.rrd"));
    let create = create_command("theirs.rrd", case);
    let bytes = fs::read(&theirs).unwrap();
    let translated = to_native(&bytes).unwrap();
    fs::write(&ours, &translated.bytes).unwrap();
    let (Reply::Ok(theirs_told), Reply::Ok(ours_told)) =
        (foreign.send("dump theirs.rrd"), native.send("dump ours.rrd"))
    else {
        panic!("both dump after {create}")
    };
    same_lines(machine, &theirs_told, &ours_told, &create);

    let file = RrdFile::open(&theirs, Access::Read).unwrap();
    assert!(matches!(RrdFile::open(&theirs, Access::Update), Err(Error::Format { .. })));
    let snapshot = file.snapshot().unwrap();
    // As text, in which unknown values are equal.
    let from_bytes = adoptee("it.rrd", &bytes, 0).unwrap().snapshot;
    assert_eq!(format!("{snapshot:?}"), format!("{from_bytes:?}"));
    for fetch in &case.fetches {
        let start_seconds = snapshot.live.last_update.seconds - fetch.start_before_seconds;
        let end_seconds = start_seconds + fetch.length_seconds;
        let (cf, step_seconds) = (fetch.cf, fetch.step_seconds);
        let line =
            format!("fetch theirs.rrd {cf} -s {start_seconds} -e {end_seconds} -r {step_seconds}");
        let found = file.fetch(&Query {
            tick: rrd::Tick::SECOND,
            cf,
            start_seconds,
            end_seconds,
            step_seconds,
        });
        match (foreign.send(&line), found) {
            (Reply::Ok(lines), Ok(series)) => {
                let rows = series.iter().map(|(seconds, values)| {
                    let values = values.iter().map(|value| format!(" {value:e}"));
                    format!("{seconds}:{}", values.collect::<String>())
                });
                let rows: Vec<String> = rows.collect();
                same_lines(machine, &lines[2..], &rows, &line);
            }
            (Reply::Error(words), Err(error)) => assert_eq!(error.in_rrdtools_words(), words),
            (theirs, ours) => panic!("{line}\ntheirs {theirs:?}\nours {ours:?}"),
        }
    }
}

/// Has a foreign rrdtool of its own make the file and update it. It may refuse some updates, and
/// ends at a few that a 32-bit rrdtool is not up to; what it then left is a case too.
fn make(program: &Path, directory: &Path, case: &Case) {
    let mut commands = create_command("theirs.rrd", case) + "\n";
    for update in &case.updates {
        let template = update.template.as_ref().map(|names| format!("-t {names} "));
        let arguments = update.arguments.join(" ");
        commands += &format!("update theirs.rrd {}{arguments}\n", template.unwrap_or_default());
    }
    fs::write(directory.join("commands"), commands).unwrap();
    let mut rrdtool = Command::new(program);
    rrdtool.arg("-").current_dir(directory).env("LC_ALL", "C").stdout(Stdio::null());
    let _ = rrdtool.stdin(fs::File::open(directory.join("commands")).unwrap()).status().unwrap();
}

/// 32-bit rrdtools dump a digit less, and machines differ in the sign of what is unknown.
fn same_lines(machine: &str, theirs: &[String], ours: &[String], what: &str) {
    assert_eq!(theirs.len(), ours.len(), "{machine}: {what}");
    for (theirs, ours) in theirs.iter().zip(ours) {
        let words = |line: &str| -> Vec<String> {
            let words = line.split([' ', '\t', '<', '>', ':']).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let (their_words, our_words) = (words(theirs), words(ours));
        let same = their_words.len() == our_words.len()
            && their_words.iter().zip(&our_words).all(|(theirs, ours)| is_same(theirs, ours));
        assert!(same, "{machine}: {what}\ntheirs {theirs}\nours   {ours}");
    }
}

fn is_same(theirs: &str, ours: &str) -> bool {
    /// Of numbers next to nothing, rrdtool prints fewer digits still.
    const LEAST: f64 = 1e-316;
    let (Ok(their), Ok(our)) = (theirs.parse::<f64>(), ours.parse::<f64>()) else {
        return theirs == ours;
    };
    their == our
        || (their.is_nan() && our.is_nan())
        || (their - our).abs() <= their.abs() * 1e-9 + LEAST
}
