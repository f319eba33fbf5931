//! The limits of devices outlive a run.

use super::{Operated, configuration, network};
use std::path::PathBuf;

/// Runs until nothing is sent again any more, but for a few cycles; returns how many datagrams were
/// sent again in the cycles before.
fn retried_until_calm(mut run: Operated) -> u64 {
    let mut retried = 0;
    let mut calm = 0;
    while calm < 3 {
        let cycle = run.event("cycle");
        let again = cycle["datagrams_retried"].as_u64().unwrap();
        let is_whole = cycle["targets_missed"] == 0 && again == 0;
        calm = if is_whole { calm + 1 } else { 0 };
        retried += again;
    }
    run.end();
    retried
}

#[test]
fn what_devices_do_not_answer_is_not_found_out_again() {
    let network = network(|config| config.ports = 24);
    network.disturb(&"too-big=700:all".parse().unwrap());
    network.disturb(&"bulk=silent:all".parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    // A silent GETBULK takes a timeout.
    let quick = |line: &str| match line.starts_with("Target[") {
        true => format!("{}\n", line.replace(":1:3:1:2", ":0.2:2:1:2")),
        false => format!("{line}\n"),
    };
    let text: String = configuration(&network, root).lines().map(quick).collect();
    assert!(text.contains(":0.2:2:1:2"), "{text}");
    std::fs::write(root.join("mrtg.cfg"), text).unwrap();
    let path: PathBuf = root.join("store/mrtg.limits");
    retried_until_calm(Operated::start(root, &[], &[]));
    let kept = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!(lines.len(), 6, "a heading, four devices, the sum:\n{kept}");
    for line in &lines[1..5] {
        let words: Vec<&str> = line.split(' ').collect();
        let most: u32 = words[3].parse().unwrap();
        assert!(words[2] == "2c" && words[5] == "no" && (8..49).contains(&most), "{line}");
    }
    // The next run starts from it.
    let run = Operated::start(root, &[], &[]);
    assert_eq!(retried_until_calm(run), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), kept, "nothing was new");
    // A damaged file is told of, and the run goes on.
    std::fs::write(&path, kept.replace(" 2c ", " 1 ")).unwrap();
    let mut run = Operated::start(root, &[], &[]);
    run.event("cycle");
    let events = run.end();
    let told = events.iter().filter(|event| event["event"] == "limits unreadable").count();
    assert_eq!(told, 1);
}
