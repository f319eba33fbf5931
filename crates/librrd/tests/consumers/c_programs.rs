//! Programs in C, compiled with our headers and linked with our library, then run with each of the
//! two.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::library::{BOTH, assert_same, directory, include, place, program, text};

/// Compiles one of our programs; `None` after telling what is therefore not tested.
pub(crate) fn compiled(name: &str, into: &Path) -> Option<PathBuf> {
    let compiler = oracle::program("cc", "programs in C with our headers")?;
    let place = into.join(name);
    let output = Command::new(compiler)
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-pthread"])
        .arg("-I")
        .arg(include())
        .arg(program(&format!("{name}.c")))
        .arg("-o")
        .arg(&place)
        .arg("-L")
        .arg(directory())
        .arg("-lrrd")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    Some(place)
}

/// Whether Debian's library is there to compare with.
pub(crate) fn has_debian() -> bool {
    oracle::program("rrdtool", "our library beside Debian's").is_some()
}

/// Runs a program with each library in a directory of its own, and compares what it says.
fn compare(name: &str) {
    let directory = place();
    let Some(compiled) = compiled(name, directory.path()) else { return };
    if !has_debian() {
        return;
    }
    let said = BOTH.map(|library| {
        let place = directory.path().join(format!("{library:?}"));
        std::fs::create_dir(&place).unwrap();
        library.said(library.command(&compiled).current_dir(place))
    });
    assert_same(&said[0], &said[1]);
}

/// Errors, numbers, durations, times, lists: what needs no file.
#[test]
fn helpers_answer_alike() {
    compare("helpers");
}

/// Every function that works on files, right and wrong.
#[test]
fn calls_on_files_answer_alike() {
    compare("calls");
}

/// Dumps take no memory for their text.
#[test]
fn large_files_are_dumped_in_little_memory() {
    compare("large");
}
