//! Runs `gyre fincore`: compared with util-linux's fincore, as another user, on names of any bytes,
//! and on `.rrd` files and ring stores, whose pages it names without changing the page cache.
#![allow(clippy::disallowed_methods)] // the tests make files and start programs

mod names;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use disk::{Advice, File, Mode};
use serde_json::Value;

const PAGE: usize = 4096;
const GYRE: &str = env!("CARGO_BIN_EXE_gyre");
/// The user nobody.
const NOBODY: u32 = 65_534;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn fincore(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(GYRE);
    command.arg("fincore").args(words).current_dir(directory).stdin(Stdio::null());
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The objects of a run with `--json`, the total last.
fn json(output: &Output) -> Vec<Value> {
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// A file of this many pages, with only `resident` in the page cache.
fn file_with(path: &Path, pages: usize, resident: &[usize]) {
    fs::write(path, vec![3; pages * PAGE]).unwrap();
    only(path, resident);
}

/// Loads these pages of a file into the page cache, and evicts the others.
fn only(path: &Path, resident: &[usize]) {
    let file = File::open(path, Mode::Update).unwrap();
    file.sync_all().unwrap();
    file.advise(Advice::DontNeed, 0, 0).unwrap();
    file.advise(Advice::Random, 0, 0).unwrap();
    for page in resident {
        file.read_some_at(&mut [0; PAGE], (page * PAGE) as u64).unwrap();
    }
}

fn resident_pages(path: &Path) -> Vec<u64> {
    let file = File::open(path, Mode::Read).unwrap();
    let pages = file.len_bytes().unwrap().div_ceil(PAGE as u64);
    let is_resident = |page: &u64| {
        file.cache_counts(page * PAGE as u64, PAGE as u64).unwrap().resident_pages == 1
    };
    (0..pages).filter(is_resident).collect()
}

fn say(words: &str) {
    // Written directly, because the test harness hides `eprintln!` of tests that pass.
    let _ = writeln!(std::io::stderr(), "not tested: {words}");
}

#[test]
fn a_tree_is_counted_as_util_linux_counts_it() {
    let directory = directory();
    let root = directory.path();
    let mut files = Vec::new();
    for nth in 0..60_usize {
        let name = format!("{}/{nth}", nth % 5);
        fs::create_dir_all(root.join(format!("{}", nth % 5))).unwrap();
        let resident: Vec<usize> = (0..nth % 20).filter(|page| (page * nth) % 3 != 1).collect();
        file_with(&root.join(&name), nth % 20, &resident);
        files.push((name, resident.len() as u64));
    }
    for words in [&["--json", "."][..], &["--json", "--mincore", "--threads", "3", "."]] {
        let told = json(&fincore(root, words));
        assert_eq!(told.len(), 61);
        let all: u64 = files.iter().map(|(_, pages)| pages).sum();
        assert_eq!(told[60]["total"]["resident"], all);
        assert_eq!(told[60]["total"]["dirty"].is_null(), words.len() > 2, "unknown, not 0");
        for (name, pages) in &files {
            let path = format!("./{name}");
            let found = told.iter().find(|it| it["file"] == path.as_str()).unwrap();
            assert_eq!(found["resident"], *pages, "{name}");
        }
    }
    let Some(peer) = oracle::program("fincore", "counts beside util-linux's") else { return };
    let mut command = Command::new(peer);
    command.args(["-n", "-b", "-r", "-o", "PAGES,FILE"]).args(files.iter().map(|(name, _)| name));
    let output = command.current_dir(root).output().unwrap();
    let said = text(&output);
    for (name, pages) in &files {
        assert!(said.lines().any(|line| line == format!("{pages} {name}")), "{name}: {said}");
    }
}

#[test]
fn a_line_a_file_and_the_total() {
    let directory = directory();
    file_with(&directory.path().join("some"), 26, &[0, 3, 25]);
    fs::write(directory.path().join("empty"), "").unwrap();
    let said = text(&fincore(directory.path(), &["some", "empty"]));
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].trim_start().starts_with("RESIDENT"), "{said}");
    assert_eq!(
        lines[1].split_whitespace().collect::<Vec<_>>(),
        ["3", "26", "0", "0", "0", "0", "some"]
    );
    assert_eq!(
        lines[2].split_whitespace().collect::<Vec<_>>(),
        ["0", "0", "0", "0", "0", "0", "empty"]
    );
    assert!(lines[3].starts_with("2 files: 3 of 26 pages resident (12 KiB of 104 KiB), 0 dirty"));
    let said = text(&fincore(directory.path(), &["--mincore", "--total", "some"]));
    let expected =
        "1 file: 3 of 26 pages resident (12 KiB of 104 KiB), dirty and evicted ones unknown\n";
    assert_eq!(said, expected);
    let said = text(&fincore(directory.path(), &["--pages", "some"]));
    let stretches: Vec<_> =
        said.lines().skip(1).take(5).map(|it| it.split_whitespace().collect::<Vec<_>>()).collect();
    let expected =
        [["0", "clean"], ["1-2", "absent"], ["3", "clean"], ["4-24", "absent"], ["25", "clean"]];
    assert_eq!(stretches, expected);
    let said = text(&fincore(directory.path(), &["--map", "some"]));
    assert!(said.contains("       3 of       26  #..#.....................#\n"), "{said}");
}

