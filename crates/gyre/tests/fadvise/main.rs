//! `gyre fadvise` on real files. `mincore(2)` and util-linux's `fincore` tell their resident pages
//! before and after.
#![allow(clippy::disallowed_methods)] // a test: it makes files and starts programs

mod unusual;

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use disk::{Advice, File, Mapping, Mode};
use serde_json::Value;
use tempfile::TempDir;

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");
const PAGES: usize = 64;

fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A file on disk with no page in the page cache.
fn cold(directory: &Path, name: &str, pages: usize) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, vec![7; pages * disk::page_bytes()]).unwrap();
    let file = File::open(&path, Mode::Read).unwrap();
    file.sync_all().unwrap();
    file.advise(Advice::DontNeed, 0, 0).unwrap();
    assert_eq!(map(&path), ".".repeat(pages));
    path
}

/// The same file with every page read singly, so that no page is part of a large folio.
fn warm(directory: &Path, name: &str) -> PathBuf {
    let path = cold(directory, name, PAGES);
    let file = File::open(&path, Mode::Read).unwrap();
    file.advise(Advice::Random, 0, 0).unwrap();
    for page in 0..PAGES {
        file.read_at(&mut [0; 8], (page * disk::page_bytes()) as u64).unwrap();
    }
    assert_eq!(map(&path), "#".repeat(PAGES));
    path
}

/// Which pages are resident, by `mincore(2)`.
fn map(path: &Path) -> String {
    let file = File::open(path, Mode::Read).unwrap();
    let bytes = file.len_bytes().unwrap() as usize;
    let mut flags = Vec::new();
    Mapping::of(&file, 0, bytes).unwrap().residency(&mut flags).unwrap();
    flags.iter().map(|flag| if flag & 1 == 1 { '#' } else { '.' }).collect()
}

/// How many pages are resident, by util-linux.
fn counted(path: &Path) -> Option<usize> {
    let fincore = oracle::program("fincore", "residency as util-linux counts it")?;
    let words = ["--raw", "--noheadings", "--output", "PAGES"];
    let output = Command::new(fincore).args(words).arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().ok()
}

/// Checks that both ways find this number of resident pages.
#[track_caller]
fn assert_resident(path: &Path, pages: usize) {
    assert_eq!(map(path).matches('#').count(), pages, "mincore");
    if let Some(counted) = counted(path) {
        assert_eq!(counted, pages, "fincore");
    }
}

fn run(words: &[&str], path: &Path) -> Output {
    Command::new(GYRE).arg("fadvise").args(words).arg(path).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of `--json`, and the exit code.
#[track_caller]
fn json(words: &[&str], path: &Path) -> (Value, i32) {
    let output = run(&[words, &["--json"]].concat(), path);
    (told(&output), output.status.code().unwrap())
}

/// The lines of `--json`: `files`, then the `total`.
#[track_caller]
fn told(output: &Output) -> Value {
    let lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let lines: Result<Vec<Value>, _> = lines.collect();
    let mut files = lines.unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(text(&output.stdout).lines().count(), files.len(), "a line each");
    let last = files.pop().unwrap_or_else(|| panic!("no total: {output:?}"));
    serde_json::json!({ "files": files, "total": last["total"] })
}

#[test]
fn a_range_goes_and_nothing_else() {
    let directory = directory();
    let path = warm(directory.path(), "range");
    let (value, code) = json(&["--advice", "dontneed", "--range", "5p-15p"], &path);
    assert_eq!(code, 0, "{value}");
    let expected = format!("{}{}{}", "#".repeat(5), ".".repeat(10), "#".repeat(PAGES - 15));
    assert_eq!(map(&path), expected);
    let file = &value["files"][0];
    assert_eq!(file["pages"], 10);
    assert_eq!(file["resident_before"], 10);
    assert_eq!(file["resident_after"], 0);
    // The range begins and ends in the middle of pages: these pages stay.
    let (value, _) = json(&["-e", "-p", "100-12289"], &path);
    assert_eq!(value["files"][0]["pages"], 2);
    assert_eq!(&map(&path)[..5], "#..##");
    assert_eq!(run(&["-e", "-p", "20p-"], &path).status.code(), Some(0));
    assert_resident(&path, 3 + 5);
    assert_eq!(run(&["--evict"], &path).status.code(), Some(0));
    assert_resident(&path, 0);
}

#[test]
fn what_is_dirty_is_written_first() {
    let directory = directory();
    let path = cold(directory.path(), "dirty", PAGES);
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&vec![8; PAGES * disk::page_bytes()], 0).unwrap();
    let (value, code) = json(&["--advice=dontneed", "--no-sync"], &path);
    let left = map(&path).matches('#').count();
    assert_eq!(value["files"][0]["resident_after"], left, "{value}");
    assert_eq!(code, i32::from(left > 0), "{value}");
    if left > 0 {
        let why = value["files"][0]["why"][0].as_str().unwrap_or_default();
        assert!(why.ends_with("dirty, not synced") || why.contains("on their way"), "{value}");
    }
    let (value, code) = json(&["--advice=dontneed"], &path);
    assert_eq!(code, 0, "{value}");
    assert_resident(&path, 0);
    assert_eq!(std::fs::read(&path).unwrap(), vec![8; PAGES * disk::page_bytes()]);
}

