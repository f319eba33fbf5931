//! Walks: which files are found, in which order, and what happens to files that cannot be
//! inspected.
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::world::directory;
use pagecache::{Survey, WalkOptions, survey};

const OPTIONS: Survey =
    Survey { walk: WalkOptions { one_file_system: false }, threads: 3, batch_files: 7 };

/// Paths below `root`, each with the size of the file, or the error.
fn seen(root: &Path, names: &[&str], options: Survey) -> Vec<(String, Result<u64, String>)> {
    let mut found = Vec::new();
    let paths = names.iter().map(|name| Ok(root.join(name).as_os_str().as_bytes().to_vec()));
    let paths: Vec<_> = paths.collect();
    let told = survey(paths.into_iter(), options, &|opened| Ok(opened.facts.bytes), |sighting| {
        let path = String::from_utf8_lossy(sighting.path).into_owned();
        let path = path.strip_prefix(root.to_str().unwrap()).unwrap().to_owned();
        let outcome =
            sighting.outcome.map_err(|fault| format!("{}: {}", fault.action, fault.error));
        found.push((path, outcome));
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(told.unwrap(), ControlFlow::Continue(()));
    found
}

#[test]
fn every_file_is_found_once_and_in_one_order() {
    let directory = directory();
    let root = directory.path();
    let mut expected = Vec::new();
    for nth in 0..3000_usize {
        let below = format!("{}/{}", nth % 11, nth % 7);
        fs::create_dir_all(root.join(&below)).unwrap();
        let name = format!("{below}/{nth}");
        fs::write(root.join(&name), vec![0; nth % 50]).unwrap();
        expected.push((format!("/{name}"), Ok((nth % 50) as u64)));
    }
    let found = seen(root, &["."], OPTIONS);
    let found: Vec<_> =
        found.into_iter().map(|(path, it)| (path.replace("/./", "/"), it)).collect();
    let one_thread = Survey { threads: 1, batch_files: 1000, ..OPTIONS };
    let again: Vec<_> = seen(root, &["."], one_thread);
    let again: Vec<_> =
        again.into_iter().map(|(path, it)| (path.replace("/./", "/"), it)).collect();
    assert_eq!(found, again, "the order is that of the walk for any number of threads");
    let mut sorted = found;
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);
}

#[test]
fn what_is_no_file_is_told_if_it_is_named_and_passed_over_if_not() {
    let directory = directory();
    let root = directory.path();
    fs::create_dir_all(root.join("below/deeper")).unwrap();
    fs::write(root.join("below/file"), "12345").unwrap();
    symlink("file", root.join("below/link")).unwrap();
    symlink("deeper", root.join("below/way")).unwrap();
    symlink("nowhere", root.join("below/broken")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(root.join("below/pipe")).status().unwrap();
    assert!(pipe.success());
    let _socket = std::os::unix::net::UnixListener::bind(root.join("below/socket")).unwrap();
    assert_eq!(seen(root, &["below"], OPTIONS), [("/below/file".into(), Ok(5))]);
    let found = seen(
        root,
        &[
            "below/link",
            "below/pipe",
            "below/socket",
            "below/broken",
            "gone",
            "below/way",
            "below/file",
        ],
        OPTIONS,
    );
    let words = |what: &str| Err(format!("looking: expected a file or a directory, found {what}"));
    let gone = || Err("looking: No such file or directory (os error 2)".to_owned());
    assert_eq!(
        found,
        [
            ("/below/link".into(), Ok(5)),
            ("/below/pipe".into(), words("a pipe")),
            ("/below/socket".into(), words("a socket")),
            ("/below/broken".into(), gone()),
            ("/gone".into(), gone()),
            ("/below/file".into(), Ok(5)),
        ]
    );
}

#[test]
fn a_device_is_not_opened() {
    let found = seen(Path::new("/dev"), &["null"], OPTIONS);
    let words = "looking: expected a file or a directory, found a character device";
    assert_eq!(found, [("/null".to_owned(), Err(words.to_owned()))]);
}

/// Files that vanish during the walk are reported, and no other file is missed.
#[test]
fn files_that_vanish_are_faults_of_their_own() {
    let directory = directory();
    let root = directory.path();
    (0..2000).for_each(|nth| fs::write(root.join(format!("{nth}")), "1").unwrap());
    let (mut seen, mut gone) = (0, 0);
    let path = root.as_os_str().as_bytes().to_vec();
    let told = survey(
        [Ok(path)].into_iter(),
        OPTIONS,
        &|opened| {
            // Each inspection of a file removes other files.
            for nth in 1000..2000 {
                let _ = fs::remove_file(root.join(format!("{nth}")));
            }
            Ok(opened.facts.bytes)
        },
        |sighting| {
            match sighting.outcome {
                Ok(_) => seen += 1,
                Err(fault) => {
                    assert_eq!(fault.error.kind(), std::io::ErrorKind::NotFound);
                    gone += 1;
                }
            }
            ControlFlow::<()>::Continue(())
        },
    );
    assert!(told.unwrap().is_continue());
    assert!(seen >= 1000 && seen + gone <= 2000, "{seen} {gone}");
}

#[test]
fn a_break_ends_the_whole_survey() {
    let directory = directory();
    let root = directory.path();
    (0..3000).for_each(|nth| fs::write(root.join(format!("{nth}")), "1").unwrap());
    let mut seen = 0;
    let path = root.as_os_str().as_bytes().to_vec();
    let told = survey([Ok(path)].into_iter(), OPTIONS, &|_| Ok(()), |_| {
        seen += 1;
        if seen == 10 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!((told.unwrap(), seen), (ControlFlow::Break("enough"), 10));
}

/// A tree deeper than the longest path.
#[test]
fn a_deep_tree_is_walked_to_its_end() {
    let directory = directory();
    let root = directory.path();
    let name = "d".repeat(100);
    make_chain(root, &name, 60);
    let found = seen(root, &["top"], OPTIONS);
    let ends: Vec<_> = found.iter().filter(|(path, _)| path.ends_with("/end")).collect();
    assert_eq!(ends.len(), 1);
    assert!(ends[0].0.len() > 4096, "the path alone opens nothing");
    assert_eq!(ends[0].1, Ok(3));
}

/// Makes a chain of directories below `top`, each from within its parent, with a file at the end.
fn make_chain(root: &Path, name: &str, depth: usize) {
    let script = "cd -P \"$1\"; mkdir top; cd top; n=0
        while [ $n -lt $3 ]; do mkdir \"$2\" && cd -P \"$2\" || exit 1; n=$((n+1)); done
        printf abc > end";
    let mut shell = std::process::Command::new("sh");
    let made = shell.args(["-c", script, "sh"]).arg(root).args([name, &depth.to_string()]).status();
    assert!(made.unwrap().success());
}
