//! `gyre calc`: numbers of rows, against rrdtool's and against what they are made of.
#![allow(clippy::disallowed_methods)] // the test starts the programs

mod calc_cases;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use oracle::{Reply, Rrdtool};
use serde_json::Value;

const START: i64 = 1_700_006_400; // a multiple of a day and of all rows here
const STEP: i64 = 300;

fn gyre(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words).current_dir(directory).env("TZ", "UTC");
    command.env_remove("RRDCACHED_ADDRESS").stdin(Stdio::null()).output().unwrap()
}

fn done(directory: &Path, words: &[&str]) -> String {
    let output = gyre(directory, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn line(directory: &Path, words: &str) -> String {
    done(directory, &words.split_whitespace().collect::<Vec<_>>())
}

fn refused(directory: &Path, words: &str) -> String {
    let output = gyre(directory, &words.split_whitespace().collect::<Vec<_>>());
    assert!(!output.status.success(), "{words}");
    String::from_utf8(output.stderr).unwrap().trim_end().to_owned()
}

fn json_lines(directory: &Path, words: &str) -> Vec<Value> {
    let text = line(directory, words);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The reading of a database at a step; every 37th is unknown.
fn reading(database: i64, step: i64) -> Option<f64> {
    let value = (step * 7919 + database * 104_729) % 10_007;
    (step % 37 != 5).then_some(value as f64 / 4.0)
}

/// A multiple of the steps of the longer rows.
const STEPS: i64 = 2004;

/// A tree and a ring store with the same databases: rows of one step for a day, then coarser ones.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = place.path();
    std::fs::create_dir_all(at.join("T/sub")).unwrap();
    for (nth, name) in ["a.rrd", "b.rrd", "sub/c.rrd"].into_iter().enumerate() {
        line(
            at,
            &format!(
                "create T/{name} -b {START} -s {STEP} DS:in:GAUGE:600:U:U DS:out:GAUGE:600:U:U \
                 RRA:AVERAGE:0.5:1:400 RRA:AVERAGE:0.5:6:1000 RRA:MIN:0.5:6:1000 \
                 RRA:MAX:0.5:6:1000"
            ),
        );
        let mut update = format!("update T/{name}");
        for step in 1..=STEPS {
            let text = |value: Option<f64>| value.map_or("U".into(), |value| value.to_string());
            let (a, b) = (reading(nth as i64, step), reading(nth as i64 + 10, step));
            let _ = write!(update, " {}:{}:{}", START + step * STEP, text(a), text(b));
        }
        line(at, &update);
    }
    line(at, "import S T");
    place
}

/// The last so many steps, as `-s` and `-e`.
fn last(steps: i64) -> String {
    let end = START + STEPS * STEP;
    format!("-s {} -e {end}", end - steps * STEP)
}

#[test]
fn numbers_are_those_of_all_rows() {
    let place = place();
    let prints = "VDEF:p=x,95,PERCENT PRINT:p:%.12le";
    for file in ["T/a.rrd", "S/a.rrd"] {
        let text =
            line(place.path(), &format!("calc {} DEF:x={file}:in:AVERAGE {prints}", last(288)));
        let mut values: Vec<f64> = (STEPS - 287..=STEPS)
            .map(|step| reading(0, step).unwrap_or(f64::NEG_INFINITY))
            .collect();
        values.sort_by(f64::total_cmp);
        let position = (95.0 * 287.0 / 100.0_f64).round() as usize;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].parse::<f64>().unwrap(), values[position], "{text}");
        let unknown = (STEPS - 287..=STEPS).filter(|step| reading(0, *step).is_none()).count();
        assert_eq!(
            lines[1],
            format!(
                "rows of x: 288 of 300 s (AVERAGE of 300 s in {file}), 2023-11-20T23:00:00Z to \
                 2023-11-21T23:00:00Z, {unknown} unknown"
            )
        );
    }
}

