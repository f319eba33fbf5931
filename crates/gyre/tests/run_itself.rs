//! `gyre run` measures itself: its databases are ordinary ones, its page shows them, and it leaves
//! the databases of others alone.
#![allow(clippy::disallowed_methods)] // A network on loopback and processes.

mod running;
mod said;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use running::{Run, answer, configure, network};

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
    for words in ["databases fit", "Scarcest:", "What could be better", "Cycle: polling"] {
        assert!(page.contains(words), "{words}: {page}");
    }
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
