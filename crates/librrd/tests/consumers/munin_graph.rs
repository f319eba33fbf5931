//! Munin's graphs: nine services in all its windows, with negative fields, stacks, totals, limits,
//! expressions, a logarithmic axis and a right one.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::drawing::{Drawn, Studio};
use crate::library::{BOTH, assert_same, place};

const GRAPH: &str = "/usr/share/munin/munin-graph";
const TO_STORABLE: &str = "/usr/share/munin/munin-datafile2storable";
const NOW_SECONDS: u64 = 1_700_000_000;
/// A multiple of the step, so that the last row is whole.
const LAST_SECONDS: &str = "1699999800";
const SERVICES: [&str; 9] =
    ["load", "if_eth0", "cpu", "memory", "errors", "temperature", "disk", "uptime", "sockets"];
const WINDOWS: [&str; 5] = ["day", "week", "month", "year", "pinpoint=1699000000,1699500000"];

#[test]
fn munin_draws_the_same() {
    if oracle::program("munin-check", "Munin's graphs with our library").is_none() {
        return;
    }
    let [debian, ours] = BOTH.map(|library| {
        let place = place();
        draw(&Studio { library, place: place.path() })
    });
    assert_eq!(debian.sizes.len(), SERVICES.len() * WINDOWS.len());
    assert_eq!(ours.sizes, debian.sizes);
    assert!(debian.facts.contains("Last update: Tue Nov 14 22:10:00 2023"), "{}", debian.facts);
    assert_same(&debian.facts, &ours.facts);
}

fn draw(studio: &Studio<'_>) -> Drawn {
    for name in ["db", "html", "log", "run", "db/example.test"] {
        fs::create_dir(studio.place.join(name)).unwrap();
    }
    studio.script("munin_fill.pl", &["db/example.test", LAST_SECONDS]);
    let here = studio.place.display();
    let configuration = format!(
        "dbdir {here}/db\nhtmldir {here}/html\nlogdir {here}/log\nrundir {here}/run\n\
         [example.test]\naddress 127.0.0.1\nuse_node_name yes\n"
    );
    fs::write(studio.place.join("munin.conf"), configuration).unwrap();
    fs::write(studio.place.join("db/graphs"), requests()).unwrap();
    store_services(studio);
    let mut command = studio.watched(NOW_SECONDS, GRAPH);
    command.args(["--force-run-as-root", "--nofork", "--nolazy", "--config"]);
    studio.library.said(command.arg(studio.place.join("munin.conf")));
    let log = fs::read_to_string(studio.place.join("log/munin-graph.log")).unwrap();
    assert!(!log.contains("ERROR"), "{:?}: {log}", studio.library);
    studio.drawn()
}

/// What munin-html leaves for munin-graph: the pictures that its pages show.
fn requests() -> String {
    let of_service = |service| {
        WINDOWS.map(|window| format!("/example.test/example.test/{service}-{window}.png\n"))
    };
    SERVICES.iter().flat_map(of_service).collect()
}

/// What munin-update leaves: the services, as Perl stores data.
fn store_services(studio: &Studio<'_>) {
    let text = Path::new("db/datafile");
    fs::write(studio.place.join(text), include_str!("../programs/munin.datafile")).unwrap();
    let output = studio.perl().arg(TO_STORABLE).arg(text).stderr(Stdio::inherit()).output();
    let stored = output.unwrap().stdout;
    assert!(stored.starts_with(b"pst0"), "no data of Perl's Storable");
    fs::write(studio.place.join("db/datafile.storable"), stored).unwrap();
}