#[test]
fn who_locks_a_file_is_named() {
    let directory = directory();
    let path = warm(directory.path(), "locked");
    let file = File::open(&path, Mode::Read).unwrap();
    let mapping = Mapping::of(&file, 0, 8 * disk::page_bytes()).unwrap();
    if let Err(error) = mapping.lock() {
        let _ = writeln!(std::io::stderr(), "not tested: locked files, since mlock says {error}");
        return;
    }
    let output = run(&["-e"], &path);
    assert_eq!(output.status.code(), Some(1));
    let me = format!("mapped and locked by process {} (", std::process::id());
    assert!(text(&output.stdout).contains(&me), "{output:?}");
    assert_eq!(map(&path), "#".repeat(8) + &".".repeat(PAGES - 8));
    drop(mapping);
    assert_eq!(run(&["-e"], &path).status.code(), Some(0));
}

#[test]
fn folios_that_a_range_cuts_are_told() {
    let directory = directory();
    let path = cold(directory.path(), "folios", PAGES);
    std::fs::write(&path, vec![9; PAGES * disk::page_bytes()]).unwrap();
    let (value, code) = json(&["-e", "--range", "5p-15p"], &path);
    let left = map(&path)[5..15].matches('#').count();
    assert_eq!(value["files"][0]["resident_after"], left, "{value}");
    assert_eq!(code, i32::from(left > 0));
    if left > 0 {
        let why = value["files"][0]["why"].to_string();
        assert!(why.contains("large folios"), "{why}");
    }
    assert_eq!(run(&["-e"], &path).status.code(), Some(0), "as a whole they go");
}

#[test]
fn willneed_brings_all_and_not_one_readahead_alone() {
    let directory = directory();
    let pages = 20 << 8; // 20 MiB: one call would bring as much as the device reads ahead
    let path = cold(directory.path(), "big", pages);
    let (value, code) = json(&["--advice", "willneed", "--wait"], &path);
    assert_eq!(code, 0, "{value}");
    assert_eq!(value["files"][0]["resident_before"], 0);
    assert_eq!(value["files"][0]["resident_after"], pages);
    assert_resident(&path, pages);
}

#[test]
fn touch_reads_the_range() {
    let directory = directory();
    let path = cold(directory.path(), "touched", PAGES);
    let (value, code) = json(&["--touch", "--range", "4K-5000"], &path);
    assert_eq!((code, &value["files"][0]["pages"]), (0, &Value::from(1)), "{value}");
    assert_eq!(&map(&path)[1..2], "#");
    assert_eq!(run(&["-t"], &path).status.code(), Some(0));
    assert_resident(&path, PAGES);
}

#[test]
fn locked_files_stay_until_a_signal() {
    let directory = directory();
    let (first, _second) = (
        cold(directory.path(), "1", PAGES),
        cold(directory.path(), "2", 1 << 9), // beyond the bound
    );
    let mut locker = Command::new(GYRE)
        .args(["fadvise", "--lock", "--memory", "1"])
        .arg(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(locker.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let is_locked = line.contains("of 1 file locked");
    let evicted = run(&["-e"], &first);
    let pid = rustix::process::Pid::from_child(&locker);
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    let ended = locker.wait_with_output().unwrap();
    if !is_locked && text(&ended.stderr).contains("RLIMIT_MEMLOCK") {
        let _ = writeln!(std::io::stderr(), "not tested: --lock, which this user may not");
        return;
    }
    assert_eq!(line, "256 KiB of 1 file locked; a signal ends it\n");
    assert!(text(&evicted.stdout).contains("mapped and locked by process"), "{evicted:?}");
    assert!(text(&ended.stderr).contains("would exceed --memory 1"), "{ended:?}");
    assert_eq!(ended.status.code(), Some(1), "one was left out");
    assert_eq!(run(&["-e"], &first).status.code(), Some(0), "nobody keeps it any more");
}

#[test]
fn an_advice_that_ends_with_the_descriptor_says_so() {
    let directory = directory();
    let path = cold(directory.path(), "passing", 512);
    for advice in ["random", "sequential", "noreuse", "normal"] {
        let output = run(&["-a", advice], &path);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stderr).contains("it had no lasting effect"), "{output:?}");
    }
    // The descriptor is shared, so the advice lasts: the next reader causes no readahead.
    let script =
        "{ \"$0\" fadvise -q -a random - && dd bs=4096 count=1 skip=40 status=none; } < \"$1\"";
    let words = ["-c", script, GYRE];
    let output = Command::new("sh").args(words).arg(&path).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(output.stdout.len(), 4096);
    assert_resident(&path, 1);
}
