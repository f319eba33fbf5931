//! The verbs on ring stores: the changes that they make, and their output.
#![allow(clippy::disallowed_methods)] // the test starts the program and damages files

#[path = "ring_cases/ticks.rs"]
mod ticks;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE_BYTES: u64 = 4096;

fn gyre(words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gyre")).args(words).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn done(words: &[&str]) -> String {
    let (code, text) = gyre(words);
    assert_eq!(code, Some(0), "{words:?}: {text}");
    text
}

/// A store of three databases with some hundred rows each.
fn filled(root: &Path) -> PathBuf {
    let store = root.join("store");
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    done(&["store", "create", "--flush-cycles=2", "--tile-rows=2", store.to_str().unwrap()]);
    for name in ["a.rrd", "deep/b.rrd", "deep/c.rrd"] {
        let path = at(name);
        let definition = ["-s", "10", "-b", "1700000000", "DS:x:GAUGE:60:U:U"];
        let archives = ["RRA:AVERAGE:0.5:1:300", "RRA:MAX:0.5:6:50"];
        done(&[&["create", &path], &definition[..], &archives[..]].concat());
    }
    // One process updates the databases together, so that they share tiles.
    let mut lines = String::new();
    for nth in 1..=400 {
        for name in ["a.rrd", "deep/b.rrd", "deep/c.rrd"] {
            lines += &format!("update {name} {}:{nth}\n", 1_700_000_000 + nth * 10);
        }
    }
    pipe(root, &store, &lines);
    store
}

/// Pipes lines to a process that opens the whole store and flushes the groups that are due.
fn pipe(root: &Path, store: &Path, lines: &str) {
    let commands = root.join("commands");
    fs::write(&commands, lines).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .arg("-")
        .current_dir(store)
        .stdin(fs::File::open(commands).unwrap())
        .output()
        .unwrap();
    let replies = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !replies.contains("ERROR"), "{replies}");
}

#[test]
fn databases_are_listed_renamed_tuned_and_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    assert_eq!(done(&["store", "list", root]), "a.rrd\ndeep/b.rrd\ndeep/c.rrd\n");
    assert_eq!(done(&["store", "list", root, "deep/"]), "deep/b.rrd\ndeep/c.rrd\n");
    let before = done(&["dump", &at("a.rrd")]);
    done(&["store", "rename", root, "a.rrd", "new/a.rrd"]);
    assert_eq!(done(&["dump", &at("new/a.rrd")]), before);
    done(&["store", "tune", root, "new/a.rrd", "x", "--heartbeat=90", "--minimum", "-5"]);
    let info = done(&["info", &at("new/a.rrd")]);
    assert!(info.contains("ds[x].minimal_heartbeat = 90\n"), "{info}");
    assert!(info.contains("ds[x].min = -5.0000000000e+00\n"), "{info}");
    assert!(info.contains("ds[x].max = NaN\n"), "{info}");
    done(&["store", "delete", root, "deep/b.rrd", "new/a.rrd"]);
    assert_eq!(done(&["store", "list", root]), "deep/c.rrd\n");
    for (words, told) in [
        (&["store", "rename", root, "a.rrd", "b"][..], "ERROR: a.rrd: opening: No such file"),
        (&["store", "rename", root, "deep/c.rrd", "../c"], "ERROR: \"../c\": expected a relative"),
        (&["store", "tune", root, "deep/c.rrd", "y"], "ERROR: deep/c.rrd: it has no data source y"),
        (&["store", "create", root], "there is a ring store already"),
        (&["inspect", "/"], "/: expected a ring store, found none"),
    ] {
        let (code, text) = gyre(words);
        assert!(code == Some(1) && text.contains(told), "{words:?}: {text}");
    }
    let (code, text) = gyre(&["store", "delete", root]);
    assert!(
        code == Some(2) && text.starts_with("gyre store delete: expected STORE NAME"),
        "{text}"
    );
}

