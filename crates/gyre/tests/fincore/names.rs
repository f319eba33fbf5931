//! Names of pages of `.rrd` files and ring stores.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{GYRE, PAGE, directory, file_with, fincore, json, only, resident_pages, text};

/// Makes a database of MRTG's archives and updates it.
fn database(directory: &Path, name: &str) {
    let archives = ["AVERAGE", "MAX"]
        .into_iter()
        .flat_map(|cf| [1, 6, 24, 288].map(|pdps| format!("RRA:{cf}:0.5:{pdps}:800")));
    let mut words: Vec<String> =
        ["create", name, "--start", "1700000000"].map(str::to_owned).into();
    words.extend(["DS:ds0:COUNTER:600:0:U", "DS:ds1:COUNTER:600:0:U"].map(str::to_owned));
    words.extend(archives);
    run(directory, &words);
    let updates: Vec<String> =
        (1..40).map(|nth| format!("{}:{nth}:{nth}", 1_700_000_000 + nth * 300)).collect();
    run(directory, &[vec!["update".to_owned(), name.to_owned()], updates].concat());
}

fn run(directory: &Path, words: &[String]) {
    let output = Command::new(GYRE).args(words).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn pages_of_an_rrd_file_are_named_and_stay_where_they_are() {
    let directory = directory();
    let root = directory.path();
    database(root, "x.rrd");
    let path = root.join("x.rrd");
    let bytes = fs::read(&path).unwrap();
    let header = rrdfile::Header::decode(&bytes, bytes.len() as u64).unwrap();
    for resident in [&[][..], &[0], &[4, 5, 16]] {
        only(&path, resident);
        let told = json(&fincore(root, &["--json", "--names", "x.rrd"]));
        let still: Vec<u64> = resident.iter().map(|page| *page as u64).collect();
        assert_eq!(resident_pages(&path), still, "naming brought nothing and dropped nothing");
        let stretches = told[0]["stretches"].as_array().unwrap();
        let named = |page: u64| {
            let found = stretches.iter().find(|it| {
                (it["first_page"].as_u64().unwrap()..=it["last_page"].as_u64().unwrap())
                    .contains(&page)
            });
            found.unwrap()
        };
        assert_eq!(named(0)["holds"][0]["what"], "header");
        for (archive, newest) in header.newest_rows.iter().enumerate() {
            let rows = header.layout.rows(archive);
            let next = header.layout.row_offset(archive, newest.advance(1, rows));
            let found = named(next / PAGE as u64);
            assert_eq!(found["hot"], true, "archive {archive}: {found}");
            let holds = found["holds"].as_array().unwrap();
            let part = holds.iter().find(|part| part["archive"] == archive).unwrap();
            let range: (u64, u64) = serde_json::from_value(part["rows"].clone()).unwrap();
            assert!((range.0..=range.1).contains(&newest.advance(1, rows).0), "{part}");
        }
        let resident_told = stretches.iter().filter(|it| it["state"] != "absent");
        let pages: u64 = resident_told
            .map(|it| it["last_page"].as_u64().unwrap() - it["first_page"].as_u64().unwrap() + 1)
            .sum();
        assert_eq!(pages, resident.len() as u64);
    }
    // A file that is no database has page states only.
    file_with(&root.join("other.rrd"), 3, &[1]);
    let said = text(&fincore(root, &["--names", "other.rrd"]));
    assert!(said.contains("  1                     clean\n"), "{said}");
}

/// A process has the store open and locked meanwhile.
#[test]
fn pages_of_a_ring_store_are_named_while_a_process_has_it_open() {
    let directory = directory();
    let root = directory.path();
    run(root, &["store", "create", "ring"].map(str::to_owned));
    for name in ["ring/a.rrd", "ring/b.rrd"] {
        database(root, name);
    }
    let files = |ending: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(root.join("ring")).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_str().unwrap().ends_with(ending)).collect()
    };
    let options = ring::RingOptions::default();
    let open = ring::RingStore::open(&root.join("ring"), options).unwrap();
    let tiles = files(".tiles");
    assert!(!tiles.is_empty() && !files(".a").is_empty());
    only(&tiles[0], &[0]);
    only(&root.join("ring/catalogue"), &[]);
    let told = json(&fincore(root, &["--json", "--names", "ring"]));
    assert_eq!(resident_pages(&tiles[0]), [0]);
    assert_eq!(resident_pages(&root.join("ring/catalogue")), [0_u64; 0], "read, and not kept");
    drop(open);
    let named = |ending: &str| {
        let found =
            told.iter().find(|it| it["file"].as_str().is_some_and(|it| it.ends_with(ending)));
        found.unwrap()["stretches"].as_array().unwrap().clone()
    };
    let tile = &named(".tiles")[0];
    assert_eq!((&tile["holds"][0]["what"], &tile["state"]), (&"tile".into(), &"clean".into()));
    // The newest entries may be in the log only, until the catalogue's next commit.
    assert!(tile["holds"][0]["databases"].as_u64().unwrap() >= 1);
    assert_eq!(tile["holds"][0]["first_database"], "a.rrd");
    let seconds: Vec<u64> =
        named(".tiles").iter().map(|it| it["holds"][0]["row_seconds"].as_u64().unwrap()).collect();
    assert!([300, 1800, 7200, 86_400].iter().all(|it| seconds.contains(it)), "{seconds:?}");
    let hot = named(".tiles").iter().filter(|it| it["hot"] == true).count();
    assert!(hot >= 4, "the next flush writes a tile of each shape, {hot}");
    let checkpoints = [named(".a"), named(".b")];
    let is_hot = checkpoints.map(|it| it.iter().any(|it| it["hot"] == true));
    assert_ne!(is_hot[0], is_hot[1], "one of the two places is written next");
    assert_eq!(named("catalogue")[0]["holds"][0]["what"], "catalogue");
    assert_eq!(named("gyre-store").len(), 0, "it is empty");
}
