//! Rows, steps and sources that exceed memory, the file or the disk.

use std::fs;

use super::place::Place;

const SPECS: [&str; 3] = ["DS:a:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:20", "RRA:MAX:0.5:5:20"];
/// Numbers of rows: larger than the address space, overflowing in bytes, larger than memory.
const COUNTS: [&str; 6] = [
    "18446744073709551615",
    "9223372036854775807",
    "4611686018427387904",
    "576460752303423488",
    "100000000000000",
    "2000000000",
];

fn place() -> Place {
    let place = Place::new();
    for name in ["a.rrd", "store/a"] {
        if name.starts_with("store") {
            place.works(&["store", "create", "store"]);
        }
        let words = ["create", name, "--start", "1000000000", "--step", "10"];
        place.works(&[&words[..], &SPECS].concat());
        place.works(&["update", name, "1000000010:1", "1000000020:2"]);
    }
    place
}

#[test]
fn no_ring_grows_beyond_memory() {
    let place = place();
    let file = fs::read(place.path().join("a.rrd")).unwrap();
    for count in COUNTS {
        for name in ["a.rrd", "store/a"] {
            place.refused(&["resize", name, "0", "GROW", count]);
            place.refused(&["resize", name, "1", "GROW", count]);
            place.refused(&["resize", name, "0", "SHRINK", count]);
            place.refused(&["tune", name, &format!("RRA#0:+{count}")]);
            place.refused(&["tune", name, &format!("RRA#1:={count}")]);
            place.refused(&["tune", name, &format!("RRA:MIN:0.5:1:{count}")]);
        }
        let archive = format!("RRA:AVERAGE:0.5:1:{count}");
        let long_rows = format!("RRA:AVERAGE:0.5:{count}:1");
        for name in ["new.rrd", "store/new"] {
            place.refused(&["create", name, "-r", "a.rrd", SPECS[0], &archive]);
            place.refused(&["create", name, "-r", "a.rrd", SPECS[0], &long_rows]);
        }
    }
    assert_eq!(fs::read(place.path().join("a.rrd")).unwrap(), file);
    place.works(&["store", "list", "store"]);
    place.works(&["resize", "a.rrd", "0", "GROW", "20"]);
}

#[test]
fn errors_tell_what_was_asked_and_what_there_is() {
    let place = place();
    let error = place.refused(&["resize", "a.rrd", "0", "GROW", "2000000000"]);
    assert!(error.contains("16000000160 bytes"), "{error}");
    let error = place.refused(&["resize", "a.rrd", "0", "SHRINK", "20"]);
    assert_eq!(error, "ERROR: This RRA is not that big\n");
}

/// A new file is refused before any of it is written if the disk has no room for it.
#[test]
fn no_file_is_begun_that_the_disk_cannot_hold() {
    let place = place();
    for count in ["1000000000000", "100000000000000", "1000000000000000"] {
        let archive = format!("RRA:AVERAGE:0.5:1:{count}");
        place.refused(&["create", "new.rrd", "--step", "1", SPECS[0], &archive]);
        let forecast = format!("RRA:HWPREDICT:{count}:0.1:0.1:10");
        place.refused(&["create", "new.rrd", "--step", "1", SPECS[0], &forecast]);
    }
}

/// A file whose header tells the largest possible size, and most of which is a hole.
#[test]
fn a_file_of_holes_is_refused_where_all_of_it_is_needed() {
    let place = place();
    let mut bytes = fs::read(place.path().join("a.rrd")).unwrap();
    let rows = 1_u64 << 40;
    let first_row_count = 128 + 120 + 24;
    bytes[first_row_count..first_row_count + 8].copy_from_slice(&rows.to_le_bytes());
    let path = place.path().join("holes.rrd");
    fs::write(&path, &bytes).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(bytes.len() as u64 + (rows - 20) * 8).unwrap();
    for words in [
        "dump holes.rrd",
        "tune holes.rrd RRA#0:+3",
        "resize holes.rrd 1 GROW 5",
        "create new.rrd -r holes.rrd DS:a:GAUGE:60:U:U RRA:AVERAGE:0.5:1:20",
        "convert -o new.rrd holes.rrd",
        "import other holes.rrd",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let output = place.gyre(1000, &words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
    }
    place.works(&["info", "holes.rrd"]);
    place.works(&["fetch", "holes.rrd", "AVERAGE", "-s", "1000000000", "-e", "1000000020"]);
}