/// The rows of one source that a fetch tells.
fn fetched(words: &[&str]) -> Vec<f64> {
    let told = done(&[&["fetch"], words].concat());
    let rows = told.lines().filter_map(|line| line.split_once(": "));
    rows.map(|(_, value)| value.trim().parse().unwrap()).collect()
}

#[test]
fn percentiles_and_deviations_are_kept_and_never_written_into_files() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    let file = directory.path().join("file.rrd").to_str().unwrap().to_owned();
    let words = ["-s", "10", "-b", "1700000000", "DS:x:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:400"];
    let spreads = ["RRA:STDEV:0.5:10:40", "RRA:PERCENTILE:0.5:10:40:95", "RRA:MAX:0.5:10:40"];
    let create = |path: &str| {
        let all: Vec<&str> = ["create", path].into_iter().chain(words).chain(spreads).collect();
        gyre(&all)
    };
    let (code, text) = create(&file);
    let expected = "RRA[1] is of STDEV: ring stores alone have that, an .rrd file cannot say it";
    assert!(code == Some(1) && text.contains(expected), "{text}");
    assert!(!Path::new(&file).exists());
    assert_eq!(create(&at("bill")), (Some(0), String::new()));
    // One process for each half: the row in the making goes through the store's log.
    for half in [1..=205, 206..=400] {
        let lines = half.map(|nth| format!("update bill {}:{nth}\n", 1_700_000_000 + nth * 10));
        pipe(directory.path(), &store, &lines.collect::<String>());
    }
    let span = ["-s", "1700000000", "-e", "1700003900", "-r", "100"];
    let ask = |cf: &str| fetched(&[&[&*at("bill"), cf], &span[..]].concat());
    let (max, percentile) = (ask("MAX"), ask("PERCENTILE"));
    assert_eq!(ask("PERCENTILE95"), percentile);
    assert_eq!(percentile.len(), 40);
    assert!(percentile[1..39].iter().zip(&max[1..39]).all(|(it, max)| it == max), "{percentile:?}");
    // Ten numbers that follow one another.
    let deviation = (99.0_f64 / 12.0).sqrt();
    assert!(ask("STDEV")[1..39].iter().all(|it| (it - deviation).abs() < 1e-9));
    for (words, told) in [
        (&["dump", &at("bill")][..], expected),
        (&["export", root, "bill", &file], expected),
        (&["fetch", &at("bill"), "PERCENTILE50"], "does not contain an RRA matching"),
        (&["tune", &at("bill"), "RRA:PERCENTILE:0.5:10:40:101"], "PERCENTILE of 101: expected"),
    ] {
        let (code, text) = gyre(words);
        assert!(code == Some(1) && text.contains(told), "{words:?}: {text}");
    }
    let info = done(&["info", &at("bill")]);
    assert!(info.contains("rra[2].cf = \"PERCENTILE95\"\n"), "{info}");
    assert!(info.contains("rra[2].percent = 9.5000000000e+01\n"), "{info}");
    // What comes later is filled from the PDPs of its rows.
    done(&["tune", &at("bill"), "RRA:PERCENTILE:0.5:10:40:0", "DELRRA:3"]);
    let (min, still) = (ask("PERCENTILE0"), ask("PERCENTILE95"));
    assert!(min[1..39].iter().zip(&still[1..39]).all(|(min, most)| *min == most - 9.0), "{min:?}");
    done(&["resize", &at("bill"), "2", "GROW", "5"]);
    assert!(done(&["info", &at("bill")]).contains("rra[2].rows = 45\n"));
    let copies = directory.path().join("copies").to_str().unwrap().to_owned();
    done(&["backup", root, &copies]);
    let back = directory.path().join("back").to_str().unwrap().to_owned();
    done(&["restore", &copies, &back]);
    let bill = format!("{back}/bill");
    let again = fetched(&[&[&*bill, "PERCENTILE95"], &span[..]].concat());
    assert_eq!(again[1..39], still[1..39]);
}

