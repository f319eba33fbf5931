//! `gyre doctor` on any machine: real stores, real files, and file systems that are mounted with
//! known options.
#![allow(clippy::disallowed_methods)] // a test: it makes files and starts programs

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use serde_json::Value;
use store::Store as _;

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn run(words: &[&str], path: Option<&Path>) -> Output {
    Command::new(GYRE).arg("doctor").args(words).args(path).output().unwrap()
}

/// Findings by name.
#[track_caller]
fn findings(words: &[&str], path: Option<&Path>) -> Value {
    let output = run(&[words, &["--json"]].concat(), path);
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let states = ["ok", "advice", "warning", "unknown"];
    let mut is_to_change = false;
    for finding in value["findings"].as_array().unwrap() {
        let state = finding["state"].as_str().unwrap();
        assert!(states.contains(&state), "{finding}");
        let is_strict = words.contains(&"--strict");
        is_to_change |= state == "warning" || (is_strict && state == "advice");
    }
    assert_eq!(output.status.code(), Some(i32::from(is_to_change)), "{output:?}");
    value
}

fn finding<'a>(value: &'a Value, name: &str) -> &'a Value {
    let all = value["findings"].as_array().unwrap().iter();
    let found = all.clone().find(|finding| finding["check"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {value}"))
}

fn definition() -> rrd::Definition {
    let words = ["DS:a:COUNTER:600:0:U", "DS:b:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:800"];
    rrd::spec::definition(300, words).unwrap()
}

#[test]
fn the_machine_alone() {
    let value = findings(&[], None);
    assert_ne!(finding(&value, "kernel")["state"], "unknown");
    assert!(value["measured"].is_null());
    let text = String::from_utf8(run(&[], None).stdout).unwrap();
    assert!(text.contains("Limits\n") && !text.contains('\x1b'), "{text}");
    let listed = String::from_utf8(run(&["--list"], None).stdout).unwrap();
    assert!(listed.lines().count() > 20 && listed.starts_with("dedicated "), "{listed}");
}

#[test]
fn a_directory_of_files_and_its_disk() {
    let directory = directory();
    let store = files::RrdFiles::below(directory.path());
    for nth in 0..40 {
        let name = format!("{nth:02}.rrd");
        store.create(name.as_ref(), &definition(), Timestamp::from_seconds(1_700_000_000)).unwrap();
    }
    std::fs::write(directory.path().join("not.rrd"), "something else").unwrap();
    let value = findings(&["--measure"], Some(directory.path()));
    let memory = finding(&value, "memory")["found"].as_str().unwrap();
    assert!(memory.starts_with("41 databases need "), "{memory}");
    let phases = finding(&value, "staggered-creation");
    assert_eq!(phases["state"], "ok", "gyre places the first row at random: {phases}");
    assert!(value["measured"]["sync_seconds"].as_f64().unwrap() > 0.0, "{value}");
    let text = run(&["--measure", "--only", "kernel"], Some(directory.path())).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(" pages/s written at random\n") && !text.contains(" \n"), "{text}");
    let left = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, 41, "what was measured with is gone");
}

#[test]
fn a_store_that_another_process_has_open() {
    let directory = directory();
    let root = directory.path().join("store");
    let store = RingStore::create(&root, RingOptions::default()).unwrap();
    for nth in 0..10 {
        let start = Timestamp::from_seconds(1_700_000_000);
        store.create(format!("{nth}.rrd").as_ref(), &definition(), start).unwrap();
    }
    drop(store); // its checkpoints are written
    let store = RingStore::open(&root, RingOptions::default()).unwrap();
    let value = findings(&[], Some(&root));
    let memory = finding(&value, "memory");
    assert!(memory["found"].as_str().unwrap().starts_with("10 databases need "), "{memory}");
    assert_eq!(store.names("").unwrap().len(), 10, "it was not disturbed");
}

/// The doctor reports what the store's other files tell, and names what is missing.
#[test]
fn a_store_with_a_damaged_catalogue() {
    let directory = directory();
    let root = directory.path().join("store");
    let store = RingStore::create(&root, RingOptions::default()).unwrap();
    for nth in 0..10 {
        let start = Timestamp::from_seconds(1_700_000_000);
        store.create(format!("{nth}.rrd").as_ref(), &definition(), start).unwrap();
    }
    drop(store); // its checkpoints are written
    let whole = findings(&["--only", "catalogue"], Some(&root));
    assert_eq!(finding(&whole, "catalogue")["found"], "it has 10 databases");
    let catalogue = root.join("catalogue");
    let bytes = std::fs::metadata(&catalogue).unwrap().len();
    std::fs::write(&catalogue, vec![0xa5; bytes as usize]).unwrap();
    let configuration = directory.path().join("mrtg.cfg");
    let text = format!(
        "WorkDir: {}\nTitle[_]: t\nMaxBytes[_]: 1\nTarget[a]: 1:public@10.0.0.1\n",
        directory.path().display()
    );
    std::fs::write(&configuration, text).unwrap();
    for given in [&root, &configuration] {
        let value = findings(&[], Some(given));
        let unseen = finding(&value, "catalogue");
        assert_eq!(unseen["state"], "unknown");
        let named = format!("{}: catalogue: ", root.display());
        assert!(unseen["found"].as_str().unwrap().starts_with(&named), "{unseen}");
        let space = finding(&value, "space")["found"].as_str().unwrap();
        assert!(!space.contains("the data have 0 B"), "{space}");
    }
    let value = findings(&["--only", "memory"], Some(&root));
    let memory = finding(&value, "memory")["found"].as_str().unwrap();
    assert!(memory.contains("databases need ") && !memory.starts_with('0'), "{memory}");
}

