//! `gyre run` over a ring store: killed, it loses no sample that it reported; ended, it continues
//! where it ended; and it measures the same as with files.
#![allow(clippy::disallowed_methods)] // A network on loopback and processes.

mod running;
mod said;

use std::path::Path;

use running::{Run, answer, configure, gyre, network};

/// Every database of a store with the time of its last update.
fn last_updates(store: &Path) -> Vec<(String, i64)> {
    let names = answer(&["store", "list", store.to_str().unwrap()]);
    let mut pipe = oracle::Rrdtool::start(Path::new(env!("CARGO_BIN_EXE_gyre")), store);
    let mut last = |name: &str| match pipe.send(&format!("last {name}")) {
        oracle::Reply::Ok(lines) => (name.to_owned(), lines[0].parse().unwrap()),
        error => panic!("{name}: {error:?}"),
    };
    names.lines().map(&mut last).collect()
}

fn now_seconds() -> i64 {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_1970.unwrap().as_secs() as i64
}

/// Times and rates of the incoming value, without unknown ones.
fn rates(database: &str, start: i64, end: i64) -> Vec<(i64, f64)> {
    let (start, end) = (format!("--start={start}"), format!("--end={end}"));
    let text = answer(&["fetch", database, "AVERAGE", &start, &end]);
    let rows = text.lines().filter_map(|line| line.split_once(": "));
    let row = |(time, values): (&str, &str)| {
        let rate: f64 = values.split(' ').next()?.parse().ok()?;
        Some((time.trim().parse().ok()?, rate)).filter(|(_, rate)| rate.is_finite())
    };
    rows.filter_map(row).collect()
}

#[test]
fn a_killed_run_lost_nothing_that_it_told_of() {
    for sync in ["always", "off", "3600"] {
        let directory = tempfile::tempdir().unwrap();
        let network = network();
        configure(&network, directory.path());
        let store = directory.path().join("store");
        let options = ["--sync", sync, "--flush-cycles=3"];
        let began = now_seconds();
        let mut run = Run::start(directory.path(), &options);
        run.said.wait_for("cycle 4: ");
        let told = now_seconds();
        // It answers other processes meanwhile.
        let asked = last_updates(&store);
        assert!(asked.len() > 10 && asked.iter().all(|(_, seconds)| *seconds >= told - 2));
        run.kill();

        let before = last_updates(&store);
        assert!(before.len() > 10, "{before:?}");
        for (name, seconds) in &before {
            assert!(*seconds >= told - 2, "{name}: {seconds}, told at {told}");
        }
        // It continues, and ends in good order.
        let mut run = Run::start(directory.path(), &options);
        run.said.wait_for(&format!("{} databases, open in", before.len()));
        run.said.wait_for("cycle 3: ");
        run.terminate();
        let after = last_updates(&store);
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            assert!(after > before, "{name}");
        }
        for ((name, before), (_, after)) in before.iter().zip(&after).step_by(9) {
            let path = store.join(name);
            let rows = rates(path.to_str().unwrap(), began, *after);
            let known_before = rows.iter().filter(|(time, _)| *time <= *before).count();
            assert!(known_before >= 3, "{name}: {rows:?}");
        }
        let json = answer(&["inspect", "--json", store.to_str().unwrap()]);
        assert!(json.contains("\"flush_cycles\": 3") && json.contains("\"damage\": []"), "{json}");
    }
}

#[test]
fn both_kinds_of_store_hold_what_was_measured() {
    let network = network();
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let kinds: [&[&str]; 2] = [&[], &["--rrd-files"]];
    let began = now_seconds();
    let mut runs: Vec<Run> = Vec::new();
    for (directory, kind) in directories.iter().zip(kinds) {
        configure(&network, directory.path());
        runs.push(Run::start(directory.path(), kind));
    }
    for run in &mut runs {
        run.said.wait_for("cycle 8: ");
    }
    let ended = now_seconds();
    runs.into_iter().for_each(|run| drop(run.terminate()));
    let [ring, files] = directories.each_ref().map(|directory| directory.path().to_path_buf());
    let names = answer(&["store", "list", ring.join("store").to_str().unwrap()]);
    let mut compared = 0;
    for name in names.lines().step_by(3) {
        let database = |root: &Path| root.join(name).to_str().unwrap().to_owned();
        let of_ring = rates(&database(&ring.join("store")), began, ended);
        let of_files = rates(&database(&files), began, ended);
        let mean = |rows: &[(i64, f64)]| {
            rows.iter().map(|(_, rate)| rate).sum::<f64>() / rows.len() as f64
        };
        assert!(of_ring.len() >= 5 && of_files.len() >= 5, "{name}: {of_ring:?} {of_files:?}");
        // The two runs polled slowly changing traffic at different times, on a machine that may
        // stall.
        let ratio = mean(&of_ring) / mean(&of_files);
        assert!((0.5..2.0).contains(&ratio), "{name}: {ratio} {of_ring:?} {of_files:?}");
        compared += 1;
    }
    assert!(compared > 5, "{names}");
}

/// After an upgrade, graphs must not be empty.
#[test]
fn files_that_are_there_go_on_being_used() {
    let network = network();
    let directory = tempfile::tempdir().unwrap();
    configure(&network, directory.path());
    let mut run = Run::start(directory.path(), &["--rrd-files"]);
    run.said.wait_for("cycle 1: ");
    run.terminate();
    let mut run = Run::start(directory.path(), &[]);
    let told = run.said.wait_for("gyre import");
    assert!(told.contains("databases stay .rrd files in"), "{told}");
    run.said.wait_for("cycle 1: ");
    run.terminate();
    assert!(!directory.path().join("store").exists());
    // If a ring store is asked for, it is made beside the files, and the run reports that.
    let ring = directory.path().join("elsewhere");
    let mut run = Run::start(directory.path(), &["--store", ring.to_str().unwrap()]);
    run.said.wait_for("databases are new although MRTG's directory has files of them");
    run.said.wait_for("cycle 1: ");
    run.terminate();
    let (is_well, told) = gyre(&[
        "run",
        directory.path().join("mrtg.cfg").to_str().unwrap(),
        "--rrd-files",
        "--store",
        ring.to_str().unwrap(),
    ]);
    assert!(!is_well && told.contains("it is a ring store"), "{told}");
}
