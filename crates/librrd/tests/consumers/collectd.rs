//! collectd with its rrdtool plugin, and with its rrdcached plugin before either daemon.
//!
//! Values are put in through collectd's own socket, with their times, so that both libraries get
//! the same.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::daemon::{CROSSINGS, Daemon, address};
use crate::databases::dumps;
use crate::library::{BOTH, Library, assert_same, place};

const WHAT: &str = "collectd with our library";
const START_SECONDS: u64 = 1_700_000_000;
const STEP_SECONDS: u64 = 10;
const VALUES: u64 = 60;

/// collectd in a directory. It ends with the test, and by `timeout` in any case.
struct Collectd {
    process: Child,
    place: PathBuf,
}

impl Collectd {
    fn start(program: &Path, library: Library, place: &Path, plugin: &str) -> Self {
        let here = place.display();
        let configuration = format!(
            "Hostname \"example\"\nFQDNLookup false\nBaseDir \"{here}\"\nPIDFile \"{here}/pid\"\n\
             Interval {STEP_SECONDS}\nReadThreads 1\nWriteThreads 1\nTypesDB \"/usr/share/collectd/types.db\"\n\
             LoadPlugin logfile\n<Plugin logfile>\nLogLevel \"info\"\nFile \"{here}/log\"\n</Plugin>\n\
             LoadPlugin unixsock\n<Plugin unixsock>\nSocketFile \"{here}/values\"\n</Plugin>\n{plugin}"
        );
        fs::write(place.join("collectd.conf"), configuration).unwrap();
        let mut command = Command::new("timeout");
        command.args(["--foreground", "120"]).arg(program).arg("-f").arg("-C");
        command.arg(place.join("collectd.conf")).stdout(Stdio::null()).stderr(Stdio::null());
        library.set(&mut command);
        Self { process: command.spawn().unwrap(), place: place.into() }
    }

