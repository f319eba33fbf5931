//! The status of a run: on its pages, as JSON, for Prometheus, and by `gyre status`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::super::running::answer;
use super::{Operated, configuration, exposition, network};

/// Tables that are missing are told of; once they are there they are fed, with no word to the run.
fn assert_tables_are_fed(run: &Operated, directory: &Path, tables: &str) {
    let status: Value = serde_json::from_str(&run.get("/api/status.json")).unwrap();
    assert_eq!(status["sql"]["connected"], false);
    let told = status["remarks"].to_string();
    assert!(told.contains("SQL: there are no tables of gyre"), "{told}");
    let store = directory.join("store").display().to_string();
    answer(&["sql", "create", &store, tables]);
    let is_fed = || {
        let status: Value = serde_json::from_str(&run.get("/api/status.json")).unwrap();
        let is_connected = status["sql"]["connected"] == true;
        is_connected && status["sql"]["databases"] == status["store"]["databases"]
    };
    let mut looks = 0..600;
    while !is_fed() {
        assert!(looks.next().is_some(), "{}", run.get("/api/status.json"));
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_dead_device_is_told_of_everywhere_and_the_counts_agree() {
    let network = network(|config| config.dead_devices = 1);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mrtg.cfg");
    // A dead device is given up within the cycle.
    let text = configuration(&network, directory.path());
    std::fs::write(&file, text.replace(":1:3:1:2", ":0.2:2:1:2")).unwrap();
    let tables = directory.path().join("tables.sqlite").display().to_string();
    let intake = directory.path().join("intake.toml").display().to_string();
    std::fs::write(&intake, "graphite = \"127.0.0.1:0\"\n").unwrap();
    // Nothing has a limit, so nothing is posted there; and no agent sends anything.
    let unused = "http://127.0.0.1:1/unused";
    // Its own databases are not counted here.
    let more = ["--sql", &tables, "--webhook", unused, "--intake", &intake, "--no-self"];
    let mut run = Operated::start(directory.path(), &more, &[]);
    run.said.wait_for("\"cycle\":2,");
    assert_tables_are_fed(&run, directory.path(), &tables);
    let dead = network.devices().iter().find(|it| it.health == simnet::Health::Dead).unwrap();
    let dead = dead.address.to_string();

    let status: Value = serde_json::from_str(&run.get("/api/status.json")).unwrap();
    assert_eq!(status["alerts"]["receivers"][0]["address"], "http://127.0.0.1:1");
    let devices = status["devices"].as_array().unwrap();
    let by_name: BTreeMap<&str, &Value> =
        devices.iter().map(|device| (device["name"].as_str().unwrap(), device)).collect();
    assert_eq!(by_name.len(), 4);
    for (name, device) in by_name {
        let number = |key: &str| device[key].as_u64().unwrap();
        let is_dead = name.starts_with(&dead);
        assert_eq!(device["health"] == "silent", is_dead, "{device}");
        assert!(number("polls") >= 2, "{device}");
        assert_eq!(number("polls_failed") > 0, is_dead, "{device}");
        assert!(number("datagrams_sent") >= number("polls"), "{device}");
        assert_eq!(number("datagrams_retried") > 0, is_dead, "{device}");
        assert_eq!(device["took_smoothed_seconds"].is_f64(), !is_dead, "{device}");
        let said = device["last_error"]["words"].as_str().unwrap_or_default();
        assert_eq!(said.contains("no answer"), is_dead, "{device}");
    }

    let all = exposition::read(&run.get("/metrics?devices=all"), false);
    let count = |name: &str| all[name];
    assert_eq!(count("gyre_devices{state=\"silent\"}"), 1.0);
    assert_eq!(count("gyre_devices{state=\"answering\"}"), 3.0);
    let cycles = count("gyre_cycles_total");
    assert!(cycles >= 3.0);
    assert_eq!(count("gyre_polls_total{outcome=\"answered\"}"), 3.0 * cycles);
    assert_eq!(count("gyre_polls_total{outcome=\"silent\"}"), cycles);
    assert_eq!(count("gyre_cycle_poll_duration_seconds_count"), cycles);
    let targets = count("gyre_targets");
    let (polled, missed) = (count("gyre_targets_polled_total"), count("gyre_targets_missed_total"));
    assert_eq!(polled + missed, targets * cycles);
    // A target without values is an unknown sample, which the store takes, too. Samples of the next
    // cycle may be there before the last one is over.
    let stored = count("gyre_samples_stored_total") + count("gyre_samples_refused_total");
    assert!((targets * cycles..=targets * (cycles + 1.0)).contains(&stored), "{stored}");
    assert_eq!(count("gyre_store_databases"), targets);
    let up = all.iter().filter(|(name, up)| name.starts_with("gyre_device_up{") && **up == 1.0);
    assert_eq!(up.count(), 3);
    assert!(!run.get("/metrics").contains("gyre_device_"));

    // The manual names each metric, and no other.
    let manual = include_str!("../../../../docs/run.md");
    let text = run.get("/metrics?devices=all");
    let typed = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let typed: BTreeSet<&str> = typed.collect();
    let named = manual.split('`').filter(|word| word.starts_with("gyre_"));
    assert_eq!(typed, named.collect());

    let (code, text) = run.status(&[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("devices       3 of 4 answer"), "{text}");
    let row = text.lines().find(|line| line.starts_with(&dead)).unwrap();
    assert!(row.contains("silent") && row.contains("no answer"), "{row}");
    assert_eq!(run.status(&["--check"]).0, Some(3));
    let (_, everything) = run.status(&["--all"]);
    assert!(network.devices().iter().all(|it| everything.contains(&it.address.to_string())));
    let json: Value = serde_json::from_str(&run.status(&["--json"]).1).unwrap();
    assert_eq!(json["targets"], status["targets"]);
    let page = run.get("/status");
    assert!(page.contains("Datagrams sent again") && page.contains(&dead), "{page}");
    let address = run.address;
    run.end();

    let words = ["status".to_owned(), address.to_string()];
    let gone = std::process::Command::new(env!("CARGO_BIN_EXE_gyre")).args(words).output().unwrap();
    let said = String::from_utf8(gone.stderr).unwrap();
    assert_eq!(gone.status.code(), Some(1));
    assert!(said.starts_with(&format!("gyre status: {address}: Connection refused")), "{said}");
}
