//! The client against Debian's rrdcached: every request, and what becomes of the files.
#![allow(clippy::disallowed_methods)] // the test starts programs

use std::path::{Path, PathBuf};
use std::process::Command;

use oracle::Rrdcached;
use rrdcached::{Client, Creation, Error, Fact, FactValue, Shared};

/// Daemon, directory of its files, and what holds both.
struct Room {
    program: PathBuf,
    daemon: Option<Rrdcached>,
    directory: tempfile::TempDir,
}

const START_SECONDS: i64 = 1_000_000_000;

impl Room {
    fn new(further_options: &[&str]) -> Option<Self> {
        let program = oracle::program("rrdcached", "the client of its protocol")?;
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("base")).unwrap();
        let mut room = Self { program, daemon: None, directory };
        room.start(further_options);
        Some(room)
    }

    fn start(&mut self, further_options: &[&str]) {
        self.daemon = None;
        let (room, base) = (self.directory.path(), self.base());
        self.daemon = Some(Rrdcached::start(&self.program, room, &base, further_options));
    }

    fn base(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("base")
    }

    fn file(&self, name: &str) -> String {
        self.base().join(name).into_os_string().into_string().unwrap()
    }

    fn local(&self) -> Client {
        Client::connect(&self.daemon.as_ref().unwrap().local_address()).unwrap()
    }

    fn network(&self) -> Client {
        Client::connect(&self.daemon.as_ref().unwrap().network_address()).unwrap()
    }
}

fn create(client: &mut Client, path: &str) {
    let creation = Creation {
        units: Some(rrd::spec::Units::of_seconds(60)),
        start_seconds: Some(START_SECONDS),
        definition: &["DS:a:GAUGE:120:U:U", "DS:b:GAUGE:120:U:U", "RRA:LAST:0.5:1:10"],
        ..Creation::default()
    };
    client.create(path, &creation).unwrap();
}

fn refusal<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    match answer {
        Err(Error::Refused { message, .. }) => message,
        other => panic!("expected a refusal, found {other:?}"),
    }
}

