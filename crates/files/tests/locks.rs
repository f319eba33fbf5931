//! gyre and rrdtool keep each other out of a file that one of them updates.
#![allow(clippy::disallowed_methods)] // the test makes the file it locks

use files::{Access, RrdFile};
use oracle::{Reply, Rrdtool};
use rrd::Timestamp;
use store::Existing;

#[test]
fn rrdtool_is_kept_out_while_we_update_even_if_we_close_a_second_descriptor() {
    let Some(program) = oracle::program("rrdtool", "locks against rrdtool") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.rrd");
    let definition =
        rrd::spec::definition(300, ["DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:10"]).unwrap();
    let start = Timestamp::from_seconds(1_000_000_000);
    files::create(&path, &definition, start, Existing::Keep).unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory.path());

    let updating = RrdFile::open(&path, Access::Update).unwrap();
    assert!(matches!(RrdFile::open(&path, Access::Update), Err(store::Error::Locked(_))));
    drop(RrdFile::open(&path, Access::Read).unwrap());
    let words = Reply::Error("could not lock RRD".into());
    assert_eq!(rrdtool.send("update file.rrd 1000000100:1"), words);

    drop(updating);
    assert_eq!(rrdtool.send("update file.rrd 1000000100:1"), Reply::Ok(vec![]));
}

#[test]
fn a_file_kept_open_sees_what_others_wrote_and_where_its_name_leads() {
    let Some(program) = oracle::program("rrdtool", "updates in turn with rrdtool") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.rrd");
    let mut rrdtool = Rrdtool::start(&program, directory.path());
    let create = "create file.rrd -b 1000000000 -s 10 DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:10";
    assert_eq!(rrdtool.send(create), Reply::Ok(vec![]));

    let mut open_files = files::OpenFiles::new(1);
    let mut append = |seconds: i64| {
        let time = Timestamp::from_seconds(seconds);
        let sample = rrd::Sample { time, readings: &["7"].map(rrd::Reading::of) };
        open_files.update(&path, |file| file.append(&sample)).unwrap().is_ok()
    };
    assert!(append(1_000_000_010));
    assert_eq!(rrdtool.send("update file.rrd 1000000030:1"), Reply::Ok(vec![]));
    assert!(!append(1_000_000_020), "rrdtool's update came after it");
    assert!(append(1_000_000_040));
    assert_eq!(rrdtool.send(create), Reply::Ok(vec![]), "a new file under the same name");
    assert!(append(1_000_000_020));
    assert_eq!(rrdtool.send("last file.rrd"), Reply::Ok(vec!["1000000020".into()]));
}