#[test]
fn a_configuration() {
    let directory = directory();
    let path = directory.path().join("mrtg.cfg");
    let text = "WorkDir: WORK\nForks: 4\nRunAsDaemon: Yes\nLogFormat: rrdtool\nTitle[_]: t\nMaxBytes[_]: 1\n\
                Target[a]: 1:public@10.0.0.1\nTarget[b]: 2:public@10.0.0.1\n";
    let work = directory.path().display().to_string();
    std::fs::write(&path, text.replace("WORK", &work)).unwrap();
    let value = findings(&[], Some(&path));
    assert!(finding(&value, "forks")["found"].as_str().unwrap().starts_with("Forks: 4"));
    assert_eq!(finding(&value, "resolver")["found"], "the one device is given by address");
    assert!(finding(&value, "memory")["found"].as_str().unwrap().contains("the ring store's plan"));
    assert_eq!(finding(&value, "configuration")["state"], "ok");
}

/// Advice does not make the verb fail unless `--strict` is given.
#[test]
fn advice_fails_the_strict_alone() {
    let directory = directory();
    let path = directory.path().join("mrtg.cfg");
    let work = directory.path().display();
    // This advice follows from the configuration only, on any machine.
    let text = format!(
        "WorkDir: {work}\nLogFormat: rateup\nTitle[_]: t\nMaxBytes[_]: 1\nTarget[a]: 1:a@10.0.0.1\n"
    );
    std::fs::write(&path, text).unwrap();
    let only = ["--only", "configuration"];
    let value = findings(&only, Some(&path));
    assert_eq!(finding(&value, "configuration")["state"], "advice");
    assert_eq!(run(&only, Some(&path)).status.code(), Some(0));
    let strict = ["--only", "configuration", "--strict"];
    assert_eq!(run(&strict, Some(&path)).status.code(), Some(1));
    findings(&["--strict"], Some(directory.path()));
}

#[test]
fn misuse_and_what_cannot_be_read() {
    let directory = directory();
    let junk = directory.path().join("junk.rrd");
    std::fs::write(&junk, "junk").unwrap();
    let expected_kinds = ": expected an mrtg.cfg, a ring store, or a directory of .rrd files";
    for (exit_code, words, expected) in [
        (2, &["--only", "nothing"][..], "expected names that --list shows, found nothing"),
        (2, &["--measure"], "expected an mrtg.cfg"),
        (1, &["/nowhere"], "/nowhere: No such file or directory"),
        (1, &["/dev/null"], expected_kinds),
        (1, &[junk.to_str().unwrap()], expected_kinds),
        (2, &["/", "/"], "expected one place"),
        (2, &["--nonsense"], "unknown option --nonsense"),
    ] {
        let output = run(words, None);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(exit_code), "{words:?}");
        assert!(error.contains(expected), "{error}");
    }
    let one = run(&["--only", "kernel", "--quiet"], None);
    assert_eq!(
        (one.status.code(), &one.stdout[..]),
        (Some(0), &b"0 warning, 0 advice, 0 unknown, 1 ok\n"[..])
    );
}

#[test]
fn file_systems_with_known_options() {
    let Some(make) = oracle::program("mkfs.ext4", "what doctor says of ext4's features") else {
        return;
    };
    let directory = directory();
    let words = "access-times,directory-index,own-file-system,journal,file-system";
    for (features, options, expected) in [
        ("^dir_index", "noatime", ["ok", "advice", "ok", "ok", "ok"]),
        ("dir_index", "relatime", ["advice", "ok", "ok", "ok", "ok"]),
        ("dir_index", "strictatime,nobarrier", ["warning", "ok", "ok", "warning", "ok"]),
    ] {
        let image = directory.path().join("image");
        std::fs::File::create(&image).unwrap().set_len(32 << 20).unwrap();
        let made =
            Command::new(&make).args(["-q", "-F", "-O", features]).arg(&image).status().unwrap();
        assert!(made.success());
        let script = "mkdir -p \"$0/m\" && mount -o loop,$2 \"$0/image\" \"$0/m\" || exit 99; mkdir \"$0/m/mrtg\"; \
                      cp \"$0/a.rrd\" \"$0/m/mrtg\"; \"$1\" doctor --json --only \"$3\" \"$0/m/mrtg\"; umount \"$0/m\"";
        let store = files::RrdFiles::below(directory.path());
        let _ =
            store.create("a.rrd".as_ref(), &definition(), Timestamp::from_seconds(1_700_000_000));
        let output = Command::new("unshare")
            .args(["--mount", "sh", "-c", script])
            .arg(directory.path())
            .args([GYRE, options, words])
            .output();
        let Some(output) = output.ok().filter(|output| !output.stdout.is_empty()) else {
            let _ = writeln!(
                std::io::stderr(),
                "not tested: loop mounts, which this user may not make"
            );
            return;
        };
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names =
            ["access-times", "directory-index", "own-file-system", "journal", "file-system"];
        let found = names.map(|name| finding(&value, name)["state"].as_str().unwrap().to_owned());
        assert_eq!(found, expected, "{features} {options}: {value:#}");
    }
}
