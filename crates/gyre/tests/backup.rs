//! Runs `gyre backup` and `gyre restore`: on trees that rrdtool updates meanwhile, with damage, on
//! a full disk; and their output as scripts read it.
#![allow(clippy::disallowed_methods)] // the tests make files and start programs

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use disk::{Advice, File, Mode, Random};
use oracle::{Reply, Rrdtool};
use serde_json::Value;
use tempfile::TempDir;

const PAGE: usize = 4096;
const GYRE: &str = env!("CARGO_BIN_EXE_gyre");

fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn gyre(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(GYRE);
    command.args(words).current_dir(directory).stdin(Stdio::null()).env("TZ", "UTC");
    command.output().unwrap()
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The output of a successful run with `--json`, without warnings.
fn value(directory: &Path, words: &[&str]) -> Value {
    let (code, out, errors) = said(&gyre(directory, words));
    assert_eq!((code, &*errors), (Some(0), ""), "{words:?}: {out}");
    serde_json::from_str(&out).unwrap()
}

fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..bytes / 8).flat_map(|_| random.below(u64::MAX).to_le_bytes()).collect()
}

/// A tree of files of some pages, old enough for size and times to prove that they are unchanged.
fn tree(directory: &Path, files: usize) {
    fs::create_dir_all(directory.join("tree/deep")).unwrap();
    for nth in 0..files {
        let name = if nth % 2 == 0 { format!("{nth}") } else { format!("deep/{nth}") };
        let path = directory.join("tree").join(name);
        fs::write(&path, noise(nth as u64 + 1, (nth % 7 + 2) * PAGE)).unwrap();
    }
    std::thread::sleep(Duration::from_millis(25));
}

fn flip(path: &Path, offset_bytes: u64) {
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset_bytes).unwrap();
    file.write_all_at(&[byte[0] ^ 4], offset_bytes).unwrap();
}

fn say(words: &str) {
    // Written directly, because the test harness hides `eprintln!` of tests that pass.
    let _ = writeln!(std::io::stderr(), "not tested: {words}");
}

const DATABASES: usize = 300;
const BEGIN_SECONDS: u64 = 1_700_000_000;

/// The words of the nth update of a database.
fn update(nth: u64) -> String {
    format!("{}:{}:{}", BEGIN_SECONDS + nth * 60, nth * 1000, nth % 17)
}

/// Databases, the number of updates of each, and whether to stop.
struct Live {
    made: Vec<AtomicU64>,
    is_over: AtomicBool,
}

