//! Rows whose effect is not in the picture.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::program::Place;

/// The words of a graph of what the window holds.
fn words(verb: &str, options: &str) -> Vec<String> {
    let line = format!("{verb} -s 1000000000 -e 1000040000 DEF:a=a.rrd:a:AVERAGE {options}");
    line.split_whitespace().map(str::to_owned).collect()
}

/// `--lazy` keeps a picture that is young enough.
#[test]
fn lazy_keeps_a_picture() {
    let place = Place::new();
    let image = place.path().join("image");
    let is_drawn = |option: &str| {
        let changed = SystemTime::now() - Duration::from_secs(2);
        File::options().write(true).open(&image).unwrap().set_modified(changed).unwrap();
        let drawn = place.ours(&words("graph image", &format!("LINE:a#ff0000 {option}")));
        assert!(drawn.is_success(), "{drawn:?}");
        fs::metadata(&image).unwrap().modified().unwrap() != changed
    };
    place.ours(&words("graph image", "LINE:a#ff0000"));
    assert!(is_drawn(""));
    assert!(!is_drawn("--lazy"));
}

/// `--daemon` asks a daemon, which has an update that the file has not.
#[test]
fn daemons_answer_for_their_files() {
    let place = Place::new();
    let daemon_name = place.path().join("rrdcached");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gyre"), &daemon_name).unwrap();
    let room = tempfile::tempdir().unwrap();
    let daemon = oracle::Rrdcached::start(&daemon_name, room.path(), place.path(), &[]);
    let address = daemon.local_address();
    for (verb, shown) in [("graph picture", "LINE:a#ff0000"), ("xport", "XPORT:a")] {
        let time = if verb == "xport" { 1_000_030_600 } else { 1_000_030_300 };
        let update = format!("update --daemon {address} a.rrd {time}:50:50");
        place.make(&update);
        let alone = place.ours(&words(verb, shown));
        let asked = place.ours(&words(verb, &format!("{shown} --daemon {address}")));
        assert!(alone.is_success() && asked.is_success(), "{asked:?}");
        assert_ne!(alone, asked, "{verb}");
    }
}
