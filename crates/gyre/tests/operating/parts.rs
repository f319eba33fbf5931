//! Parts of a site: together they make every database once, and each makes only its own.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::{configuration, network};

/// The files below a directory whose names end so.
fn files(directory: &Path, ending: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path, ending)),
            false => {
                found.extend(path.file_name().and_then(|name| name.to_str()).map(str::to_owned))
            }
        }
    }
    found.retain(|name| name.ends_with(ending));
    found
}

#[test]
fn parts_share_a_directory_or_have_a_store_each() {
    let network = network(|config| config.devices = 12);
    for words in [&["--rrd-files"][..], &[]] {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let text = configuration(&network, root);
        let targets = text.matches("Target[").count();
        std::fs::write(root.join("mrtg.cfg"), &text).unwrap();
        let mut seen = BTreeSet::new();
        let mut sum = 0;
        for part in ["1/3", "2/3", "3/3"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
            command.arg("run").arg(root.join("mrtg.cfg")).args([
                "--no-web",
                "--once",
                "--log=json",
            ]);
            let output = command.args(["--part", part]).args(words).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{said}");
            let cycle = said.lines().find(|line| line.contains("\"event\":\"cycle\"")).unwrap();
            let cycle: serde_json::Value = serde_json::from_str(cycle).unwrap();
            let polled = cycle["targets_polled"].as_u64().unwrap() as usize;
            assert!(polled > 0 && polled < targets, "{part}: {cycle}");
            assert_eq!(
                (&cycle["targets_missed"], &cycle["devices_missed"]),
                (&0.into(), &0.into())
            );
            sum += polled;
            let now = match words {
                [] => {
                    let store = root.join(format!("store-{}", part.replace('/', "-of-")));
                    let names =
                        super::super::running::answer(&["store", "list", store.to_str().unwrap()]);
                    let names: BTreeSet<String> = names.lines().map(str::to_owned).collect();
                    assert!(names.is_disjoint(&seen), "{part}");
                    seen.union(&names).cloned().collect()
                }
                _ => files(root, ".rrd"),
            };
            assert_eq!(now.len() - seen.len(), polled, "{part} makes the databases of its own");
            seen = now;
        }
        assert_eq!((sum, seen.len()), (targets, targets));
    }
}
