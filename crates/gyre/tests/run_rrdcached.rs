//! `gyre run --rrdcached`: clients read measured values from the measuring process, and write to
//! it.
#![allow(clippy::disallowed_methods)] // A network on loopback and processes.

mod running;
mod said;

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;

use running::{Run, answer, configure, gyre, network};

/// Adds to the network's targets one whose database is in no subdirectory of the store: rrdtool
/// asks for the real directory of a file before it asks the daemon.
fn with_flat_target(directory: &Path) {
    let path = directory.join("mrtg.cfg");
    let mut text = std::fs::read_to_string(&path).unwrap();
    let first = text.lines().find(|line| line.starts_with("Target[")).unwrap();
    let (_, poll) = first.split_once("]: ").unwrap();
    text += &format!("\nTarget[flat]: {poll}\nTitle[flat]: flat\nMaxBytes[flat]: 1000000000\n");
    std::fs::write(path, text).unwrap();
}

/// The output of a client that succeeds.
fn said_by(program: &Path, words: &[&str]) -> String {
    let mut command = Command::new(program);
    let output = command.args(words).env("LC_ALL", "C").env("TZ", "UTC").output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{words:?}: {text}");
    text
}

/// Rows with a known value.
fn known_rows(fetched: &str) -> Vec<&str> {
    let rows = fetched.lines().filter(|line| line.contains(": "));
    rows.filter(|row| !row.to_lowercase().contains("nan")).collect()
}

/// The databases with the names that a client uses, and the address to ask.
struct Seen<'a> {
    unix: &'a str,
    tcp: &'a str,
    flat: String,
    nested: String,
}

impl Seen<'_> {
    fn read_by(&self, program: &Path, directory: &Path) {
        for (address, name) in [(self.unix, self.flat.as_str()), (self.tcp, self.nested.as_str())] {
            let ask = |verb: &str, more: &[&str]| {
                said_by(program, &[&[verb, name, "--daemon", address], more].concat())
            };
            let fetched = ask("fetch", &["AVERAGE", "--start=-30"]);
            assert!(known_rows(&fetched).len() >= 2, "{fetched}");
            let last: i64 = ask("last", &[]).trim().parse().unwrap();
            assert!(last > 1_700_000_000, "{last}");
            assert!(ask("info", &[]).contains("ds[ds0].type = \"COUNTER\""));
            let picture = directory.join("graph.png");
            let definition = format!("DEF:in={name}:ds0:AVERAGE");
            let drawn = ["--start=-30", "--daemon", address, &definition, "LINE1:in#00ff00"];
            said_by(program, &[&["graph", picture.to_str().unwrap()], &drawn[..]].concat());
            let bytes = std::fs::read(&picture).unwrap();
            assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{}", bytes.len());
        }
    }

    /// Makes a database that no target has, and updates it.
    fn write_by(&self, program: &Path, database: &str) {
        let sources = ["DS:x:GAUGE:600:U:U", "RRA:LAST:0.5:1:10"];
        let make = ["create", database, "--daemon", self.unix, "--start=1700000040", "--step=60"];
        said_by(program, &[&make[..], &sources].concat());
        let samples = ["1700000100:5", "1700000160:7"];
        let update = ["update", database, "--daemon", self.unix];
        said_by(program, &[&update[..], &samples].concat());
        let fetch = ["fetch", database, "LAST", "--start=1700000040", "--end=1700000100"];
        let fetched = said_by(program, &[&fetch[..], &["--daemon", self.unix]].concat());
        let five = "1700000100: 5.0000000000e+00";
        assert!(known_rows(&fetched).contains(&five), "{fetched}");
    }
}

