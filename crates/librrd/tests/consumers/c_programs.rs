//! Programs in C, compiled with our headers and linked with our library, then run with each of the
//! two.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::library::{BOTH, Library, assert_same, directory, include, place, program, text};

/// Compiles one of our programs with our headers and library; `None` after telling what is
/// therefore not tested.
pub(crate) fn compiled(name: &str, into: &Path) -> Option<PathBuf> {
    let compiler = oracle::program("cc", "programs in C with our headers")?;
    let mut command = Command::new(compiler);
    command.arg("-I").arg(include()).arg("-L").arg(directory());
    Some(compiled_by(&mut command, name, into))
}

/// The same with Debian's headers and library.
fn compiled_for_debian(name: &str, into: &Path) -> Option<PathBuf> {
    let compiler = oracle::program("cc", "programs in C with Debian's header")?;
    oracle::file("/usr/include/rrd_format.h", "programs made for Debian's library")?;
    Some(compiled_by(&mut Command::new(compiler), name, into))
}

fn compiled_by(compiler: &mut Command, name: &str, into: &Path) -> PathBuf {
    let place = into.join(name);
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-pthread"]);
    compiler.arg(program(&format!("{name}.c"))).arg("-o").arg(&place).arg("-lrrd");
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    place
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
    let said = BOTH.map(|library| said(library, &compiled, directory.path()));
    assert_same(&said[0], &said[1]);
}

/// What a program says with a library, in a new directory below `room`.
fn said(library: Library, program: &Path, room: &Path) -> String {
    let place = tempfile::tempdir_in(room).unwrap();
    library.said(library.command(program).current_dir(place.path()))
}

/// The places and values of our header are those of Debian's.
#[test]
fn headers_agree() {
    let (ours, debian) = (place(), place());
    let Some(our_program) = compiled("layout", ours.path()) else { return };
    let Some(debians_program) = compiled_for_debian("layout", debian.path()) else { return };
    let said_by = |program: &Path| said(Library::Debian, program, ours.path());
    assert_same(&said_by(&debians_program), &said_by(&our_program));
}

/// A program that was made for Debian's library reaches into files with ours, as it is.
#[test]
fn files_are_opened_alike() {
    let directory = place();
    let Some(program) = compiled_for_debian("raw", directory.path()) else { return };
    let said = BOTH.map(|library| said(library, &program, directory.path()));
    assert_same(&said[0], &said[1]);
    assert!(said[0].contains("it sees 123456") && said[0].contains("other GAUGE"), "{}", said[0]);
}

/// The same made with our header; and what Debian's library ends the program for.
#[test]
fn files_are_opened_with_our_header() {
    let directory = place();
    let Some(program) = compiled("raw", directory.path()) else { return };
    let said = said(Library::Ours, &program, directory.path());
    assert!(said.contains("it sees 123456") && said.contains("other GAUGE"), "{said}");
    let Some(program) = compiled("misuse", directory.path()) else { return };
    assert_eq!(
        self::said(Library::Ours, &program, directory.path()),
        include_str!("../programs/misuse.txt")
    );
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