impl Live {
    /// Updates some of the databases in rounds until told to stop. No update may fail.
    fn keep_updating(&self, rrdtool: &mut Rrdtool, mine: std::ops::Range<usize>) {
        while !self.is_over.load(Ordering::Relaxed) {
            for nth in mine.clone() {
                let next = self.made[nth].load(Ordering::Acquire) + 1;
                let reply = rrdtool.send(&format!("update tree/{nth}.rrd {}", update(next)));
                assert!(matches!(reply, Reply::Ok(_)), "{nth}.rrd: {reply:?}");
                self.made[nth].store(next, Ordering::Release);
            }
            // Each file is written a few times a second, not a thousand times.
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    fn made(&self) -> Vec<u64> {
        self.made.iter().map(|made| made.load(Ordering::Acquire)).collect()
    }
}

fn ok(rrdtool: &mut Rrdtool, command: &str) -> Vec<String> {
    match rrdtool.send(command) {
        Reply::Ok(lines) => lines,
        Reply::Error(error) => panic!("{command}: {error}"),
    }
}

#[test]
fn rrdtool_updates_all_the_while_and_each_copy_is_of_one_moment() {
    let Some(program) = oracle::program("rrdtool", "backups of files that it updates") else {
        return;
    };
    let directory = directory();
    let root = directory.path();
    let mut rrdtool = Rrdtool::start(&program, root);
    fs::create_dir(root.join("tree")).unwrap();
    fs::create_dir(root.join("begin")).unwrap();
    for nth in 0..DATABASES {
        let words = "--step 60 DS:in:COUNTER:120:0:U DS:load:GAUGE:120:0:U \
                     RRA:AVERAGE:0.5:1:600 RRA:MAX:0.5:5:300";
        ok(&mut rrdtool, &format!("create tree/{nth}.rrd --start {BEGIN_SECONDS} {words}"));
        // A new file's rows begin at a random place, so the expected file is made from a copy.
        let name = format!("{nth}.rrd");
        fs::copy(root.join("tree").join(&name), root.join("begin").join(&name)).unwrap();
    }
    let live = Live {
        made: (0..DATABASES).map(|_| AtomicU64::new(0)).collect(),
        is_over: AtomicBool::new(false),
    };
    let mut runs = Vec::new();
    std::thread::scope(|scope| {
        for mine in [0..DATABASES / 2, DATABASES / 2..DATABASES] {
            let (live, mut rrdtool) = (&live, Rrdtool::start(&program, root));
            scope.spawn(move || live.keep_updating(&mut rrdtool, mine));
        }
        for _ in 0..4 {
            let before = live.made();
            let output = gyre(root, &["backup", "--json", "tree", "copies"]);
            runs.push((before, live.made(), output));
        }
        // The threads are stopped before anything is asserted: otherwise a failure would wait for
        // them forever.
        live.is_over.store(true, Ordering::Relaxed);
    });
    let written = runs.iter().map(|(before, after, _)| sum(after) - sum(before));
    assert!(written.sum::<u64>() > 0, "nothing was written while copies were made");
    for (nth, (before, after, output)) in runs.iter().enumerate() {
        let (code, out, errors) = said(output);
        assert_eq!((code, &*errors), (Some(0), ""), "{out}");
        let told: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&told["snapshot"], &told["unsettled"]), (&(nth + 1).into(), &0.into()));
        let (number, into) = (format!("{}", nth + 1), format!("back{nth}"));
        value(root, &["restore", "--json", "--snapshot", &number, "copies", &into]);
        are_of_one_moment(&mut rrdtool, root, &into, before, after);
    }
    let verified = value(root, &["backup", "verify", "--all", "--json", "copies"]);
    assert!(verified.as_array().unwrap().iter().all(|each| each["sound"] == true), "{verified}");
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().sum()
}

/// Checks that each file equals, byte by byte, what rrdtool makes of some number of updates reached
/// between the beginning of the run and its end.
fn are_of_one_moment(
    rrdtool: &mut Rrdtool,
    root: &Path,
    into: &str,
    before: &[u64],
    after: &[u64],
) {
    for nth in 0..DATABASES {
        let restored = format!("{into}/{nth}.rrd");
        let last = ok(rrdtool, &format!("last {restored}"))[0].parse::<u64>().unwrap();
        let made = (last - BEGIN_SECONDS) / 60;
        // One more update than was counted may be on disk: it is counted only after rrdtool's
        // answer.
        assert!((before[nth]..=after[nth] + 1).contains(&made), "{restored}: {made}");
        fs::copy(root.join(format!("begin/{nth}.rrd")), root.join("expected.rrd")).unwrap();
        let updates: Vec<String> = (1..=made).map(update).collect();
        for some in updates.chunks(50) {
            ok(rrdtool, &format!("update expected.rrd {}", some.join(" ")));
        }
        let [copied, expected] =
            [restored.as_str(), "expected.rrd"].map(|name| fs::read(root.join(name)).unwrap());
        assert!(copied == expected, "{restored} is not what {made} updates make");
        if nth % 60 == 0 {
            ok(rrdtool, &format!("info {restored}"));
            ok(rrdtool, &format!("dump {restored} dumped.xml"));
            ok(rrdtool, "restore -f dumped.xml again.rrd");
            assert_eq!(ok(rrdtool, "dump again.rrd"), ok(rrdtool, &format!("dump {restored}")));
        }
    }
}

