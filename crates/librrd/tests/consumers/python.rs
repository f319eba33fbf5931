//! python3-rrdtool, Debian's module over librrd.

use std::path::Path;
use std::process::Command;

use crate::library::{BOTH, assert_same, place, program};

const PYTHON: &str = "/usr/bin/python3";

#[test]
fn every_function_answers_alike() {
    let found = Path::new(PYTHON).exists()
        && Command::new(PYTHON).args(["-c", "import rrdtool"]).status().unwrap().success();
    // The oracle's way to fail or to tell: no program has this name.
    if !found && oracle::program("python3-rrdtool", "Python with our library").is_none() {
        return;
    }
    let said = BOTH.map(|library| {
        let place = place();
        let mut command = library.command(Path::new(PYTHON));
        let script = program("every_function.py");
        library.said(command.arg(script).current_dir(place.path()))
    });
    assert_same(&said[0], &said[1]);
}