    /// Puts values in, as any program may, and has them written. One thread writes them in order:
    /// the database of the last one is made when all others are handed over.
    fn feed(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        let socket = loop {
            match UnixStream::connect(self.place.join("values")) {
                Ok(socket) => break socket,
                Err(error) => assert!(Instant::now() < deadline, "{error}: {}", self.log()),
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let mut replies = BufReader::new(socket.try_clone().unwrap());
        let mut ask = |line: &str| {
            (&socket).write_all(line.as_bytes()).unwrap();
            let mut reply = String::new();
            replies.read_line(&mut reply).unwrap();
            assert!(reply.starts_with("0 "), "{line}{reply}");
        };
        for nth in 0..VALUES {
            let time = START_SECONDS + nth * STEP_SECONDS;
            let put = |kind: &str, values: &str| {
                format!("PUTVAL example/test/{kind} interval={STEP_SECONDS} {time}:{values}\n")
            };
            ask(&put("gauge-wave", &format!("{}.5", nth % 7)));
            ask(&put("if_octets-eth0", &format!("{}:{}", nth * 1000, nth * nth)));
        }
        let end = START_SECONDS + VALUES * STEP_SECONDS;
        ask(&format!("PUTVAL example/test/gauge-last interval={STEP_SECONDS} {end}:1\n"));
        let last = self.place.join("data/example/test/gauge-last.rrd");
        while !last.exists() {
            assert!(Instant::now() < deadline, "{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        ask("FLUSH\n");
    }

    fn log(&self) -> String {
        fs::read_to_string(self.place.join("log")).unwrap_or_default()
    }

    /// Has it end, which writes what it still holds.
    fn end(mut self) -> String {
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let status = self.process.wait().unwrap();
        let log = self.log();
        assert!(status.success(), "{status}\n{log}");
        log
    }
}

impl Drop for Collectd {
    fn drop(&mut self) {
        if let Ok(None) = self.process.try_wait() {
            let _ = Command::new("kill").arg(self.process.id().to_string()).status();
            let _ = self.process.wait();
        }
    }
}

#[test]
fn collectd_writes_the_same_files() {
    let (Some(collectd), Some(rrdtool)) =
        (oracle::program("collectd", WHAT), oracle::program("rrdtool", WHAT))
    else {
        return;
    };
    let kept = BOTH.map(|library| {
        let place = place();
        let data = place.path().join("data");
        let plugin = format!(
            "LoadPlugin rrdtool\n<Plugin rrdtool>\nDataDir \"{}\"\nCreateFilesAsync false\n\
             CacheTimeout 30\nCacheFlush 60\nWritesPerSecond 1000\n</Plugin>\n",
            data.display()
        );
        let collectd = Collectd::start(&collectd, library, place.path(), &plugin);
        collectd.feed();
        let log = collectd.end();
        assert!(!log.contains("failed"), "{library:?}: {log}");
        dumps(&rrdtool, &data)
    });
    assert_kept(&kept);
}

#[test]
fn collectd_writes_the_same_through_rrdcached() {
    let (Some(collectd), Some(rrdtool)) =
        (oracle::program("collectd", WHAT), oracle::program("rrdtool", WHAT))
    else {
        return;
    };
    let kept = CROSSINGS.map(|(library, whose)| {
        let place = place();
        let daemon = Daemon::start(whose, place.path())?;
        let data = place.path().join("data");
        fs::create_dir(&data).unwrap();
        let plugin = format!(
            "LoadPlugin rrdcached\n<Plugin rrdcached>\nDaemonAddress \"{}\"\nDataDir \"{}\"\n\
             CreateFiles true\nCreateFilesAsync false\nCollectStatistics true\n</Plugin>\n",
            address(place.path()),
            data.display()
        );
        let collectd = Collectd::start(&collectd, library, place.path(), &plugin);
        collectd.feed();
        let log = collectd.end();
        assert!(!log.contains("failed"), "{library:?}: {log}");
        flush(place.path());
        drop(daemon);
        Some(dumps(&rrdtool, &data))
    });
    let [Some(debian), others @ ..] = kept else { return };
    let (counted, debian) = measured(debian);
    assert!(!counted.is_empty());
    for (ours, crossing) in others.into_iter().zip(&CROSSINGS[1..]) {
        println!("{crossing:?}");
        let ours = measured(ours.expect("Debian's daemon was there before"));
        assert_eq!(ours.0, counted);
        assert_kept(&[debian.clone(), ours.1]);
    }
}

/// What the daemon counts is told with the time of day: that all have it is all to compare.
fn measured(kept: BTreeMap<String, String>) -> (Vec<String>, BTreeMap<String, String>) {
    let (of_daemon, measured): (BTreeMap<_, _>, BTreeMap<_, _>) =
        kept.into_iter().partition(|(name, _)| name.contains("rrdcached"));
    (of_daemon.into_keys().collect(), measured)
}

/// Has the daemon write what it holds.
fn flush(place: &Path) {
    let socket = UnixStream::connect(place.join("socket")).unwrap();
    for name in ["gauge-last", "gauge-wave", "if_octets-eth0"] {
        let file = place.join("data/example/test").join(name);
        (&socket).write_all(format!("FLUSH {}.rrd\n", file.display()).as_bytes()).unwrap();
        let mut reply = String::new();
        BufReader::new(&socket).read_line(&mut reply).unwrap();
        assert!(reply.starts_with("0 "), "{reply}");
    }
}

fn assert_kept([debian, ours]: &[BTreeMap<String, String>; 2]) {
    let names: Vec<&String> = debian.keys().collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(ours.keys().collect::<Vec<_>>(), names);
    assert!(debian["example/test/gauge-wave.rrd"].contains("<v>3.5"));
    assert!(debian["example/test/if_octets-eth0.rrd"].contains("<v>1.0000000000e+02</v>"));
    for (name, dump) in debian {
        assert_same(dump, &ours[name]);
    }
}