/// The files of a store except its log, with their contents.
fn files_beside_the_log(store: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path());
    let is_of_log =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("journal-");
    let files = paths.filter(|path| path.is_file() && !is_of_log(path));
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn an_update_of_a_closed_store_writes_only_its_log() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    let before = files_beside_the_log(&store);
    // More records than the first segment of a log holds.
    for nth in 401..=430 {
        let sample = format!("{}:{nth}", 1_700_000_000 + nth * 10);
        done(&["update", &at("deep/b.rrd"), &sample]);
    }
    let (code, text) = gyre(&["update", &at("deep/b.rrd"), "1700000000:1"]);
    assert!(code == Some(1) && text.contains("illegal attempt to update"), "{text}");
    assert!(text.contains(&at("deep/b.rrd")), "{text}");
    let (code, text) = gyre(&["update", &at("deep/d.rrd"), "1700000000:1"]);
    assert!(code == Some(1) && text.contains("No such file"), "{text}");
    let told = done(&["updatev", &at("a.rrd"), "1700004010:7"]);
    assert!(told.contains("[1700004010]RRA[AVERAGE][1]DS[x] = 7.0000000000e+00"), "{told}");
    assert!(files_beside_the_log(&store) == before, "nothing but the log is written");
    let fetched = ["-r", "10", "-s", "1700004000", "-e", "1700004300"];
    let rows = done(&[&["fetch", &at("deep/b.rrd"), "AVERAGE"], &fetched[..]].concat());
    assert!(rows.contains("1700004300: 4.3000000000e+02"), "{rows}");
    // The new name is also there when the whole store is opened.
    done(&["store", "rename", store.to_str().unwrap(), "deep/b.rrd", "b.rrd"]);
    assert!(done(&["lastupdate", &at("b.rrd")]).contains("1700004300: 430"));
    done(&["verify", store.to_str().unwrap()]);
}

/// Three databases of MRTG's layout take the disk space of three, not of thousands.
#[test]
fn a_small_store_takes_little_disk() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    done(&["store", "create", store.to_str().unwrap()]);
    let sources = ["DS:ds0:COUNTER:600:0:U", "DS:ds1:COUNTER:600:0:U"];
    let archives: Vec<String> = ["AVERAGE", "MAX"]
        .iter()
        .flat_map(|cf| {
            ["1:600", "6:700", "24:775", "288:797"].map(|it| format!("RRA:{cf}:0.5:{it}"))
        })
        .collect();
    for name in ["a.rrd", "b.rrd", "c.rrd"] {
        let path = store.join(name).to_str().unwrap().to_owned();
        let archives = archives.iter().map(String::as_str);
        let words =
            ["create", &path, "-b", "1700000000"].into_iter().chain(sources).chain(archives);
        done(&words.collect::<Vec<&str>>());
        for nth in 1..=5 {
            done(&["update", &path, &format!("{}:{nth}:{nth}", 1_700_000_000 + nth * 300)]);
        }
    }
    let files: Vec<(String, u64)> = fs::read_dir(&store)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let taken = entry.metadata().unwrap().blocks() * 512;
            (entry.file_name().into_string().unwrap(), taken)
        })
        .collect();
    let total: u64 = files.iter().map(|(_, taken)| taken).sum();
    assert!(total <= 2_000_000, "{total} bytes: {files:?}");
}

/// The setting also applies to later processes that open the store.
#[test]
fn a_sparse_store_stays_one() {
    let directory = tempfile::tempdir().unwrap();
    let mut taken = Vec::new();
    for options in [&[][..], &["--sparse"]] {
        let store = directory.path().join(format!("store{}", options.len()));
        let root = store.to_str().unwrap();
        done(&[&["store", "create"], options, &[root]].concat());
        let definition = ["-s", "10", "DS:x:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:100000"];
        done(&[&["create", &format!("{root}/a.rrd")], &definition[..]].concat());
        let told: serde_json::Value =
            serde_json::from_str(&done(&["inspect", "--json", root])).unwrap();
        assert_eq!(told["sparse"], !options.is_empty());
        let text = done(&["inspect", root]);
        let is_told = text.contains("a full disk can meet samples that were acknowledged");
        assert_eq!(is_told, !options.is_empty(), "{text}");
        let tiles = fs::metadata(store.join("000000.tiles")).unwrap();
        taken.push((tiles.len(), tiles.blocks() * 512));
    }
    let [(bytes, dense), (same_bytes, sparse)] = taken[..] else { unreachable!("two stores") };
    assert_eq!(bytes, same_bytes);
    assert!(dense >= bytes && sparse < bytes / 10, "{bytes} {dense} {sparse}");
}

