//! Debian's modules for Lua and Ruby over librrd.

use std::path::Path;
use std::process::Command;

use crate::library::{BOTH, assert_same, place, program};

#[test]
fn lua_has_the_same_answers() {
    compare(Path::new("/usr/bin/lua5.1"), "local rrd = require 'rrd'", "every_function.lua");
}

/// Ruby's module reads a row more than a stretch has.
#[test]
fn ruby_has_the_same_answers() {
    compare(Path::new("/usr/bin/ruby"), "require 'RRD'", "every_function.rb");
}

/// Runs a script with each library, and compares what it says. Where the interpreter has no module
/// it tells what is therefore not tested.
fn compare(interpreter: &Path, loading: &str, script: &str) {
    let loads = || Command::new(interpreter).args(["-e", loading]).status().unwrap().success();
    let is_there = interpreter.exists() && loads();
    // The oracle's way to fail or to tell: no program has this name.
    if !is_there && oracle::program(script, "our library under this language").is_none() {
        return;
    }
    let said = BOTH.map(|library| {
        let place = place();
        let mut command = library.command(interpreter);
        library.said(command.arg(program(script)).current_dir(place.path()))
    });
    assert!(said[0].lines().count() > 20, "{}", said[0]);
    assert_same(&said[0], &said[1]);
}
