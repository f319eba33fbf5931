//! Databases of steps below a second in graphs, tables and calculations: those of tenths of a second
//! say what databases of seconds say whose times and counters are ten times as large.
#![allow(clippy::disallowed_methods)] // the test starts the program

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ring::{RingOptions, RingStore};
use rrd::spec::{Units, definition_in};
use rrd::{Reading, Sample, Tick, Timestamp};
use store::{Store as _, Update};

/// In 1982; ten times as late is in 2096.
const START: i64 = 400_000_000;
const UPDATES: i64 = 250;

fn gyre(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words).current_dir(directory).env("TZ", "UTC");
    command.env_remove("RRDCACHED_ADDRESS").stdin(Stdio::null()).output().unwrap()
}

fn done(directory: &Path, words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    let output = gyre(directory, &words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{words:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// A database with a step of so long, updated at each step, and some steps later where a number
/// divides by seven; its counter counts so many for each.
fn fill(store: &RingStore, name: &str, step: &str, heartbeat: &str, counted: i64) -> Tick {
    let words = [
        &*format!("DS:x:GAUGE:{heartbeat}:U:U"),
        &*format!("DS:c:COUNTER:{heartbeat}:0:U"),
        "RRA:AVERAGE:0.5:1:300",
        "RRA:MAX:0.5:5:100",
    ];
    let definition = definition_in(Units::of_step(step, None).unwrap(), words).unwrap();
    let (tick, step) = (definition.tick, definition.step_seconds as i64);
    let start = START * if counted == 10 { 10 } else { i64::from(tick.per_second()) };
    store.create(Path::new(name), &definition, Timestamp::from_seconds(start)).unwrap();
    for nth in (1..=UPDATES).filter(|nth| nth % 7 != 0) {
        let readings = [(nth * 7919 % 1000).to_string(), (nth * nth * counted).to_string()];
        let readings = [Reading::of(&readings[0]), Reading::of(&readings[1])];
        let time = tick.moment(Timestamp::from_seconds(start + nth * step));
        let samples = [Sample { time, readings: &readings }];
        let refused = store.update(&[Update::of(name, &samples)]);
        assert!(refused.is_empty(), "{name}: {refused:?}");
    }
    tick
}

/// A ring store `S` with a database `s` of seconds, `t` of tenths and `u` of half milliseconds.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = RingStore::create(&place.path().join("S"), RingOptions::default()).unwrap();
    assert_eq!(fill(&store, "s", "1", "5", 10), Tick::SECOND);
    assert_eq!(fill(&store, "t", "0.1", "0.5", 1).per_second(), 10);
    assert_eq!(fill(&store, "u", "0.0005", "0.0025", 1).per_second(), 10_000);
    store.close().unwrap();
    place
}

/// The elements of a table of a database, whose second is so long as so many ticks of the other.
fn elements(name: &str, scaled: &dyn Fn(i64) -> String) -> String {
    let [one, five, seven] = [1, 5, 7].map(scaled);
    format!(
        "DEF:x=S/{name}:x:AVERAGE DEF:c=S/{name}:c:AVERAGE DEF:m=S/{name}:x:MAX:step={five} \
         CDEF:w=x,{seven},TRENDNAN CDEF:p={five},{seven},2,{five},x,PREDICT SHIFT:c:{one} \
         CDEF:d=c,x,- XPORT:x XPORT:c XPORT:m XPORT:w XPORT:p XPORT:d"
    )
}

#[test]
fn a_table_of_tenths_is_that_of_seconds() {
    let place = place();
    let at = place.path();
    let table = |name: &str, ends: [&str; 2], scaled: &dyn Fn(i64) -> String| {
        let [start, end] = ends;
        let elements = elements(name, scaled);
        done(at, &format!("xport -s {start} -e {end} -m 1000 --json -t {elements}"))
    };
    let tenths = |ticks: i64| format!("{}.{}", ticks / 10, ticks % 10);
    let of_tenths = table("t", ["400000000.3", "400000024.6"], &tenths);
    let of_seconds = table("s", ["4000000003", "4000000246"], &|ticks| ticks.to_string());
    let without_times = |text: &str| -> Vec<(String, String)> {
        let rows = text.lines().filter_map(|line| line.trim().strip_prefix("[ \""));
        let rows = rows.filter_map(|row| row.split_once("\","));
        rows.map(|(time, values)| (time.replace('.', ""), values.to_owned())).collect()
    };
    let rows = without_times(&of_tenths);
    assert!(rows.len() > 200 && rows.iter().any(|(_, values)| !values.contains("null")));
    assert_eq!(rows, without_times(&of_seconds));
    assert!(of_tenths.contains("\"start\": 400000000.4,"), "{of_tenths}");
    assert!(of_tenths.contains("\"step\": 0.1,"), "{of_tenths}");
    let xml = done(at, "xport -s 400000001 -e 400000002 -t DEF:x=S/t:x:AVERAGE XPORT:x");
    for told in ["<start>400000001.1</start>", "<step>0.1</step>", "<t>400000001.7</t>"] {
        assert!(xml.contains(told), "{told} in {xml}");
    }
}

#[test]
fn a_picture_of_two_seconds_has_labels_between_them() {
    let place = place();
    let at = place.path();
    let words = "graphv p.svg -a SVG -s 400000010.2 -e 400000011.7 DEF:x=S/t:x:AVERAGE \
                 VDEF:most=x,MAXIMUM VDEF:sum=x,TOTAL LINE:x#f00 PRINT:most:%T%.1f:strftime \
                 PRINT:sum:%.3lf";
    let told = done(at, words);
    for line in
        ["graph_start = \"400000010.2\"", "graph_end = \"400000011.7\"", "print[0] = \"15:06:5"]
    {
        assert!(told.contains(line), "{line} in {told}");
    }
    let picture = fs::read_to_string(at.join("p.svg")).unwrap();
    for label in ["15:06:50.5", "15:06:51.0", "15:06:51.5"] {
        assert!(picture.contains(label), "{label} in {picture}");
    }
    // The sum of rates times tenths of a second.
    let calc = "calc -s 400000010.2 -e 400000011.8 DEF:x=S/t:x:AVERAGE VDEF:sum=x,TOTAL \
                XPORT:x PRINT:sum:%.3lf --json";
    let answer: serde_json::Value = serde_json::from_str(&done(at, calc)).unwrap();
    let values = answer["columns"][0]["values"].as_array().unwrap();
    assert_eq!(values.len(), 16);
    let sum: f64 = values.iter().filter_map(serde_json::Value::as_f64).sum::<f64>() * 0.1;
    assert_eq!(answer["prints"][0]["text"], format!("{sum:.3}"));
    assert!(told.contains(&format!("print[1] = \"{sum:.3}\"")), "{sum} in {told}");
    let column = &answer["columns"][0];
    assert_eq!(column["row_seconds"], 0.1);
    assert_eq!(column["from"], "1982-09-04T15:06:50.2Z");
    assert_eq!(column["to"], "1982-09-04T15:06:51.8Z");
    let whole = "calc -s 4000000010 -e 4000000020 DEF:x=S/s:x:AVERAGE XPORT:x --json";
    let answer: serde_json::Value = serde_json::from_str(&done(at, whole)).unwrap();
    assert_eq!(answer["columns"][0]["row_seconds"].to_string(), "1");
}

#[test]
fn calculations_look_back_and_add_up_in_tenths() {
    let place = place();
    let at = place.path();
    let calc = |words: &str| -> serde_json::Value {
        serde_json::from_str(&done(at, &format!("calc --json {words}"))).unwrap()
    };
    // A window of 0.4 s reaches back to rows before the start.
    let own = calc("-s 400000010.0 -e 400000010.5 DEF:x=S/t:x:AVERAGE CDEF:w=x,0.4,TREND XPORT:w");
    let all = calc("-s 400000009 -e 400000011 DEF:x=S/t:x:AVERAGE CDEF:w=x,0.4,TREND XPORT:w");
    let values = |answer: &serde_json::Value| answer["columns"][0]["values"].clone();
    let (own, all) = (values(&own), values(&all));
    let (own, all) = (own.as_array().unwrap(), all.as_array().unwrap());
    assert_eq!((own.len(), all.len()), (5, 20));
    assert!(own.iter().all(|value| !value.is_null()));
    assert_eq!(own[..], all[10..15]);
    let refused = gyre(
        at,
        &[
            "calc",
            "-s400000010",
            "-e400000011",
            "DEF:x=S/t:x:AVERAGE",
            "CDEF:w=x,0.05,TREND",
            "XPORT:w",
        ],
    );
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(
        error.contains("a window of 0.05 s is shorter than a row of 'x', which has 0.1 s"),
        "{error}"
    );
    let doubled = calc("-s 400000010 -e 400000010.5 --each S/t --total DEF:x={}:x:AVERAGE XPORT:x");
    assert_eq!(values(&doubled).as_array().unwrap().len(), 5);
    let error = gyre(
        at,
        &[
            "calc",
            "-s",
            "400000010",
            "-e",
            "400000011",
            "--each",
            "S/*",
            "--total",
            "DEF:x={}:x:AVERAGE",
            "XPORT:x",
        ],
    );
    let error = String::from_utf8(error.stderr).unwrap();
    assert!(
        error.contains("expected rows of 1 s") && error.contains("found rows of 0.1 s"),
        "{error}"
    );
}

#[test]
fn steps_below_a_second_are_told_and_planned() {
    let place = place();
    let at = place.path();
    let inspected = done(at, "inspect S");
    for step in ["layout: step 0.1 s, 2 sources; 1", "layout: step 0.0005 s", "layout: step 1 s"] {
        assert!(inspected.contains(step), "{step} in {inspected}");
    }
    let json: serde_json::Value = serde_json::from_str(&done(at, "inspect S --json")).unwrap();
    let steps = json["layouts"].as_array().unwrap().iter().map(|it| it["step_seconds"].to_string());
    let steps: BTreeSet<String> = steps.collect();
    assert_eq!(steps, ["0.0005", "0.1", "1"].map(str::to_owned).into());
    let planned: serde_json::Value =
        serde_json::from_str(&done(at, "plan S --ways ring --json")).unwrap();
    // 1 and 10 and 2,000 updates a second.
    let planned = planned.to_string();
    assert!(planned.contains("\"updates_per_second\":2011.0"), "{planned}");
    let told = done(at, "plan S --ways ring,files");
    for words in ["2,011 updates a second", "every 0.1 s", "every 0.0005 s", "every 1 s"] {
        assert!(told.contains(words), "{words} in {told}");
    }
    assert!(told.contains("a step of 0.1 s is for a ring store"), "{told}");
    // Archives cover 30 s and 50 s as before, or have the steps that they had.
    let slower = done(at, "plan S --ways ring --step 1");
    assert!(slower.contains("1 every 1 s: 2 sources, 2 archives, 80 rows"), "{slower}");
    let kept = done(at, "plan S --ways ring --step 1 --archives kept");
    assert!(kept.contains("every 1 s, a step of 0.1 s: "), "{kept}");
}

/// The times of the rows that other programs read.
#[test]
fn tables_keep_every_time() {
    let place = place();
    let at = place.path();
    let times = |name: &str, digits: usize, per_row: [i64; 2]| {
        let of = |row: i64| -> BTreeSet<String> {
            let last = UPDATES - UPDATES % row;
            let rows = if row == 1 { 300 } else { 100 };
            let ends = (0..rows).map(|age| last - age * row);
            let scale = 10_i64.pow(digits as u32);
            let step = if name == "u" { 5 } else { 1 };
            ends.map(|nth| {
                let ticks = START * scale + nth * step;
                let text = format!("{}.{:0digits$}", ticks / scale, ticks % scale);
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            })
            .collect()
        };
        per_row.map(of)
    };
    let python = oracle::python_of_tests("tables of short steps read by DuckDB and pyarrow");
    for (name, digits, lengths) in [("t", 1, ["0.1", "0.5"]), ("u", 4, ["0.0005", "0.0025"])] {
        let expected = times(name, digits, [1, 5]);
        for format in ["csv", "json", "ndjson", "arrow", "parquet"] {
            let directory = format!("{name}-{format}");
            done(at, &format!("export S --format {format} {name} {directory}"));
            let Some(python) = &python else { continue };
            for reader in ["duckdb", "pyarrow"] {
                let files = format!("{directory}/part-*.{format}");
                let found = read(python, &[reader, format, &files], at);
                for (length, expected) in lengths.iter().zip(&expected) {
                    let of_x = found.iter().filter(|row| row[1] == "x" && row[3] == *length);
                    let found: BTreeSet<String> = of_x.map(|row| row[4].clone()).collect();
                    assert_eq!(found, *expected, "{format} of {name} by {reader}");
                }
            }
        }
        let lines = done(at, &format!("export S --format line {name} {name}-line"));
        assert!(
            lines.starts_with("1 databases written") || lines.starts_with("1 database written"),
            "{lines}"
        );
        let lines = fs::read_to_string(at.join(format!("{name}-line/part-000000.line"))).unwrap();
        let last = if name == "u" { "400000000125000000" } else { "400000025000000000" };
        assert!(lines.contains(&format!(" {last}\n")), "{lines}");
    }
    // A table that began with whole milliseconds rounds none that come later.
    let refused = gyre(at, &["export", "S", "--format", "parquet", "--all", "mixed"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("u: found times of parts of a millisecond"), "{error}");
}

fn read(python: &Path, words: &[&str], directory: &Path) -> Vec<Vec<String>> {
    let mut command = Command::new(python);
    command.args(["-c", include_str!("tables_read.py")]).args(words);
    command.current_dir(directory).env("TZ", "UTC");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}
