//! The pipe mode keeps as many files open as the system allows.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::place::Place;

/// A directory with this many files.
fn place(files: usize) -> Place {
    let place = Place::new();
    let words = ["create", "0.rrd", "--start", "1000000000", "DS:a:GAUGE:60:U:U"];
    place.works(&[&words[..], &["RRA:LAST:0.5:1:2"]].concat());
    for nth in 1..files {
        let copy = place.path().join(format!("{nth}.rrd"));
        fs::copy(place.path().join("0.rrd"), copy).unwrap();
    }
    place
}

/// Updates the files in turn, twice; returns how many are open then.
fn open_after(limits: &str, files: usize) -> usize {
    let place = place(files);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" -"), env!("CARGO_BIN_EXE_gyre")]);
    command.current_dir(place.path()).env_remove("RRDCACHED_ADDRESS");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for turn in 0..2 {
        for nth in 0..files {
            writeln!(input, "update {nth}.rrd {}:1", 1_000_000_001 + turn).unwrap();
            let mut reply = String::new();
            output.read_line(&mut reply).unwrap();
            assert!(reply.starts_with("OK u:"), "{nth}: {reply}");
        }
    }
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap().count();
    drop(input);
    assert!(child.wait().unwrap().success());
    open
}

#[test]
fn files_stay_open_as_far_as_the_hard_limit_goes() {
    let open = open_after("ulimit -Sn 256; ulimit -Hn 1024", 700);
    assert!(open > 700, "{open} are open");
    let open = open_after("ulimit -Sn 64; ulimit -Hn 64", 100);
    assert!((10..64).contains(&open), "{open} are open");
}
