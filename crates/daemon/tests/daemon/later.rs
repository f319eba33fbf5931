//! What rrdcached 1.7.2 does not have: TUNE and DUMP, long lines, ring stores.

use std::process::Command;

use crate::room::{OURS, Room};

#[test]
fn tune_and_dump_are_those_of_rrdtool() {
    let Some(rrdtool) = oracle::program("rrdtool", "TUNE and DUMP") else { return };
    let room = Room::new();
    let _daemon = room.start(OURS, &[]);
    room.create("a.rrd");
    let mut client = room.client();
    assert_eq!(
        client.ask("UPDATE a.rrd 1000000060:1:2 1000000120:3:4"),
        "0 errors, enqueued 2 value(s).\n"
    );
    client.ask("FLUSH a.rrd");
    let theirs = room.path("theirs.rrd");
    std::fs::copy(room.base().join("a.rrd"), &theirs).unwrap();
    // One sample waits while the file is tuned.
    assert_eq!(client.ask("UPDATE a.rrd 1000000180:5:6"), "0 errors, enqueued 1 value(s).\n");
    let run = |words: &[&str]| {
        let output = Command::new(&rrdtool).args(words).env("TZ", "UTC").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let path = theirs.to_str().unwrap();
    run(&["update", path, "1000000180:5:6"]);
    let tunings: &[&[&str]] = &[
        &["-h", "x:77", "-i", "x:-5", "-a", "y:1e9"],
        &["-r", "x:z", "-d", "y:DERIVE"],
        &["RRA#0:+5", "DS:new:GAUGE:60:U:U"],
        &["DELRRA:1"],
    ];
    for (nth, words) in tunings.iter().enumerate() {
        run(&[&["tune", path][..], words].concat());
        let count = if nth % 2 == 0 { format!("{} tune ", words.len() + 1) } else { String::new() };
        assert_eq!(client.ask(&format!("TUNE a.rrd {count}{}", words.join(" "))), "0 Success\n");
        let mut dumping = room.client();
        let ours = dumping.ask("DUMP a.rrd");
        assert_eq!(ours.strip_suffix("<closed>").unwrap(), run(&["dump", path]), "{words:?}");
    }
    for (option, header) in [("none", "none"), ("xsd", "xsd"), ("dtd", "dtd")] {
        let ours = room.client().ask(&format!("DUMP a.rrd -h {option}"));
        assert_eq!(ours.strip_suffix("<closed>").unwrap(), run(&["dump", "-h", header, path]));
    }
    assert_eq!(client.ask("TUNE a.rrd -h nix:5"), "-1 Got error unknown data source name 'nix'\n");
    assert_eq!(
        client.ask("TUNE a.rrd RRA#0:+9000000000"),
        "-1 Got error 27000000045 values, at most 134217728 for a daemon: use rrdtool\n"
    );
    assert_eq!(client.ask("TUNE a.rrd 7 tune -h y:5"), "-1 Invalid argument count specified: 7\n");
}

#[test]
fn lines_may_be_long_and_names_need_be_no_text() {
    let room = Room::new();
    let _daemon = room.start(OURS, &[]);
    let mut client = room.client();
    let sources: String = (0..5000).map(|nth| format!(" DS:d{nth}:GAUGE:120:U:U")).collect();
    let create =
        [b"CREATE w\xff.rrd -b 1000000000", sources.as_bytes(), b" RRA:LAST:0.5:1:3"].concat();
    assert_eq!(client.ask_bytes(&create), b"0 RRD created OK\n");
    let values = ":12345678901234567890".repeat(5000);
    let update = [b"UPDATE w\xff.rrd 1000000060", values.as_bytes()].concat();
    assert!(update.len() > 100_000);
    assert_eq!(client.ask_bytes(&update), b"0 errors, enqueued 1 value(s).\n");
    let flushed = client.ask_bytes(b"FLUSH w\xff.rrd");
    assert!(flushed.ends_with(b"/w\xff.rrd.\n"), "{}", String::from_utf8_lossy(&flushed));
    assert_eq!(client.ask_bytes(b"LAST w\xff.rrd"), b"0 999999900\n");
}

#[test]
fn a_ring_store_is_served_in_the_same_words() {
    let room = Room::new();
    let store = room.path("store");
    let words = ["--store", store.to_str().unwrap(), "--sync", "1"];
    let daemon = room.start(OURS, &words);
    let base = room.base();
    let base = base.to_str().unwrap();
    let mut client = room.client();
    let mut ask = |line: &str| client.ask(line).replace(base, "<base>");
    assert_eq!(ask("UPDATE a.rrd 5:1"), "-1 No such file: <base>/a.rrd\n");
    let create = format!("CREATE sub/a.rrd -b 1000000000 -s 60 {}", crate::room::SOURCES);
    assert_eq!(ask(&create), "0 RRD created OK\n");
    assert_eq!(
        ask(&format!("{create} -O")),
        "-1 RRD Error: creating '<base>/sub/a.rrd': File exists\n"
    );
    assert_eq!(
        ask("UPDATE sub/a.rrd 1000000060:1:2 1000000120:3:8"),
        "0 errors, enqueued 2 value(s).\n"
    );
    assert_eq!(
        ask("UPDATE ./sub//a.rrd 1000000120.5:3:8 1000000100:1:2"),
        "-1 illegal attempt to update using time 1000000100.000000 when last update time is \
         1000000120.500000 (minimum one second step)\n"
    );
    assert_eq!(
        ask("UPDATE sub/a.rrd 1000000180:1"),
        "-1 RRD Error: <base>/sub/a.rrd: expected 2 data source readings (got 1) from 1000000180\n"
    );
    assert_eq!(
        ask("BATCH\nUPDATE sub/a.rrd 1000000180:5:14\nUPDATE nix 5:1\nUPDATE sub/a.rrd 5:1:1\n."),
        "0 Go ahead.  End with dot '.' on its own line.\n2 errors\n2 No such file: <base>/nix\n3 illegal \
         attempt to update using time 5.000000 when last update time is 1000000180.000000 (minimum one \
         second step)\n"
    );
    assert_eq!(ask("FLUSH sub/a.rrd"), "0 Successfully flushed <base>/sub/a.rrd.\n");
    assert_eq!(ask("PENDING sub/a.rrd"), "0 updates pending\n");
    assert_eq!(ask("QUEUE"), "0 in queue.\n");
    assert_eq!(ask("LAST sub/a.rrd"), "0 1000000140\n");
    assert_eq!(ask("LIST /"), "1 RRDs\nsub\n");
    assert_eq!(ask("LIST RECURSIVE /"), "1 RRDs\nsub/a.rrd\n");
    assert!(ask("INFO sub/a.rrd").starts_with("39 Info for <base>/sub/a.rrd follows\n"));
    let fetched = ask("FETCH sub/a.rrd AVERAGE 1000000060 1000000180 y");
    assert!(fetched.starts_with("9 Success\n") && !fetched.contains("140: -nan"), "{fetched}");
    assert_eq!(ask("TUNE sub/a.rrd -h x:99"), "0 Success\n");
    assert!(ask("INFO sub/a.rrd").contains("ds[x].minimal_heartbeat 1 99\n"));
    assert_eq!(ask("SUSPEND sub/a.rrd"), "0 <base>/sub/a.rrd suspended\n");
    assert_eq!(ask("RESUMEALL"), "0 1 rrds resumed\n");
    assert_eq!(ask("CREATE sub/b.rrd -t sub/a.rrd -r sub/a.rrd"), "0 RRD created OK\n");
    assert!(daemon.end().success());
    let _daemon = room.start(OURS, &words);
    assert_eq!(room.client().ask("LAST sub/b.rrd"), "0 1000000140\n");
}
