//! `RRDCached`: updates go through Debian's daemon.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::{Gyre, Process, get, text};

#[test]
fn updates_go_through_the_daemon_that_the_configuration_names() {
    let what = "updates through rrdcached";
    let Some(rrdcached) = oracle::program("rrdcached", what) else { return };
    let Some(rrdtool) = oracle::program("rrdtool", what) else { return };
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let socket = root.join("daemon.sock");
    let address = format!("unix:{}", socket.display());
    let configuration = root.join("mrtg.cfg");
    let site = format!(
        "WorkDir: {}\nLogFormat: rrdtool\nRRDCached: {address}\nInterval: 0:01\n\
         Target[a]: `echo 5; echo 7`\nTitle[a]: t\nMaxBytes[a]: 100\nOptions[a]: gauge\n",
        root.display()
    );
    std::fs::write(&configuration, site).unwrap();
    let mut gyre = Gyre::start(&configuration, &[]);
    let page = gyre.said.wait_for("web pages at http://");
    let http = page.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned();
    // The daemon is not there yet: that is told, and nothing ends.
    let refused = gyre.said.wait_for("1 samples not written");
    assert!(refused.contains(&format!("rrdcached at {address}")), "{refused}");
    let daemon = Command::new("timeout")
        .arg("60")
        .arg(rrdcached)
        .args(["-g", "-w", "3600", "-f", "7200", "-l", &address, "-p"])
        .arg(root.join("pid"))
        .stdin(Stdio::null())
        .spawn();
    let _daemon = Process(daemon.unwrap());
    let mut lines = 0;
    while gyre.said.wait_for("cycle ").contains("not written") {
        lines += 1;
        assert!(lines < 30, "the daemon is found");
    }
    let rrdtool = |words: &[&str]| {
        text(&Command::new(&rrdtool).args(words).current_dir(root).output().unwrap())
    };
    // The file waits for the daemon, which has the samples.
    let pending = || rrdtool(&["lastupdate", "a.rrd"]).trim_end().ends_with(": U U");
    assert!(pending(), "{}", rrdtool(&["lastupdate", "a.rrd"]));
    get(&http, "/graph/a/day.svg");
    let deadline = Instant::now() + Duration::from_secs(10);
    while pending() {
        assert!(Instant::now() < deadline, "a graph has the daemon write");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(rrdtool(&["lastupdate", "a.rrd"]).trim_end().ends_with(": 5 7"));
    gyre.process.signal("-TERM");
    gyre.wait();
}