/// Reads and writes at a run whose databases are below `root`, while it measures, then ends it.
fn share_a_run(directory: &Path, root: &Path, more: &[&str]) {
    let network = network();
    configure(&network, directory);
    with_flat_target(directory);
    let socket = directory.join("sock");
    let unix = format!("unix:{}", socket.display());
    let sockets = ["--rrdcached=127.0.0.1:0", "--rrdcached", &unix];
    let narrow = ["-P", "PING", "--rrdcached=127.0.0.1:0"];
    let mut run = Run::start(directory, &[&sockets[..], &narrow, more].concat());
    let mut told = |words: &str| {
        let told = run.said.wait_for(&format!("rrdcached's protocol at {words}"));
        told.rsplit(' ').next().unwrap().to_owned()
    };
    let tcp = told("127.0.0.1:");
    told(&unix);
    let narrow = told("127.0.0.1:");
    run.said.wait_for("cycle 4: ");

    let ours = Path::new(env!("CARGO_BIN_EXE_gyre"));
    let names = said_by(ours, &["list", "-r", "--daemon", &tcp, "/"]);
    let nested = names.lines().find(|name| name.contains('/')).unwrap().to_owned();
    let path_of = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let seen = Seen { unix: &unix, tcp: &tcp, flat: path_of("flat.rrd"), nested };
    let mut written = vec![path_of("by_gyre.rrd")];
    seen.read_by(ours, directory);
    seen.write_by(ours, &written[0]);
    if let Some(rrdtool) = oracle::program("rrdtool", "that it reads what a run measures") {
        written.push(path_of("by_rrdtool.rrd"));
        seen.read_by(&rrdtool, directory);
        seen.write_by(&rrdtool, &written[1]);
    }
    let (is_well, told) = gyre(&["fetch", &seen.nested, "AVERAGE", "--daemon", &narrow]);
    assert!(!is_well && told.contains("Permission denied."), "{told}");

    // It ends in good order while clients are connected, and keeps all acknowledged samples.
    let mut idle = UnixStream::connect(&socket).unwrap();
    let mut ask = |line: &str| {
        idle.write_all(line.as_bytes()).unwrap();
        let mut reply = [0; 100];
        let count = idle.read(&mut reply).unwrap();
        String::from_utf8_lossy(&reply[..count]).into_owned()
    };
    let is_flushed = ask("FLUSH flat.rrd\n").starts_with("0 ");
    assert!(is_flushed && ask("PENDING flat.rrd\n").starts_with("0 "));
    let outside = ask("FLUSH /etc/passwd\n");
    assert!(outside.starts_with("-1 "), "{outside}");
    let before: i64 = said_by(ours, &["last", &seen.flat, "-d", &unix]).trim().parse().unwrap();
    let said = run.terminate();
    assert!(!said.contains("being worked on"), "{said}");
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    assert!(!socket.exists());
    let after: i64 = answer(&["last", &seen.flat]).trim().parse().unwrap();
    assert!(after >= before, "{after} {before}");
    for database in written {
        assert_eq!(answer(&["last", &database]).trim(), "1700000160");
    }
}

#[test]
fn clients_share_a_ring_store_with_a_run() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    share_a_run(directory.path(), &store, &[]);
    let json = answer(&["inspect", "--json", store.to_str().unwrap()]);
    assert!(json.contains("\"damage\": []"), "{json}");
}

#[test]
fn clients_share_files_with_a_run() {
    let directory = tempfile::tempdir().unwrap();
    share_a_run(directory.path(), directory.path(), &["--rrd-files"]);
}

/// If an address cannot be listened on, the run does not begin and leaves no socket.
#[test]
fn an_address_in_use_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let network = network();
    configure(&network, directory.path());
    let configuration = directory.path().join("mrtg.cfg");
    let [free, taken] = ["free", "taken"].map(|name| directory.path().join(name));
    let _listens = UnixListener::bind(&taken).unwrap();
    let (free_address, taken_address) = (free.to_str().unwrap(), taken.to_str().unwrap());
    let sockets = ["--rrdcached", free_address, "--rrdcached", taken_address];
    let words = [&["run", "--once", "--no-web", configuration.to_str().unwrap()], &sockets[..]];
    let (is_well, told) = gyre(&words.concat());
    let named = format!("gyre run: listening on {taken_address}: Address already in use\n");
    assert!(!is_well && told.ends_with(&named), "{told}");
    assert!(!free.exists() && taken.exists());
}