#[test]
fn what_cannot_be_looked_at_is_a_line_and_the_rest_goes_on() {
    let directory = directory();
    file_with(&directory.path().join("there"), 2, &[1]);
    let output = fincore(directory.path(), &["--json", "gone", "/dev/null", "there"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    let expected = "gyre fincore: gone: looking: No such file or directory\n\
                    gyre fincore: /dev/null: looking: expected a file or a directory, found a character device\n";
    assert_eq!(said, expected);
    let told = json(&output);
    assert_eq!((&told[0]["resident"], &told[1]["total"]["failed"]), (&1.into(), &2.into()));
    let refused = fincore(directory.path(), &["--pages", "--map", "there"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert_eq!(fincore(directory.path(), &[]).status.code(), Some(2));
}

#[test]
fn names_are_any_bytes() {
    let directory = directory();
    let root = directory.path();
    let odd = OsString::from_vec(b"a\nb\xff c".to_vec());
    file_with(&root.join(&odd), 1, &[0]);
    file_with(&root.join("plain"), 1, &[]);
    let mut child = Command::new(GYRE)
        .args(["fincore", "--json", "-0"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"a\nb\xff c\0plain").unwrap();
    let told = json(&child.wait_with_output().unwrap());
    assert_eq!(told.len(), 3);
    let bytes: Vec<u8> = serde_json::from_value(told[0]["file_bytes"].clone()).unwrap();
    assert_eq!((OsStr::from_bytes(&bytes), &told[0]["resident"]), (&*odd, &1.into()));
    assert_eq!((&told[1]["file"], told[1].get("file_bytes")), (&"plain".into(), None));
    let said = fincore(root, &["."]).stdout;
    assert!(said.windows(odd.len() + 2).any(|window| window == [b"./", odd.as_bytes()].concat()));
}

/// Runs the program as the user nobody; `None` if that is impossible.
fn as_nobody(directory: &Path, words: &[&str]) -> Option<Output> {
    if !rustix::process::geteuid().is_root() {
        say("what another user is told, this one is not root");
        return None;
    }
    let setpriv = oracle::program("setpriv", "what another user is told")?;
    let nobody = NOBODY.to_string();
    let mut command = Command::new(setpriv);
    command.args(["--reuid", &nobody, "--regid", &nobody, "--clear-groups", GYRE, "fincore"]);
    Some(command.args(words).current_dir(directory).stdin(Stdio::null()).output().unwrap())
}

#[test]
fn to_another_user_it_is_unknown_and_never_resident() {
    let directory = directory();
    let root = directory.path();
    fs::set_permissions(root, fs::Permissions::from_mode(0o755)).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (name, mode, owner) in [
        ("readable", 0o644, 0),
        ("writable", 0o666, 0),
        ("own", 0o600, NOBODY),
        ("hidden", 0o600, 0),
    ] {
        let path = root.join(name);
        file_with(&path, 9, &[1, 2]);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let times = fs::FileTimes::new().set_accessed(long_ago);
        fs::File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
        if rustix::process::geteuid().is_root() {
            chown(&path, Some(owner), None).unwrap();
        }
    }
    let names = ["readable", "writable", "own", "hidden"];
    for way in [&["--json", "--pages"][..], &["--json"], &["--json", "--mincore"]] {
        let words = [way, &names].concat();
        let Some(output) = as_nobody(root, &words) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, "gyre fincore: hidden: opening: Permission denied\n");
        assert_eq!(output.status.code(), Some(1));
        let told = json(&output);
        assert_eq!((&told[0]["unknown"], &told[0]["resident"]), (&true.into(), &Value::Null));
        for known in &told[1..3] {
            assert_eq!(
                (&known["unknown"], &known["resident"]),
                (&false.into(), &2.into()),
                "{known}"
            );
        }
        let total = &told[3]["total"];
        assert_eq!((&total["unknown_files"], &total["resident"]), (&1.into(), &4.into()));
    }
    let seen = names.map(|name| fs::metadata(root.join(name)).unwrap().atime());
    let Some(output) = as_nobody(root, &["readable"]) else { return };
    let said = text(&output);
    assert!(
        said.contains("  unknown  ") && said.ends_with("; of 1 file it is unknown\n"),
        "{said}"
    );
    // Mapping a file of another user would change its access time, so `--pages` makes no mapping.
    assert_eq!((seen[0], seen[2]), (1_000_000_000, 1_000_000_000));
}

#[test]
fn the_most_resident_and_the_distribution() {
    let directory = directory();
    let root = directory.path();
    for (name, resident) in [("a", 1), ("b", 8), ("c", 3), ("d", 8)] {
        file_with(&root.join(name), 10, &(0..resident).collect::<Vec<_>>());
    }
    let told = json(&fincore(root, &["--json", "--top", "2", "a", "b", "c", "d"]));
    assert_eq!((&told[0]["file"], &told[1]["file"]), (&"b".into(), &"d".into()));
    assert_eq!(told[2]["total"]["files"], 4);
    let told = json(&fincore(root, &["--json", "--distribution", "--plot", "plot.svg", "."]));
    let steps = serde_json::json!([
        { "pages": 1, "files": 1, "up_to": 1 },
        { "pages": 3, "files": 1, "up_to": 2 },
        { "pages": 8, "files": 2, "up_to": 4 },
    ]);
    assert_eq!(told[0]["distribution"]["steps"], steps);
    let plot = fs::read_to_string(root.join("plot.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains("share of files, percent"));
    let said = text(&fincore(root, &["-d", "--plot", "plot.png", "a", "b", "c", "d"]));
    assert!(said.contains("pages resident of a file, at most"), "{said}");
    assert!(fs::read(root.join("plot.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_watch_tells_what_came_and_what_left() {
    let directory = directory();
    let root = directory.path().join("tree");
    fs::create_dir(&root).unwrap();
    file_with(&root.join("comes"), 10, &[]);
    file_with(&root.join("leaves"), 10, &[0, 1, 2, 3, 4]);
    file_with(&root.join("stays"), 10, &[7]);
    let mut child = Command::new(GYRE)
        .args(["fincore", "--json", "--watch", "0.2", "--count", "200"])
        .arg(&root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut samples = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let first = samples.next().unwrap();
    assert_eq!((&first["churn"], &first["total"]["resident"]), (&Value::Null, &6.into()));
    only(&root.join("comes"), &[0, 1, 2]);
    only(&root.join("leaves"), &[0]);
    // Both changes may fall into one sample or into two.
    let (mut came, mut left) = (0, 0);
    for sample in samples.by_ref() {
        came += sample["churn"]["came"].as_u64().unwrap();
        left += sample["churn"]["left"].as_u64().unwrap();
        if (sample["total"]["resident"].as_u64(), came >= 3) == (Some(5), true) {
            break;
        }
    }
    let _ = child.kill();
    child.wait().unwrap();
    assert_eq!((came, left - (came - 3)), (3.max(came), 4), "pages that a sample saw in between");
}