fn rrdtool(words: &[&str], path: &Path) -> String {
    let mut command = Command::new("rrdtool");
    let output = command.args(words).arg(path).env("LC_ALL", "C").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn asks_everything() {
    let Some(room) = Room::new(&[]) else { return };
    let mut client = room.local();
    let path = &room.file("a b\\c.rrd");
    client.ping().unwrap();
    create(&mut client, path);
    client.update(path, &["1000000060:0.1:-3", "1000000120:nan:1e300"]).unwrap();
    assert_eq!(client.pending(path).unwrap().len(), 2);
    let late = refusal(client.update(path, &["1000000180:1:1", "1000000060:1:1"]));
    assert!(late.starts_with("illegal attempt to update using time 1000000060"), "{late}");
    assert_eq!(client.pending(path).unwrap().len(), 3, "those before it are taken");

    let series = client.fetch(path, "LAST", START_SECONDS, START_SECONDS + 200).unwrap();
    assert_eq!((series.start_seconds, series.step_seconds, series.rows()), (999_999_960, 60, 5));
    assert_eq!(series.source_names, ["a", "b"]);
    let unknown = series.values.iter().filter(|value| value.is_nan());
    assert!(unknown.clone().count() > 0);
    assert!(unknown.into_iter().all(|value| value.to_bits() == rrd::UNKNOWN.to_bits()));
    assert_eq!(series.values[2], 0.1);

    let facts = client.info(path).unwrap();
    let last = Fact { key: "last_update".into(), value: FactValue::Count(1_000_000_180) };
    assert!(facts.contains(&last));
    let told = rrdtool(&["info"], Path::new(path)).lines().count();
    assert_eq!(facts.len(), told);
    assert_eq!(client.first(path, 0).unwrap(), 999_999_600);
    assert!(refusal(client.first(path, 7)).contains("invalid rraindex"));
    assert_eq!(client.last(path).unwrap(), 1_000_000_140);

    client.update(path, &["N:1:1"]).unwrap();
    client.forget(path).unwrap();
    assert_eq!(refusal(client.forget(path)), "No such file or directory");
    client.flush(path).unwrap();
    client.flush_all().unwrap();
    assert_eq!(client.list("/", false).unwrap(), ["a b\\c.rrd"]);
    assert_eq!(client.list("/", true).unwrap(), ["a b\\c.rrd"]);
    let counted = client.statistics().unwrap();
    assert!(counted.get("UpdatesReceived") >= Some(3), "{counted:?}");
    let keep =
        Creation { no_overwrite: true, definition: &["RRA:LAST:0:1:1"], ..Creation::default() };
    refusal(client.create(path, &keep));
}

#[test]
fn a_daemon_elsewhere_is_told_relative_paths() {
    let Some(room) = Room::new(&[]) else { return };
    let mut client = room.network();
    create(&mut client, "a.rrd");
    client.update("a.rrd", &["1000000060:1:2"]).unwrap();
    client.flush("a.rrd").unwrap();
    assert_eq!(rrdtool(&["last"], &room.base().join("a.rrd")), "1000000060\n");
    assert!(matches!(client.flush("/a.rrd"), Err(Error::AbsolutePath)));
}

#[test]
fn goes_on_with_a_daemon_that_was_restarted() {
    let Some(mut room) = Room::new(&[]) else { return };
    let mut client = room.local();
    let path = &room.file("a.rrd");
    create(&mut client, path);
    for at in 1..4 {
        room.start(&[]);
        client.update(path, &[&format!("{}:1:2", START_SECONDS + at)]).unwrap();
        room.daemon.as_ref().unwrap();
        client.flush(path).unwrap();
    }
    room.daemon = None;
    assert!(client.ping().unwrap_err().is_unconnected());
    room.start(&[]);
    client.ping().unwrap();
    assert_eq!(rrdtool(&["last"], Path::new(path)), "1000000003\n");
}

#[test]
fn fetches_text_where_nothing_else_is_permitted() {
    let Some(mut room) = Room::new(&[]) else { return };
    let path = room.file("a.rrd");
    let mut client = room.local();
    create(&mut client, &path);
    let readings = ["0.1", "-1e-300", "inf", "123456789.123456789", "1e22"];
    for (nth, reading) in readings.iter().enumerate() {
        let seconds = START_SECONDS + 20 + 60 * (nth as i64 + 1);
        client.update(&path, &[&format!("{seconds}:{reading}:0")]).unwrap();
    }
    let exact = client.fetch(&path, "LAST", START_SECONDS, START_SECONDS + 600).unwrap();
    room.start(&["-P", "FETCH", "-l", &format!("unix:{}/few", room.directory.path().display())]);
    let few = format!("unix:{}/few", room.directory.path().display());
    let mut limited = connect_soon(&few);
    assert_eq!(refusal(limited.ping()), "Permission denied.");
    let text = limited.fetch(&path, "LAST", START_SECONDS, START_SECONDS + 600).unwrap();
    let bits = |series: &rrd::Series| -> Vec<u64> {
        series.values.iter().map(|value| value.to_bits()).collect()
    };
    assert_eq!(bits(&text), bits(&exact));
    assert_eq!(exact.values[2], 0.1);
}

#[test]
fn many_samples_take_several_lines() {
    let Some(room) = Room::new(&[]) else { return };
    let mut client = room.local();
    let path = &room.file("a.rrd");
    create(&mut client, path);
    let samples: Vec<String> =
        (1..=2000).map(|at| format!("{}:{at}:{at}", START_SECONDS + at)).collect();
    let words: Vec<&str> = samples.iter().map(String::as_str).collect();
    client.update(path, &words).unwrap();
    client.flush(path).unwrap();
    assert_eq!(rrdtool(&["last"], Path::new(path)), "1000002000\n");
    let wide = format!("1000003000:{}:1", "0".repeat(4096));
    assert!(matches!(client.update(path, &[&wide]), Err(Error::TooLong { .. })));
    client.update(path, &["1000003000:1:1"]).unwrap();
}

#[test]
fn threads_take_turns() {
    let Some(room) = Room::new(&[]) else { return };
    let address = room.daemon.as_ref().unwrap().local_address();
    let shared = Shared::default();
    assert!(matches!(shared.ask(Client::ping), Err(Error::NotConnected)));
    assert!(shared.connect(Some(&address)).unwrap());
    assert!(shared.is_connected(Some(&address)) && shared.is_any_connected());
    assert!(!shared.is_connected(Some("unix:/elsewhere")));
    assert!(!shared.connect(Some("")).unwrap(), "an empty address is none");
    std::thread::scope(|scope| {
        for name in ["a.rrd", "b.rrd", "c.rrd", "d.rrd"] {
            let (shared, path) = (&shared, room.file(name));
            scope.spawn(move || {
                shared
                    .ask(|client| {
                        create(client, &path);
                        Ok(())
                    })
                    .unwrap();
                for at in 1..=100 {
                    let sample = format!("{}:{at}:2", START_SECONDS + 60 * at);
                    shared.ask(|client| client.update(&path, &[&sample])).unwrap();
                }
                let (from, to) = (START_SECONDS + 5940, START_SECONDS + 5950);
                let series = shared.ask(|client| client.fetch(&path, "LAST", from, to)).unwrap();
                assert_eq!(series.values[1], 2.0, "{name}");
            });
        }
    });
    shared.disconnect();
    assert!(!shared.is_any_connected());
}

#[test]
fn says_why_there_is_no_connection() {
    for (address, words) in [
        ("unix:/none/rrdcached.sock", "No such file or directory"),
        ("[::1", "malformed address: [::1"),
        ("unix:", "Connection refused"),
        (
            "127.0.0.1:x",
            "failed to resolve address '127.0.0.1' (port x): Servname not supported for ai_socktype (-8)",
        ),
        (":1", "failed to resolve address '' (port 1): Name or service not known (-2)"),
    ] {
        let error = Client::connect(address).unwrap_err();
        assert!(error.is_unconnected());
        assert_eq!(error.to_string(), format!("Unable to connect to rrdcached: {words}"));
    }
}

/// A daemon listens at its further sockets a moment after the first.
fn connect_soon(address: &str) -> Client {
    for _ in 0..200 {
        match Client::connect(address) {
            Ok(client) => return client,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(25)),
        }
    }
    panic!("the daemon listens");
}