/// Of windows that fit rows, rrdtool tells the same if it is kept from pixels, and from the row
/// behind the end.
#[test]
fn numbers_are_those_of_rrdtool() {
    let Some(program) = oracle::program("rrdtool", "gyre calc against rrdtool") else { return };
    let place = place();
    let mut rrdtool = Rrdtool::start(&program, place.path());
    for steps in [12, 100, 288, 399] {
        for cdef in
            ["in,8,*", "in,out,MAX", "in,out,ADDNAN", "in,UN,0,in,IF", "PREV,UN,0,PREV,IF,1,+,in,+"]
        {
            for vdef in
                ["95,PERCENT", "5,PERCENTNAN", "AVERAGE", "MAXIMUM", "STDEV", "TOTAL", "LSLSLOPE"]
            {
                let elements = format!(
                    "DEF:in=T/a.rrd:in:AVERAGE DEF:out=T/a.rrd:out:AVERAGE CDEF:c={cdef} \
                     VDEF:v=c,{vdef} PRINT:v:%.14le PRINT:c:MAX:%.14le PRINT:in:LAST:%.14le"
                );
                let end = START + STEPS * STEP;
                let start = end - steps * STEP;
                let graph = format!("graph x -s {start} -e {} -w {steps} {elements}", end - 1);
                let Reply::Ok(theirs) = rrdtool.send(&graph) else { panic!("{graph}") };
                let ours = line(place.path(), &format!("calc {} {elements}", last(steps)));
                let theirs: Vec<&String> = theirs.iter().filter(|line| *line != "0x0").collect();
                let ours: Vec<&str> = ours.lines().take(3).collect();
                assert!(
                    theirs.iter().zip(&ours).all(|(a, b)| *a == b),
                    "{graph}: {theirs:?} {ours:?}"
                );
                assert_eq!(theirs.len(), 3);
            }
        }
    }
}

#[test]
fn windows_have_the_rows_before_the_start() {
    let place = place();
    let mean = |step: i64| {
        let window: Option<Vec<f64>> = (step - 11..=step).map(|step| reading(0, step)).collect();
        window.map(|window| window.iter().sum::<f64>() / 12.0)
    };
    let told = json_lines(
        place.path(),
        &format!(
            "calc --json {} DEF:x=S/a.rrd:in:AVERAGE CDEF:t=x,3600,TREND CDEF:m=t,1800,TREND.MAX \
             XPORT:t XPORT:m",
            last(48)
        ),
    );
    let columns = told[0]["columns"].as_array().unwrap();
    let values = |nth: usize| columns[nth]["values"].as_array().unwrap().clone();
    let (t, m) = (values(0), values(1));
    assert_eq!((t.len(), m.len()), (48, 48));
    for (nth, step) in (STEPS - 47..=STEPS).enumerate() {
        match mean(step) {
            None => assert!(t[nth].is_null()),
            Some(mean) => assert!((t[nth].as_f64().unwrap() - mean).abs() < 1e-9 * mean.abs()),
        }
        let window: Option<Vec<f64>> = (step - 5..=step).map(mean).collect();
        match window {
            None => assert!(m[nth].is_null(), "{nth}"),
            Some(window) => {
                let most = window.into_iter().fold(f64::MIN, f64::max);
                assert!((m[nth].as_f64().unwrap() - most).abs() < 1e-9 * most.abs());
            }
        }
    }
    assert!(t.iter().chain(&m).filter(|value| !value.is_null()).count() > 40);
}

/// The rows of one step reach back 400 steps: a window that needs more does not turn to coarser
/// ones.
#[test]
fn a_window_changes_no_archive() {
    let place = place();
    let told = json_lines(
        place.path(),
        &format!(
            "calc --json {} DEF:x=T/a.rrd:in:AVERAGE CDEF:t=x,86400,TREND.MIN XPORT:t",
            last(300)
        ),
    );
    assert_eq!(told[0]["archives"][0]["row_seconds"], 300);
    let values = told[0]["columns"][0]["values"].as_array().unwrap();
    assert_eq!(values.len(), 300);
}

#[test]
fn percentiles_of_long_rows_are_told_bounded_and_refused() {
    let place = place();
    let words = format!(
        "{} DEF:x=T/a.rrd:in:AVERAGE CDEF:b=x,8,* VDEF:p=b,95,PERCENTNAN PRINT:p:%.12le",
        last(1800)
    );
    let told = &json_lines(place.path(), &format!("calc --json {words}"))[0]["values"][0];
    assert_eq!(told["is_exact"], false);
    assert_eq!(told["rows"]["row_seconds"], 1800);
    let mut steps: Vec<f64> = (STEPS - 1799..=STEPS)
        .filter_map(|step| reading(0, step))
        .map(|value| 8.0 * value)
        .collect();
    steps.sort_by(f64::total_cmp);
    let exact = steps[(0.95 * (steps.len() - 1) as f64).round() as usize];
    let (least, greatest) = (told["least"].as_f64().unwrap(), told["greatest"].as_f64().unwrap());
    assert!(least <= exact && exact <= greatest, "{least} {exact} {greatest}");
    assert!(told["value"].as_f64().unwrap() < exact, "averages hide the peaks");
    let text = line(place.path(), &format!("calc {words}"));
    assert!(
        text.contains("p is no percentile of steps of 300 s, but of rows of 1800 s: that of all"),
        "{text}"
    );
    assert_eq!(
        refused(place.path(), &format!("calc --exact {words}")),
        "ERROR: p: expected rows of one step of 300 s for an exact percentile, found rows of 1800 s"
    );
    let falling = words.replace("x,8,*", "0,x,-");
    let told = line(place.path(), &format!("calc {falling}"));
    assert!(told.contains("no rows of MIN and MAX show how far"), "{told}");
    line(place.path(), &format!("calc --exact {}", words.replace(&last(1800), &last(300))));
}

