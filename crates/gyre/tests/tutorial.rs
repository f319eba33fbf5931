//! The tutorial: its commands run, one after the other, in an empty directory.
#![allow(clippy::disallowed_methods)] // the test starts programs

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// What is different here: ports that are free, no pages, and networks that end soon.
const SHELL: &str = r#"
set -e -o pipefail
gyre() {
  case "$1" in
    network) command gyre "$@" --udp-port 0 --for 60 ;;
    run) command gyre "$@" --no-web ;;
    *) command gyre "$@" ;;
  esac
}
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
"#;

#[test]
fn every_command_of_the_tutorial_runs() {
    let text = include_str!("../../../docs/tutorial.md");
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    $ ")).collect();
    assert!(commands.len() > 20, "{commands:?}");
    let place = tempfile::tempdir().unwrap();
    let room = place.path().join("room");
    fs::create_dir(&room).unwrap();
    symlink(env!("CARGO_BIN_EXE_gyre"), place.path().join("gyre")).unwrap();
    let mut script = SHELL.to_owned();
    for command in &commands {
        script += &format!("echo '>>' {}\n{command}\n", quoted(command));
    }
    let path = format!("{}:/usr/bin:/bin", place.path().display());
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).current_dir(&room).env("PATH", path);
    bash.env_remove("RRDCACHED_ADDRESS").stdin(Stdio::null());
    let output = bash.output().unwrap();
    let told = [&output.stdout[..], &output.stderr[..]].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(output.status.success(), "{}: {told}", output.status);
    for made in ["port.png", "disk.svg", "back/disk.rrd"] {
        assert!(room.join(made).metadata().unwrap().len() > 500, "{made}: {told}");
    }
    assert!(told.contains("ams-core1/ams-core1_1.rrd") && told.contains(" used\n"), "{told}");
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
