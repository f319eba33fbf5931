//! Each file of tests is in a program: cargo is told of four, and compiles no other file.
#![allow(clippy::disallowed_methods)] // the test reads the directory that it is in

use std::fs;
use std::path::Path;

const PROGRAMS: [&str; 4] = ["run", "as_rrdcached", "as_rrdtool", "verbs"];

#[test]
fn each_file_is_in_a_program() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let read = |name: &str| fs::read_to_string(tests.join(name).join("main.rs")).unwrap();
    let programs = PROGRAMS.map(read).concat();
    let mut count = 0;
    for entry in fs::read_dir(&tests).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let file = match path.join("main.rs").is_file() {
            true if PROGRAMS.contains(&name.as_str()) => continue,
            true => format!("{name}/main.rs"),
            false if name.ends_with(".rs") => name,
            false => continue, // what several of them have in common, or a directory of cases
        };
        let line = format!("#[path = \"../{file}\"]\n");
        assert!(programs.contains(&line), "tests/{file} is in none of {PROGRAMS:?}");
        count += 1;
    }
    assert!(count > 40, "{count}");
}