#[test]
fn each_total_and_top() {
    let place = place();
    let words = format!("{} DEF:x={{}}:in:AVERAGE VDEF:m=x,AVERAGE", last(288));
    let mean = |database: i64| {
        let known = (STEPS - 287..=STEPS).filter_map(|step| reading(database, step));
        let known: Vec<f64> = known.collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    for (pattern, names) in [
        ("T/**/*.rrd", vec!["a.rrd", "b.rrd", "sub/c.rrd"]),
        ("S/**", vec!["a.rrd", "b.rrd", "sub/c.rrd"]),
        ("S", vec!["a.rrd", "b.rrd", "sub/c.rrd"]),
        ("T/*", vec!["a.rrd", "b.rrd"]),
        ("S/sub/*", vec!["sub/c.rrd"]),
        ("T/b.rrd", vec!["b.rrd"]),
    ] {
        let told = json_lines(place.path(), &format!("calc --json --each {pattern} {words}"));
        let found: Vec<&str> = told.iter().map(|told| told["name"].as_str().unwrap()).collect();
        let below = |name: &&str| name.rsplit('/').next().unwrap().to_owned();
        assert_eq!(
            found.iter().map(below).collect::<Vec<_>>(),
            names.iter().map(below).collect::<Vec<_>>(),
            "{pattern}"
        );
        for told in &told {
            let database = match told["name"].as_str().unwrap().as_bytes().iter().rev().nth(4) {
                Some(b'a') => 0,
                Some(b'b') => 1,
                _ => 2,
            };
            let ours = told["values"][0]["value"].as_f64().unwrap();
            assert!((ours - mean(database)).abs() < 1e-9 * ours, "{pattern}");
        }
    }
    let told = json_lines(place.path(), &format!("calc --json --total --each S/** {words}"));
    let sum: f64 = (STEPS - 287..=STEPS)
        .filter_map(|step| {
            let known: Vec<f64> = (0..3).filter_map(|database| reading(database, step)).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>())
        })
        .sum();
    let known = (STEPS - 287..=STEPS).filter(|step| reading(0, *step).is_some()).count();
    let ours = told[0]["values"][0]["value"].as_f64().unwrap();
    assert!((ours - sum / known as f64).abs() < 1e-9 * ours);
    assert_eq!(told[0]["summed"]["databases"], 3);
    assert_eq!(told[0]["summed"]["unknown_values"], 3 * (288 - known));
    let told = json_lines(place.path(), &format!("calc --json --top 2 --by m --each S/** {words}"));
    let mut ranked: Vec<f64> = (0..3).map(mean).collect();
    ranked.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(told.len(), 2);
    for (told, mean) in told.iter().zip(ranked) {
        let ours = told["values"][0]["value"].as_f64().unwrap();
        assert!((ours - mean).abs() < 1e-9 * ours);
    }
}