#[test]
fn a_calculated_source_is_tuned_neither_in_a_store_nor_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let file = directory.path().join("sum.rrd");
    for path in [&file, &store.join("sum.rrd")] {
        let path = path.to_str().unwrap();
        let words = ["create", path, "--step=10", "--start=1600000000", "DS:x:GAUGE:20:U:U"];
        let more = ["DS:y:COMPUTE:x,2,*", "RRA:LAST:0.5:1:10"];
        done(&[&words[..], &more].concat());
    }
    // The rows of a new file begin at a random place.
    let before = done(&["dump", file.to_str().unwrap()]);
    let told = "calculated: it has no heartbeat or limits";
    for words in [
        &["store", "tune", root, "sum.rrd", "y", "--heartbeat=90"][..],
        &["tune", store.join("sum.rrd").to_str().unwrap(), "--heartbeat=y:90"],
        &["tune", file.to_str().unwrap(), "--minimum=y:9"],
    ] {
        let (code, text) = gyre(words);
        assert!(code == Some(1) && text.contains(told), "{words:?}: {text}");
    }
    let out = directory.path().join("out");
    done(&["export", root, "sum.rrd", out.to_str().unwrap()]);
    assert_eq!(done(&["dump", out.join("sum.rrd").to_str().unwrap()]), before);
}

#[test]
fn inspection_tells_what_there_is() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let text = done(&["inspect", "--groups", root]);
    assert!(text.contains("3 in 1 groups") && text.contains("step 10 s, 1 sources"), "{text}");
    let json = done(&["inspect", "--json", root]);
    let told: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(told["databases"], 3);
    assert_eq!(told["flush_cycles"], 2);
    let group = &told["layouts"][0]["groups"][0];
    let tiles = fs::metadata(store.join("000000.tiles")).unwrap();
    assert_eq!(group["tiles_bytes"], tiles.len());
    assert_eq!(told["disk_bytes"]["tiles"], tiles.blocks() * 512);
    assert!(told["memory_bytes"]["groups"].as_u64().unwrap() > 0, "{json}");
}

#[test]
fn damage_is_found_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let told = done(&["verify", root]);
    assert!(told.contains(": sound; "), "{told}");
    let tiles = store.join("000000.tiles");
    let bytes = fs::read(&tiles).unwrap();
    let is_used = |page: &&[u8]| page[64..].iter().any(|byte| *byte != 0);
    let pages = bytes.chunks(PAGE_BYTES as usize);
    let used: Vec<usize> =
        pages.enumerate().filter(|(_, page)| is_used(page)).map(|(nth, _)| nth).collect();
    let page = used[used.len() / 2] as u64;
    let offset = page * PAGE_BYTES + 100;
    let file = OpenOptions::new().write(true).open(&tiles).unwrap();
    file.write_all_at(&[bytes[offset as usize] ^ 0x40], offset).unwrap();
    let (code, told) = gyre(&["verify", root]);
    let place = format!("000000.tiles: at byte {}: ", page * PAGE_BYTES);
    assert!(code == Some(1) && told.contains(&place), "{place}: {told}");
    assert!(told.contains("ERROR: ") && told.contains("one place is damaged"), "{told}");
    let (code, json) = gyre(&["verify", "--json", root]);
    let json: serde_json::Value =
        serde_json::from_str(json.split("ERROR").next().unwrap()).unwrap();
    assert_eq!(code, Some(1));
    assert_eq!(json["damage"][0]["offset_bytes"], page * PAGE_BYTES);
    assert_eq!(json["sound"], false);
    // The other databases are still served.
    let fetched = done(&[
        "fetch",
        store.join("a.rrd").to_str().unwrap(),
        "AVERAGE",
        "-s",
        "1700001500",
        "-e",
        "1700004000",
    ]);
    let known = fetched.lines().filter(|line| line.contains("e+0")).count();
    assert!(known > 150, "{known}: {fetched}");
}

