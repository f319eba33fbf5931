//! Faults of rrdtool 1.7.2's that gyre does not share. Each test shows both: a rrdtool without the
//! fault fails it, and the page that lists the differences is then to be corrected.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use oracle::Reply;
use rrdfile::decode;

use crate::pair::{Pair, words};

const CREATE: &str = "create a.rrd -b 1000000000 -s 10 DS:a:GAUGE:600:U:U DS:b:GAUGE:600:U:U \
                      RRA:MAX:0.5:3:5 RRA:AVERAGE:0.5:1:8 RRA:LAST:0.5:2:4";

/// Two files with the same rows.
fn start(what: &str) -> Option<Pair> {
    let mut pair = Pair::start(what)?;
    pair.begin(what.into());
    pair.make("a.rrd", &words(CREATE));
    let samples: Vec<String> =
        (1..12).map(|nth| format!("{}:{nth}:{}", 1_000_000_000 + nth * 10, nth * 7)).collect();
    let mut update = words("update a.rrd");
    update.extend(samples);
    pair.tell(&update);
    Some(pair)
}

fn refused(pair: &mut Pair, line: &str, reason: &str) {
    let before = fs::read(pair.ours("a.rrd")).unwrap();
    assert_eq!(pair.tell_ours(&words(line)), Reply::Error(reason.into()));
    assert_eq!(fs::read(pair.ours("a.rrd")).unwrap(), before, "{line}");
}

#[test]
fn no_two_sources_get_one_name() {
    let Some(mut pair) = start("a rename to a name that is taken") else { return };
    let line = "tune a.rrd -r a:b";
    assert_eq!(pair.tell_theirs(&words(line)), Reply::Ok(vec![]));
    refused(&mut pair, line, "Duplicate DS name: b");
}

#[test]
fn a_wrong_source_is_not_added() {
    let Some(mut pair) = start("a source that is wrong") else { return };
    let before = fs::read(pair.theirs("a.rrd")).unwrap();
    let line = "tune a.rrd DS:x:FOO:600:0:1";
    assert_eq!(
        pair.tell_theirs(&words(line)),
        Reply::Error("invalid DS type specified (FOO)".into())
    );
    assert_ne!(fs::read(pair.theirs("a.rrd")).unwrap(), before);
    refused(&mut pair, line, "invalid DS type specified (FOO)");
}

#[test]
fn rows_behind_an_archive_that_goes_stay() {
    let Some(mut pair) = start("an archive that goes") else { return };
    let before = decode(&fs::read(pair.ours("a.rrd")).unwrap()).unwrap().1;
    let line = words("tune a.rrd DELRRA:0");
    assert_eq!(pair.tell_theirs(&line), Reply::Ok(vec![]));
    assert_eq!(pair.tell_ours(&line), Reply::Ok(vec![]));
    let theirs = decode(&fs::read(pair.theirs("a.rrd")).unwrap()).unwrap().1;
    let ours = decode(&fs::read(pair.ours("a.rrd")).unwrap()).unwrap().1;
    let bits = |rows: &[Vec<f64>]| -> Vec<Vec<u64>> {
        rows.iter().map(|ring| ring.iter().map(|value| value.to_bits()).collect()).collect()
    };
    assert_eq!(bits(&ours.rows), bits(&before.rows[1..]));
    assert_ne!(bits(&theirs.rows), bits(&before.rows[1..]));
}

#[test]
fn a_database_keeps_a_source_and_an_archive() {
    let Some(mut pair) = start("everything goes") else { return };
    assert_eq!(
        pair.tell_theirs(&words("tune a.rrd DELRRA:0 DELRRA:1 DELRRA:2")),
        Reply::Ok(vec![])
    );
    let none = "you must define at least one Round Robin Archive";
    refused(&mut pair, "tune a.rrd DELRRA:0 DELRRA:1 DELRRA:2", none);
    refused(&mut pair, "tune a.rrd DEL:a DEL:b", "you must define at least one Data Source");
}

#[test]
fn a_name_that_is_a_link_leads_where_it_led() {
    let Some(mut pair) = start("a file behind a link") else { return };
    for directory in [pair.theirs(""), pair.ours("")] {
        fs::set_permissions(directory.join("a.rrd"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a.rrd", directory.join("l.rrd")).unwrap();
    }
    let line = words("tune l.rrd RRA#0:+1");
    assert_eq!(pair.tell_theirs(&line), Reply::Ok(vec![]));
    assert_eq!(pair.tell_ours(&line), Reply::Ok(vec![]));
    assert!(!pair.theirs("l.rrd").symlink_metadata().unwrap().is_symlink());
    assert!(pair.ours("l.rrd").symlink_metadata().unwrap().is_symlink());
    let tuned = pair.ours("a.rrd").metadata().unwrap();
    assert_eq!(tuned.permissions().mode() & 0o7777, 0o640);
    assert_eq!(fs::read_dir(pair.ours("")).unwrap().count(), 2, "nothing is left behind");
}
