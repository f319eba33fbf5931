//! Reloads: whatever changes, devices that stay miss no cycle.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::super::running::answer;
use super::{Operated, configuration, network};

/// The cycles that are looked at. The first is a quick round.
const CYCLES: u64 = 6;

/// The incoming rates of a database in the last half minute; `None` where unknown.
fn rates(database: &Path) -> Vec<Option<f64>> {
    let text = answer(&["fetch", database.to_str().unwrap(), "AVERAGE", "--start=-30"]);
    let rows = text.lines().filter_map(|line| line.split_once(": "));
    let rate = |values: &str| values.split(' ').next().and_then(|first| first.parse().ok());
    rows.map(|(_, values)| rate(values).filter(|rate: &f64| rate.is_finite())).collect()
}

/// The same configuration with its targets in the opposite order, one of them gone, one new, and
/// one changed.
fn changed(whole: &str) -> String {
    let (head, targets) = whole.split_at(whole.find("Target[").unwrap());
    let mut targets: Vec<String> = targets.split("\nTarget[").map(str::to_owned).collect();
    targets[0] = targets[0].replacen("Target[", "", 1);
    let gone = targets.remove(1);
    let (_, poll) = gone.split_once("]: ").unwrap();
    let poll = poll.lines().next().unwrap();
    targets.push(format!("new]: {poll}\nTitle[new]: new\nMaxBytes[new]: 1000000000\n"));
    targets[2] = targets[2].replace("Title", "Legend1");
    targets.reverse();
    let title = "Title[^]: changed\nTitle[$]:\nTitle[_]: none\n";
    format!("{head}{title}Target[{}", targets.join("\nTarget["))
}

#[test]
fn no_cycle_is_missed_while_the_configuration_is_read_again_and_again() {
    let network = network(|_| {});
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mrtg.cfg");
    let whole = configuration(&network, directory.path());
    let texts = [changed(&whole), whole.clone()];
    std::fs::write(&file, &whole).unwrap();
    let mut run = Operated::start(directory.path(), &[], &[]);
    run.event("cycle");
    let mut reloads = 0;
    while !run.said.text.contains(&format!("\"cycle\":{CYCLES},")) {
        std::fs::write(&file, &texts[reloads % 2]).unwrap();
        run.signal("HUP");
        let reload = run.event("reload");
        assert_eq!(reload["devices"], 4, "{reload}");
        reloads += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    // One with an error changes nothing, and is counted.
    std::fs::write(&file, "Nonsense\n").unwrap();
    run.signal("HUP");
    let refused = run.event("reload refused");
    assert!(refused["reason"].as_str().unwrap().contains("mrtg.cfg:1: "), "{refused}");
    let metrics = super::exposition::read(&run.get("/metrics"), false);
    assert_eq!(metrics["gyre_reloads_total{result=\"done\"}"], reloads as f64);
    assert_eq!(metrics["gyre_reloads_total{result=\"refused\"}"], 1.0);
    let events = run.end();
    assert!(reloads > 5, "{reloads} reloads");

    let cycles: Vec<&Value> = events.iter().filter(|event| event["event"] == "cycle").collect();
    for (nth, cycle) in (0..=CYCLES).zip(&cycles) {
        assert_eq!(cycle["cycle"], nth, "{cycle}");
        assert_eq!(cycle["devices_answered"], 4, "{cycle}");
    }
    let stays = &network.devices()[2];
    for port in stays.ports() {
        let name = format!("{0}/{0}_{1}.rrd", stays.name, port.index);
        let rates = rates(&directory.path().join("store").join(&name));
        let known = |rate: &Option<f64>| rate.is_some();
        let (first, last) = (rates.iter().position(known), rates.iter().rposition(known));
        let span = &rates[first.unwrap()..=last.unwrap()];
        assert!(span.len() >= 4 && span.iter().all(known), "{name}: {rates:?}");
    }
}
