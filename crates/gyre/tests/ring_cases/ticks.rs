//! Databases whose ticks are shorter than a second, through every door.

use std::io::{BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{done, gyre};

const START_SECONDS: u64 = 1_700_000_000;

/// Definition of a database of tenths of a second; rrdtool's of as many seconds.
const SPECS: [&str; 5] = [
    "DS:in:COUNTER:0.5:0:U",
    "DS:load:GAUGE:0.5:U:U",
    "RRA:AVERAGE:0.5:1:40",
    "RRA:MAX:0.5:10:20",
    "RRA:AVERAGE:0.5:20:10",
];
const SPECS_OF_SECONDS: [&str; 5] = [
    "DS:in:COUNTER:5:0:U",
    "DS:load:GAUGE:5:U:U",
    "RRA:AVERAGE:0.5:1:40",
    "RRA:MAX:0.5:10:20",
    "RRA:AVERAGE:0.5:20:10",
];

fn created(store: &Path) -> String {
    done(&["store", "create", store.to_str().unwrap()]);
    let name = store.join("deep/fine").to_str().unwrap().to_owned();
    let start = START_SECONDS.to_string();
    done(&[&["create", &name, "-b", &start, "--step", "0.1"], &SPECS[..]].concat());
    name
}

/// Tenths of a second since the start, the counter, the gauge.
fn samples() -> Vec<(u64, u64, u64)> {
    let missed = |tenth: &u64| tenth % 13 != 5 && !(60..75).contains(tenth);
    (1..=100).filter(missed).map(|tenth| (tenth, tenth * tenth, tenth % 7)).collect()
}

fn second(tenths: u64) -> String {
    format!("{}.{}", START_SECONDS + tenths / 10, tenths % 10)
}

/// The values of a fetch, without times.
fn values(text: &str) -> Vec<String> {
    let rows = text.lines().filter_map(|line| line.split_once(": "));
    rows.map(|(_, values)| values.replace("-nan", "nan")).collect()
}

#[test]
fn rows_are_those_of_rrdtool_where_a_second_is_a_tick() {
    let Some(rrdtool) = oracle::program("rrdtool", "ticks through create, update and fetch") else {
        return;
    };
    let rrdtool = |words: &[&str]| {
        let output = Command::new(&rrdtool).args(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let directory = tempfile::tempdir().unwrap();
    let fine = created(&directory.path().join("store"));
    let file = directory.path().join("seconds.rrd").to_str().unwrap().to_owned();
    let start = (START_SECONDS * 10).to_string();
    rrdtool(&[&["create", &file, "-b", &start, "--step", "1"], &SPECS_OF_SECONDS[..]].concat());
    for party in samples().chunks(9) {
        let ours = party.iter().map(|(at, count, load)| format!("{}:{count}:{load}", second(*at)));
        let theirs = party
            .iter()
            .map(|(at, count, load)| format!("{}:{}:{load}", START_SECONDS * 10 + at, count * 10));
        let (ours, theirs): (Vec<_>, Vec<_>) = (ours.collect(), theirs.collect());
        let words = |first: [&'static str; 1], name, samples: &'_ [String]| {
            let samples = samples.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
            format!("{} {name} {samples}", first[0])
        };
        // A process for each party: what was taken went through the log.
        done(&words(["update"], &fine, &ours).split(' ').collect::<Vec<_>>());
        rrdtool(&words(["update"], &file, &theirs).split(' ').collect::<Vec<_>>());
    }
    for (cf, ours, theirs) in [("AVERAGE", "0.1", "1"), ("MAX", "1", "10"), ("AVERAGE", "2", "20")]
    {
        let span = |scale: u64| {
            [START_SECONDS * scale, (START_SECONDS + 10) * scale].map(|it| it.to_string())
        };
        let ([from, to], [their_from, their_to]) = (span(1), span(10));
        let found = done(&["fetch", &fine, cf, "-r", ours, "-s", &from, "-e", &to]);
        let expected =
            rrdtool(&["fetch", &file, cf, "-r", theirs, "-s", &their_from, "-e", &their_to]);
        assert_eq!(values(&found), values(&expected), "{cf} {ours}");
        assert!(values(&found).iter().any(|row| !row.contains("nan")), "{found}");
    }
    let info = done(&["info", &fine]);
    for line in ["tick = 0.1\n", "step = 0.1\n", "ds[in].minimal_heartbeat = 0.5\n"] {
        assert!(info.contains(line), "{info}");
    }
    assert_eq!(done(&["last", &fine]), format!("{}\n", second(100)));
    assert!(done(&["lastupdate", &fine]).contains(&format!("{}: 10000 2", second(100))));
    done(&["tune", &fine, "-h", "load:0.7"]);
    assert!(done(&["info", &fine]).contains("ds[load].minimal_heartbeat = 0.7\n"));
}

#[test]
fn what_cannot_say_a_tick_refuses_it_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    let fine = created(&store);
    let root = store.to_str().unwrap();
    let out = directory.path().join("out").to_str().unwrap().to_owned();
    let file = directory.path().join("a.rrd").to_str().unwrap().to_owned();
    let other = store.join("other").to_str().unwrap().to_owned();
    let beyond = "its tick is 0.1 s";
    let source = ["DS:x:GAUGE:1:U:U", "RRA:LAST:0.5:1:9"];
    for (words, told) in [
        (&["dump", &fine][..], beyond),
        (&["export", root, "--all", &out], beyond),
        (&["create", &file, "--step", "0.1", source[0], source[1]], beyond),
        (
            &["create", &other, "--step", "100ms", source[0], source[1]],
            "say milliseconds as seconds",
        ),
        (&["create", &other, "--step", "0.25", "--tick", "0.1", source[0], source[1]], "no whole"),
        (&["create", &other, "--tick", "0.3", source[0], source[1]], "tick 0.3: expected 1, 0.1"),
        (&["update", &fine, "1700000000.25:1:1"], "is between two ticks of 0.1 s"),
        (&["update", &fine, "1700000000.1000001:1:1"], "more than six digits"),
        (&["update", &fine, "1700000000:1:1"], "minimum one tick of 0.1 s"),
    ] {
        let (code, text) = gyre(words);
        assert!(code == Some(1) && text.contains(told), "{words:?}: {text}");
    }
    assert!(!Path::new(&file).exists());
    assert_eq!(done(&["store", "list", root]), "deep/fine\n");
    // Called as rrdtool, 100ms are a hundred minutes, and a fraction is no step.
    let rrdtool = directory.path().join("rrdtool");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gyre"), &rrdtool).unwrap();
    let rrdtool = |words: &[&str]| {
        let output = Command::new(&rrdtool).args(words).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let create = |step: &str| rrdtool(&["create", &other, "--step", step, source[0], source[1]]);
    assert_eq!(create("0.1"), "ERROR: step size: value must be positive\n");
    assert_eq!(create("100ms"), "");
    assert!(rrdtool(&["info", &other]).contains("step = 6000\n"));
    assert!(rrdtool(&["create", &other, "--tick", "1", source[0]]).contains("tick"));
}

#[test]
fn whole_seconds_are_exported_and_a_backup_keeps_all() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    let fine = created(&store);
    let texts = samples();
    let texts = texts.iter().map(|(at, count, load)| format!("{}:{count}:{load}", second(*at)));
    let texts: Vec<String> = texts.collect();
    let update: Vec<&str> =
        ["update", &*fine].into_iter().chain(texts.iter().map(String::as_str)).collect();
    done(&update);
    let (root, out) = (store.to_str().unwrap(), directory.path().join("out"));
    let (code, text) = gyre(&["export", root, "--whole-seconds", "--all", out.to_str().unwrap()]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("deep/fine: not in its file: RRA[0], AVERAGE of 0.1 s"), "{text}");
    let file = out.join("deep/fine").to_str().unwrap().to_owned();
    let span = ["-s", "1700000000", "-e", "1700000007"];
    let rows = |name: &str, step: &str| {
        values(&done(&[&["fetch", name, "MAX", "-r", step], &span[..]].concat()))
    };
    assert_eq!(rows(&file, "1"), rows(&fine, "1"));
    assert!(rows(&file, "1").iter().any(|row| !row.contains("nan")));
    if let Some(rrdtool) = oracle::program("rrdtool", "the file of whole seconds") {
        let words = [&["fetch", &file, "MAX", "-r", "1"], &span[..]].concat();
        let output = Command::new(rrdtool).args(words).output().unwrap();
        assert_eq!(values(&String::from_utf8(output.stdout).unwrap()), rows(&fine, "1"));
    }
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (copies, back) = (place("copies"), place("back"));
    done(&["backup", root, &copies]);
    done(&["restore", &copies, &back]);
    let again = format!("{back}/deep/fine");
    let facts = |name: &str| done(&["info", name]).replace(name, "");
    assert_eq!(facts(&again), facts(&fine));
    let fetched =
        |name: &str| done(&[&["fetch", name, "AVERAGE", "-r", "0.1"], &span[..]].concat());
    assert_eq!(fetched(&again), fetched(&fine));
}

/// A daemon over a store, until it is dropped.
struct Daemon {
    child: Child,
    socket: std::path::PathBuf,
}

impl Daemon {
    fn start(directory: &Path, store: &Path) -> Self {
        let socket = directory.join("socket");
        let listens = format!("unix:{}", socket.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["rrdcached", "-g", "-l", &listens, "--store"]).arg(store);
        command.arg("-b").arg(store).arg("-p").arg(directory.join("pid")).stdin(Stdio::null());
        let child = command.spawn().unwrap();
        let begun = Instant::now();
        while UnixStream::connect(&socket).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the daemon does not come up");
            std::thread::sleep(Duration::from_millis(5));
        }
        Self { child, socket }
    }

    fn say(&self, lines: &str) -> String {
        let mut stream = UnixStream::connect(&self.socket).unwrap();
        stream.write_all(format!("{lines}QUIT\n").as_bytes()).unwrap();
        let mut told = String::new();
        BufReader::new(stream).read_to_string(&mut told).unwrap();
        told
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_daemon_takes_several_updates_a_second() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    let fine = created(&store);
    let daemon = Daemon::start(directory.path(), &store);
    let address = format!("unix:{}", daemon.socket.display());
    let told = daemon.say(&format!(
        "UPDATE deep/fine {}:5:1 {}:7:2\nFETCH deep/fine AVERAGE\nFETCHBIN deep/fine AVERAGE\n\
         LAST deep/fine\nFIRST deep/fine 0\n",
        second(1),
        second(2),
    ));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 5, "{told}");
    assert!(lines[0].starts_with("0 "), "{told}");
    for (line, who) in lines[1..].iter().zip(["FETCH", "FETCHBIN", "LAST", "FIRST"]) {
        assert!(
            line.contains(&format!("its tick is 0.1 s, and {who} counts whole seconds")),
            "{line}"
        );
    }
    // Made through the daemon, in the words of the verb.
    let made = format!("{}/made", store.display());
    let words = ["create", &made, "-d", &address, "--step", "0.001", "-b", "1700000000"];
    done(&[&words[..], &["DS:x:GAUGE:9:U:U", "RRA:LAST:0.5:1:9"]].concat());
    for value in ["1", "2", "3"] {
        // Three within a second, each at its own microsecond.
        done(&["update", &made, "-d", &address, &format!("N:{value}")]);
        std::thread::sleep(Duration::from_millis(2));
    }
    let info = daemon.say(&format!(
        "INFO {made}
"
    ));
    assert!(
        info.contains(
            "tick 2 0.001
"
        ),
        "{info}"
    );
    // The store is the daemon's; the verbs ask it.
    assert!(done(&["lastupdate", &made]).ends_with(": 3\n"));
    let rows = done(&["fetch", &fine, "AVERAGE", "-s", "1700000000", "-e", "1700000001"]);
    assert!(rows.contains(&format!("{}: 2.0000000000e+01 2.0", second(2))), "{rows}");
    let (code, text) = gyre(&["dump", &fine]);
    assert!(code == Some(1) && text.contains("its tick is 0.1 s"), "{text}");
}
