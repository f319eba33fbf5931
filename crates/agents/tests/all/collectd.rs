//! Debian's collectd, with the plugins by which it sends values elsewhere.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use agents::Collectd;
use intake::Protocol;
use rustix::process::{Pid, Signal, kill_process};
use senders::collectd::Level;

use crate::world::{BOTH, World, now_seconds};

const WHAT: &str = "values of collectd itself";
const STEP_SECONDS: i64 = 10;
const VALUES: i64 = 30;

/// collectd in a directory. It ends with the test, and by `timeout` in any case.
struct Daemon {
    process: Child,
    place: PathBuf,
}

impl Daemon {
    fn start(program: &Path, place: &Path, plugin: &str) -> Self {
        let here = place.display();
        let configuration = format!(
            "Hostname \"example\"\nFQDNLookup false\nBaseDir \"{here}\"\nPIDFile \"{here}/pid\"\n\
             Interval {STEP_SECONDS}\nReadThreads 1\nWriteThreads 1\n\
             TypesDB \"{types}\"\n\
             LoadPlugin logfile\n<Plugin logfile>\nLogLevel \"info\"\nFile \"{here}/log\"\n</Plugin>\n\
             LoadPlugin unixsock\n<Plugin unixsock>\nSocketFile \"{here}/values\"\n</Plugin>\n{plugin}",
            types = Collectd::TYPES_FILE,
        );
        fs::write(place.join("collectd.conf"), configuration).unwrap();
        let mut command = Command::new("timeout");
        command.args(["--foreground", "120"]).arg(program).arg("-f").arg("-C");
        command.arg(place.join("collectd.conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { process: command.spawn().unwrap(), place: place.into() }
    }

    /// Puts values in, as any program may, and has them sent.
    fn feed(&self, begin: i64) {
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
            let time = begin + nth * STEP_SECONDS;
            let mut put = |kind: &str, values: &str| {
                ask(&format!(
                    "PUTVAL example/test/{kind} interval={STEP_SECONDS} {time}:{values}\n"
                ));
            };
            put("gauge-wave", &format!("{}.5", nth % 7));
            put("if_octets-eth0", &format!("{}:{}", nth * 1000, nth * nth));
        }
        // One thread writes them in order; then they are sent, whether or not a packet is full.
        std::thread::sleep(Duration::from_millis(200));
        ask("FLUSH\n");
    }

    fn log(&self) -> String {
        fs::read_to_string(self.place.join("log")).unwrap_or_default()
    }

    fn end(&mut self) {
        if let Ok(None) = self.process.try_wait() {
            let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
            let _ = kill_process(pid.unwrap(), Signal::TERM); // it may end at this moment
            let _ = self.process.wait();
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
    }
}

/// The last of the values, as databases have it.
fn assert_kept(world: &World, begin: i64, names: &[(&str, &[String])]) {
    let last = begin + (VALUES - 1) * STEP_SECONDS;
    for (name, readings) in names {
        assert_eq!(world.last(name), (last, readings.to_vec()), "{name}");
    }
    // collectd may have sent nothing else: it reads nothing here.
    let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    assert_eq!(world.names(), all);
}

#[test]
fn collectds_write_graphite_plugin_sends_its_values() {
    let Some(collectd) = oracle::program("collectd", WHAT) else { return };
    for kept in BOTH {
        let world = World::new(kept);
        let place = tempfile::tempdir().unwrap();
        let port = world.address(Protocol::Graphite).port();
        let plugin = format!(
            "LoadPlugin write_graphite\n<Plugin write_graphite>\n<Node \"gyre\">\n\
             Host \"127.0.0.1\"\nPort \"{port}\"\nProtocol \"tcp\"\nStoreRates false\n\
             AlwaysAppendDS false\nLogSendErrors true\n</Node>\n</Plugin>\n"
        );
        let daemon = Daemon::start(&collectd, place.path(), &plugin);
        let begin = now_seconds() - VALUES * STEP_SECONDS;
        daemon.feed(begin);
        world.wait_taken(Protocol::Graphite, 3 * VALUES as u64);
        assert_eq!(world.counts(Protocol::Graphite).wrong(), 0, "{:?}", world.told());
        let whole = |number: i64| vec![number.to_string()];
        assert_kept(
            &world,
            begin,
            &[
                ("example/test/gauge-wave.rrd", &[format!("{}.5", (VALUES - 1) % 7)]),
                ("example/test/if_octets-eth0/rx.rrd", &whole((VALUES - 1) * 1000)),
                ("example/test/if_octets-eth0/tx.rrd", &whole((VALUES - 1) * (VALUES - 1))),
            ],
        );
    }
}

#[test]
fn collectds_network_plugin_sends_its_values_at_each_level() {
    let (Some(collectd), Some(types)) =
        (oracle::program("collectd", WHAT), oracle::file(Collectd::TYPES_FILE, WHAT))
    else {
        return;
    };
    for (level, kept) in
        [Level::None, Level::Sign, Level::Encrypt].into_iter().zip(BOTH.into_iter().cycle())
    {
        let place = tempfile::tempdir().unwrap();
        let users = place.path().join("users");
        fs::write(&users, "# as collectd's AuthFile\nalice: rosebud\n").unwrap();
        let ours = Collectd::of_files(level, Some(&users), std::slice::from_ref(&types)).unwrap();
        let world = World::with(kept, |options| options.collectd = ours);
        let port = world.address(Protocol::Collectd).port();
        let plugin = format!(
            "LoadPlugin network\n<Plugin network>\n<Server \"127.0.0.1\" \"{port}\">\n\
             SecurityLevel \"{level:?}\"\nUsername \"alice\"\nPassword \"rosebud\"\n</Server>\n</Plugin>\n"
        );
        let daemon = Daemon::start(&collectd, place.path(), &plugin);
        let begin = now_seconds() - VALUES * STEP_SECONDS;
        daemon.feed(begin);
        world.wait_taken(Protocol::Collectd, 2 * VALUES as u64);
        assert_eq!(world.counts(Protocol::Collectd).wrong(), 0, "{level:?} {:?}", world.told());
        let octets = [(VALUES - 1) * 1000, (VALUES - 1) * (VALUES - 1)].map(|it| it.to_string());
        assert_kept(
            &world,
            begin,
            &[
                ("example/test/gauge-wave.rrd", &[format!("{}.5", (VALUES - 1) % 7)]),
                ("example/test/if_octets-eth0.rrd", &octets),
            ],
        );
        let header = world.store.header(Path::new("example/test/if_octets-eth0.rrd")).unwrap();
        let sources: Vec<&str> =
            header.definition.sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(sources, ["rx", "tx"]);
    }
}
