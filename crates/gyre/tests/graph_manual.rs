//! docs/graph.md: each of its commands runs over databases that are always the same. Its pictures
//! are those that the commands draw, and the text below a command is what the command prints.
//! `GYRE_BLESS=1 cargo test -p gyre --test as_rrdtool graph_manual` rewrites the pictures; look at what
//! changed before you commit it.
#![allow(clippy::disallowed_methods)] // the test reads the manual and starts gyre

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The end of all databases: the midnight at which Monday, 21 September 2026 begins, UTC.
const END_SECONDS: i64 = 1_789_948_800;
const STEP_SECONDS: i64 = 900;
const DAYS: i64 = 40;
/// Updates of one command.
const UPDATES_AT_ONCE: usize = 2000;

/// Kilobytes a second that come in at each hour of a day.
const DAY: [i64; 24] = [
    900, 700, 520, 430, 400, 420, 600, 1100, 1900, 2600, 3000, 3200, 3100, 3000, 3150, 3100, 2900,
    2700, 2800, 3000, 3100, 2700, 2000, 1400,
];

/// A command of the manual.
struct Shown {
    /// As it is typed, on one line.
    command: String,
    /// What it prints; empty if the manual does not tell.
    printed: Vec<String>,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("docs")
}

/// The commands of a page: lines of code behind a `$`. A command goes on behind a backslash.
fn commands(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let (mut goes_on, mut is_behind) = (false, false);
    for line in page.lines() {
        let Some(code) = line.strip_prefix("    ") else {
            (goes_on, is_behind) = (false, false);
            continue;
        };
        let part = code.strip_suffix('\\').unwrap_or(code);
        if let Some(begin) = part.strip_prefix("$ ") {
            shown.push(Shown { command: begin.to_owned(), printed: Vec::new() });
            is_behind = true;
        } else if let (true, Some(last)) = (goes_on, shown.last_mut()) {
            last.command.push_str(part.trim_start());
        } else if let (true, Some(last)) = (is_behind, shown.last_mut()) {
            last.printed.push(code.to_owned());
        }
        goes_on = code.ends_with('\\');
    }
    shown
}

/// The pictures that a page shows, by name.
fn pictures(page: &str) -> BTreeSet<String> {
    let parts = page.split("](images/graph/").skip(1);
    parts.map(|part| part.split(')').next().unwrap().to_owned()).collect()
}

/// A number below `below` that follows from others.
fn noise(time: i64, salt: u64, below: i64) -> i64 {
    let mixed = (time as u64 / 300).wrapping_add(salt << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed >> 33) as i64) % below
}

/// Bytes a second that the day's course gives at a time, without noise.
fn course(time: i64) -> i64 {
    let seconds = time.rem_euclid(86_400);
    let (hour, within) = ((seconds / 3600) as usize, seconds % 3600);
    let (from, to) = (DAY[hour], DAY[(hour + 1) % 24]);
    let kilobytes = from * 3600 + (to - from) * within;
    let weekend = matches!((time / 86_400 + 4) % 7, 0 | 6);
    kilobytes * 1000 / 3600 * if weekend { 6 } else { 10 } / 10
}

/// The readings of router.rrd, ping.rrd and disk.rrd. Nothing is known of an hour and a half of the
/// last day's morning.
fn readings(time: i64) -> [String; 3] {
    let since_end = END_SECONDS - time;
    if (70_000..75_400).contains(&since_end) {
        return ["U:U", "U:U", "U"].map(str::to_owned);
    }
    let incoming = course(time) * (80 + noise(time, 1, 40)) / 100;
    let outgoing = course(time - 3600) * (25 + noise(time, 2, 20)) / 100;
    let microseconds = 9000 + course(time) / 250 + noise(time, 3, 5000);
    let lost = if noise(time, 4, 7) == 0 { 1 + noise(time, 5, 4) } else { 0 };
    let day = DAYS - since_end / 86_400;
    let used = 610_000_000_000 + day * 6_500_000_000 + course(time) * 9000;
    [format!("{incoming}:{outgoing}"), format!("0.{microseconds:06}:{lost}"), used.to_string()]
}