#[test]
fn a_second_run_is_small_and_everything_is_told_as_json() {
    let directory = directory();
    let root = directory.path();
    tree(root, 60);
    let first = value(root, &["backup", "--json", "tree", "copies"]);
    let held: u64 = (0..60).map(|nth| (nth % 7 + 2) * PAGE as u64).sum();
    for (name, expected) in [("snapshot", 1), ("files", 60), ("bytes", held), ("unchanged", 0)] {
        assert_eq!(first[name], expected, "{name}: {first}");
    }
    assert_eq!((&first["full"], &first["problem_count"]), (&true.into(), &0.into()));
    assert_eq!(first["verified_bytes"], first["added_bytes"]);
    let file = fs::OpenOptions::new().write(true).open(root.join("tree/deep/33")).unwrap();
    file.write_all_at(b"changed", 2 * PAGE as u64 + 5).unwrap();
    std::thread::sleep(Duration::from_millis(25));
    let second = value(root, &["backup", "--json", "tree", "copies"]);
    assert_eq!((&second["snapshot"], &second["unchanged"]), (&2.into(), &59.into()));
    assert_eq!(second["read_bytes"], 7 * PAGE as u64);
    let added = second["added_bytes"].as_u64().unwrap();
    assert!((PAGE as u64..2 * PAGE as u64).contains(&added), "{added} for one page");
    let listed = value(root, &["backup", "list", "--json", "copies"]);
    let numbers: Vec<&Value> =
        listed.as_array().unwrap().iter().map(|each| &each["snapshot"]).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!((&listed[1]["bytes"], &listed[1]["full"]), (&held.into(), &false.into()));
    let verified = value(root, &["backup", "verify", "--json", "copies"]);
    assert_eq!((&verified[0]["bytes"], &verified[0]["sound"]), (&held.into(), &true.into()));
    let (code, out, errors) = said(&gyre(root, &["backup", "list", "copies"]));
    assert_eq!((code, out.lines().count(), &*errors), (Some(0), 2, ""), "{out}");
}

#[test]
fn a_flipped_byte_is_named_and_the_rest_is_put_back() {
    let directory = directory();
    let root = directory.path();
    tree(root, 20);
    value(root, &["backup", "--json", "tree", "copies"]);
    let pack = root.join("copies/000001.pack");
    let page = noise(6, 7 * PAGE)[3 * PAGE..4 * PAGE].to_vec(); // of the file deep/5
    let bytes = fs::read(&pack).unwrap();
    let at = bytes.windows(PAGE).position(|window| window == page).unwrap() as u64;
    flip(&pack, at + 100);
    let (code, out, errors) = said(&gyre(root, &["backup", "verify", "copies"]));
    assert_eq!((code, &*errors), (Some(1), ""), "{out}");
    assert!(out.starts_with(&format!("deep/5: at byte {}: ", 3 * PAGE)), "{out}");
    assert!(out.contains("000001.pack") && out.contains(&at.to_string()), "{out}");
    assert!(out.lines().last().unwrap().starts_with("snapshot 1: damaged; 20 files"), "{out}");
    let (code, out, _) = said(&gyre(root, &["backup", "verify", "--json", "copies"]));
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told[0]["sound"]), (Some(1), &false.into()));
    assert_eq!(told[0]["damage"].as_array().unwrap().len(), 1);
    let (code, out, errors) = said(&gyre(root, &["restore", "copies", "back"]));
    assert_eq!(code, Some(1), "{out}");
    assert!(errors.contains("deep/5") && errors.lines().count() == 1, "{errors}");
    let mut expected = files_of(&root.join("tree"));
    assert!(expected.remove(Path::new("deep/5")).is_some());
    assert_eq!(files_of(&root.join("back")), expected);
    // The file still exists, and a full copy does not need the damaged pack.
    value(root, &["backup", "--full", "--json", "tree", "copies"]);
    assert_eq!(gyre(root, &["backup", "verify", "copies"]).status.code(), Some(0));
    assert_eq!(gyre(root, &["backup", "verify", "-s", "1", "copies"]).status.code(), Some(1));
}

