//! Programs in C, compiled with our headers and linked with our library, then run with each of the two.

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

/// A header by itself is a whole program's worth, in C++ too.
#[test]
fn headers_stand_alone() {
    let Some(compiler) = oracle::program("c++", "our headers in C++") else { return };
    let directory = place();
    let source = directory.path().join("headers.cc");
    let text_of = "#include <rrd_client.h>\nint main() { return rrd_test_error(); }\n";
    std::fs::write(&source, text_of).unwrap();
    let output = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-I"])
        .arg(include())
        .arg(source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}
