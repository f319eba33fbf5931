//! Names of any bytes, files that fail or belong to another user, file systems without a disk.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{GYRE, PAGES, assert_resident, cold, directory, json, run, text, told, warm};

#[test]
fn names_of_any_bytes_in_lists_and_directories() {
    let directory = directory();
    let below = directory.path().join("a").join("b");
    std::fs::create_dir_all(&below).unwrap();
    let odd = cold(&below, "x", 2).with_file_name(OsStr::from_bytes(b"line\nbreak \xff"));
    std::fs::rename(below.join("x"), &odd).unwrap();
    let plain = cold(directory.path(), "plain", 3);
    std::os::unix::fs::symlink("/etc/passwd", directory.path().join("link")).unwrap();
    let (value, code) = json(&["--touch"], directory.path());
    assert_eq!((code, &value["total"]["files"]), (0, &Value::from(2)), "links lead elsewhere");
    assert_eq!(value["total"]["resident_after"], 5);

    let mut child = Command::new(GYRE)
        .args(["fadvise", "-e", "-0", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let list = [odd.as_os_str().as_bytes(), b"\0", plain.as_os_str().as_bytes()].concat();
    child.stdin.take().unwrap().write_all(&list).unwrap();
    let output = child.wait_with_output().unwrap();
    let value = told(&output);
    assert_eq!((&value["total"]["files"], output.status.code()), (&Value::from(2), Some(0)));
    assert_eq!(value["files"][0]["file_bytes"], Value::from(odd.as_os_str().as_bytes()));
    assert_eq!(value["files"][1]["file_bytes"], Value::Null, "that one is UTF-8");
    assert_resident(&plain, 0);
    assert_resident(&odd, 0);
}

/// A reader that closes the pipe, or a full disk behind it, causes no panic.
#[test]
fn a_reader_that_goes_causes_no_panic() {
    let directory = directory();
    let path = warm(directory.path(), "file");
    for words in [
        "fadvise -v -e \"$1\"",
        "fincore \"$1\"",
        "fadvise --help",
        "doctor --list",
        "backup --help",
        "simulate --days 1",
    ] {
        let closed = format!("(sleep 0.1; exec \"$0\" {words}) | true");
        let output = Command::new("sh").args(["-c", &closed, GYRE]).arg(&path).output().unwrap();
        assert!(output.stderr.is_empty(), "{words}: {output:?}");
        let full = format!("\"$0\" {words} > /dev/full");
        let output = Command::new("sh").args(["-c", &full, GYRE]).arg(&path).output().unwrap();
        let verb = words.split(' ').next().unwrap_or_default();
        assert_eq!(text(&output.stderr), format!("gyre {verb}: No space left on device\n"));
        assert!(!output.status.success(), "{words}");
    }
}

#[test]
fn files_that_fail_are_named_and_stop_no_other() {
    let directory = directory();
    let path = warm(directory.path(), "good");
    let output = Command::new(GYRE)
        .args(["fadvise", "-e", "/dev/null", "/nowhere/file"])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(errors.contains("/nowhere/file: looking: No such file or directory"), "{errors}");
    assert!(errors.contains("/dev/null: looking: expected a file or a directory"), "{errors}");
    assert_resident(&path, 0);
    let script = "\"$0\" fadvise -qe --json /nowhere/file \"$1\" 2>/dev/null";
    let output = Command::new("sh").args(["-c", script, GYRE]).arg(&path).output().unwrap();
    let value = told(&output);
    assert_eq!(value["files"].as_array().unwrap().len(), 1, "what went well is left out: {value}");
    assert_eq!(value["files"][0]["error"], "looking: No such file or directory");
    assert_eq!((&value["total"]["files"], &value["total"]["failed"]), (&2.into(), &1.into()));
    for words in [&["-e"][..], &["-e", "--range", "x", "f"], &["--nonsense"], &[]] {
        let output = Command::new(GYRE).arg("fadvise").args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    let empty = directory.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    for words in ["-e", "-t", "-awillneed", "-arandom"] {
        assert_eq!(run(&[words], &empty).status.code(), Some(0), "{words} of an empty file");
    }
}

#[test]
fn what_the_kernel_does_not_tell_is_unknown() {
    let root = rustix::process::geteuid().is_root();
    let directory = directory();
    let path = warm(directory.path(), "other");
    let program = directory.path().join("gyre");
    let setpriv = oracle::program("setpriv", "residency that the kernel does not tell");
    let (true, Some(setpriv)) = (root, setpriv) else {
        let _ = writeln!(std::io::stderr(), "not tested: other users' files, without being root");
        return;
    };
    std::fs::copy(GYRE, &program).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(directory.path(), open).unwrap();
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let output = Command::new(setpriv)
        .args(words)
        .arg(&program)
        .args(["fadvise", "-e", "--json"])
        .arg(&path)
        .output()
        .unwrap();
    if output.stdout.is_empty() {
        let _ = writeln!(std::io::stderr(), "not tested: other users' files: {output:?}");
        return;
    }
    let value = told(&output);
    assert_eq!(value["files"][0]["effect"], "unknown", "{value}");
    assert_eq!(value["files"][0]["resident_after"], Value::Null);
    assert_eq!(output.status.code(), Some(1), "what cannot be verified is not taken for done");
}

#[test]
fn files_in_memory_and_under_overlays() {
    let shared = Path::new("/dev/shm");
    if let Ok(directory) = tempfile::tempdir_in(shared) {
        let path = directory.path().join("file");
        std::fs::write(&path, vec![1; 4 * disk::page_bytes()]).unwrap();
        let output = run(&["-e"], &path);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stdout).contains("in memory alone"), "{output:?}");
    }
    let directory = directory();
    cold(directory.path(), "below", PAGES);
    let script = "cd \"$0\" && mkdir l u w m && mv below l && \
                  mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w m && \
                  \"$1\" fadvise -v -t m/below && \"$1\" fincore --json m/below >json && \
                  \"$1\" fadvise -v -e m/below; umount m";
    let words = ["--mount", "sh", "-c", script];
    let output = Command::new("unshare").args(words).arg(directory.path()).arg(GYRE).output();
    let Some(output) = output.ok().filter(|output| !output.stdout.is_empty()) else {
        let _ = writeln!(std::io::stderr(), "not tested: overlays, which this user may not mount");
        return;
    };
    let expected = "m/below: 64 pages; resident 0 before, 64 now\n\
                    touch: 1 file, 64 pages; resident 0 before, 64 now\n\
                    m/below: 64 pages; resident 64 before, 0 now\n\
                    dontneed: 1 file, 64 pages; resident 64 before, 0 now\n";
    assert_eq!(text(&output.stdout), expected);
    let seen = std::fs::read_to_string(directory.path().join("json")).unwrap();
    assert!(seen.contains("\"resident\":64"), "fincore sees them too: {seen}");
}