#[test]
fn words_that_are_wrong_get_one_error() {
    let place = place();
    let at = place.path();
    std::fs::create_dir(at.join("empty")).unwrap();
    let last = last(288);
    for (words, error) in [
        (
            "calc --each empty/* DEF:x={}:in:AVERAGE VDEF:m=x,AVERAGE",
            "ERROR: empty: no name is like *",
        ),
        ("calc --each S/z* DEF:x={}:in:AVERAGE VDEF:m=x,AVERAGE", "ERROR: S: no name is like z*"),
        (
            "calc --each S/* DEF:x=S/a.rrd:in:AVERAGE VDEF:m=x,AVERAGE",
            "ERROR: expected a DEF of {}, as in DEF:x={}:in:AVERAGE",
        ),
        (
            "calc DEF:x={}:in:AVERAGE VDEF:m=x,AVERAGE",
            "ERROR: {}: expected the name of a database, or --each",
        ),
        (
            "calc DEF:x=T/a.rrd:in:AVERAGE LINE:x#ff0000",
            "ERROR: expected DEF, CDEF, VDEF, SHIFT, XPORT or PRINT, found LINE:x#ff0000",
        ),
        (
            "calc DEF:x=T/a.rrd:in:AVERAGE CDEF:c=x,101,3600,TREND.PERCENT",
            "ERROR: percentile argument must be between 0 and 100",
        ),
        (
            "calc DEF:x=T/a.rrd:in:AVERAGE VDEF:c=x,101,PERCENT",
            "ERROR: Parameter '101.000000' out of range in VDEF 'c'",
        ),
        (
            "calc DEF:x=T/a.rrd:in:AVERAGE DEF:y=T/b.rrd:in:AVERAGE CDEF:c=x,y,TREND",
            "ERROR: TREND in 'c': expected a number for the length of the window, so that the rows \
             before the start can be fetched",
        ),
        (
            "calc LAST DEF:x=T/a.rrd:in:AVERAGE CDEF:c=x,299,TREND.MIN XPORT:c",
            "ERROR: TREND.MIN in 'c': a window of 299 s is shorter than a row of 'x', which has 300 s",
        ),
        (
            "calc LAST DEF:x=T/a.rrd:in:AVERAGE CDEF:c=x,1e15,TREND.MIN XPORT:c",
            "ERROR: TREND.MIN in 'c': a window of 1e15 s reaches back further than 1e12 s",
        ),
        (
            "calc LAST DEF:x=T/a.rrd:in:AVERAGE CDEF:c=x,1e11,TREND.MIN XPORT:c",
            "ERROR: a window of 100000000000 s has 333333335 rows of 300 s before the start: \
             expected at most 16777216",
        ),
        ("calc LAST DEF:x=T/a.rrd:nix:AVERAGE XPORT:x", "ERROR: No DS called 'nix' in 'T/a.rrd'"),
        ("calc LAST DEF:x=T/z.rrd:in:AVERAGE XPORT:x", "T/z.rrd"),
        (
            "calc --format csv LAST DEF:x=T/a.rrd:in:AVERAGE VDEF:m=x,AVERAGE",
            "ERROR: --format: expected XPORT, whose rows are the table",
        ),
        ("calc --top 3 DEF:x=T/a.rrd:in:AVERAGE", "--each with --total or --top"),
        (
            "calc --top 3 --by q --each S/* DEF:x={}:in:AVERAGE VDEF:m=x,AVERAGE",
            "ERROR: --by: expected the name of a VDEF, found q",
        ),
    ] {
        let told = refused(at, &words.replace("LAST", &last));
        assert!(told.contains(error), "{words}: {told}");
    }
    // Those of one database do not keep the others from an answer.
    std::fs::write(at.join("T/d.rrd"), "junk").unwrap();
    let each = format!("calc {last} --each T/* DEF:x={{}}:in:AVERAGE VDEF:m=x,AVERAGE PRINT:m:%le");
    let output = gyre(at, &each.split(' ').collect::<Vec<_>>());
    let (out, error) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.starts_with("a.rrd\n") && out.contains("\nb.rrd\n"), "{out}");
    assert!(
        error.contains("d.rrd: ") && error.ends_with("1 databases without an answer\n"),
        "{error}"
    );
}

/// The words are gyre's own: called by rrdtool's name it knows them no more than rrdtool does.
#[test]
fn moving_windows_are_words_of_gyres_own() {
    let place = place();
    let at = place.path();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gyre"), at.join("rrdtool")).unwrap();
    let words =
        format!("xport {} DEF:x=T/a.rrd:in:AVERAGE CDEF:c=x,3600,TREND.MAX XPORT:c", last(24));
    assert!(line(at, &words).contains("<row>"));
    let mut own = vec!["graph", "x.png", "-s", "end-1h"];
    let end = (START + STEPS * STEP).to_string();
    own.extend([
        "-e",
        &end,
        "DEF:x=T/a.rrd:in:AVERAGE",
        "CDEF:c=x,50,1800,TREND.PERCENT",
        "LINE:c#ff0000",
    ]);
    done(at, &own);
    let mut command = Command::new(at.join("rrdtool"));
    let output = command.args(words.split(' ')).current_dir(at).output().unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "ERROR: don't understand 'TREND.MAX'\n");
}

/// A reader that has enough is no failure, however long the table is.
#[test]
fn a_closed_pipe_ends_a_table_in_silence() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("long.rrd").to_str().unwrap().to_owned();
    let gyre = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(words).current_dir(directory.path());
        command
    };
    let rows = "RRA:AVERAGE:0.5:1:100000";
    let create = ["create", &file, "-b", "1700000000", "-s", "1", "DS:x:GAUGE:9:U:U", rows];
    assert!(gyre(&create).status().unwrap().success());
    let span = ["-s", "1700000000", "-e", "1700090000", "--format", "csv"];
    let words = [&["calc"][..], &span, &["DEF:x=long.rrd:x:AVERAGE", "XPORT:x"]].concat();
    let mut child = gyre(&words)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
