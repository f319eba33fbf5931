//! `gyre plan` as people and scripts use it, on real trees, stores and configurations.
#![allow(clippy::disallowed_methods)] // a test: it makes files and starts programs

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::process::{Command, Output};

use ring::Pace;
use ring::{RingOptions, RingStore};
use rrd::{Definition, Timestamp};
use serde_json::Value;
use store::Store;

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");
const MACHINE: [&str; 6] =
    ["--memory=4G", "--disk=500G", "--device=hdd", "--cores=2", "--json", "--readahead=128"];

/// A small database, updated every minute, so that the plan is calculated quickly.
const SMALL: [&str; 5] = [
    "--step=60",
    "DS:a:COUNTER:600:0:U",
    "RRA:AVERAGE:0.5:1:600",
    "RRA:MAX:0.5:1:600",
    "RRA:AVERAGE:0.5:12:700",
];

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn plan<W: AsRef<OsStr>>(words: &[W]) -> Output {
    Command::new(GYRE).arg("plan").args(words).output().unwrap()
}

/// The answer for a machine whose properties are all given, so that it is the same everywhere.
#[track_caller]
fn json(words: &[&str], path: Option<&Path>) -> Value {
    let mut all: Vec<OsString> = MACHINE.iter().chain(words).map(OsString::from).collect();
    all.extend(path.map(|path| path.as_os_str().to_owned()));
    let output = plan(&all);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn text(words: &[&str]) -> String {
    let output = plan(words);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The figures of one way.
#[track_caller]
fn way<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let mut ways = answer["ways"].as_array().unwrap().iter();
    ways.find(|way| way["way"] == name).unwrap_or_else(|| panic!("no {name} in {answer}"))
}

/// Databases, cadence and step of each group that is planned.
fn groups(plan: &Value) -> Vec<[u64; 3]> {
    let groups = plan["groups"].as_array().unwrap().iter();
    let fields = ["databases", "cadence_seconds", "step_seconds"];
    groups.map(|group| fields.map(|field| group[field].as_u64().unwrap())).collect()
}

fn definition(step_seconds: u64, rows: u64) -> Definition {
    let words = ["DS:a:GAUGE:600:U:U".to_owned(), format!("RRA:AVERAGE:0.5:1:{rows}")];
    rrd::spec::definition(step_seconds, words.iter().map(String::as_str)).unwrap()
}

fn make(store: &dyn Store, prefix: &str, definition: &Definition, count: usize) {
    // As recent as the files that other programs update.
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let start = Timestamp::from_seconds(now as i64 - 60);
    for nth in 0..count {
        store.create(format!("{prefix}{nth}.rrd").as_ref(), definition, start).unwrap();
    }
}

#[test]
fn a_tree_that_rrdtool_and_gyre_made() {
    let directory = directory();
    make(&files::RrdFiles::below(directory.path()), "gyre/", &definition(300, 500), 30);
    let mut expected = vec![[30, 300, 300]];
    if let Some(rrdtool) = oracle::program("rrdtool", "what gyre plan learns of its files") {
        std::fs::create_dir(directory.path().join("rrdtool")).unwrap();
        for nth in 0..10 {
            let file = directory.path().join(format!("rrdtool/{nth}.rrd"));
            let words = ["DS:x:COUNTER:120:0:U", "RRA:AVERAGE:0.5:1:1440", "RRA:MAX:0.5:60:100"];
            let mut create = Command::new(&rrdtool);
            let made = create.arg("create").arg(file).args(["--step", "60"]).args(words).status();
            assert!(made.unwrap().success());
        }
        expected.push([10, 60, 60]);
    }
    std::fs::write(directory.path().join("none.txt"), "nothing of the kind").unwrap();
    let answer = json(&["--ways=files,ring"], Some(directory.path()));
    assert_eq!(groups(&answer["plan"]), expected);
    assert_eq!(answer["subject"]["kind"], "tree");
    assert_eq!(answer["subject"]["file"], directory.path().to_str().unwrap());
    assert!(answer["there_bytes"].as_u64().unwrap() >= 30 * 8192, "{answer}");
    // Many more databases of the same mix.
    let many = json(&["--ways=ring", "--targets=4000"], Some(directory.path()));
    let share = 4000 / expected.iter().map(|[databases, ..]| databases).sum::<u64>();
    assert_eq!(groups(&many["plan"])[0][0], share * 30);
}

#[test]
fn a_store_that_is_open_keeps_its_pace() {
    let directory = directory();
    let root = directory.path().join("store");
    let pace = Pace { flush_cycles: 7, tile_rows_max: 5 };
    let store = RingStore::create(&root, RingOptions { pace, ..RingOptions::default() }).unwrap();
    make(&store, "a", &definition(300, 100), 12);
    make(&store, "b", &definition(10, 100), 4);
    store.engine().checkpoint().unwrap();
    let answer = json(&["--ways=ring"], Some(&root));
    assert_eq!(groups(&answer["plan"]), [[12, 300, 300], [4, 10, 10]]);
    let ring = way(&answer, "ring");
    assert_eq!(ring["pace"]["flush_cycles"], 7);
    assert_eq!(ring["pace"]["tile_rows_max"], 5);
    assert!(answer["notes"].to_string().contains("the store is open"), "{answer}");
    let other = json(&["--ways=ring", "--flush-cycles=18", "--tile-rows=1"], Some(&root));
    assert_eq!(way(&other, "ring")["pace"]["tile_rows_max"], 1);
    assert_eq!(store.names("").unwrap().len(), 16, "it was not disturbed");
}

#[test]
fn a_configuration_and_one_file() {
    let directory = directory();
    let path = directory.path().join("mrtg.cfg");
    let work = directory.path().display().to_string();
    let text = "WorkDir: WORK\nInterval: 1\nTitle[_]: t\nMaxBytes[_]: 1\n\
                Target[a]: 1:public@10.0.0.1\nTarget[b]: 2:public@10.0.0.1\nTarget[c]: 1:public@10.0.0.2\n";
    std::fs::write(&path, text.replace("WORK", &work)).unwrap();
    let answer = json(&["--ways=journal"], Some(&path));
    assert_eq!(groups(&answer["plan"]), [[3, 60, 60]]);
    assert!(answer["notes"].to_string().contains("3 targets of 2 devices"), "{answer}");
    std::fs::write(&path, "Nonsense\n").unwrap();
    let output = plan(&[path.as_os_str()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains("mrtg.cfg:1:"), "{error}");

    make(&files::RrdFiles::below(directory.path()), "", &definition(30, 100), 1);
    let odd = OsString::from_vec(b"\xff odd.rrd".to_vec());
    let odd = directory.path().join(odd);
    std::fs::rename(directory.path().join("0.rrd"), &odd).unwrap();
    let answer = json(&["--ways=ring", "--targets=77"], Some(&odd));
    assert_eq!(groups(&answer["plan"]), [[77, 30, 30]]);
    assert_eq!(
        answer["subject"]["file_bytes"].as_array().unwrap().len(),
        odd.as_os_str().as_bytes().len()
    );
}

#[test]
fn what_if() {
    let words = ["DS:a:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:600", "RRA:MAX:0.5:12:700"];
    let with = |more: &[&str]| {
        json(&[&["--ways=ring,journal", "--targets=1000"], more, &words].concat(), None)
    };
    let as_it_is = with(&[]);
    assert_eq!(groups(&as_it_is["plan"]), [[1000, 300, 300]]);
    let names = as_it_is["compared"].as_array().unwrap().iter().map(|it| it["name"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["every minute", "10% every minute"]);
    let split = with(&["--split", "10%:60", "--split=50:30"]);
    assert_eq!(groups(&split["plan"]), [[100, 60, 60], [50, 30, 30], [850, 300, 300]]);
    assert_eq!(split["compared"][0]["name"], "as it is");
    let spans = &split["plan"]["groups"][0]["archives"];
    assert_eq!((&spans[0]["rows"], &spans[1]["pdp_per_row"]), (&3000.into(), &60.into()));
    let kept = with(&["--split", "10%:60", "--archives=kept"]);
    assert_eq!(groups(&kept["plan"]), [[100, 60, 300], [900, 300, 300]]);
    // DS and RRA words have their own step; no question asks for another one.
    let faster = with(&["--step=60"]);
    assert_eq!(groups(&faster["plan"]), [[1000, 60, 60]]);
    assert_eq!(faster["compared"].as_array().unwrap().len(), 0);
    assert_eq!(groups(&with(&["--step=60", "--archives=kept"])["plan"]), [[1000, 60, 300]]);
    let written =
        |answer: &Value| way(answer, "ring")["written_bytes_per_second"].as_f64().unwrap();
    assert!(written(&as_it_is) < written(&split) && written(&split) < written(&faster));
    // MRTG's own layout follows its step.
    assert_eq!(groups(&json(&["--ways=ring", "--step=1m"], None)["plan"]), [[100_000, 60, 60]]);
}

#[test]
fn more_of_a_machine_carries_more() {
    let most = |words: &[&str], name: &str| {
        let answer = json(&[&["--ways=files,ring"], words, &SMALL].concat(), None);
        let found = way(&answer, name);
        let (most, more) = (&found["databases_max"], &found["databases_more"]);
        let fits = found["fits"].as_bool().unwrap();
        assert_eq!(fits, most.as_u64().unwrap() >= 100_000, "{found}");
        assert_eq!(more.as_u64().unwrap(), most.as_u64().unwrap().saturating_sub(100_000));
        assert!(found["breaks_first"].is_string());
        most.as_u64().unwrap()
    };
    let slow = most(&[], "files");
    let fast = most(&["--device=nvme"], "files");
    assert!(slow < fast, "{slow} {fast}");
    let little = most(&["--device=nvme", "--memory=1G"], "files");
    assert!(little <= fast, "{little} {fast}");
    let files = most(&["--disk=5G", "--device=nvme"], "files");
    assert!((310_000..330_000).contains(&files), "16,600 bytes each: {files}");
    let small = most(&["--memory=50M"], "ring");
    let large = most(&[], "ring");
    assert!(small < large / 4, "{small} {large}");
}

#[test]
fn every_way_has_its_figures() {
    let ways = ["files", "no-advice", "journal", "ring", "rrdtool", "mapped", "rrdcached"];
    let wanted = ["--ways", &ways.join(","), "--targets=20000", "--memory=160M"];
    let answer = json(&[&wanted[..], &SMALL].concat(), None);
    for name in ways {
        let way = way(&answer, name);
        for field in
            ["page_ins_per_second", "written_bytes_per_second", "restart_seconds", "strain"]
        {
            assert!(way[field].is_number(), "{name}: {field}: {way}");
        }
        assert!(way["cycle"]["seconds_max"].as_f64() >= way["cycle"]["seconds"].as_f64());
        assert_eq!(way["loads"].as_array().unwrap().len(), 5);
        assert_eq!(way["pace"].is_null(), name != "ring", "{name}");
        assert_eq!(way["pages_per_file"].is_null(), name == "ring", "{name}");
    }
    assert_eq!(way(&answer, "ring")["page_ins_per_second"], 0.0);
    let figure = |name: &str| way(&answer, name)["page_ins_per_second"].as_f64().unwrap();
    assert!(
        figure("mapped") > figure("rrdtool"),
        "a mapping without advice reads around: {answer}"
    );
}

#[test]
fn people_get_the_verdict_first() {
    let here = text(&["--ways=ring", "--targets=10"]);
    assert!(here.starts_with("FITS: 10 databases"), "{here}");
    for words in
        ["planned     MRTG's layout", "memory      ", "C, steps to a checkpoint", "every minute"]
    {
        assert!(here.contains(words), "{words}: {here}");
    }
    assert!(!here.contains('\x1b') && here.lines().all(|line| line.trim_end() == line), "{here}");
    let words =
        ["--device=hdd", "--memory=1G", "--disk=1T", "--targets=300000", "--ways=files,journal"];
    let full = text(&words);
    assert!(full.starts_with("DOES NOT FIT: 300,000 databases\n"), "{full}");
    assert!(full.contains("does not fit: the longest cycle takes"), "{full}");
}

#[test]
fn a_disk_is_measured_and_left_as_it_was() {
    let directory = directory();
    let place = directory.path().to_str().unwrap();
    let output =
        plan(&["--measure-disk", "--place", place, "--ways=ring", "--targets=10", "--json"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let machine = &answer["machine"];
    assert_eq!(
        (&machine["is_disk_measured"], &machine["disk_from"]),
        (&true.into(), &"measured".into())
    );
    for field in ["random_reads_per_second", "random_writes_per_second", "synced_write_seconds"] {
        assert!(machine[field].as_f64().unwrap() > 0.0, "{machine}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_plot_shows_every_way() {
    let directory = directory();
    let path = directory.path().join("plan.svg");
    let plot = format!("--plot={}", path.display());
    let answer = json(&["--ways=journal,ring", "--targets=20000", &plot], None);
    let svg = std::fs::read_to_string(&path).unwrap();
    for words in [
        "<svg",
        "journal",
        "ring",
        "page-ins a second",
        "longest cycle, seconds",
        "what a cycle may take",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    let curves = answer["curves"].as_array().unwrap();
    for curve in curves {
        let points = curve["points"].as_array().unwrap();
        let figures =
            |field: &str| points.iter().map(|it| it[field].as_f64().unwrap()).collect::<Vec<_>>();
        assert!(points.len() > 10 && figures("databases").is_sorted(), "{curve}");
        assert!(figures("written_bytes_per_second").is_sorted(), "{curve}");
        let fits: Vec<bool> = points.iter().map(|it| it["fits"].as_bool().unwrap()).collect();
        assert!(
            fits[0] && !fits[points.len() - 1] && fits.is_sorted_by_key(|fits| !fits),
            "{curve}"
        );
    }
    let path = directory.path().join("plan.png");
    text(&["--ways=ring", "--plot", path.to_str().unwrap()]);
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn mistakes_are_one_line_each() {
    let directory = directory();
    let empty = directory.path().to_str().unwrap();
    for (code, words, expected) in [
        (1, &["/nowhere"][..], "/nowhere: No such file or directory"),
        (
            1,
            &["/dev/null"],
            "/dev/null: expected a directory of .rrd files, a ring store, an mrtg.cfg, or an .rrd file",
        ),
        (1, &[empty], "expected at least one database, found none"),
        (1, &["a", "b"], "expected one place, or DS and RRA"),
        (1, &["DS:a:COUNTER:600:0:U"], "you must define at least one Round Robin Archive"),
        (1, &["--step=7200"], "--step: MRTG has 1 to 3600 seconds"),
        (1, &["--place=/nowhere"], "--place: /nowhere: expected a directory"),
        (
            1,
            &["--ways=ring", "--plot=/nowhere/a.svg"],
            "writing /nowhere/a.svg: No such file or directory",
        ),
        (2, &["--split=x"], "--split: expected SHARE:SECONDS"),
        (2, &["--nonsense"], "unknown option --nonsense"),
        (2, &["--targets"], "--targets: expected N"),
    ] {
        let output = plan(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
        let lines = error.lines().filter(|line| !line.contains("--help")).count();
        assert!(error.contains(expected) && lines == 1, "{words:?}: {error}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
    let help = text(&["--help"]);
    assert!(
        help.starts_with("usage: gyre plan") && help.contains("--split SHARE:SECONDS"),
        "{help}"
    );
}