/// A directory with the databases and gyre.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_gyre"), place.path().join("bin/gyre")).unwrap();
    let start = END_SECONDS - DAYS * 86_400;
    let sources = [["in", "out"].as_slice(), &["rtt", "loss"], &["used"]];
    for (nth, name) in ["router", "ping", "disk"].iter().enumerate() {
        let mut create = format!("gyre create {name}.rrd -b {start} -s {STEP_SECONDS}");
        for source in sources[nth] {
            let _ = write!(create, " DS:{source}:GAUGE:1800:0:U");
        }
        create.push_str(" RRA:AVERAGE:0.5:1:4000 RRA:AVERAGE:0.5:4:1000 RRA:MAX:0.5:4:1000");
        run(place.path(), &create);
        let times: Vec<i64> =
            (start + STEP_SECONDS..=END_SECONDS).step_by(STEP_SECONDS as usize).collect();
        for times in times.chunks(UPDATES_AT_ONCE) {
            let mut update = format!("gyre update {name}.rrd");
            for time in times {
                let _ = write!(update, " {time}:{}", readings(*time)[nth]);
            }
            run(place.path(), &update);
        }
    }
    place
}

/// What a command prints.
fn run(root: &Path, command: &str) -> String {
    let path = format!("{}:/usr/bin:/bin", root.join("bin").display());
    let mut shell = Command::new("bash");
    shell.args(["-c", command]).current_dir(root).env_clear();
    let output = shell.env("PATH", path).env("TZ", "UTC").env("LC_ALL", "C").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn pictures_are_what_the_commands_draw() {
    let page = fs::read_to_string(docs().join("graph.md")).unwrap();
    let place = place();
    let (mut drawn, mut stale) = (BTreeSet::new(), Vec::new());
    for Shown { command, printed } in commands(&page) {
        let told = run(place.path(), &command);
        if !printed.is_empty() && told.lines().ne(printed) {
            stale.push(format!("{command}\n{told}"));
        }
        let picture = command.split(' ').nth(2).filter(|name| name.ends_with(".svg"));
        let Some(name) = picture else { continue };
        assert!(drawn.insert(name.to_owned()), "{name} is drawn twice");
        let bytes = fs::read(place.path().join(name)).unwrap();
        let frozen = docs().join("images/graph").join(name);
        if std::env::var_os("GYRE_BLESS").is_some() {
            disk::create_parents(&frozen).unwrap();
            fs::write(&frozen, &bytes).unwrap();
        }
        if fs::read(&frozen).ok() != Some(bytes) {
            stale.push(name.to_owned());
        }
    }
    assert!(
        stale.is_empty(),
        "GYRE_BLESS=1 rewrites pictures that are not as drawn:\n{}",
        stale.join("\n")
    );
    assert_eq!(drawn, pictures(&page), "drawn, then shown");
    let files = fs::read_dir(docs().join("images/graph")).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), drawn, "the files, then the pictures drawn");
}

/// The manual tells of each option and each element of graphs.
#[test]
fn nothing_is_missing() {
    let page = fs::read_to_string(docs().join("graph.md")).unwrap();
    for naming in graph::OPTIONS {
        let long = format!("`--{}", naming.long);
        assert!(page.contains(&long), "--{} is missing", naming.long);
    }
    let commands = commands(&page);
    for element in [
        "DEF",
        "CDEF",
        "VDEF",
        "LINE",
        "AREA",
        "STACK",
        "TICK",
        "HRULE",
        "VRULE",
        "PRINT",
        "GPRINT",
        "COMMENT",
        "TEXTALIGN",
        "SHIFT",
        "XPORT",
    ] {
        assert!(page.contains(&format!("\n### {element}\n")), "{element} has no section");
        let is_shown = |shown: &Shown| {
            shown.command.contains(&format!(" {element}:"))
                || shown.command.contains(&format!(" '{element}:"))
                || (element == "LINE" && shown.command.contains(" LINE"))
        };
        assert!(commands.iter().any(is_shown), "{element} is in no example");
    }
}

#[test]
fn commands_are_found() {
    let page = "text\n\n    $ gyre graph a.svg \\\n      LINE:a\n    printed\n\ntext\n";
    let found = commands(page);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].command, "gyre graph a.svg LINE:a");
    assert_eq!(found[0].printed, ["printed"]);
    assert_eq!(pictures("![a](images/graph/a.svg) and"), ["a.svg".to_owned()].into());
}
