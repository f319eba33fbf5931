//! Targets at intervals of their own, told side by side.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::super::running::answer;
use super::{Operated, configuration, exposition, network};

/// The configuration with a program each second, and one port at another interval.
fn with_interval(whole: &str, port: &str, interval: &str) -> String {
    format!(
        "{whole}\ngyre*Interval[{port}]: {interval}\n\
         Target[said]: `echo 5; echo 6`\nTitle[said]: t\nMaxBytes[said]: 9\nOptions[said]: gauge\n"
    )
}

fn step(store: &Path, name: &str) -> String {
    let info = answer(&["info", store.join(name).to_str().unwrap()]);
    let line = info.lines().find(|line| line.starts_with("step = ")).unwrap();
    line["step = ".len()..].to_owned()
}

#[test]
fn each_interval_has_cycles_of_its_own_also_after_a_reload() {
    let network = network(|_| {});
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mrtg.cfg");
    let whole = configuration(&network, directory.path());
    let device = &network.devices()[1].name;
    let port = format!("{device}_{}", network.devices()[1].ports().next().unwrap().index);
    std::fs::write(&file, with_interval(&whole, &port, "3s")).unwrap();
    let check = answer(&["config", "check", file.to_str().unwrap()]);
    assert!(check.contains("on 4 devices and 1 programs, every 1 s or 3 s; 0 not"), "{check}");
    let explain = answer(&["config", "explain", file.to_str().unwrap(), &port]);
    assert!(explain.contains("interval      3 s") && explain.contains("--step 3"), "{explain}");

    let mut run = Operated::start(directory.path(), &[], &[]);
    let every_3 = "\"interval_seconds\":3,";
    while !run.said.wait_for(every_3).contains("\"cycle\":2,") {}
    let metrics = exposition::read(&run.get("/metrics?devices=all"), false);
    for interval in ["1", "3"] {
        let missed = format!("gyre_cycle_targets_missed{{interval_seconds=\"{interval}\"}}");
        assert_eq!(metrics[&missed], 0.0, "{metrics:?}");
    }
    assert_eq!(metrics["gyre_interval_seconds"], 1.0);
    let status: Value = serde_json::from_str(&run.get("/api/status.json")).unwrap();
    let of_3 = &status["intervals"][1];
    assert_eq!(
        (&of_3["interval_seconds"], &of_3["cycle"]["targets_polled"]),
        (&3.into(), &1.into())
    );
    assert!(run.get("/status").contains("Every 3 s"), "{}", run.get("/status"));
    let (code, said) = run.status(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(", every 1 s or 3 s\n") && said.contains("\nevery 3 s     "), "{said}");

    std::fs::write(&file, with_interval(&whole, &port, "2s")).unwrap();
    run.signal("HUP");
    let reload = run.event("reload");
    assert_eq!(reload["devices"], 5, "one device is asked at two intervals: {reload}");
    while !run.said.wait_for("\"interval_seconds\":2,").contains("\"cycle\":2,") {}
    let events = run.end();
    let mut cycles: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["event"] == "cycle") {
        cycles.entry(event["interval_seconds"].as_u64().unwrap()).or_default().push(event);
    }
    assert_eq!(cycles.keys().collect::<Vec<_>>(), [&1, &2, &3]);
    let targets = network.devices().iter().map(|device| device.ports().count()).sum::<usize>();
    for (interval, cycles) in &cycles {
        for (nth, cycle) in cycles.iter().enumerate() {
            assert_eq!(cycle["cycle"], nth, "no cycle is missed: {cycle}");
            let polled = if *interval == 1 { targets } else { 1 };
            assert!(cycle["targets_polled"].as_u64().unwrap() <= polled as u64, "{cycle}");
            assert_eq!(cycle["targets_missed"], 0, "{cycle}");
            assert_eq!(cycle["samples_refused"], 0, "{cycle}");
        }
    }
    assert!(cycles[&1].len() >= 6 && cycles[&3].len() >= 2);
    // Its database keeps the step that it was made with, which a remark tells.
    let store = directory.path().join("store");
    assert_eq!(step(&store, &format!("{device}/{port}.rrd")), "3");
    let remarks = events.iter().filter(|it| it["event"] == "remark on the configuration");
    let about_step = "asks for a step of 2 s, where the database has 3 s";
    assert!(remarks.clone().any(|it| it["message"].as_str().unwrap().contains(about_step)));
}

#[test]
fn a_run_of_some_cycles_has_that_many_of_each_interval() {
    let network = network(|config| config.devices = 1);
    let directory = tempfile::tempdir().unwrap();
    let whole = configuration(&network, directory.path());
    let device = &network.devices()[0].name;
    let port = format!("{device}_{}", network.devices()[0].ports().next().unwrap().index);
    let file = directory.path().join("mrtg.cfg");
    std::fs::write(&file, with_interval(&whole, &port, "1h")).unwrap();
    // The first cycle of the hour is over at once.
    let path = file.to_str().unwrap();
    let said = answer(&["run", path, "--no-web", "--once"]);
    assert!(said.contains("cycle 0 every 60 min: 1 targets polled, 0 missed"), "{said}");
    assert!(said.contains("cycle 0 every 1 s: "), "{said}");
}