/// The regular files below a directory, with their contents.
fn files_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut pending) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.insert(path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn restore_is_rrdtools_verb_and_that_of_backups() {
    let directory = directory();
    let root = directory.path();
    fs::create_dir(root.join("tree")).unwrap();
    let words =
        "create tree/a.rrd --start 1700000000 --step 60 DS:a:GAUGE:120:0:U RRA:LAST:0.5:1:9";
    let words: Vec<&str> = words.split_whitespace().collect();
    assert_eq!(gyre(root, &words).status.code(), Some(0));
    assert_eq!(gyre(root, &["dump", "tree/a.rrd", "a.xml"]).status.code(), Some(0));
    std::thread::sleep(Duration::from_millis(25));
    value(root, &["backup", "--json", "tree", "copies"]);
    for words in [&["restore", "a.xml", "b.rrd"][..], &["restore", "copies", "back"]] {
        let (code, out, errors) = said(&gyre(root, words));
        assert_eq!((code, &*errors), (Some(0), ""), "{words:?}: {out}");
    }
    let dumped = |name: &str| gyre(root, &["dump", name]).stdout;
    assert!(!dumped("tree/a.rrd").is_empty());
    assert_eq!(dumped("b.rrd"), dumped("tree/a.rrd"));
    assert_eq!(
        fs::read(root.join("back/a.rrd")).unwrap(),
        fs::read(root.join("tree/a.rrd")).unwrap()
    );
    // A second restore finds everything there; with paths it restores only these.
    let again = value(root, &["restore", "--json", "copies", "back"]);
    assert_eq!((&again["there"], &again["bytes"]), (&1.into(), &0.into()));
    let (code, _, errors) = said(&gyre(root, &["restore", "tree", "elsewhere"]));
    assert_eq!((code, root.join("elsewhere").exists()), (Some(1), false), "{errors}");
}

#[test]
fn what_cannot_be_is_1_and_what_makes_no_sense_2() {
    let directory = directory();
    let root = directory.path();
    tree(root, 3);
    value(root, &["backup", "--json", "tree", "copies"]);
    for (words, expected) in [
        (&["backup", "gone", "copies"][..], "gone: "),
        (&["backup", "tree", "tree/deep"], "tree"),
        (&["backup", "copies", "tree/deep"], "expected"),
        (&["backup", "list", "tree"], "tree: expected a backup, found none"),
        (&["backup", "verify", "tree"], "tree: expected a backup, found none"),
        (&["backup", "verify", "-s", "7", "copies"], "7"),
        (&["restore", "-s", "7", "copies", "back"], "7"),
        (&["restore", "copies", "back", "no/such"], "no/such"),
    ] {
        let (code, out, errors) = said(&gyre(root, words));
        assert_eq!(code, Some(1), "{words:?}: {out}{errors}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }
    for words in [
        &["backup"][..],
        &["backup", "tree"],
        &["backup", "tree", "copies", "more"],
        &["backup", "--nonsense", "tree", "copies"],
        &["backup", "--keep", "many", "tree", "copies"],
        &["backup", "list"],
        &["backup", "verify", "copies", "more"],
        &["restore", "copies"],
        &["restore", "-s", "one", "copies", "back"],
    ] {
        let (code, out, errors) = said(&gyre(root, words));
        assert_eq!((code, &*out), (Some(2), ""), "{words:?}");
        assert!(!errors.is_empty(), "{words:?}");
    }
    for words in [&["backup", "--help"][..], &["backup", "list", "--help"]] {
        let (code, out, _) = said(&gyre(root, words));
        assert!(code == Some(0) && out.contains("exit codes"), "{words:?}: {out}");
    }
    assert_eq!(value(root, &["backup", "list", "--json", "copies"]).as_array().unwrap().len(), 1);
}

#[test]
fn the_page_cache_is_as_it_was() {
    let directory = directory();
    let root = directory.path();
    tree(root, 60);
    fs::write(root.join("tree/large"), noise(100, 3 << 20)).unwrap();
    for path in files_of(&root.join("tree")).keys() {
        let file = File::open(&root.join("tree").join(path), Mode::Update).unwrap();
        file.sync_all().unwrap();
        file.advise(Advice::DontNeed, 0, 0).unwrap();
        file.advise(Advice::Random, 0, 0).unwrap();
        if path.as_os_str().len() % 2 == 1 {
            file.read_some_at(&mut [0; PAGE], PAGE as u64).unwrap();
        }
    }
    let before = resident(root);
    assert!(before.values().any(|pages| *pages > 0) && before.values().any(|pages| *pages == 0));
    for words in [&["--full"][..], &["--checksum"]] {
        let words = [&["backup", "--json"], words, &["tree", "copies"]].concat();
        let told = value(root, &words);
        assert!(told["read_bytes"].as_u64().unwrap() > 3 << 20, "{told}");
        assert_eq!(resident(root), before, "{words:?}");
    }
}

/// How many pages of each file are in the page cache.
fn resident(root: &Path) -> BTreeMap<String, u64> {
    let (code, out, errors) = said(&gyre(root, &["fincore", "--json", "tree"]));
    assert_eq!(code, Some(0), "{errors}");
    let told = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let files = told.filter(|each| each["file"].is_string());
    let counts =
        |each: Value| (each["file"].as_str().unwrap().into(), each["resident"].as_u64().unwrap());
    files.map(counts).collect()
}

/// A backup on a disk of 24 MiB: a run that finds no room, what remains after it, and a further
/// run.
const FULL_DISK: &str = r#"
mkdir m && mount -o loop image m || exit 99
"$0" backup tree m/copies >said1 2>&1; echo $? >code1
mv large tree/
"$0" backup tree m/copies >said2 2>&1; echo $? >code2
"$0" backup verify --all m/copies >said3 2>&1; echo $? >code3
ls m/copies >names
mv tree/large .
"$0" backup tree m/copies >said4 2>&1; echo $? >code4
"$0" backup verify --all m/copies >said5 2>&1; echo $? >code5
umount m
"#;

#[test]
fn a_full_disk_is_told_and_the_earlier_snapshot_stays() {
    let Some(make) = oracle::program("mkfs.ext4", "a backup on a disk that becomes full") else {
        return;
    };
    let directory = directory();
    let root = directory.path();
    tree(root, 40);
    fs::write(root.join("large"), noise(100, 40 << 20)).unwrap();
    fs::File::create(root.join("image")).unwrap().set_len(24 << 20).unwrap();
    let made = Command::new(make).args(["-q", "-F", "image"]).current_dir(root).status().unwrap();
    assert!(made.success());
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", FULL_DISK, GYRE]).current_dir(root);
    let ran = command.stdin(Stdio::null()).output();
    if !ran.is_ok_and(|output| output.status.success()) {
        say("a full disk: this user may not make loop mounts");
        return;
    }
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let codes = ["code1", "code2", "code3", "code4", "code5"].map(read);
    let all = (1..=5).map(|nth| read(&format!("said{nth}"))).collect::<Vec<_>>().join("---\n");
    assert_eq!(codes, ["0\n", "1\n", "0\n", "0\n", "0\n"], "{all}");
    let error = read("said2");
    assert!(error.starts_with("gyre backup: ") && error.lines().count() == 1, "{error}");
    assert!(error.contains("000002.pack") && error.contains("No space left on device"), "{error}");
    assert!(read("said3").starts_with("snapshot 1: sound; 40 files"), "{all}");
    assert_eq!(read("names"), "000001.index\n000001.pack\ngyre-backup\n");
    assert_eq!(read("said5").lines().count(), 2, "{all}");
}