#[test]
fn databases_of_a_lost_group_name_it_and_can_be_put_back() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    let dump = done(&["dump", &at("a.rrd")]);
    let kept = directory.path().join("a.xml");
    fs::write(&kept, &dump).unwrap();
    for place in ["000000.a", "000000.b"] {
        let file = OpenOptions::new().write(true).open(store.join(place)).unwrap();
        file.write_all_at(&[0xff; 8], 16).unwrap();
    }
    for words in [&["info", &at("a.rrd")][..], &["update", &at("a.rrd"), "1700009000:1"]] {
        let (code, text) = gyre(words);
        let told = "a.rrd: its group 000000 cannot be opened: 000000.a: at byte 8: expected";
        assert!(code == Some(1) && text.contains(told), "{words:?}: {text}");
    }
    let exported = directory.path().join("files");
    let (code, text) = gyre(&["export", "--all", root, exported.to_str().unwrap()]);
    assert!(code == Some(1) && text.contains("deep/b.rrd: its group 000000"), "{text}");
    // Whole, new and empty databases: each replaces a lost one.
    done(&["restore", "-f", kept.to_str().unwrap(), &at("a.rrd")]);
    assert_eq!(done(&["dump", &at("a.rrd")]), dump);
    done(&["create", &at("deep/b.rrd"), "-s", "10", "DS:x:GAUGE:60:U:U", "RRA:LAST:0.5:1:9"]);
    assert_eq!(gyre(&["verify", root]).0, Some(1), "one is still lost");
    done(&["store", "delete", root, "deep/c.rrd"]);
    assert_eq!(done(&["store", "list", root]), "a.rrd\ndeep/b.rrd\n");
    let told = done(&["verify", root]);
    assert!(told.contains(": sound; "), "{told}");
}

#[test]
fn inspection_names_damaged_rows_of_databases_out_of_step() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let root = store.to_str().unwrap();
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    // One database is silent until its rows have left the tiles.
    let mut lines = String::new();
    let values = (401..1000).map(|nth| format!("{}:{nth}", 1_700_000_000 + nth * 10));
    let values: Vec<String> = values.collect();
    // In step: if one database were far ahead, the other's rows would leave the tiles, too.
    for values in values.chunks(5) {
        for name in ["a.rrd", "deep/b.rrd"] {
            lines += &format!("update {name} {}\n", values.join(" "));
        }
    }
    pipe(directory.path(), &store, &lines);
    let names = fs::read_dir(&store).unwrap().map(|it| it.unwrap().file_name());
    let mut names = names.map(|name| name.into_string().unwrap());
    let attic = names.find(|name| name.contains(".attic")).expect("a database is out of step");
    let file = OpenOptions::new().write(true).open(store.join(&attic)).unwrap();
    file.write_all_at(&[0x55], 2000).unwrap();
    let place = format!("{attic}: at byte 0: ");
    let told = done(&["inspect", root]);
    assert!(told.matches(&place).count() == 1, "{place}: {told}");
    let (code, told) = gyre(&["verify", root]);
    assert!(code == Some(1) && told.contains(&place), "{told}");
    done(&["fetch", &at("a.rrd"), "AVERAGE", "-s", "1700009000", "-e", "1700009900"]);
    done(&["fetch", &at("deep/c.rrd"), "AVERAGE", "-s", "1700001500", "-e", "1700004000"]);
    done(&["info", &at("a.rrd")]);
}
