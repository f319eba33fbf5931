//! Error messages about missing or damaged files, files of another kind, and directories that
//! cannot be written: one line that names the file, without the numbers of the system's errors, and
//! the same exit code for all verbs.
#![allow(clippy::disallowed_methods)] // the test starts gyre

use std::path::Path;
use std::process::{Command, Stdio};

const CONFIGURATION: &str = "WorkDir: /proc/nowhere\nTarget[a]: 1:public@127.0.0.1\n\
                             MaxBytes[a]: 1\nTitle[a]: a\n";

/// The exit code and standard error of a command.
fn run(directory: &Path, line: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .args(line.split(' '))
        .current_dir(directory)
        .env_remove("RRDCACHED_ADDRESS")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn files_that_are_of_no_use() {
    let directory = tempfile::tempdir().unwrap();
    let make = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    make("junk.rrd", "junk");
    make("nowhere.cfg", CONFIGURATION);
    make("fine.cfg", &CONFIGURATION.replace("/proc/nowhere", "."));
    make("none.cfg", "WorkDir: none\n");
    std::fs::create_dir(directory.path().join("empty")).unwrap();
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("run fine.cfg --listen {}", busy.local_addr().unwrap());
    for (line, expected) in [
        ("run missing", "missing: cannot be read: No such file or directory"),
        ("run /proc/self/mem", "/proc/self/mem: cannot be read: Input/output error"),
        ("run junk.rrd", "junk.rrd: expected an mrtg.cfg, found an .rrd file"),
        ("run none.cfg --once --no-web", "none.cfg: no target can be polled"),
        ("run nowhere.cfg", "/proc/nowhere/store: cannot be made: No such file or directory"),
        (
            "run nowhere.cfg --rrd-files",
            "/proc/nowhere/: cannot be made: No such file or directory",
        ),
        (&listen, "Address already in use (--listen says where else)"),
        ("backup missing there", "missing: opening: No such file or directory"),
        ("backup empty /proc/there", "/proc/there: creating: No such file or directory"),
        (
            "simulate --pages 4-5 --plot /proc/there",
            "writing /proc/there: No such file or directory",
        ),
        ("simulate --trace missing", "opening missing: No such file or directory"),
        ("plan missing", "missing: No such file or directory"),
        (
            "plan junk.rrd",
            "junk.rrd: offset 0: expected stat_head up to byte 128, the file ends at 4",
        ),
        ("plan --plot /proc/there", "writing /proc/there: No such file or directory"),
        ("doctor missing", "missing: No such file or directory"),
        ("doctor junk.rrd", "expected an mrtg.cfg, a ring store, or a directory of .rrd files"),
        ("demo --dir /proc/there", "/proc/there: "),
        ("rrdcached -g -o /proc/there/log -p pid", "opening the log: No such file or directory"),
        ("flushcached a.rrd", "Please use the \"--daemon\" option to set an address"),
    ] {
        let (code, said) = run(directory.path(), line);
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
        assert!(!said.contains("os error"), "{line}: {said}");
    }
}

#[test]
fn misuse_ends_with_2() {
    let directory = tempfile::tempdir().unwrap();
    for (line, expected) in [
        ("store create", "gyre store create: expected STORE\n"),
        ("store create a b", "gyre store create: expected STORE\n"),
        ("store create --layout a", "gyre store create: unknown option --layout"),
        ("store list a b c", "gyre store list: expected STORE [PREFIX|PATTERN]\n"),
        ("store tune a", "gyre store tune: expected STORE NAME SOURCE\n"),
        ("store salvage a b", "gyre store salvage: expected STORE or JOURNAL\n"),
        ("inspect a b", "gyre inspect: expected STORE\n"),
        ("verify --fast a", "gyre verify: unknown option --fast"),
        ("import a", "gyre import: expected STORE and what to take\n"),
        ("export a", "gyre export: expected STORE, names of databases or --all, and DIRECTORY\n"),
        ("convert a", "gyre convert: expected --in-place or --output PLACE\n"),
        ("run", "gyre run: expected one configuration file, found 0"),
        ("run a --allow-host http://b", "gyre run: --allow-host: expected a host's name"),
        ("demo a", "gyre demo: expected options alone, found a"),
        ("backup a", "gyre backup: expected what to copy and where to"),
        ("plan --none", "gyre plan: unknown option --none"),
        ("doctor a b", "gyre doctor: expected one place"),
        ("lab none", "gyre lab: expected no words: the experiments are in gyre-lab"),
        ("fincore --none", "gyre fincore: unknown option --none"),
        ("fadvise a", "gyre fadvise: expected one of"),
        ("simulate --none", "gyre simulate: unknown option --none"),
    ] {
        let (code, said) = run(directory.path(), line);
        assert_eq!(code, Some(2), "{line}: {said}");
        assert!(said.starts_with(expected) && !said.is_empty(), "{line}: {said}");
    }
}
