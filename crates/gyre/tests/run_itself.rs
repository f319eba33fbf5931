//! `gyre run` measures itself: its databases are ordinary ones, its page shows them, and it leaves
//! the databases of others alone.
#![allow(clippy::disallowed_methods)] // A network on loopback and processes.

mod running;
mod said;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use running::{Run, answer, configure, network};
use simnet::MrtgSettings;

/// How long is waited for what happens a little after the start.
const PATIENCE: Duration = Duration::from_secs(60);

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn until(address: &str, path: &str, is_there: impl Fn(&str) -> bool) -> String {
    let begun = Instant::now();
    loop {
        let page = get(address, path);
        if is_there(&page) {
            return page;
        }
        assert!(begun.elapsed() < PATIENCE, "{path}: {page}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_run_keeps_its_own_course_and_shows_it() {
    let directory = tempfile::tempdir().unwrap();
    let network = network();
    configure(&network, directory.path());
    let mut run = Run::start_with(directory.path(), &["--listen", "127.0.0.1:0"], &[]);
    let line = run.said.wait_for("web pages at http://");
    let address = line.trim_end_matches('/').rsplit('/').next().unwrap().to_owned();
    // Its series are found as all others.
    // A loaded machine may miss some of 32 targets.
    let polled = "/api/v1/query?query=polled%3E16";
    let told = until(&address, polled, |told| told.contains("\"value\":["));
    assert!(told.contains("gyre/mrtg/targets"), "{told}");
    for series in ["poll_seconds", "late_seconds", "resident_bytes", "log_bytes", "written_bytes"] {
        let query = format!("/api/v1/query?query={series}");
        until(&address, &query, |told| told.contains("\"value\":["));
    }
    // The planner and the doctor look a little later.
    let page = until(&address, "/store", |page| page.contains("<h2>What is left</h2>"));
    for words in ["databases of targets", "Scarcest:", "Cycle: polling"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    // How much fits is the machine's.
    assert!(page.contains("fit") || page.contains("do not fit"), "{page}");
    until(&address, "/api/v1/query?query=strain_percent", |told| told.contains("\"value\":["));
    let graph = get(&address, "/store/cycle/hour.svg");
    assert!(graph.starts_with("HTTP/1.1 200") && graph.contains("late"), "{graph}");
    let missing = get(&address, "/store/nothing/hour.svg");
    assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
    // Counters of 64 bits do not wrap unseen, and the devices' limits are kept.
    let ranks = until(&address, "/api/ranks?n=5", |told| told.contains("\"state\":\"known\""));
    assert!(ranks.matches("\"target\":").count() == 5, "{ranks}");
    run.terminate();
    let names = answer(&["store", "list", directory.path().join("store").to_str().unwrap()]);
    assert_eq!(names.lines().filter(|name| name.starts_with("gyre/mrtg/")).count(), 9, "{names}");
    // Where it does not measure itself there is no page of that, and no database.
    let other = tempfile::tempdir().unwrap();
    configure(&network, other.path());
    let mut run = Run::start(other.path(), &[]);
    run.said.wait_for("cycle 1: ");
    run.terminate();
    let names = answer(&["store", "list", other.path().join("store").to_str().unwrap()]);
    assert!(!names.contains("gyre/"), "{names}");
}

#[test]
fn a_database_of_others_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    configure(&network(), directory.path());
    let own = directory.path().join("gyre/mrtg");
    std::fs::create_dir_all(&own).unwrap();
    let taken = own.join("cycle.rrd");
    let taken = taken.to_str().unwrap();
    let words = ["DS:ds0:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:10"];
    answer(&[&["create", taken][..], &words].concat());
    let before = std::fs::read(taken).unwrap();
    let mut run = Run::start_with(directory.path(), &["--no-web", "--rrd-files"], &[]);
    run.said.wait_for("expected a database that a run made for itself");
    run.said.wait_for("cycle 2: ");
    run.terminate();
    assert_eq!(std::fs::read(taken).unwrap(), before);
    let memory = own.join("memory.rrd");
    assert!(answer(&["info", memory.to_str().unwrap()]).contains("resident_bytes"));
    assert!(!own.join("journal.rrd").exists());
}

/// A run whose interval is longer than before still writes values that its databases take.
#[test]
fn values_are_known_after_the_interval_became_longer() {
    let directory = tempfile::tempdir().unwrap();
    let network = network();
    let text = network.mrtg_config(&MrtgSettings {
        work_directory: directory.path().display().to_string(),
        interval: Duration::from_secs(5),
        more: String::new(),
        with_sites: false,
    });
    std::fs::write(directory.path().join("mrtg.cfg"), text).unwrap();
    let own = directory.path().join("gyre/mrtg");
    std::fs::create_dir_all(&own).unwrap();
    let taken = own.join("queue.rrd");
    let taken = taken.to_str().unwrap();
    // The step of the earlier run is 1 s, and its heartbeat is as short.
    let words = ["--step=1", "DS:messages:GAUGE:2:0:U", "RRA:AVERAGE:0.5:1:100"];
    answer(&[&["create", taken][..], &words].concat());
    let run = Run::start_with(directory.path(), &["--no-web", "--rrd-files"], &[]);
    let begun = Instant::now();
    loop {
        let fetched = answer(&["fetch", taken, "AVERAGE", "--start=end-20s"]);
        let is_known = |line: &str| line.split(": ").nth(1).is_some_and(|it| !it.contains("nan"));
        if fetched.lines().any(is_known) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{fetched}");
        std::thread::sleep(Duration::from_millis(200));
    }
    run.terminate();
}

#[test]
fn a_target_cannot_have_a_database_of_the_runs_own() {
    let directory = tempfile::tempdir().unwrap();
    configure(&network(), directory.path());
    let own = directory.path().join("gyre/mrtg");
    std::fs::create_dir_all(&own).unwrap();
    let words = ["DS:polled:GAUGE:600:U:U", "DS:missed:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:10"];
    answer(&[&["create", own.join("targets.rrd").to_str().unwrap()][..], &words].concat());
    let configuration = directory.path().join("mrtg.cfg");
    let text = std::fs::read_to_string(&configuration).unwrap();
    let target = "\nTarget[targets]: 1:public@127.0.0.1\nDirectory[targets]: gyre/mrtg\n\
        MaxBytes[targets]: 1000\nTitle[targets]: x\nPageTop[targets]: x\n";
    std::fs::write(&configuration, text + target).unwrap();
    let mut run = Run::start_with(directory.path(), &["--no-web", "--rrd-files"], &[]);
    run.said.wait_for("target targets: its database is one in which a run measures itself");
    run.terminate();
}
