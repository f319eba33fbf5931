//! Answers against those of graphite-web over graphite-carbon: values go to a real carbon-cache as
//! lines, and come back through whisper's files.
#![allow(clippy::disallowed_methods)] // it starts carbon-cache, and takes the time
#![allow(dead_code)] // what it shares with the other tests has more than it needs

mod against;
mod common;
mod graphite_web;

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use against::compare;
use common::{Memory, Stored};
use graphite_web::GraphiteWeb;

const STEP: i64 = 60;
const POINTS: i64 = 180;
const PATIENCE: Duration = Duration::from_secs(60);

const TARGETS: &[&str] = &[
    "hosts.*.load",
    "sumSeries(hosts.*.load)",
    "scale(hosts.a.load,0.1)",
    "aliasByNode(perSecond(hosts.*.packets),1)",
    "movingAverage(hosts.a.load,'10min')",
    "summarize(hosts.*.load,'10min','avg')",
    "asPercent(hosts.*.load)",
    "percentileOfSeries(hosts.*.load,90)",
    "highestMax(hosts.*.load,1)",
    "timeShift(hosts.a.load,'30min')",
    "keepLastValue(hosts.b.load)",
    "holtWintersForecast(hosts.a.load,'1h','30min')",
    "consolidateBy(hosts.a.load,'max')",
    "hosts.{a,b}.*|sortByName(false,true)",
];

/// A carbon-cache that ends with the test.
struct Carbon {
    process: Child,
    lines_port: u16,
    query_port: u16,
}

impl Carbon {
    fn start(directory: &Path) -> Option<Self> {
        let program = oracle::program("carbon-cache", "values that carbon keeps")?;
        let [lines_port, pickle_port, query_port] = [(); 3].map(|()| oracle::free_port());
        let place = directory.display();
        let cache = format!(
            "[cache]\nSTORAGE_DIR = {place}\nLOCAL_DATA_DIR = {place}/whisper\nCONF_DIR = {place}\n\
             LOG_DIR = {place}\nPID_DIR = {place}\nMAX_CREATES_PER_MINUTE = inf\n\
             MAX_UPDATES_PER_SECOND = inf\nLINE_RECEIVER_INTERFACE = 127.0.0.1\n\
             LINE_RECEIVER_PORT = {lines_port}\nPICKLE_RECEIVER_INTERFACE = 127.0.0.1\n\
             PICKLE_RECEIVER_PORT = {pickle_port}\nCACHE_QUERY_INTERFACE = 127.0.0.1\n\
             CACHE_QUERY_PORT = {query_port}\nENABLE_TAGS = False\n"
        );
        let schemas = format!("[all]\npattern = .*\nretentions = {STEP}s:1d\n");
        std::fs::create_dir(directory.join("whisper")).expect("a directory");
        std::fs::write(directory.join("carbon.conf"), cache).expect("a file");
        std::fs::write(directory.join("storage-schemas.conf"), schemas).expect("a file");
        let process = Command::new("/usr/bin/python3")
            .arg(program)
            .arg(format!("--config={place}/carbon.conf"))
            .args(["--nodaemon", "start"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("carbon-cache starts");
        Some(Self { process, lines_port, query_port })
    }

    /// Sends values as lines, once it listens.
    fn send(&self, series: &[Stored]) {
        let deadline = SystemTime::now() + PATIENCE;
        let mut stream = loop {
            match TcpStream::connect(("127.0.0.1", self.lines_port)) {
                Ok(stream) => break stream,
                Err(error) => assert!(SystemTime::now() < deadline, "carbon-cache: {error}"),
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        for one in series {
            let times = (0..).map(|nth: i64| one.start + nth * one.step);
            for (value, time) in one.values.iter().zip(times).filter(|(value, _)| !value.is_nan()) {
                writeln!(stream, "{} {value} {time}", one.path).expect("it listens");
            }
        }
    }
}

impl Drop for Carbon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn series(now: i64) -> Vec<Stored> {
    let start = now - now % STEP - POINTS * STEP;
    let stored = |path: &str, value: &dyn Fn(i64) -> f64| Stored {
        path: path.to_owned(),
        start,
        step: STEP,
        values: (0..POINTS).map(value).collect(),
    };
    vec![
        stored("hosts.a.load", &|nth| (nth as f64 / 9.0).sin() + 2.0),
        stored("hosts.b.load", &|nth| if nth % 7 < 2 { f64::NAN } else { nth as f64 / 3.0 }),
        stored("hosts.a.packets", &|nth| (nth * nth) as f64),
        stored("hosts.b.packets", &|nth| (nth % 40) as f64 * 1e9),
    ]
}

#[test]
fn what_carbon_keeps_is_answered_alike() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(carbon) = Carbon::start(directory.path()) else { return };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    let now = since.as_secs() as i64;
    let memory = Memory(series(now));
    carbon.send(&memory.0);
    let Some(mut web) = GraphiteWeb::over_carbon(directory, carbon.query_port) else { return };
    let until = now - STEP;
    let mut differing = |target: &str| {
        // whisper begins with the step after the request's start, and ends with that of its end.
        let [theirs, ours] =
            [0, STEP].map(|later| [now - 7_200 + later, until + later].map(|it| it.to_string()));
        fn parameters<'p>(target: &'p str, times: &'p [String; 2]) -> [(&'p str, &'p str); 5] {
            let [from, until] = times;
            let rest = [("from", from), ("until", until), ("now", until)];
            let [from, until, now] = rest.map(|(name, value)| (name, value.as_str()));
            [("target", target), ("format", "json"), from, until, now]
        }
        let ours = memory.answer("/render", &parameters(target, &ours));
        let theirs = web.ask("/render", &parameters(target, &theirs));
        compare(&ours, &theirs).map(|it| format!("{target}: {it}"))
    };
    // Values are there once carbon has taken every line.
    let deadline = SystemTime::now() + PATIENCE;
    while differing("hosts.*.*").is_some() && SystemTime::now() < deadline {
        std::thread::sleep(Duration::from_millis(200));
    }
    let all: Vec<String> = TARGETS.iter().filter_map(|it| differing(it)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}
