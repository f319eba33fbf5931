//! `gyre export --format` and `gyre calc --format`: other programs read every value, and which ones
//! are unknown.
#![allow(clippy::disallowed_methods)] // the test starts the programs

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use files::RrdFiles;
use store::Store as _;

const START: i64 = 1_700_006_400;
/// How long a database may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
const READ: &str = include_str!("tables_read.py");

fn gyre(directory: &Path, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words.split_whitespace()).current_dir(directory).env("TZ", "UTC");
    command.env_remove("RRDCACHED_ADDRESS").stdin(Stdio::null()).output().unwrap()
}

fn done(directory: &Path, words: &str) -> String {
    let output = gyre(directory, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{words}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(directory: &Path, words: &str) -> String {
    let output = gyre(directory, words);
    assert!(!output.status.success(), "{words}");
    String::from_utf8(output.stderr).unwrap().trim_end().to_owned()
}

/// A ring store `S`, and the same databases as files below `T`.
fn place() -> tempfile::TempDir {
    place_of(&["e297", "e-290"], 7.0)
}

/// The same with these exponents for some of the values, and the others divided by a number.
fn place_of(exponents: &[&str; 2], divisor: f64) -> tempfile::TempDir {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = place.path();
    fs::create_dir_all(at.join("T/sub")).unwrap();
    for (nth, name) in ["a.rrd", "b,c.rrd", "sub/d.rrd", "e.rrd", "f.rrd"].into_iter().enumerate() {
        done(
            at,
            &format!(
                "create T/{name} -b {START} -s 10 DS:in:GAUGE:20:U:U DS:out:GAUGE:20:U:U \
                 RRA:AVERAGE:0.5:1:100 RRA:MAX:0.5:6:30"
            ),
        );
        let mut update = format!("update T/{name}");
        for step in 1..=90_i64 {
            let value = match (step + nth as i64) % 9 {
                0 => "U".into(),
                1 => format!("{}{}", step * 3, exponents[0]),
                2 => format!("-{step}{}", exponents[1]),
                _ => format!("{}", (step * 7919 % 1000) as f64 / divisor),
            };
            let _ = write!(update, " {}:{value}:{}", START + step * 10, step * 3);
        }
        done(at, &update);
    }
    done(at, "import S T");
    place
}

/// Where a value belongs: name, source, function, length of a row, time.
type Key = String;

/// All values of the files, as their bits; unknown ones as the word null.
fn expected(directory: &Path) -> BTreeMap<Key, String> {
    let files = RrdFiles::below(&directory.join("T"));
    let mut all = BTreeMap::new();
    for name in files.names("").unwrap() {
        let whole = files.snapshot(Path::new(&name)).unwrap();
        let sources = whole.definition.sources.len();
        for (nth, archive) in whole.definition.archives.iter().enumerate() {
            let row_seconds = archive.row_seconds(whole.definition.step_seconds) as i64;
            let rows = whole.rows[nth].chunks(sources);
            let first_end = whole.newest_row_seconds(nth) - (rows.len() as i64 - 1) * row_seconds;
            for (row, values) in rows.enumerate() {
                let time = first_end + row as i64 * row_seconds;
                for (source, value) in whole.definition.sources.iter().zip(values) {
                    let (source, function) = (&source.name, archive.cf.name());
                    let key = format!("{name}\t{source}\t{function}\t{row_seconds}\t{time}");
                    let bits = format!("{:016x}", value.to_bits());
                    all.insert(key, if value.is_nan() { "null".into() } else { bits });
                }
            }
        }
    }
    assert_eq!(all.len(), 5 * 2 * (100 + 30));
    all
}

/// What a program of Python's reads: the same lines.
fn read(python: &Path, words: &[&str], directory: &Path) -> BTreeMap<Key, String> {
    let mut command = Command::new(python);
    command.args(["-c", READ]).args(words).current_dir(directory).env("TZ", "UTC");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| {
        let (key, value) = line.rsplit_once('\t').unwrap();
        (key.to_owned(), value.to_owned())
    });
    lines.collect()
}

fn compare(found: &BTreeMap<Key, String>, expected: &BTreeMap<Key, String>, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (key, value) in expected {
        assert_eq!(found.get(key), Some(value), "{what}: {key}");
    }
}

#[test]
fn rows_say_which_percentile_they_are() {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = place.path();
    done(at, "store create --sparse S");
    done(
        at,
        &format!(
            "create S/p -b {START} -s 10 DS:in:GAUGE:20:U:U RRA:AVERAGE:0.5:1:60 \
             RRA:PERCENTILE:0.5:6:10:50 RRA:PERCENTILE:0.5:6:10:95"
        ),
    );
    let mut update = "update S/p".to_owned();
    (1..=60).for_each(|step| {
        let _ = write!(update, " {}:{step}", START + step * 10);
    });
    done(at, &update);
    done(at, "export S --format csv --all csv");
    let text = fs::read_to_string(at.join("csv/part-000000.csv")).unwrap();
    for function in ["PERCENTILE50", "PERCENTILE95"] {
        assert_eq!(text.matches(&format!(",{function},60,")).count(), 10, "{text}");
        let words = format!(
            "calc -s {START} -e {} --format csv DEF:x=S/p:in:{function} XPORT:x",
            START + 600
        );
        assert!(done(at, &words).contains(&format!(",{function},60,")), "{words}");
    }
}

#[test]
fn other_programs_read_every_value() {
    let Some(python) = oracle::python_of_tests("tables read by DuckDB and pyarrow") else {
        return;
    };
    let place = place();
    let at = place.path();
    let expected = expected(at);
    assert!(expected.values().any(|value| value == "null"));
    for format in ["csv", "tsv", "json", "ndjson", "arrow", "parquet"] {
        let told = done(at, &format!("export S --format {format} --part 2 --all {format}"));
        assert!(told.starts_with("5 databases written, 1300 rows in "), "{told}");
        let files = format!("{format}/part-*.{format}");
        assert_eq!(fs::read_dir(at.join(format)).unwrap().count(), 4);
        for reader in ["duckdb", "pyarrow"] {
            let found = read(&python, &[reader, format, &files], at);
            compare(&found, &expected, &format!("{format} by {reader}"));
        }
    }
}

#[test]
fn a_database_of_metrics_takes_the_lines() {
    let what = "line protocol read by victoria-metrics";
    let Some(program) = oracle::program("victoria-metrics", what) else { return };
    let Some(python) = oracle::python_of_tests(what) else { return };
    // It keeps decimals with one exponent for a block, of 13 digits where they do not end before.
    let place = place_of(&["e3", "e0"], 8.0);
    let at = place.path();
    done(at, "export S --format line --all line");
    let port = oracle::free_port().to_string();
    let data = at.join("metrics");
    let mut server = Command::new(program)
        .arg(format!("-storageDataPath={}", data.display()))
        .arg(format!("-httpListenAddr=127.0.0.1:{port}"))
        .args(["-retentionPeriod=100y", "-loggerLevel=ERROR"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
        assert!(begun.elapsed() < PATIENCE, "victoria-metrics does not listen");
        thread::sleep(Duration::from_millis(20));
    }
    let found = std::panic::catch_unwind(|| {
        read(&python, &["metrics", &port, "line/part-000000.line"], at)
    });
    server.kill().unwrap();
    server.wait().unwrap();
    let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut expected = expected(at);
    // It has no unknown values, and stores decimals of its own.
    expected.retain(|_, value| value != "null");
    assert_eq!(found.len(), expected.len());
    for (key, bits) in expected {
        let value = f64::from_bits(u64::from_str_radix(&bits, 16).unwrap());
        let theirs = found.get(&key).unwrap_or_else(|| panic!("{key} is missing"));
        let theirs = f64::from_bits(u64::from_str_radix(theirs, 16).unwrap());
        let is_too_small = value.abs() < 1e-200 && theirs == 0.0;
        assert!(
            is_too_small || (theirs - value).abs() <= 1e-14 * value.abs(),
            "{key}: {theirs} {value}"
        );
    }
}

#[test]
fn rows_that_calc_makes_are_a_table_too() {
    let place = place();
    let at = place.path();
    let end = START + 900;
    let words = format!(
        "calc -s {} -e {end} --each S/**/*.rrd DEF:x={{}}:out:AVERAGE CDEF:d=x,2,* XPORT:d:twice \
         VDEF:m=x,MAXIMUM PRINT:m:%lf --format ndjson --output rows.ndjson",
        end - 30
    );
    let told = done(at, &words);
    assert_eq!(told.matches("270.000000\n").count(), 5, "{told}");
    let rows = fs::read_to_string(at.join("rows.ndjson")).unwrap();
    let first = "{\"name\":\"a.rrd\",\"source\":\"twice\",\"function\":\"AVERAGE\",\
                 \"row_seconds\":10,\"time\":\"2023-11-15T00:14:40Z\",\"value\":528.0}";
    assert_eq!(rows.lines().next().unwrap(), first);
    assert_eq!(rows.lines().count(), 15);
    assert!(!at.join("rows.ndjson.partial").exists());
}

#[test]
fn an_export_goes_on_and_refuses_what_it_cannot() {
    let place = place();
    let at = place.path();
    done(at, "export S --format csv --part 2 --all out");
    let whole: Vec<_> =
        (0..3).map(|nth| fs::read(at.join(format!("out/part-00000{nth}.csv"))).unwrap()).collect();
    fs::remove_file(at.join("out/part-000001.csv")).unwrap();
    fs::write(at.join("out/part-000001.csv.partial"), "half").unwrap();
    assert_eq!(
        refused(at, "export S --format csv --part 2 --all out"),
        "ERROR: out: expected no export, found one: --continue goes on with it"
    );
    let told = done(at, "export S --format csv --part 2 --all --continue out");
    assert!(told.starts_with("2 databases written, "), "{told}");
    for (nth, bytes) in whole.iter().enumerate() {
        let path = at.join(format!("out/part-00000{nth}.csv"));
        assert_eq!(&fs::read(path).unwrap(), bytes);
    }
    assert_eq!(fs::read_dir(at.join("out")).unwrap().count(), 4);
    for (words, error) in [
        (
            "export S --format csv --part 3 --all --continue out",
            "number of databases for each part",
        ),
        ("export S --format csv --part 2 --continue a.rrd out", "databases"),
        ("export S --format tsv --part 2 --all --continue out", "format"),
        ("export S --format csv --part 2 --function MAX --all --continue out", "rows"),
    ] {
        let told = refused(at, words);
        let expected = format!(
            "ERROR: out: expected the {error} with which the export began, found others: export to \
             another directory"
        );
        assert_eq!(told, expected, "{words}");
    }
    for (words, error) in [
        ("export S --format csv --all --continue none", "found none"),
        ("export S --format csv z* out2", "S: no name is like z*"),
        ("export S --format xml --all out2", "csv, tsv, json, ndjson, line, arrow or parquet"),
        ("export S --format csv --function MEAN --all out2", "MEAN"),
        ("export S --format csv --start never --all out2", "--start: expected a time, found never"),
        ("export S --all --continue out2", "--format with --function"),
    ] {
        let told = refused(at, words);
        assert!(told.contains(error), "{words}: {told}");
    }
    let told =
        done(at, &format!("export S --format csv --function MAX -s {} --all late", START + 890));
    // Rows of a minute: one of each source of five databases ends later.
    assert!(told.starts_with("5 databases written, 10 rows"), "{told}");
}

#[test]
fn a_full_disk_leaves_no_half_part() {
    let place = place();
    let at = place.path();
    fs::create_dir(at.join("out")).unwrap();
    // What is written to this device meets a full disk.
    let partial = at.join("out/part-000000.csv.partial");
    std::os::unix::fs::symlink("/dev/full", &partial).unwrap();
    let told = refused(at, "export S --format csv --part 2 --all out");
    assert!(told.contains("out/part-000000.csv: No space left on device\n"), "{told}");
    assert!(partial.symlink_metadata().is_err() && !at.join("out/part-000000.csv").exists());
    let manifest = fs::read_to_string(at.join("out/export.json")).unwrap();
    assert!(manifest.contains("\"is_whole\": false"), "{manifest}");
    done(at, "export S --format csv --part 2 --all --continue out");
    assert!(at.join("out/part-000000.csv").exists());
    let manifest = fs::read_to_string(at.join("out/export.json")).unwrap();
    assert!(manifest.contains("\"is_whole\": true"), "{manifest}");
}
